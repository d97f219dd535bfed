// SPDX-License-Identifier: GPL-2.0-or-later
// explain rate, explain address, explain mode: the meaning of words and numbers of RDMA.
#include "base/nearest.h"
#include "command/verb.h"
#include "host/ib_address.h"
#include "host/ipoib.h"
#include "host/rate.h"
#include "show/paragraph.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr unsigned int usual_lanes = 4;

/* ---- rate ---- */

Json speed_json(const LaneSpeed &speed, unsigned int lanes) {
    return {{"speed", speed.name},
            {"lanes", lanes},
            {"signalled_gbps", speed.signalled * lanes},
            {"usable_gbps", speed.usable * lanes},
            {"usable_bytes_per_second", speed.usable * lanes * 1e9 / 8},
            {"code", speed.code},
            {"latency_us", speed.latency.empty() ? Json(nullptr) : Json(speed.latency)}};
}

Answer all_rates() {
    Answer answer;
    answer.json["rates"] = Json::array();
    Table table({{"SPEED"},
                 {"LANE", Table::Align::right},
                 {"CODE"},
                 {"1X", Table::Align::right},
                 {"4X", Table::Align::right},
                 {"12X", Table::Align::right},
                 {"LATENCY"}});
    for (const LaneSpeed &speed : lane_speeds()) {
        answer.json["rates"].push_back(speed_json(speed, usual_lanes));
        table.row({std::string(speed.name), short_number(speed.signalled), std::string(speed.code),
                   short_number(speed.usable), short_number(speed.usable * usual_lanes),
                   short_number(speed.usable * 12),
                   speed.latency.empty() ? "" : fmt::format("{} us", speed.latency)});
    }
    answer.text = table.text() +
                  "\nGb/s. LANE is what one lane signals; 1X, 4X and 12X what is left for data\n"
                  "after the line code. Most cables have four lanes.\n";
    return answer;
}

std::string in_words(const LaneSpeed &speed, unsigned int lanes) {
    std::string text =
        fmt::format("{}X {} signals {} Gb/s; {} leaves {} Gb/s for data, {:.2f} GB/s", lanes,
                    speed.name, short_number(speed.signalled * lanes), speed.code,
                    short_number(speed.usable * lanes), speed.usable * lanes / 8);
    if (!speed.latency.empty()) {
        const bool is_bound = speed.latency.find_first_of("0123456789") != 0; // "less than 0.5"
        text +=
            fmt::format(". A short message takes {}{} us", is_bound ? "" : "about ", speed.latency);
    }
    return text + ".";
}

// Parses "4X EDR", "EDR" or "100 Gb/sec (4X EDR)". Without a width there are four lanes.
std::optional<std::pair<unsigned int, std::string>> parse_speed(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    unsigned int lanes = usual_lanes;
    std::string name;
    std::size_t start = 0;
    while ((start = text.find_first_not_of(' ', start)) != std::string::npos) {
        const std::size_t end = std::min(text.find(' ', start), text.size());
        const std::string word = text.substr(start, end - start);
        const bool width =
            word == "1X" || word == "2X" || word == "4X" || word == "8X" || word == "12X";
        if (width) {
            lanes = static_cast<unsigned int>(std::stoul(word));
        } else if (std::any_of(lane_speeds().begin(), lane_speeds().end(),
                               [&](const LaneSpeed &speed) { return speed.name == word; })) {
            name = word;
        } else if (word.find_first_not_of("0123456789.") != std::string::npos && word != "GB/SEC" &&
                   word != "GB/S") {
            return std::nullopt;
        }
        start = end;
    }
    return name.empty() ? std::nullopt : std::optional(std::pair(lanes, name));
}

