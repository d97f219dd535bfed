// SPDX-License-Identifier: GPL-2.0-or-later
// Removes the files of a mount or an export that a verb has ended. An administrator who ends one
// has a reason, such as a server that does not answer or an access that is revoked. So a file that
// cannot be removed causes a warning and an exit status, and never restores the mount or export.
#pragma once

#include "base/answer.h"
#include "change/change_set.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

class Removals {
  public:
    // Returns none if the file does not exist, or cannot be read, which adds a warning.
    std::optional<std::string> read(const std::filesystem::path &place);
    // These add the removal to the set. A file must be a regular one; the journal keeps its
    // content.
    void remove_file(ChangeSet &set, const std::filesystem::path &place);
    void remove_link(ChangeSet &set, const std::filesystem::path &place);

    // Call this after the set is carried out. Returns the exit status (failed if a removal failed)
    // and the warnings of files that could not be read.
    Answer said() const;

  private:
    std::vector<std::string> warnings_;
    std::shared_ptr<bool> failed_ = std::make_shared<bool>(false);
};

} // namespace causeway
