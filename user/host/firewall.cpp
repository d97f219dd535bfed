// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/firewall.h"

#include "base/units.h"
#include "host/prefix.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace causeway {

namespace {

using nlohmann::json;

Error not_understood(const std::string &why) {
    return Error{ExitCode::failed, fmt::format("what nft says is not understood: {}", why)};
}

// The objects of one kind in nft's list.
Result<std::vector<json>> objects(const std::string &text, const char *kind) {
    std::vector<json> found;
    try {
        const json whole = json::parse(text);
        for (const json &each : whole.at("nftables")) {
            if (each.contains(kind)) {
                found.push_back(each.at(kind));
            }
        }
    } catch (const json::exception &wrong) {
        return not_understood(wrong.what());
    }
    return found;
}

std::string comment_of(const OpenPort &port) {
    return "causeway:" + (port.from.empty() ? port.text() : port.phrase());
}

// iptables-nft writes its chains in capitals into tables with these names.
bool made_by_iptables(const std::string &family, const std::string &table,
                      const std::string &chain) {
    return (family == "ip" || family == "ip6") && table == "filter" && chain == "INPUT";
}

bool has_key(const json &object, const char *key) {
    return object.is_object() && object.contains(key);
}

// A match that most new connections to any port pass: of an interface or a protocol. What it
// compares with may also be a range of ports.
bool passes_most(const json &match) {
    const json left = match.value("left", json());
    if (has_key(left, "meta")) {
        return true;
    }
    if (!has_key(left, "payload")) {
        return false;
    }
    const std::string field = left.at("payload").value("field", "");
    if (field == "protocol" || field == "nexthdr") {
        return true;
    }
    const bool range = match.value("right", json()).dump().find("range") != std::string::npos;
    return field == "dport" && (range || match.value("op", "") == "!=");
}

// It may end a packet that opens a connection to some port. Another chain that it goes to is not
// followed.
bool may_close(const json &rule) {
    bool drops = false;
    for (const json &part : rule.value("expr", json::array())) {
        if (has_key(part, "match") && !passes_most(part.at("match"))) {
            return false;
        }
        const bool by_state = has_key(part, "vmap") && has_key(part.at("vmap"), "key") &&
                              has_key(part.at("vmap").at("key"), "ct");
        drops |= has_key(part, "drop") || has_key(part, "reject") || has_key(part, "jump") ||
                 has_key(part, "goto") || has_key(part, "queue") || has_key(part, "xt") ||
                 (has_key(part, "vmap") && !by_state);
    }
    return drops;
}

bool is_in(const json &rule, const InputChain &chain) {
    return rule.value("family", "") == chain.family && rule.value("table", "") == chain.table &&
           rule.value("chain", "") == chain.name;
}

} // namespace

std::string_view firewall_name(Firewall firewall) {
    switch (firewall) {
    case Firewall::firewalld:
        return "firewalld";
    case Firewall::ufw:
        return "ufw";
    case Firewall::nftables:
        break;
    }
    return "nftables";
}

std::string OpenPort::text() const {
    return fmt::format("{}/{}", port, protocol);
}

std::string OpenPort::phrase() const {
    return fmt::format("{} from {}", text(), from.empty() ? "any" : from);
}

Result<OpenPort> parse_open_port(const std::string &phrase) {
    const std::size_t slash = phrase.find('/');
    const std::size_t middle = phrase.find(" from ");
    const Error wrong{ExitCode::bad_config, fmt::format("'{}' is no port to open", phrase),
                      "write it as in: 4791/udp from any"};
    if (slash == std::string::npos || middle == std::string::npos || middle < slash) {
        return wrong;
    }
    auto number = parse_number("port", phrase.substr(0, slash), 1, UINT16_MAX);
    OpenPort port{phrase.substr(slash + 1, middle - slash - 1),
                  static_cast<std::uint16_t>(number ? *number : 0), phrase.substr(middle + 6)};
    if (!number || (port.protocol != "tcp" && port.protocol != "udp")) {
        return wrong;
    }
    if (port.from == "any") {
        port.from.clear();
        return port;
    }
    auto network = parse_prefix(port.from, "port from");
    if (!network) {
        return wrong;
    }
    port.from = network->text();
    return port;
}

