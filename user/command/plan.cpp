// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/plan.h"

#include "base/durable_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

Json text_or_null(const std::optional<std::string> &text) {
    return text ? Json(*text) : Json(nullptr);
}

} // namespace

std::string line_diff(const std::string &before, const std::string &after) {
    const auto old_lines = lines_of(before);
    const auto new_lines = lines_of(after);
    const std::size_t width = new_lines.size() + 1;
    // Longest common run of lines from (i, j) on.
    std::vector<std::size_t> common((old_lines.size() + 1) * width);
    for (std::size_t i = old_lines.size(); i-- > 0;) {
        for (std::size_t j = new_lines.size(); j-- > 0;) {
            common[i * width + j] =
                old_lines[i] == new_lines[j]
                    ? common[(i + 1) * width + j + 1] + 1
                    : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
        }
    }
    std::string diff;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < old_lines.size() || j < new_lines.size()) {
        if (i < old_lines.size() && j < new_lines.size() && old_lines[i] == new_lines[j]) {
            diff += fmt::format("    {}\n", old_lines[i++]);
            j++;
        } else if (i < old_lines.size() &&
                   (j == new_lines.size() ||
                    common[(i + 1) * width + j] >= common[i * width + j + 1])) {
            diff += fmt::format("  - {}\n", old_lines[i++]);
        } else {
            diff += fmt::format("  + {}\n", new_lines[j++]);
        }
    }
    return diff;
}

Result<void> Plan::write(const std::filesystem::path &place, const std::string &content) {
    auto before = read_small_file(place);
    if (!before) {
        return before.error();
    }
    if (*before != content) {
        files_.push_back({place, *before, content});
    }
    return {};
}

Result<void> Plan::remove(const std::filesystem::path &place) {
    auto before = read_small_file(place);
    if (!before) {
        return before.error();
    }
    if (*before) {
        files_.push_back({place, *before, std::nullopt});
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
                                        {"before", text_or_null(change.before)},
                                        {"after", text_or_null(change.after)}});
        const std::string_view deed = !change.before  ? "write"
                                      : !change.after ? "remove"
                                                      : "change";
        answer.text += fmt::format("would {} {}\n", deed, change.place.string());
        answer.text += line_diff(change.before.value_or(""), change.after.value_or(""));
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
