// SPDX-License-Identifier: GPL-2.0-or-later
// Quality of service in an InfiniBand subnet: service levels (SL), each with a virtual lane (VL) of
// its own, and the weights by which ports serve the lanes. "QOS CONFIGURATION" of opensm(8).
#pragma once

#include "base/result.h"
#include "subnet/settings.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace causeway {

struct QosLevel {
    unsigned int sl = 0;
    unsigned int vl = 0;
    unsigned int weight = 0; // 0 to 255, in units of 64 bytes (IBA 7.6.9.2)
    bool high = false;       // served before the levels that are not high

    bool operator==(const QosLevel &) const = default;
};

struct QosLevels {
    std::vector<QosLevel> levels; // by SL
    // How much the high levels send before another level has its turn, in units of 4096 bytes.
    // 255: without limit.
    unsigned int high_limit = 0;
};

// Parses "SL=WEIGHT" of the low and of the high levels, and gives each level a lane.
Result<QosLevels> parse_qos_levels(const std::vector<std::string> &low,
                                   const std::vector<std::string> &high, unsigned int high_limit);

// Returns opensm's settings for these levels, with their keys.
std::vector<std::pair<std::string, std::string>> qos_settings(const QosLevels &levels);
// The keys of these settings.
std::vector<std::string> qos_keys();

bool qos_is_on(const OpensmSettings &settings);
// Returns the levels of settings that may be written by hand: those whose lane has a weight. None
// if the settings cannot be parsed.
std::optional<QosLevels> qos_levels_of(const OpensmSettings &settings);

} // namespace causeway
