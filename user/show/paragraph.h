// SPDX-License-Identifier: GPL-2.0-or-later
// Sentences in lines of a terminal's width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace causeway {

// Each line starts with so many spaces; none is longer than 80 columns unless a single word is.
std::string paragraph(std::string_view text, std::size_t indent);

} // namespace causeway
