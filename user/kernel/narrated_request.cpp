// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/narrated_request.h"

#include "base/narration.h"
#include "kernel/command_names.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace causeway {

std::string narrated_request(std::uint8_t command) {
    const auto *const found =
        std::find_if(command_names.begin(), command_names.end(),
                     [&](const NetlinkName &name) { return name.number == command; });
    return fmt::format("netlink: {}", found == command_names.end() ? std::to_string(command)
                                                                   : std::string(found->name));
}

std::string narrated_answer(int number, const std::string &sentence,
                            std::chrono::steady_clock::time_point begin) {
    return fmt::format("  {}{}{}, after {}", number == 0 ? "done" : std::strerror(number),
                       sentence.empty() ? "" : ": ", sentence, narrated_time(begin));
}

} // namespace causeway
