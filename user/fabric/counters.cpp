// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabric/counters.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <regex>

namespace causeway {

namespace {

constexpr std::uint64_t most_count = std::numeric_limits<unsigned int>::max();

// A counter of traffic or of waiting, not of errors: ibqueryerrors prints it with the others.
constexpr std::string_view waiting = "PortXmitWait";

// Parses "[SymbolErrorCounter == 12] [LinkDownedCounter == 3 (3.000)]".
bool parse_values(std::string text, std::vector<CounterValue> &values) {
    static const std::regex form("\\s*\\[([A-Za-z0-9]+) == (\\d+)(?: \\([0-9.]+[A-Za-z]*\\))?\\]");
    std::smatch match;
    while (std::regex_search(text, match, form, std::regex_constants::match_continuous)) {
        const auto value = whole_number(match[2].str(), std::numeric_limits<std::uint64_t>::max());
        if (!value) {
            return false;
        }
        values.push_back({match[1].str(), *value});
        text = match.suffix().str();
    }
    return text.empty();
}

// Parses a line such as: GUID 0x200000 port 2: [SymbolErrorCounter == 12]
bool parse_port(const std::string &line, const std::string &node, FabricCounters &counters) {
    static const std::regex form("GUID 0x([0-9a-f]{1,16}) port (\\d+|ALL):(.*)");
    std::smatch match;
    if (!std::regex_match(line, match, form)) {
        return false;
    }
    PortCounters port;
    port.node = node;
    port.guid = fmt::format("0x{:0>16}", match[1].str());
    if (!parse_values(match[3].str(), port.values)) {
        return false;
    }
    // The sum of a switch repeats what its ports have.
    if (match[2] == "ALL") {
        return true;
    }
    const auto number = whole_number(match[2].str(), most_ports);
    port.port = static_cast<unsigned int>(number.value_or(0));
    counters.ports.push_back(port);
    return number.has_value();
}

// Parses the lines behind "## Summary".
bool parse_summary(const std::string &line, bool &whole, FabricCounters &counters) {
    static const std::regex nodes("## Summary: (\\d+) nodes checked, \\d+ bad nodes found");
    static const std::regex ports(
        "##\\s+(\\d+) ports checked, \\d+ ports have errors beyond threshold");
    static const std::regex failures("##\\s+(\\d+) PMA query failures");
    static const std::regex remark("## (?:Thresholds:|Suppressed:).*|## \\(null\\)");
    std::smatch match;
    const auto count = [&](unsigned int &into) {
        const auto number = whole_number(match[1].str(), most_count);
        into = static_cast<unsigned int>(number.value_or(0));
        return number.has_value();
    };
    if (std::regex_match(line, match, nodes)) {
        whole = true;
        return count(counters.nodes_checked);
    }
    if (std::regex_match(line, match, ports)) {
        return count(counters.ports_checked);
    }
    if (std::regex_match(line, match, failures)) {
        return count(counters.failed_queries);
    }
    return std::regex_match(line, remark);
}

} // namespace

const std::vector<ErrorCounter> &error_counters() {
    static const std::vector<ErrorCounter> counters = {
        {"SymbolErrorCounter", 10, "bits arrive wrong: clean or replace the cable"},
        {"LinkErrorRecoveryCounter", 10, "the link trained again: replace the cable"},
        {"LinkDownedCounter", 10, "the link went down; each restart of a host counts too"},
        {"PortRcvErrors", 10, "packets arrive damaged: replace the cable"},
        {"PortRcvRemotePhysicalErrors", 100, "packets were damaged on another link before"},
        {"PortRcvSwitchRelayErrors", 100, "packets that the switch could not forward"},
        {"PortXmitDiscards", 100, "packets were dropped: congestion, or the link was down"},
        {"PortXmitConstraintErrors", 100, "packets of a wrong partition were not sent"},
        {"PortRcvConstraintErrors", 100, "packets of a wrong partition were dropped"},
        {"LocalLinkIntegrityErrors", 10, "too many damaged packets in a row: replace the cable"},
        {"ExcessiveBufferOverrunErrors", 10, "the far end sent more than it had credits for"},
        {"QP1Dropped", 100, "management packets were dropped"},
        {"VL15Dropped", 100, "packets of the subnet manager were dropped"},
    };
    return counters;
}

const ErrorCounter *find_error_counter(std::string_view name) {
    const auto found = std::find_if(error_counters().begin(), error_counters().end(),
                                    [&](const ErrorCounter &each) { return each.name == name; });
    return found == error_counters().end() ? nullptr : &*found;
}

std::string PortCounters::text() const {
    return fmt::format("{}/{}", node, port);
}

std::vector<std::string> counters_command() {
    // The thresholds of the package's file would hide counters; this file has none.
    return {"ibqueryerrors", "--threshold-file", "/dev/null"};
}

std::vector<std::string> clear_command() {
    std::vector<std::string_view> names = {waiting};
    for (const ErrorCounter &each : error_counters()) {
        names.push_back(each.name);
    }
    return {"ibqueryerrors", "--clear-errors", "--suppress",
            fmt::format("{}", fmt::join(names, ","))};
}

std::optional<FabricCounters> parse_counters(std::string_view text, Unread &unread) {
    static const std::regex heading("Errors for (?:0x[0-9a-f]{1,16} )?\"(.*)\"");
    FabricCounters counters;
    std::string node;
    bool whole = false;
    for (const std::string &line : program_lines(text, unread)) {
        std::smatch match;
        if (std::regex_match(line, match, heading)) {
            node = printable(match[1].str());
        } else if (!parse_port(line, node, counters) && !parse_summary(line, whole, counters)) {
            unread.add(line);
        }
    }
    return whole ? std::optional(counters) : std::nullopt;
}

} // namespace causeway
