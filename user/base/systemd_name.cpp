// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/systemd_name.h"

#include <fmt/format.h>

namespace causeway {

namespace {

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ':' ||
           c == '_' || c == '.';
}

} // namespace

std::string escaped_path(std::string_view path) {
    std::string text;
    bool gap = false;
    for (const char c : path) {
        if (c == '/') {
            gap = !text.empty();
            continue;
        }
        if (gap) {
            text += '-';
            gap = false;
        }
        if (is_plain(c) && (c != '.' || !text.empty())) {
            text += c;
        } else {
            text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
    return text.empty() ? "-" : text;
}

} // namespace causeway
