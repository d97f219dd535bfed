// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/columns.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
    std::istringstream stream{std::string(text)};
    std::vector<std::string> lines;
    for (std::string word; stream >> word;) {
        if (!lines.empty() && lines.back().size() + 1 + word.size() <= width) {
            lines.back() += " " + word;
        } else {
            lines.push_back(word);
        }
    }
    return lines;
}

std::string two_columns(const std::vector<std::pair<std::string, std::string>> &pairs,
                        std::size_t left) {
    constexpr std::size_t margin = 2;
    std::size_t column = 0;
    for (const auto &[name, text] : pairs) {
        column = std::max(column, name.size() <= left ? name.size() : 0);
    }
    const std::size_t start = column + 2 * margin;
    std::string all;
    for (const auto &[name, text] : pairs) {
        std::string line = std::string(margin, ' ') + name;
        for (const std::string &part : wrap(text, page_width - start)) {
            if (line.size() + margin > start) {
                all += line + "\n";
                line.clear();
            }
            line += std::string(start - line.size(), ' ') + part;
        }
        all += line + "\n";
    }
    return all;
}

} // namespace causeway