// Explains "100", which may mean several lanes and speeds, and "rate=7" of partitions.conf.
Result<Answer> explain_number(const std::string &typed) {
    const bool is_code = typed.rfind("rate=", 0) == 0;
    const double number = std::strtod(typed.substr(is_code ? 5 : 0).c_str(), nullptr);
    Answer answer;
    answer.json["meanings"] = Json::array();
    for (const RateCode &code : rate_codes()) {
        if (is_code ? code.code == static_cast<unsigned int>(number) : code.gigabits == number) {
            answer.json["meanings"].push_back({{"code", code.code}, {"gbps", code.gigabits}});
            answer.text += fmt::format("{} Gb/s is rate={} in opensm's partitions.conf\n",
                                       short_number(code.gigabits), code.code);
        }
    }
    for (const LaneSpeed &speed : lane_speeds()) {
        for (const unsigned int lanes : {1U, 2U, 4U, 8U, 12U}) {
            // Names are rounded: 56 for 56.25, 100 for 103.125, 200 for 212.5.
            if (!is_code && number >= speed.usable * lanes && number <= speed.signalled * lanes) {
                answer.json["meanings"].push_back(speed_json(speed, lanes));
                answer.text += paragraph(in_words(speed, lanes), 0);
            }
        }
    }
    if (answer.text.empty()) {
        return Error{ExitCode::usage, fmt::format("'{}' is no rate of InfiniBand", typed),
                     "see which there are: causeway explain rate"};
    }
    return answer;
}

/* ---- mode ---- */

constexpr std::string_view datagram_words =
    "datagram: each packet goes by itself, at most 2044 bytes with an InfiniBand MTU of 2048, 4092 "
    "with 4096. One queue pair serves all peers, hardware checksums and segments, and multicast is "
    "free. All devices can do it; those with enhanced IPoIB, ConnectX-4 and later, only this.";
constexpr std::string_view connected_words =
    "connected: a connection to each peer, packets of up to 65520 bytes. Fewer and larger packets, "
    "without help of the hardware; the first packet to a peer waits for the connection. Peers "
    "without a connection, and multicast, get datagrams.";
constexpr std::string_view same_words =
    "All machines of a subnet should use one mode and one MTU: a packet that is too large for its "
    "peer is lost without a word.";
constexpr std::string_view page_words =
    "An MTU above 2044 costs memory in datagram mode. The kernel posts receive buffers that hold "
    "the "
    "largest InfiniBand packet of the port, 40 bytes of routing header and the header of IPoIB. "
    "With "
    "an InfiniBand MTU of 2048 such a buffer fits in a page of 4 KiB. With 4096 it needs two pages "
    "that are neighbours, for every packet, also a small one. Old switches forward no InfiniBand "
    "packet above 2048 bytes; with those, 2044 is the most.";

Result<Answer> explain_interface(World &world, const std::string &name) {
    auto interface = find_ipoib(world.files, world.processes, name);
    if (!interface) {
        Error error = interface.error();
        error.fix = "give connected, datagram or an interface; " + error.fix;
        return error;
    }
    Answer answer;
    answer.json = {{"interface", name},
                   {"mode", interface->mode.empty() ? Json(nullptr) : Json(interface->mode)},
                   {"mtu", interface->mtu},
                   {"can_connect", interface->can_connect}};
    const std::string mode =
        interface->mode.empty()
            ? "a mode that sysfs does not report (the child interface was made by netlink)"
            : interface->mode + " mode";
    std::string text = fmt::format("{} is in {} with an MTU of {}.", name, mode, interface->mtu);
    text += interface->can_connect
                ? " Its address starts with a byte that has 0x80: its device can do connected "
                  "mode."
                : " The first byte of its address has no 0x80: its device can do datagram mode "
                  "only.";
    answer.text = paragraph(text, 0);
    const unsigned int most = interface->mode == "connected" ? 65520 : 2044;
    if (!interface->mode.empty() && interface->mtu < most) {
        answer.text += fmt::format("The mode allows {}, on all machines of the subnet:\n"
                                   "    causeway ipoib set {} --mtu {}\n",
                                   most, name, most);
    }
    answer.text += "\n" +
                   paragraph(interface->mode == "connected" ? connected_words : datagram_words, 0) +
                   "\n" + paragraph(same_words, 0);
    return answer;
}

