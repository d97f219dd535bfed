// SPDX-License-Identifier: GPL-2.0-or-later
// The changes that a verb is about to make, so that --dry-run can show them.
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
    std::optional<std::string> before; // none: the file does not exist
    std::optional<std::string> after;  // none: the file is removed
};

class Plan {
  public:
    // Read the file, and record the change unless it would change nothing.
    Result<void> write(const std::filesystem::path &place, const std::string &content);
    Result<void> remove(const std::filesystem::path &place);
    // Records an action in the form "start the service", which answer() shows as "would start ...".
    void act(std::string action) { actions_.push_back(std::move(action)); }

    // Returns a unified diff of each file, then the actions in sentences.
    Answer answer() const;

  private:
    std::vector<FileChange> files_;
    std::vector<std::string> actions_;
};

} // namespace causeway
