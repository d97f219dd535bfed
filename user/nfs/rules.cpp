// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/rules.h"

#include "change/kinds.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// Returns none if the network or an address is malformed.
std::optional<NfsRule> rule_of_journal(const Json &json, const char *key) {
    const auto network = parse_prefix(json.at("network").get<std::string>());
    if (!network) {
        return std::nullopt;
    }
    NfsRule rule{*network, {}};
    for (const Json &each : json.at(key)) {
        const auto address = SocketAddress::from_text(each.get<std::string>());
        if (!address) {
            return std::nullopt;
        }
        rule.from.push_back(*address);
    }
    return rule;
}

const ChangeKind kind_nfs_rule("nfs-rule", [](const Json &json) -> ChangePointer {
    auto before = rule_of_journal(json, "before");
    auto after = rule_of_journal(json, "after");
    return before && after ? change_nfs_rule(*std::move(before), *std::move(after)) : nullptr;
});

std::vector<std::string> address_words(const NfsRule &rule) {
    std::vector<std::string> words;
    for (const SocketAddress &address : rule.from) {
        words.push_back(address.host_text());
    }
    return words;
}

std::string rule_line(char sign, const NfsRule &rule) {
    return rule.from.empty() ? ""
                             : fmt::format("{}servers in {} from {}\n", sign, rule.network.text(),
                                           addresses_text(rule));
}

class NfsRuleChange final : public Change {
  public:
    NfsRuleChange(NfsRule before, NfsRule after)
        : before_(std::move(before)), after_(std::move(after)) {}

    std::string subject() const override {
        return fmt::format("NFS rule for {}", after_.network.text());
    }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        return fmt::format("NFS rule\n{}{}", rule_line('-', back ? after_ : before_),
                           rule_line('+', back ? before_ : after_));
    }

    std::string report(Direction direction) const override {
        const NfsRule &rule = direction == Direction::back ? before_ : after_;
        return rule.from.empty() ? fmt::format("removed the {}", subject())
                                 : fmt::format("set the {} to {}", subject(), addresses_text(rule));
    }

    Json json() const override {
        return {{"kind", kind_nfs_rule.name()},
                {"network", after_.network.text()},
                {"before", address_words(before_)},
                {"after", address_words(after_)}};
    }

    // The kernel's rules end when the module is unloaded.
    Result<Standing> standing(World &world) const override {
        if (!world.modules.loaded(module_rpcrdma)) {
            return Standing::before;
        }
        const auto rules = TRY(world.kernel.nfs_rules());
        const NfsRule now = find_rule(rules, after_.network).value_or(NfsRule{after_.network, {}});
        return now == after_    ? Standing::after
               : now == before_ ? Standing::before
                                : Standing::neither;
    }

    Result<void> forward(World &world) const override { return put(world, after_); }
    Result<void> back(World &world) const override { return put(world, before_); }

  private:
    static Result<void> put(World &world, const NfsRule &rule) {
        return rule.from.empty() ? world.kernel.remove_nfs_rule(rule.network)
                                 : world.kernel.set_nfs_rule(rule);
    }

    NfsRule before_;
    NfsRule after_;
};

} // namespace

std::string addresses_text(const NfsRule &rule) {
    return fmt::format("{}", fmt::join(address_words(rule), ", "));
}

std::optional<NfsRule> find_rule(const std::vector<NfsRule> &rules, const Prefix &network) {
    const auto found = std::find_if(rules.begin(), rules.end(),
                                    [&](const NfsRule &rule) { return rule.network == network; });
    return found == rules.end() ? std::nullopt : std::optional(*found);
}

ChangePointer change_nfs_rule(NfsRule before, NfsRule after) {
    return std::make_unique<NfsRuleChange>(std::move(before), std::move(after));
}

} // namespace causeway
