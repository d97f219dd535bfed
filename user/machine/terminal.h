// SPDX-License-Identifier: GPL-2.0-or-later
// Properties of the output: its width, and whether it shows colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace causeway {

struct Terminal {
    std::size_t columns = 0; // 0: not a terminal, lines have no limit
    bool colour = false;
};

// Returns the properties of this file descriptor. No colours if NO_COLOR is set and not empty
// (no-color.org), or if TERM is unset or "dumb".
Terminal find_terminal(int file);
// Applies the same rule to the values of both variables. A null pointer stands for an unset
// variable.
bool may_colour(const char *no_color, const char *term);

enum class Tone { plain, good, doubtful, bad };

// Returns the tone for a state of enum cw_state: live is good; held, failing, refused and revoked
// are bad; every other state is doubtful.
Tone tone_of_state(std::uint8_t state);

// Returns the text with escape sequences for the colour of the tone. Tone::plain adds none.
std::string painted(const std::string &text, Tone tone);

} // namespace causeway
