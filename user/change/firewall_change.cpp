// SPDX-License-Identifier: GPL-2.0-or-later
// A rule of nftables that lets a port in, at the head of a chain: a packet that one chain drops is
// lost, whatever another one says, so a table of our own would open nothing. The rule is known
// again by its comment.
#include "change/kinds.h"
#include "host/firewall.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace causeway {

namespace {

Result<ProcessEnd> nft(World &world, std::vector<std::string> words, const std::string &chain,
                       const std::vector<std::string> &more) {
    words.insert(words.begin(), "nft");
    std::istringstream stream(chain);
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    words.insert(words.end(), more.begin(), more.end());
    auto end = world.processes.run(words);
    if (end && !end->good()) {
        return Error{ExitCode::failed,
                     fmt::format("\"{}\" failed: {}", fmt::join(words, " "), end->last_words())};
    }
    return end;
}

class FirewallRule final : public Change {
  public:
    FirewallRule(std::string chain, OpenPort port)
        : chain_(std::move(chain)), port_(std::move(port)) {}

    std::string subject() const override {
        return fmt::format("nftables chain {} {}", chain_, port_.text());
    }

    std::string show(Direction direction) const override {
        return fmt::format("nftables chain {}\n{} {}\n", chain_,
                           direction == Direction::forward ? '+' : '-', nft_rule(port_));
    }

    std::string deed(Direction direction) const override {
        return direction == Direction::forward
                   ? fmt::format("opened {} in nftables chain {}", port_.text(), chain_)
                   : fmt::format("closed {} in nftables chain {}", port_.text(), chain_);
    }

    Json json() const override {
        return {{"kind", kind_firewall_rule},
                {"chain", chain_},
                {"protocol", port_.protocol},
                {"port", port_.port}};
    }

    Result<Standing> standing(World &world) const override {
        auto handles = ours(world);
        if (!handles) {
            return handles.error();
        }
        return handles->empty() ? Standing::before : Standing::after;
    }

    Result<void> forward(World &world) const override {
        std::istringstream stream(nft_rule(port_));
        std::vector<std::string> words;
        for (std::string word; stream >> word;) {
            words.push_back(word);
        }
        auto done = nft(world, {"insert", "rule"}, chain_, words);
        return done ? Result<void>() : done.error();
    }

    Result<void> back(World &world) const override {
        auto handles = ours(world);
        if (!handles) {
            return handles.error();
        }
        for (const std::uint64_t handle : *handles) {
            auto done =
                nft(world, {"delete", "rule"}, chain_, {"handle", fmt::format("{}", handle)});
            if (!done) {
                return done.error();
            }
        }
        return {};
    }

  private:
    Result<std::vector<std::uint64_t>> ours(World &world) const {
        auto end = nft(world, {"-j", "-a", "list", "chain"}, chain_, {});
        if (!end) {
            return end.error();
        }
        return parse_rules_of(port_, end->out);
    }

    std::string chain_;
    OpenPort port_;
};

} // namespace

ChangePointer change_firewall_rule(std::string chain, const OpenPort &port) {
    return std::make_unique<FirewallRule>(std::move(chain), port);
}

} // namespace causeway
