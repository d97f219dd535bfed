// SPDX-License-Identifier: GPL-2.0-or-later
// A rule of nftables that opens a port, at the head of a chain. A packet that one chain drops is
// lost even if another chain accepts it, so a rule in a separate table would open nothing. A
// comment identifies the rule.
#include "firewall/rule_change.h"

#include "change/kinds.h"
#include "host/nftables.h"

#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

const ChangeKind kind_firewall_rule("firewall-rule", [](const Json &json) -> ChangePointer {
    const OpenPort port{json.at("protocol").get<std::string>(),
                        json.at("port").get<std::uint16_t>(), json.value("from", "")};
    const auto chain = json.at("chain").get<std::string>();
    return json.value("opens", true) ? change_firewall_rule(chain, port)
                                     : remove_firewall_rule(chain, port);
});

Result<ProcessEnd> nft(World &world, std::vector<std::string> words, const std::string &chain,
                       const std::vector<std::string> &more) {
    words.insert(words.begin(), "nft");
    std::istringstream stream(chain);
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    words.insert(words.end(), more.begin(), more.end());
    return world.processes.run(words);
}

Error refused(const std::string &chain, const ProcessEnd &end) {
    return Error{ExitCode::failed,
                 fmt::format("nftables chain \"{}\": {}", chain, end.last_words())};
}

class FirewallRule final : public Change {
  public:
    FirewallRule(std::string chain, OpenPort port, bool opens)
        : chain_(std::move(chain)), port_(std::move(port)), opens_(opens) {}

    std::string subject() const override {
        if (anywhere()) {
            return fmt::format("nftables {} in chains that were made later", port_.phrase());
        }
        return fmt::format("nftables chain {} {}", chain_, port_.phrase());
    }

    std::string show(Direction direction) const override {
        if (anywhere()) {
            return {};
        }
        return fmt::format("nftables chain {}\n{} {}\n", chain_, opens(direction) ? '+' : '-',
                           nft_rule(port_));
    }

    std::string report(Direction direction) const override {
        return opens(direction)
                   ? fmt::format("opened {} in nftables chain {}", port_.phrase(), chain_)
                   : fmt::format("closed {} in nftables chain {}", port_.phrase(), chain_);
    }

    Json json() const override {
        return {{"kind", kind_firewall_rule.name()},
                {"chain", chain_},
                {"protocol", port_.protocol},
                {"port", port_.port},
                {"from", port_.from},
                {"opens", opens_}};
    }

    Result<Standing> standing(World &world) const override {
        if (anywhere()) {
            return Standing::unknown; // "firewall open --at-boot" has no entry in the journal
        }
        auto rules = TRY(ours(world));
        return rules.empty() == opens_ ? Standing::before : Standing::after;
    }

    Result<void> forward(World &world) const override {
        return opens_ ? insert(world) : remove(world);
    }
    Result<void> back(World &world) const override {
        return opens_ ? remove(world) : insert(world);
    }

  private:
    bool opens(Direction direction) const { return opens_ == (direction == Direction::forward); }

    Result<void> insert(World &world) const {
        if (anywhere()) {
            return {};
        }
        std::istringstream stream(nft_rule(port_));
        std::vector<std::string> words;
        for (std::string word; stream >> word;) {
            words.push_back(word);
        }
        auto done = nft(world, {"insert", "rule"}, chain_, words);
        return !done          ? done.error()
               : done->good() ? Result<void>()
                              : Result<void>(refused(chain_, *done));
    }

    Result<void> remove(World &world) const {
        auto rules = TRY(ours(world));
        for (const PlacedRule &rule : rules) {
            auto done = TRY(nft(world, {"delete", "rule"}, rule.chain.text(),
                                {"handle", fmt::format("{}", rule.handle)}));
            if (!done.good()) {
                return refused(rule.chain.text(), done);
            }
        }
        return {};
    }

    // Without a chain, the change stands for all rules that "firewall open --at-boot" adds to any
    // chain. They are removed when the port is no longer kept open.
    bool anywhere() const { return chain_.empty(); }

    // The rules of this port. If the chain no longer exists, its rules are gone too, but "firewall
    // open --at-boot" may since have added rules to other chains.
    Result<std::vector<PlacedRule>> ours(World &world) const {
        auto end = anywhere() ? nft(world, {"-j", "-a", "list", "ruleset"}, "", {})
                              : nft(world, {"-j", "-a", "list", "chain"}, chain_, {});
        if (end && !end->good() && !anywhere() &&
            end->err.find("No such file or directory") != std::string::npos) {
            end = nft(world, {"-j", "-a", "list", "ruleset"}, "", {});
        }
        if (!end) {
            return end.error();
        }
        if (!end->good()) {
            return refused(chain_, *end);
        }
        auto rules = Nftables::parse(end->out);
        return rules ? rules->rules_of(port_) : rules.error();
    }

    std::string chain_;
    OpenPort port_;
    bool opens_; // else forward() closes
};

} // namespace

ChangePointer change_firewall_rule(std::string chain, const OpenPort &port) {
    return std::make_unique<FirewallRule>(std::move(chain), port, true);
}

ChangePointer remove_firewall_rule(std::string chain, const OpenPort &port) {
    return std::make_unique<FirewallRule>(std::move(chain), port, false);
}

} // namespace causeway
