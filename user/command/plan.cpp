// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/plan.h"

#include "base/diff.h"
#include "base/durable_file.h"

#include <fmt/format.h>

namespace causeway {

Result<void> Plan::write(const std::filesystem::path &place, const std::string &content) {
    auto before = TRY(read_small_file(place));
    if (before != content) {
        files_.push_back({place, before, content});
    }
    return {};
}

Result<void> Plan::remove(const std::filesystem::path &place) {
    auto before = TRY(read_small_file(place));
    if (before) {
        files_.push_back({place, before, std::nullopt});
    }
    return {};
}

Answer Plan::answer() const {
    Answer answer;
    answer.json["dry_run"] = true;
    answer.json["files"] = Json::array();
    answer.json["actions"] = actions_;
    for (const FileChange &change : files_) {
        answer.json["files"].push_back({{"path", change.place.string()},
                                        {"before", or_null(change.before)},
                                        {"after", or_null(change.after)}});
        answer.text += unified_diff(change.place.string(), change.before, change.after);
    }
    for (const std::string &action : actions_) {
        answer.text += fmt::format("would {}\n", action);
    }
    if (answer.text.empty()) {
        answer.text = "would change nothing\n";
    }
    return answer;
}

} // namespace causeway
