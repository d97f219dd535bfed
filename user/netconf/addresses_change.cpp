// SPDX-License-Identifier: GPL-2.0-or-later
// The addresses and routes of an interface. The managers of the network set them from their files
// and remove what an administrator has set by hand. Undo restores these.
#include "netconf/addresses_change.h"

#include "change/kinds.h"
#include "host/interface_now.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/format.h>

namespace causeway {

namespace {

// Entries of earlier versions have no leases.
std::vector<HeldAddresses::Lease> leases_of(const Json &json) {
    std::vector<HeldAddresses::Lease> leases;
    const auto time = [](const Json &value) {
        return value.is_null() ? std::nullopt : std::optional(value.get<std::int64_t>());
    };
    for (const Json &each : json.value("leases", Json::array())) {
        leases.push_back({each.at("address").get<std::string>(), time(each.at("valid")),
                          time(each.at("preferred"))});
    }
    return leases;
}

const ChangeKind kind_addresses("addresses", [](const Json &json) -> ChangePointer {
    return change_addresses({json.at("interface").get<std::string>(),
                             json.at("addresses").get<std::vector<std::string>>(),
                             json.at("brought").get<std::vector<std::string>>(),
                             json.at("routes").get<std::vector<std::vector<std::string>>>(),
                             leases_of(json)});
});

class AddressesChange final : public Change {
  public:
    explicit AddressesChange(HeldAddresses held) : held_(std::move(held)) {}

    std::string subject() const override {
        return fmt::format("the addresses of {}", held_.interface);
    }
    std::string show(Direction direction) const override {
        return direction == Direction::back
                   ? fmt::format("give {} its addresses and routes back\n", held_.interface)
                   : "";
    }
    std::string report(Direction /*direction*/) const override {
        return fmt::format("gave {} its addresses and routes back", held_.interface);
    }
    Json json() const override {
        Json leases = Json::array();
        for (const HeldAddresses::Lease &each : held_.leases) {
            leases.push_back(
                {{"address", each.address},
                 {"valid", each.valid ? Json(*each.valid) : Json(nullptr)},
                 {"preferred", each.preferred ? Json(*each.preferred) : Json(nullptr)}});
        }
        return {{"kind", kind_addresses.name()}, {"interface", held_.interface},
                {"addresses", held_.addresses},  {"brought", held_.brought},
                {"routes", held_.routes},        {"leases", leases}};
    }

    Result<Standing> standing(World & /*world*/) const override { return Standing::unknown; }
    Result<void> forward(World & /*world*/) const override { return {}; }

    // Tries all steps and returns the first error.
    Result<void> back(World &world) const override {
        auto now = interface_now(world.processes, held_.interface);
        if (!now) {
            return now.error();
        }
        Result<void> done;
        const auto ip = [&](const std::vector<std::string> &words) {
            auto one = run_ip(world, words);
            done = done ? one : done;
        };
        ip({"link", "set", "dev", held_.interface, "up"});
        // Addresses are deleted first, because the kernel deletes the second address of a network
        // together with the first one.
        bool deleted = false;
        for (const std::string &each : held_.brought) {
            if (has(*now, each)) {
                ip({"address", "delete", each, "dev", held_.interface});
                deleted = true;
            }
        }
        if (deleted) {
            if (auto left = interface_now(world.processes, held_.interface)) {
                now = std::move(left);
            }
        }
        for (const std::string &each : held_.addresses) {
            if (!has(*now, each)) {
                ip(words_of(each));
            }
        }
        for (const HeldAddresses::Lease &each : held_.leases) {
            const auto left = left_of(each.valid);
            if (left != ended && !has(*now, each.address)) {
                auto words = words_of(each.address);
                words.insert(words.end(),
                             {"valid_lft", left, "preferred_lft", left_of(each.preferred)});
                ip(words);
            }
        }
        // Routes by a gateway come last, because another route has to make the gateway reachable.
        for (const bool by_gateway : {false, true}) {
            for (const auto &words : held_.routes) {
                const bool has_gateway =
                    std::find(words.begin(), words.end(), "via") != words.end();
                if (has_gateway == by_gateway && !is_advertised(words)) {
                    std::vector<std::string> all = {"route", "replace"};
                    all.insert(all.end(), words.begin(), words.end());
                    ip(all);
                }
            }
        }
        return done;
    }

    bool may_fail() const override { return true; }

  private:
    static constexpr const char *ended = "0";
    static constexpr std::chrono::seconds limit{10};

    // A route from a router advertisement, which a former version wrote into the journal. Restored
    // by hand, it would never expire.
    static bool is_advertised(const std::vector<std::string> &words) {
        const auto key = std::find(words.begin(), words.end(), "proto");
        return key != words.end() && std::next(key) != words.end() && *std::next(key) == "ra";
    }

    static bool has(const InterfaceNow &now, const std::string &text) {
        return std::any_of(now.addresses.begin(), now.addresses.end(),
                           [&](const AddressNow &each) { return each.text() == text; });
    }

    // IPv6 addresses get "nodad" to be usable at once: while the kernel checks an address for
    // duplicates, no route may use it as its source. The interface had the address a moment ago.
    std::vector<std::string> words_of(const std::string &address) const {
        std::vector<std::string> words = {"address", "replace", address, "dev", held_.interface};
        if (address.find(':') != std::string::npos) {
            words.emplace_back("nodad");
        }
        return words;
    }

    static std::string left_of(const std::optional<std::int64_t> &until) {
        if (!until) {
            return "forever";
        }
        const auto now = static_cast<std::int64_t>(std::time(nullptr));
        return *until > now ? fmt::format("{}", *until - now) : ended;
    }

    Result<void> run_ip(World &world, std::vector<std::string> words) const {
        words.insert(words.begin(), "ip");
        auto end = world.processes.run(words, limit);
        if (end && end->good()) {
            return {};
        }
        return Error{ExitCode::failed,
                     fmt::format("cannot give {} its addresses and routes back: {}",
                                 held_.interface, end ? end->last_words() : end.error().what)};
    }

    HeldAddresses held_;
};

} // namespace

ChangePointer change_addresses(HeldAddresses held) {
    return std::make_unique<AddressesChange>(std::move(held));
}

} // namespace causeway
