// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/firewall.h"

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
    return "causeway:" + port.text();
}

// iptables-nft writes its chains in capitals into tables with these names.
bool made_by_iptables(const std::string &family, const std::string &table,
                      const std::string &chain) {
    return (family == "ip" || family == "ip6") && table == "filter" && chain == "INPUT";
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

std::string OpenPort::text(char between) const {
    return fmt::format("{}{}{}", port, between, protocol);
}

std::string InputChain::text() const {
    return fmt::format("{} {} {}", family, table, name);
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
    auto chains = input_chains(world);
    if (!chains) {
        return chains.error();
    }
    return chains->empty() ? std::optional<Firewall>() : std::optional(Firewall::nftables);
}

Result<std::vector<InputChain>> input_chains(World &world) {
    auto rules = world.processes.run({"nft", "-j", "list", "ruleset"});
    if (!rules) {
        return rules.error();
    }
    if (!rules->good()) {
        return Error{ExitCode::failed,
                     fmt::format("the rules of nftables cannot be read: {}", rules->last_words())};
    }
    return parse_input_chains(rules->out);
}

Result<std::vector<InputChain>> parse_input_chains(const std::string &text) {
    auto found = objects(text, "chain");
    if (!found) {
        return found.error();
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
            chains.push_back(std::move(chain));
        }
    } catch (const json::exception &wrong) {
        return not_understood(wrong.what());
    }
    return chains;
}

std::string nft_rule(const OpenPort &port) {
    return fmt::format("{} dport {} accept comment \"{}\"", port.protocol, port.port,
                       comment_of(port));
}

Result<std::vector<std::uint64_t>> parse_rules_of(const OpenPort &port, const std::string &text) {
    auto found = objects(text, "rule");
    if (!found) {
        return found.error();
    }
    std::vector<std::uint64_t> handles;
    try {
        for (const json &each : *found) {
            if (each.value("comment", "") == comment_of(port)) {
                handles.push_back(each.at("handle").get<std::uint64_t>());
            }
        }
    } catch (const json::exception &wrong) {
        return not_understood(wrong.what());
    }
    return handles;
}

} // namespace causeway
