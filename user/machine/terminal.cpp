// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/terminal.h"

#include <causeway.h>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace causeway {

bool may_colour(const char *no_color, const char *term) {
    const bool refused = no_color != nullptr && *no_color != '\0';
    return !refused && term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

Terminal find_terminal(int file) {
    if (::isatty(file) == 0) {
        return {};
    }
    winsize size{};
    constexpr std::size_t usual = 80;
    const bool told = ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
    return {told ? size.ws_col : usual, may_colour(std::getenv("NO_COLOR"), std::getenv("TERM"))};
}

Tone tone_of_state(std::uint8_t state) {
    switch (state) {
    case CW_STATE_LIVE:
        return Tone::good;
    case CW_STATE_HELD:
    case CW_STATE_FAILING:
    case CW_STATE_REFUSED:
    case CW_STATE_REVOKED:
        return Tone::bad;
    default:
        return Tone::doubtful;
    }
}

std::string painted(const std::string &text, Tone tone) {
    switch (tone) {
    case Tone::good:
        return fmt::format("\033[32m{}\033[0m", text);
    case Tone::doubtful:
        return fmt::format("\033[33m{}\033[0m", text);
    case Tone::bad:
        return fmt::format("\033[31m{}\033[0m", text);
    case Tone::plain:
        break;
    }
    return text;
}

} // namespace causeway
