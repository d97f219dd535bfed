// SPDX-License-Identifier: GPL-2.0-or-later
// Files that go when a verb has ended a mount or an export. An administrator who ends one has a
// reason, such as a server that does not answer or an access that is revoked. So a file that cannot
// be read or removed is a warning and an exit status, and never brings the mount or export back.
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
    // None where it is not there or cannot be read.
    std::optional<std::string> read(const std::filesystem::path &place);
    // A regular file. The journal keeps its content.
    void remove_file(ChangeSet &set, const std::filesystem::path &place);
    void remove_link(ChangeSet &set, const std::filesystem::path &place);

    // Once the set is carried out: the exit status, and the warnings of what could not be read.
    Answer said() const;

  private:
    std::vector<std::string> warnings_;
    std::shared_ptr<bool> failed_ = std::make_shared<bool>(false);
};

} // namespace causeway
