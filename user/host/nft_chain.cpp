// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/nft_chain.h"

#include "base/prefix.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace causeway {

using nlohmann::json;

namespace {

bool has_key(const json &object, const char *key) {
    return object.is_object() && object.contains(key);
}

std::string word_of(const json &value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

// The part of the wanted packets that meets a condition.
enum class Fit {
    never,
    named, // those of hosts that the rule names, or an unknown part
    some,  // all but a few, or all that come by an interface
    all,
};

// The part of the wanted packets that has a value.
enum class Share { none, part, whole };

enum class Fate { goes_on, returns, let_in, closed };

// Returns the part of the hosts of @wanted that is in @network.
Share share_of(const Prefix &network, const Prefix &wanted) {
    if (covers(network, wanted)) {
        return Share::whole;
    }
    return covers(wanted, network) ? Share::part : Share::none;
}

class Walk {
  public:
    Walk(const NftRuleset &parts, const json &chain, const OpenPort &port, NftQuestion question)
        : parts_(parts), family_(chain.at("family").get<std::string>()),
          table_(chain.at("table").get<std::string>()), port_(port), question_(question) {}

    // Also applies the policy of a chain with a hook.
    bool closed(const json &chain) {
        const Fate fate = through(chain.at("name").get<std::string>(), 0);
        return fate == Fate::closed ||
               (fate != Fate::let_in && chain.value("policy", "") == "drop");
    }

  private:
    Fate through(const std::string &chain, int depth) {
        constexpr int deepest = 16; // the same limit as in the kernel
        const bool known =
            std::any_of(parts_.chains.begin(), parts_.chains.end(), [&](const json &each) {
                return is_here(each) && each.value("name", "") == chain;
            });
        if (!known || depth > deepest) {
            return question_ == NftQuestion::may_close ? Fate::closed : Fate::let_in;
        }
        for (const json &rule : parts_.rules) {
            if (!is_here(rule) || rule.value("chain", "") != chain) {
                continue;
            }
            if (const Fate fate = of_rule(rule, depth); fate != Fate::goes_on) {
                return fate;
            }
        }
        return Fate::goes_on;
    }

    bool is_here(const json &object) const {
        return object.value("family", "") == family_ && object.value("table", "") == table_;
    }

    Fate of_rule(const json &rule, int depth) {
        const json parts = rule.value("expr", json::array());
        Fit fit = Fit::all;
        for (const json &part : parts) {
            if (has_key(part, "match")) {
                fit = std::min(fit, of_match(part.at("match")));
            } else if (has_key(part, "limit") || has_key(part, "quota") ||
                       has_key(part, "ct count")) {
                fit = std::min(fit, Fit::named);
            } else if (has_key(part, "xt")) {
                fit = std::min(fit, of_iptables_match(part.at("xt"), parts));
            }
        }
        for (const json &part : parts) {
            if (const Fate fate = of_statement(part, fit, depth); fate != Fate::goes_on) {
                return fate;
            }
        }
        return is_unknown_target(parts) ? dropped(fit) : Fate::goes_on;
    }

    Fate of_statement(const json &part, Fit fit, int depth) {
        if (has_key(part, "vmap")) {
            return of_map(part.at("vmap"), fit, depth);
        }
        return part.is_object() ? of_verdict(part, fit, depth) : Fate::goes_on;
    }

    Fate of_verdict(const json &verdict, Fit fit, int depth) {
        if (fit == Fit::never) {
            return Fate::goes_on;
        }
        const bool certain = question_ == NftQuestion::is_closed;
        if (has_key(verdict, "accept")) {
            return certain ? Fate::let_in : Fate::goes_on;
        }
        if (has_key(verdict, "drop") || has_key(verdict, "reject")) {
            return dropped(fit);
        }
        if (has_key(verdict, "queue")) {
            return certain ? Fate::let_in : dropped(fit);
        }
        if (has_key(verdict, "return")) {
            return !certain ? Fate::goes_on : fit == Fit::all ? Fate::returns : Fate::let_in;
        }
        if (has_key(verdict, "xt")) {
            return is_rejecting_target(verdict.at("xt")) ? dropped(fit) : Fate::goes_on;
        }
        for (const char *key : {"jump", "goto"}) {
            if (!has_key(verdict, key)) {
                continue;
            }
            const Fate fate = through(verdict.at(key).at("target").get<std::string>(), depth + 1);
            if (fate == Fate::closed) {
                return dropped(fit);
            }
            if (fate == Fate::let_in) {
                return fate;
            }
            const bool leaves = certain && fit == Fit::all && key[0] == 'g';
            return leaves ? Fate::returns : Fate::goes_on;
        }
        return Fate::goes_on;
    }

    Fate dropped(Fit fit) const {
        const Fit least = question_ == NftQuestion::may_close ? Fit::some : Fit::all;
        return fit >= least ? Fate::closed : Fate::goes_on;
    }

    Fate of_map(const json &map, Fit fit, int depth) {
        const json *pairs = elements_of(map.at("data"));
        const json &key = map.at("key");
        if (pairs == nullptr) {
            // The content of this map is unknown, because programs fill it.
            return question_ == NftQuestion::is_closed ? Fate::let_in
                   : has_key(key, "ct")                ? Fate::goes_on
                                                       : dropped(fit);
        }
        for (const json &pair : *pairs) {
            if (!pair.is_array() || pair.size() != 2) {
                continue;
            }
            const Fit here =
                std::min(fit, of_match({{"op", "=="}, {"left", key}, {"right", pair[0]}}));
            if (const Fate fate = of_verdict(pair[1], here, depth); fate != Fate::goes_on) {
                return fate;
            }
        }
        return Fate::goes_on;
    }

    // Returns the elements of {"set": [...]}, of a list, or of a set given by name such as
    // "@banned". Returns null for any other value and for an unknown set.
    const json *elements_of(const json &value) const {
        if (value.is_array()) {
            return &value;
        }
        if (has_key(value, "set") && value.at("set").is_array()) {
            return &value.at("set");
        }
        if (!value.is_string() || word_of(value).substr(0, 1) != "@") {
            return nullptr;
        }
        for (const json &set : parts_.sets) {
            if (is_here(set) && "@" + set.value("name", "") == word_of(value)) {
                return set.contains("elem") && set.at("elem").is_array() ? &set.at("elem")
                                                                         : nullptr;
            }
        }
        return nullptr;
    }

    // Returns the part of the wanted packets that has one value, or a value of a set or list.
    template <typename One> Share share(const json &value, const One &one) const {
        if (has_key(value, "elem") && has_key(value.at("elem"), "val")) {
            return share(value.at("elem").at("val"), one);
        }
        if (const json *elements = elements_of(value)) {
            Share most = Share::none;
            for (const json &each : *elements) {
                most = std::max(most, share(each, one));
            }
            return most;
        }
        const bool unknown_set = value.is_string() && word_of(value).substr(0, 1) == "@";
        return unknown_set ? Share::part : one(value);
    }

    Fit of_match(const json &match) const {
        const json left = match.value("left", json());
        const json right = match.value("right", json());
        const bool negated = match.value("op", "") == "!=";
        const auto fit = [&](Share share, Fit part) {
            if (share == Share::part) {
                return negated ? Fit::some : part;
            }
            return (share == Share::whole) != negated ? Fit::all : Fit::never;
        };
        if (has_key(left, "ct") && left.at("ct").value("key", "") == "state") {
            return fit(share(right,
                             [](const json &state) {
                                 return state == "new" ? Share::whole : Share::none;
                             }),
                       Fit::named);
        }
        if (has_key(left, "meta")) {
            const std::string key = left.at("meta").value("key", "");
            return fit(of_meta(key, right), key.substr(0, 3) == "iif" ? Fit::some : Fit::named);
        }
        if (has_key(left, "payload") && left.at("payload").contains("field")) {
            return of_payload(left.at("payload"), right, fit);
        }
        return Fit::named;
    }

    Share of_meta(const std::string &key, const json &right) const {
        if (key == "l4proto") {
            return of_protocol(right);
        }
        return share(right, [&](const json &value) {
            const std::string word = word_of(value);
            if (key == "iif" || key == "iifname") {
                return word == "lo" ? Share::none : Share::part;
            }
            if (key == "pkttype") {
                return word == "host" || word == "unicast" ? Share::whole : Share::none;
            }
            if ((key == "nfproto" || key == "protocol") && !port_.from.empty()) {
                const bool six = word == "ipv6" || word == "ip6";
                return six == port_.by_ipv6() ? Share::whole : Share::none;
            }
            return Share::part;
        });
    }

    Share of_protocol(const json &right) const {
        return share(right, [&](const json &value) {
            const std::string word = word_of(value);
            const std::string number = port_.protocol == "tcp" ? "6" : "17";
            return word == port_.protocol || word == number ? Share::whole : Share::none;
        });
    }

    template <typename AsFit>
    Fit of_payload(const json &payload, const json &right, const AsFit &fit) const {
        const std::string protocol = payload.value("protocol", "");
        const std::string field = payload.value("field", "");
        if (protocol == "ip" || protocol == "ip6") {
            if (field == "protocol" || field == "nexthdr") {
                return fit(of_protocol(right), Fit::named);
            }
            if (field == "saddr") {
                return fit(of_source(right), Fit::named);
            }
            return fit(Share::part, Fit::named);
        }
        if (protocol != "th" && protocol != port_.protocol) {
            return Fit::never;
        }
        return fit(field == "dport" ? of_port(right) : Share::part, Fit::named);
    }

    Share of_port(const json &right) const {
        return share(right, [&](const json &value) {
            const auto is_number = [](const json &each) { return each.is_number_integer(); };
            if (is_number(value)) {
                return value == port_.port ? Share::whole : Share::none;
            }
            if (has_key(value, "range") && value.at("range").size() == 2 &&
                std::all_of(value.at("range").begin(), value.at("range").end(), is_number)) {
                const json &range = value.at("range");
                return range[0] <= port_.port && port_.port <= range[1] ? Share::whole
                                                                        : Share::none;
            }
            return Share::part;
        });
    }

    Share of_source(const json &right) const {
        return share(right, [&](const json &value) {
            std::string text = word_of(value);
            if (has_key(value, "prefix")) {
                const json &prefix = value.at("prefix");
                text = fmt::format("{}/{}", word_of(prefix.at("addr")), word_of(prefix.at("len")));
            }
            const auto network = parse_prefix(text);
            if (!network || port_.from.empty()) {
                return network && network->length == 0 ? Share::whole : Share::part;
            }
            const auto wanted = parse_prefix(port_.from);
            return wanted ? share_of(*network, *wanted) : Share::part;
        });
    }

    /* ---- iptables-nft: expressions that nftables does not have ---- */

    static std::string xt_name(const json &xt, const char *type) {
        return has_key(xt, "type") && xt.at("type") == type ? xt.value("name", "") : "";
    }

    static bool has_verdict(const json &parts) {
        constexpr std::array verdicts = {"accept", "drop",   "reject", "queue",
                                         "jump",   "return", "goto"};
        return std::any_of(parts.begin(), parts.end(), [&](const json &part) {
            return std::any_of(verdicts.begin(), verdicts.end(),
                               [&](const char *verdict) { return has_key(part, verdict); });
        });
    }

    static bool names_port(const json &parts) {
        return parts.dump().find("\"dport\"") != std::string::npos;
    }

    // nft 1.0.6 prints a match of iptables as null, without details. Most such matches test the
    // connection state: established connections are accepted, and invalid packets dropped.
    static Fit of_iptables_match(const json &xt, const json &parts) {
        const std::string name = xt_name(xt, "match");
        if (name == "comment" || name == "tcp" || name == "udp" || !xt_name(xt, "target").empty() ||
            (xt.is_null() && !has_verdict(parts))) {
            return Fit::all;
        }
        if (name == "conntrack" || name == "state" || xt.is_null()) {
            return names_port(parts) ? Fit::all : Fit::never;
        }
        return Fit::named;
    }

    static bool is_rejecting_target(const json &xt) {
        const std::string name = xt_name(xt, "target");
        return name == "REJECT" || name == "NFQUEUE" || name == "TARPIT";
    }

    // The target may reject the packet, or only write to the log.
    bool is_unknown_target(const json &parts) const {
        return question_ == NftQuestion::may_close && !has_verdict(parts) &&
               std::any_of(parts.begin(), parts.end(), [](const json &part) {
                   return has_key(part, "xt") && part.at("xt").is_null();
               });
    }

    const NftRuleset &parts_;
    std::string family_;
    std::string table_;
    const OpenPort &port_;
    NftQuestion question_;
};

} // namespace

bool closes(const NftRuleset &ruleset, const json &chain, const OpenPort &port,
            NftQuestion question) {
    return Walk(ruleset, chain, port, question).closed(chain);
}

} // namespace causeway
