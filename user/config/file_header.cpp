// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/file_header.h"

#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::string_view header_start = "# Written by \"causeway ";

} // namespace

std::string our_header(std::string_view verb) {
    return fmt::format("{}{}\"; \"causeway undo\" takes it back.\n", header_start, verb);
}

bool is_ours(std::string_view content) {
    return content.substr(0, header_start.size()) == header_start;
}

} // namespace causeway
