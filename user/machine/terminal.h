// SPDX-License-Identifier: GPL-2.0-or-later
// What the output goes to: its width, and whether it takes colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace causeway {

struct Terminal {
    std::size_t columns = 0; // 0: no terminal, lines may be as long as they are
    bool colour = false;
};

// Of this file descriptor. No colours where NO_COLOR is set and not empty (no-color.org), or TERM
// is missing or "dumb".
Terminal find_terminal(int file);
// The same rule, from the values of both; a null pointer: not set.
bool may_colour(const char *no_color, const char *term);

enum class Tone { plain, good, doubtful, bad };

// Of enum cw_state: live is good; held, failing and refused are bad; what may become good is
// doubtful.
Tone tone_of_state(std::uint8_t state);

std::string painted(const std::string &text, Tone tone);

} // namespace causeway