Result<Answer> run_explain_rate(World & /*world*/, const Arguments &arguments) {
    if (arguments.operands().empty()) {
        return all_rates();
    }
    const std::string typed = fmt::format("{}", fmt::join(arguments.operands(), " "));
    if (const auto speed = parse_speed(typed)) {
        const auto found =
            std::find_if(lane_speeds().begin(), lane_speeds().end(),
                         [&](const LaneSpeed &each) { return each.name == speed->second; });
        Answer answer;
        answer.json["meanings"] = Json::array({speed_json(*found, speed->first)});
        answer.text = paragraph(in_words(*found, speed->first), 0);
        return answer;
    }
    const std::string start = typed.rfind("rate=", 0) == 0 ? typed.substr(5) : typed;
    if (!start.empty() && start.find_first_not_of("0123456789.") == std::string::npos) {
        return explain_number(typed);
    }
    std::vector<std::string> names;
    for (const LaneSpeed &speed : lane_speeds()) {
        names.emplace_back(speed.name);
    }
    const auto close = nearest(typed, names);
    return Error{ExitCode::usage, fmt::format("'{}' is no rate of InfiniBand", typed),
                 close ? fmt::format("did you mean {}?", *close)
                       : "give a speed such as EDR, or \"4X EDR\", 100, rate=7"};
}

Result<Answer> run_explain_address(World & /*world*/, const Arguments &arguments) {
    const std::string &typed = arguments.operands().front();
    const auto meaning = explain_address(typed);
    if (!meaning) {
        return Error{
            ExitCode::usage, fmt::format("'{}' is no address of RDMA", typed),
            "give the 20 bytes of an IPoIB interface (ip link), a GUID (16 digits), a GID, "
            "a LID, or an Ethernet address"};
    }
    Answer answer;
    answer.json = {{"address", typed}, {"kind", meaning->kind}, {"parts", Json::array()}};
    answer.text = fmt::format(
        "{} is {} {}\n", typed,
        std::string_view("AEIOU").find(meaning->kind.front()) != std::string_view::npos ? "an"
                                                                                        : "a",
        meaning->kind);
    for (const AddressPart &part : meaning->parts) {
        answer.json["parts"].push_back(
            {{"name", part.name},
             {"value", part.value},
             {"meaning", part.meaning.empty() ? Json(nullptr) : Json(part.meaning)}});
        answer.text += fmt::format("  {:<14}  {}\n", part.name, part.value);
        answer.text += part.meaning.empty() ? "" : paragraph(part.meaning, 18);
    }
    return answer;
}

Result<Answer> run_explain_mode(World &world, const Arguments &arguments) {
    const std::string typed = arguments.operands().empty() ? "" : arguments.operands().front();
    if (!typed.empty() && typed != "connected" && typed != "datagram") {
        return explain_interface(world, typed);
    }
    Answer answer;
    answer.json["modes"] = Json::array();
    const auto tell = [&](std::string_view name, std::string_view words, unsigned int mtu) {
        if (typed.empty() || typed == name) {
            answer.json["modes"].push_back({{"mode", name}, {"most_mtu", mtu}, {"meaning", words}});
            answer.text += paragraph(words, 0) + "\n";
        }
    };
    tell("datagram", datagram_words, 4092);
    tell("connected", connected_words, 65520);
    answer.json["page"] = page_words;
    if (typed != "connected") {
        answer.text += paragraph(page_words, 0) + "\n";
    }
    answer.text += paragraph(same_words, 0);
    return answer;
}

const VerbRows explain_rows(Section::seeing, 10, [] {
    return std::vector<Verb>{
        {
            .words = "explain rate",
            .operands = "[SPEED|GBPS|rate=N]",
            .summary = "explain a rate, and how much of the rate is left for data",
            .most_operands = 3,
            .run = run_explain_rate,
        },
        {
            .words = "explain address",
            .operands = "ADDRESS",
            .summary = "explain the parts of an IPoIB address, GUID, GID, LID or Ethernet address",
            .least_operands = 1,
            .most_operands = 1,
            .run = run_explain_address,
        },
        {
            .words = "explain mode",
            .operands = "[connected|datagram|INTERFACE]",
            .summary = "explain the modes of IP over InfiniBand, and the modes of an interface",
            .most_operands = 1,
            .run = run_explain_mode,
        },
    };
});

} // namespace

} // namespace causeway
