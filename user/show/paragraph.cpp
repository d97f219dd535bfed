// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/paragraph.h"

#include "show/columns.h"

namespace causeway {

std::string paragraph(std::string_view text, std::size_t indent) {
    std::string out;
    for (const std::string &line : wrap(text, page_width - indent)) {
        out += std::string(indent, ' ') + line + "\n";
    }
    return out;
}

} // namespace causeway
