// SPDX-License-Identifier: GPL-2.0-or-later
// The error counters of the ports of a fabric, parsed from the output of ibqueryerrors.
#pragma once

#include "fabric/program_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A counter of errors, and what its increase means.
struct ErrorCounter {
    std::string_view name;
    std::uint64_t threshold; // a higher value is a finding
    std::string_view meaning;
};
// All counters that Causeway judges, in the order of the InfiniBand specification.
const std::vector<ErrorCounter> &error_counters();
// Returns none for a counter that is not judged.
const ErrorCounter *find_error_counter(std::string_view name);

struct CounterValue {
    std::string name;
    std::uint64_t value = 0;
};

struct PortCounters {
    std::string node;
    std::string guid; // of the port, "0x0000000000100003"
    unsigned int port = 0;
    std::vector<CounterValue> values; // that are not zero

    std::string text() const; // "SW1/2"
};

struct FabricCounters {
    std::vector<PortCounters> ports;
    unsigned int nodes_checked = 0;
    unsigned int ports_checked = 0;
    unsigned int failed_queries = 0; // of performance management; those values are unknown
};

// Returns the command that prints all counters that are not zero.
std::vector<std::string> counters_command();
// Returns the command that sets the error counters of all ports to zero, and prints none: so its
// exit status does not depend on their values.
std::vector<std::string> clear_command();

// Parses the output. Returns none if it has no summary: then the program has not seen the fabric,
// whatever its exit status is.
std::optional<FabricCounters> parse_counters(std::string_view text, Unread &unread);

} // namespace causeway
