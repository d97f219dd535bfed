// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of --verbose about requests to Causeway's modules.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace causeway {

// Returns "netlink: export-add".
std::string narrated_request(std::uint8_t command);
// Returns the answer to the request that was sent at @begin: "done" or the kernel's error.
std::string narrated_answer(int number, const std::string &sentence,
                            std::chrono::steady_clock::time_point begin);

} // namespace causeway
