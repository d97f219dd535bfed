// SPDX-License-Identifier: GPL-2.0-or-later
// Text broken into lines of a terminal's width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace causeway {

// Starts each line with @indent spaces. No line is longer than 80 columns unless it is a single
// word.
std::string paragraph(std::string_view text, std::size_t indent);

} // namespace causeway
