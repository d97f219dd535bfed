// SPDX-License-Identifier: GPL-2.0-or-later
// The HTML that the pages of reports have in common. A page needs no other file.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace causeway {

std::string escaped_html(const std::string &text);

// Returns a page with this title, which is escaped, and this body, which is HTML.
std::string html_page(const std::string &title, const std::string &body);

// Return tables, whose cells are escaped: names with their values, and rows below titles.
std::string html_pairs(const std::vector<std::pair<std::string, std::string>> &rows);
std::string html_table(const std::vector<std::string> &titles,
                       const std::vector<std::vector<std::string>> &rows);

} // namespace causeway
