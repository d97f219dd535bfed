// SPDX-License-Identifier: GPL-2.0-or-later
// What a verb is about to change, so that --dry-run can show it.
#pragma once

#include "base/answer.h"
#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct FileChange {
    std::filesystem::path place;
    std::optional<std::string> before; // none: the file is not there
    std::optional<std::string> after;  // none: it is removed
};

class Plan {
  public:
    // Reads what is there now; a change that changes nothing is left out.
    Result<void> write(const std::filesystem::path &place, const std::string &content);
    Result<void> remove(const std::filesystem::path &place);
    void act(std::string action) { actions_.push_back(std::move(action)); }

    // A unified diff of each file, then the actions in sentences.
    Answer answer() const;

  private:
    std::vector<FileChange> files_;
    std::vector<std::string> actions_;
};

} // namespace causeway
