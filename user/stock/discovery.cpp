// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/discovery.h"

#include "base/append_once.h"
#include "base/socket_address.h"
#include "base/units.h"
#include "stock/transport.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace causeway {

namespace {

constexpr std::size_t longest_text = 223; // of names and addresses in a discovery log page
constexpr const char *discovery_nqn = "nqn.2014-08.org.nvmexpress.discovery";

// Calls @take for each line that is not empty.
template <typename Take> void each_line(std::string_view text, Take take) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (!line.empty()) {
            take(line);
        }
    }
}

void add(Offer &offer, std::optional<OfferedTarget> target) {
    if (!target || offer.targets.size() >= most_offered) {
        offer.left_out++;
    } else {
        append_once(offer.targets, *std::move(target));
    }
}

std::optional<OfferedTarget> iscsi_target(std::string_view line) {
    const std::size_t space = line.find(' ');
    const std::size_t comma = line.substr(0, space).rfind(',');
    if (space == std::string_view::npos || comma == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view portal = line.substr(0, comma);
    const bool has_port = portal.find(':') != std::string_view::npos;
    const auto group = parse_number("group", line.substr(comma + 1, space - comma - 1), 0, 65535);
    auto name = parse_iscsi_name(line.substr(space + 1));
    if (!has_port || !parse_server(portal) || !group || !name) {
        return std::nullopt;
    }
    return OfferedTarget{*std::move(name), "", std::string(portal)};
}

bool is_plain(std::string_view text) {
    return text.size() <= longest_text &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// The value without the spaces that pad it in the log page; empty if it is no plain text.
std::string word_at(const nlohmann::json &record, const char *key) {
    const auto found = record.find(key);
    if (found == record.end() || !found->is_string()) {
        return {};
    }
    auto word = found->get<std::string>();
    word.erase(word.find_last_not_of(' ') + 1);
    return is_plain(word) ? word : std::string();
}

// "10.0.0.1:4420"; empty if the record has no such address. Fibre Channel has addresses of another
// form, without a port.
std::string nvme_portal(const nlohmann::json &record, const std::string &transport) {
    std::string host = word_at(record, "traddr");
    if (transport != "rdma" && transport != "tcp") {
        return host;
    }
    auto address = SocketAddress::from_text(host);
    const auto port = parse_number("port", word_at(record, "trsvcid"), 1, 65535);
    if (!address || !port) {
        return {};
    }
    address->set_port(static_cast<std::uint16_t>(*port));
    return address->text();
}

void add_nvme(Offer &offer, const nlohmann::json &record) {
    if (!record.is_object()) {
        offer.left_out++;
        return;
    }
    const std::string subtype = word_at(record, "subtype");
    const std::string transport = word_at(record, "trtype");
    std::string portal = nvme_portal(record, transport);
    auto name = parse_nqn(word_at(record, "subnqn"));
    const bool refers = subtype.rfind("discovery subsystem", 0) == 0;
    if (!name || transport.empty() || portal.empty()) {
        offer.left_out++;
    } else if (refers && offer.referrals.size() < most_offered) {
        append_once(offer.referrals, std::move(portal));
    } else if (*name != discovery_nqn) {
        add(offer, OfferedTarget{*std::move(name), transport, std::move(portal)});
    }
}

// The value of one key of a line of ibsrpdm; none unless it has so many hexadecimal digits.
struct SrpKey {
    std::string_view start;
    std::size_t digits;
};
constexpr std::array srp_keys = {SrpKey{"id_ext=", 16}, SrpKey{"ioc_guid=", 16},
                                 SrpKey{"dgid=", 32}, SrpKey{"pkey=", 4},
                                 SrpKey{"service_id=", 16}};

// "fe80::1" for "fe800000000000000000000000000001".
std::string gid_text(const std::string &digits) {
    std::string groups;
    for (std::size_t i = 0; i < digits.size(); i += 4) {
        groups += (i == 0 ? "" : ":") + digits.substr(i, 4);
    }
    const auto address = SocketAddress::from_text(groups);
    return address ? address->host_text() : groups;
}

std::optional<OfferedTarget> srp_target(std::string_view line) {
    std::string login(line);
    std::array<std::string, srp_keys.size()> values;
    for (std::size_t i = 0; i < srp_keys.size(); i++) {
        const std::string_view part = line.substr(0, line.find(','));
        const auto &[start, digits] = srp_keys.at(i);
        const bool fits =
            part.size() == start.size() + digits && part.substr(0, start.size()) == start &&
            part.find_first_not_of("0123456789abcdef", start.size()) == std::string_view::npos;
        if (!fits) {
            return std::nullopt;
        }
        values.at(i) = part.substr(start.size());
        line.remove_prefix(std::min(line.size(), part.size() + 1));
    }
    if (!line.empty()) {
        return std::nullopt;
    }
    return OfferedTarget{"0x" + values[1], "", gid_text(values[2]), std::move(login)};
}

} // namespace

std::vector<std::string> Offer::names(std::string_view transport) const {
    std::vector<std::string> all;
    for (const OfferedTarget &each : targets) {
        if (each.transport.empty() || transport.empty() || each.transport == transport) {
            append_once(all, each.target);
        }
    }
    return all;
}

Offer parse_iscsi_discovery(std::string_view text) {
    Offer offer;
    each_line(text, [&](std::string_view line) { add(offer, iscsi_target(line)); });
    return offer;
}

Result<Offer> parse_nvme_discovery(const std::string &text) {
    // nvme-cli prints this sentence in place of an empty list.
    if (text.rfind("No discovery log entries", 0) == 0) {
        return Offer();
    }
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("records") || !json["records"].is_array()) {
        return Error{ExitCode::try_again,
                     "nvme discover printed no log page of a discovery service",
                     "see what it prints: nvme discover -o json"};
    }
    Offer offer;
    for (const auto &record : json["records"]) {
        add_nvme(offer, record);
    }
    return offer;
}

Offer parse_srp_discovery(std::string_view text) {
    Offer offer;
    each_line(text, [&](std::string_view line) { add(offer, srp_target(line)); });
    return offer;
}

} // namespace causeway
