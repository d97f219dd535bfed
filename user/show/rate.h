// SPDX-License-Identifier: GPL-2.0-or-later
// A port's rate in words.
#pragma once

#include <optional>
#include <string>

namespace causeway {

struct PortRate {
    double signalled = 0; // Gb/s, as the kernel says
    unsigned int lanes = 0;
    std::string speed; // "QDR", "EDR"
    double usable = 0; // Gb/s that are left for data after the line code
};

// Of sysfs' "100 Gb/sec (4X EDR)"; none where it is something else.
std::optional<PortRate> parse_rate(const std::string &text);

// "100 Gb/s, 4X EDR: 96.97 Gb/s of data"; on Ethernet "100 Gb/s": InfiniBand's line code says
// nothing there. The kernel's own words where they are not understood.
std::string rate_words(const std::string &text, bool infiniband);

} // namespace causeway