std::vector<OpenPort> rdma_ports(const std::vector<RdmaDevice> &devices, std::uint16_t service) {
    const auto has = [&](std::string_view kind) {
        return std::any_of(devices.begin(), devices.end(),
                           [&](const RdmaDevice &device) { return device.soft == kind; });
    };
    std::vector<OpenPort> ports;
    if (has("siw")) {
        ports.push_back({"tcp", service});
    }
    if (has("rxe")) {
        ports.push_back({"udp", roce_port});
    }
    return ports;
}

std::string InputChain::text() const {
    return fmt::format("{} {} {}", family, table, name);
}

bool InputChain::sees(const OpenPort &port) const {
    return port.from.empty() || family == "inet" || family == (port.by_ipv6() ? "ip6" : "ip");
}

Result<std::optional<Firewall>> find_firewall(World &world) {
    const auto says = [&](const std::vector<std::string> &words,
                          std::string_view wanted) -> Result<bool> {
        if (!world.processes.there(words.front())) {
            return false;
        }
        auto end = world.processes.run(words);
        if (!end) {
            return end.error();
        }
        return end->good() && end->out.substr(0, wanted.size()) == wanted;
    };
    struct Sign {
        Firewall firewall;
        std::vector<std::string> words;
        std::string_view answer;
    };
    const std::array signs = {
        Sign{Firewall::firewalld, {"firewall-cmd", "--state"}, "running"},
        Sign{Firewall::ufw, {"ufw", "status"}, "Status: active"},
    };
    for (const Sign &sign : signs) {
        auto runs = says(sign.words, sign.answer);
        if (!runs) {
            return runs.error();
        }
        if (*runs) {
            return std::optional(sign.firewall);
        }
    }
    if (!world.processes.there("nft")) {
        return std::optional<Firewall>();
    }
    auto chains = closing_chains(world);
    if (!chains) {
        return chains.error();
    }
    return chains->empty() ? std::optional<Firewall>() : std::optional(Firewall::nftables);
}

Result<std::vector<InputChain>> closing_chains(World &world) {
    auto rules = world.processes.run({"nft", "-j", "list", "ruleset"});
    if (!rules) {
        return rules.error();
    }
    if (!rules->good()) {
        return Error{ExitCode::failed,
                     fmt::format("the rules of nftables cannot be read: {}", rules->last_words())};
    }
    auto chains = parse_input_chains(rules->out);
    if (chains) {
        chains->erase(std::remove_if(chains->begin(), chains->end(),
                                     [](const InputChain &chain) { return !chain.closes; }),
                      chains->end());
    }
    return chains;
}

Result<std::vector<InputChain>> parse_input_chains(const std::string &text) {
    auto found = objects(text, "chain");
    if (!found) {
        return found.error();
    }
    auto rules = objects(text, "rule");
    if (!rules) {
        return rules.error();
    }
    std::vector<InputChain> chains;
    try {
        for (const json &each : *found) {
            if (each.value("hook", "") != "input" || each.value("type", "") != "filter") {
                continue;
            }
            InputChain chain{each.at("family").get<std::string>(),
                             each.at("table").get<std::string>(),
                             each.at("name").get<std::string>()};
            chain.of_iptables = made_by_iptables(chain.family, chain.table, chain.name);
            chain.closes = each.value("policy", "") == "drop" ||
                           std::any_of(rules->begin(), rules->end(), [&](const json &rule) {
                               return is_in(rule, chain) && may_close(rule);
                           });
            chains.push_back(std::move(chain));
        }
    } catch (const json::exception &wrong) {
        return not_understood(wrong.what());
    }
    return chains;
}

std::string nft_rule(const OpenPort &port) {
    const std::string source =
        port.from.empty() ? ""
                          : fmt::format("{} saddr {} ", port.by_ipv6() ? "ip6" : "ip", port.from);
    return fmt::format("{}{} dport {} accept comment \"{}\"", source, port.protocol, port.port,
                       comment_of(port));
}

Result<std::vector<PlacedRule>> parse_rules_of(const OpenPort &port, const std::string &text) {
    auto found = objects(text, "rule");
    if (!found) {
        return found.error();
    }
    std::vector<PlacedRule> rules;
    try {
        for (const json &each : *found) {
            if (each.value("comment", "") == comment_of(port)) {
                rules.push_back(
                    {{each.value("family", ""), each.value("table", ""), each.value("chain", "")},
                     each.at("handle").get<std::uint64_t>()});
            }
        }
    } catch (const json::exception &wrong) {
        return not_understood(wrong.what());
    }
    return rules;
}

} // namespace causeway
