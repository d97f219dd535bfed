// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/nftables.h"

#include "host/nft_chain.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace causeway {

using nlohmann::json;

struct Nftables::Parts : NftRuleset {};

namespace {

Error not_understood(const std::string &why) {
    return Error{ExitCode::failed, fmt::format("what nft says is not understood: {}", why)};
}

std::string comment_of(const OpenPort &port) {
    return "causeway:" + (port.from.empty() ? port.text() : port.phrase());
}

// iptables-nft makes chains with names in capitals, in tables with these names.
bool made_by_iptables(const std::string &family, const std::string &table,
                      const std::string &chain) {
    constexpr std::array tables = {"filter", "mangle", "security", "raw", "nat"};
    return (family == "ip" || family == "ip6") && chain == "INPUT" &&
           std::find(tables.begin(), tables.end(), table) != tables.end();
}

bool sees_input(const json &chain) {
    return chain.value("hook", "") == "input" && chain.value("type", "") == "filter";
}

InputChain input_chain(const json &chain) {
    InputChain found{chain.at("family").get<std::string>(), chain.at("table").get<std::string>(),
                     chain.at("name").get<std::string>()};
    found.of_iptables = made_by_iptables(found.family, found.table, found.name);
    return found;
}

} // namespace

std::string InputChain::text() const {
    return fmt::format("{} {} {}", family, table, name);
}

bool InputChain::sees(const OpenPort &port) const {
    return port.from.empty() || family == "inet" || family == (port.by_ipv6() ? "ip6" : "ip");
}

Result<Nftables> Nftables::parse(const std::string &text) {
    auto parts = std::make_shared<Parts>();
    try {
        const json whole = json::parse(text);
        for (const json &each : whole.at("nftables")) {
            for (const auto &[kind, list] : {std::pair("chain", &parts->chains),
                                             {"rule", &parts->rules},
                                             {"set", &parts->sets},
                                             {"map", &parts->sets}}) {
                if (each.contains(kind)) {
                    list->push_back(each.at(kind));
                }
            }
        }
    } catch (const json::exception &wrong) {
        return not_understood(wrong.what());
    }
    return Nftables(std::move(parts));
}

Result<std::vector<InputChain>> Nftables::closing(const OpenPort &port) const {
    std::vector<InputChain> found;
    try {
        for (const json &each : parts_->chains) {
            if (!sees_input(each)) {
                continue;
            }
            const InputChain chain = input_chain(each);
            if (chain.sees(port) && closes(*parts_, each, port, NftQuestion::may_close)) {
                found.push_back(chain);
            }
        }
    } catch (const json::exception &wrong) {
        return not_understood(wrong.what());
    }
    return found;
}

bool Nftables::lets_in(const OpenPort &port) const {
    try {
        return std::none_of(parts_->chains.begin(), parts_->chains.end(), [&](const json &each) {
            return sees_input(each) && each.value("family", "") != "ip6" &&
                   closes(*parts_, each, port, NftQuestion::is_closed);
        });
    } catch (const json::exception &) {
        return true; // not certainly closed
    }
}

Result<std::vector<PlacedRule>> Nftables::rules_of(const OpenPort &port) const {
    std::vector<PlacedRule> found;
    try {
        for (const json &each : parts_->rules) {
            if (each.value("comment", "") == comment_of(port)) {
                found.push_back(
                    {{each.value("family", ""), each.value("table", ""), each.value("chain", "")},
                     each.at("handle").get<std::uint64_t>()});
            }
        }
    } catch (const json::exception &wrong) {
        return not_understood(wrong.what());
    }
    return found;
}

Result<Nftables> read_nftables(World &world) {
    auto rules = TRY(world.processes.run({"nft", "-j", "list", "ruleset"}));
    if (!rules.good()) {
        return Error{ExitCode::failed,
                     fmt::format("the rules of nftables cannot be read: {}", rules.last_words())};
    }
    return Nftables::parse(rules.out);
}

std::string nft_rule(const OpenPort &port) {
    const std::string source =
        port.from.empty() ? ""
                          : fmt::format("{} saddr {} ", port.by_ipv6() ? "ip6" : "ip", port.from);
    return fmt::format("{}{} dport {} accept comment \"{}\"", source, port.protocol, port.port,
                       comment_of(port));
}

} // namespace causeway
