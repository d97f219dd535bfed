// SPDX-License-Identifier: GPL-2.0-or-later
// ipoib addr: the static addresses of an interface, its gateways and name servers.
#include "command/verb.h"
#include "host/interface_now.h"
#include "ipoib/keeping.h"
#include "ipoib/options.h"
#include "netconf/addresses_change.h"
#include "netconf/kept_now.h"
#include "netconf/other_profiles.h"
#include "netconf/records.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace causeway {

namespace {

// Gateways and name servers stay if none were given; "none" removes them.
struct Wanted {
    std::vector<InterfaceAddress> addresses;
    std::optional<std::vector<SocketAddress>> gateways;
    std::optional<std::vector<SocketAddress>> dns;
    bool dhcp = false; // for IPv4
};

constexpr const char *no_hosts = "none";

Result<std::optional<std::vector<SocketAddress>>> parse_hosts(const Arguments &arguments,
                                                              std::string_view option) {
    if (!arguments.has(option)) {
        return std::optional<std::vector<SocketAddress>>();
    }
    std::vector<SocketAddress> hosts;
    const auto texts = arguments.list(option);
    if (texts == std::vector<std::string>{no_hosts}) {
        return std::optional(std::move(hosts));
    }
    for (const std::string &text : texts) {
        const auto address = SocketAddress::from_text(text);
        if (!address) {
            return Error{ExitCode::usage,
                         fmt::format("--{} '{}' is not an IP address", option, text),
                         "give addresses such as 10.0.0.254 or fd00::fe, or none"};
        }
        hosts.push_back(*address);
    }
    return std::optional(std::move(hosts));
}

bool is_v6(const SocketAddress &address) {
    return address.family() == AF_INET6;
}

// DHCP gives the address and the gateway of IPv4. Static addresses of IPv6 may be beside it.
Result<void> check_dhcp(const Wanted &wanted) {
    const bool v4 =
        std::any_of(wanted.addresses.begin(), wanted.addresses.end(),
                    [](const InterfaceAddress &each) { return !each.is_v6(); }) ||
        (wanted.gateways && std::any_of(wanted.gateways->begin(), wanted.gateways->end(),
                                        [](const SocketAddress &each) { return !is_v6(each); }));
    if (wanted.dhcp && v4) {
        return Error{ExitCode::usage, "--dhcp excludes an address and a gateway of IPv4",
                     "leave --dhcp away, or give addresses of IPv6 alone"};
    }
    return {};
}

Result<Wanted> parse_wanted(const Arguments &arguments) {
    Wanted wanted;
    for (std::size_t i = 1; i < arguments.operands().size(); i++) {
        auto address = TRY(parse_interface_address(arguments.operands()[i]));
        if (std::find(wanted.addresses.begin(), wanted.addresses.end(), address) ==
            wanted.addresses.end()) {
            wanted.addresses.push_back(address);
        }
    }
    auto gateways = TRY(parse_hosts(arguments, "gateway"));
    wanted.gateways = std::move(gateways);
    auto dns = TRY(parse_hosts(arguments, "dns"));
    wanted.dns = std::move(dns);
    const bool none = arguments.has("none");
    wanted.dhcp = arguments.has("dhcp");
    if (none == (!wanted.addresses.empty() || wanted.dhcp)) {
        return Error{ExitCode::usage,
                     none ? "--none and an address exclude each other" : "there is no address",
                     "give addresses such as 10.0.0.1/24, --dhcp, or --none"};
    }
    TRY(check_dhcp(wanted));
    if (none && (wanted.gateways || wanted.dns)) {
        return Error{ExitCode::usage, "without an address there is neither gateway nor name server",
                     "leave --gateway and --dns away"};
    }
    return wanted;
}

// Returns true if --gateway sets or removes the gateways of this family.
bool gives_gateway(const Wanted &wanted, bool v6) {
    return wanted.gateways &&
           (wanted.gateways->empty() ||
            std::any_of(wanted.gateways->begin(), wanted.gateways->end(),
                        [&](const SocketAddress &each) { return is_v6(each) == v6; }));
}

// Returns the given gateways, and the old ones of families for which none is given.
std::vector<SocketAddress> with_gateways(const std::vector<SocketAddress> &old,
                                         const Wanted &wanted) {
    std::vector<SocketAddress> gateways;
    for (const bool v6 : {false, true}) {
        const bool given = gives_gateway(wanted, v6);
        const auto &those = given ? *wanted.gateways : old;
        std::copy_if(those.begin(), those.end(), std::back_inserter(gateways),
                     [&](const SocketAddress &each) { return is_v6(each) == v6; });
    }
    return gateways;
}

// Removes routes and gateways that no address of the interface reaches any more. Returns them as
// text, for warnings.
std::vector<std::string> drop_unreachable(InterfaceSettings &settings, const Wanted &wanted) {
    std::vector<std::string> dropped;
    const auto far = [&](const SocketAddress &gateway) {
        return !gateway_is_near(settings.addresses, gateway);
    };
    const auto strayed = [&](const SocketAddress &gateway) {
        return !gives_gateway(wanted, is_v6(gateway)) && far(gateway);
    };
    for (const SocketAddress &each : settings.gateways) {
        if (strayed(each)) {
            dropped.push_back(fmt::format("the gateway {}", each.host_text()));
        }
    }
    settings.gateways.erase(
        std::remove_if(settings.gateways.begin(), settings.gateways.end(), strayed),
        settings.gateways.end());
    const auto lost = [&](const InterfaceRoute &each) {
        const bool source_is_lost =
            each.source &&
            std::none_of(settings.addresses.begin(), settings.addresses.end(),
                         [&](const InterfaceAddress &own) { return own.address == *each.source; });
        return source_is_lost || (each.gateway && !each.onlink && far(*each.gateway)) ||
               (each.destination.length == 0 && gives_gateway(wanted, each.is_v6()));
    };
    for (const InterfaceRoute &each : settings.routes) {
        if (lost(each)) {
            dropped.push_back(fmt::format("the route {}", each.text()));
        }
    }
    settings.routes.erase(std::remove_if(settings.routes.begin(), settings.routes.end(), lost),
                          settings.routes.end());
    return dropped;
}

// A router that advertises itself stays the gateway of static IPv6 addresses, as it was for the old
// ones. If the interface has addresses from its advertisements, the router is not kept, because
// those addresses would stay too.
bool keeps_router(const InterfaceNow &now, const Wanted &wanted) {
    const bool by_router =
        std::any_of(now.addresses.begin(), now.addresses.end(),
                    [](const auto &each) { return each.v6 && each.global && each.dynamic; });
    const bool router = std::any_of(now.others.begin(), now.others.end(),
                                    [](const auto &each) { return each.v6 && each.leased(); });
    return router && !by_router && !gives_gateway(wanted, true);
}

// Replaces the addresses in the settings. Returns the routes and gateways that were removed.
std::vector<std::string> replace_addresses(InterfaceSettings &settings, const InterfaceNow &now,
                                           const Wanted &wanted) {
    const bool none = wanted.addresses.empty() && !wanted.dhcp;
    const auto has = [&](bool v6) {
        return std::any_of(wanted.addresses.begin(), wanted.addresses.end(),
                           [&](const InterfaceAddress &each) { return each.is_v6() == v6; });
    };
    settings.dhcp4 = wanted.dhcp || (settings.dhcp4 && !none && !has(false));
    settings.auto6 = settings.auto6 && !none && (!has(true) || keeps_router(now, wanted));
    settings.addresses = wanted.addresses;
    if (none) {
        settings.gateways.clear();
        settings.routes.clear();
        settings.dns.clear();
        return {};
    }
    settings.gateways = with_gateways(settings.gateways, wanted);
    settings.dns = wanted.dns.value_or(settings.dns);
    return drop_unreachable(settings, wanted);
}

// Returns warnings about name servers that the profile cannot express. Warnings about the present
// addresses are left out, because these are replaced.
Result<std::vector<std::string>> warnings_of_resolver(World &world, InterfaceSettings kept,
                                                      const InterfaceSettings &before,
                                                      const Wanted &wanted) {
    if (wanted.addresses.empty() && !wanted.dhcp) {
        return std::vector<std::string>();
    }
    kept.dns = before.dns;
    return keep_what_is_now(world, kept, InterfaceNow());
}

// The new settings of the interface.
struct Replacement {
    InterfaceSettings settings;
    InterfaceSettings before; // the earlier settings with what the user gave, without what is kept
    std::vector<SocketAddress> without;
    std::vector<std::string> warnings;
    std::vector<std::string> dropped; // routes and gateways
};

Result<Replacement> replacement(World &world, const Arguments &arguments,
                                const InterfaceSettings &earlier, const InterfaceNow &now,
                                const Wanted &wanted) {
    Replacement next;
    next.settings = next.before = earlier;
    next.before.addresses = wanted.addresses;
    next.before.dhcp4 = next.before.dhcp4 || wanted.dhcp;
    next.before.gateways = with_gateways(next.before.gateways, wanted);
    next.before.dns = wanted.dns.value_or(next.before.dns);
    next.without = TRY(parse_without(world, arguments, next.settings, now));
    TRY(keep_what_is_now(world, next.settings, now));
    next.warnings = TRY(warnings_of_resolver(world, next.settings, earlier, wanted));
    next.dropped = replace_addresses(next.settings, now, wanted);
    TRY(check_gateways(next.settings));
    return next;
}

/* ---- until the next reboot ---- */

// Adds the programs that replace the static addresses now. Addresses are deleted first, because the
// kernel deletes the second address of a network together with the first one.
void plan_addresses_now(ChangeSet &set, const std::string &name, const InterfaceNow &now,
                        const Wanted &wanted) {
    const auto ip = [&](const char *action, const std::string &address) {
        return std::vector<std::string>{"ip", "address", action, address, "dev", name};
    };
    std::vector<std::string> there;
    for (const AddressNow &each : now.addresses) {
        const std::string text = each.text();
        const bool stays =
            std::any_of(wanted.addresses.begin(), wanted.addresses.end(),
                        [&](const InterfaceAddress &one) { return one.text() == text; });
        if (stays) {
            there.push_back(text);
        } else if (each.global && !each.dynamic) {
            set.add(change_program(ip("delete", text), {}));
        }
    }
    for (const InterfaceAddress &each : wanted.addresses) {
        const std::string text = each.text();
        if (std::find(there.begin(), there.end(), text) == there.end()) {
            set.add(change_program(ip("replace", text), {}));
        }
    }
    for (const SocketAddress &each : wanted.gateways.value_or(std::vector<SocketAddress>())) {
        const auto route = [&](const char *action) {
            return std::vector<std::string>{
                "ip",  is_v6(each) ? "-6" : "-4", "route", action, "default",
                "via", each.host_text(),          "dev",   name};
        };
        const bool has = std::any_of(now.routes.begin(), now.routes.end(), [&](const auto &one) {
            return one.destination == (is_v6(each) ? "::/0" : "0.0.0.0/0") &&
                   one.gateway == each.host_text();
        });
        if (!has) {
            set.add(change_program(route("replace"), route("delete")));
        }
    }
}

Result<Answer> set_addresses_now(World &world, const Arguments &arguments, const Wanted &wanted) {
    for (const char *option : {"none", "dhcp", "dns", "backend", "without"}) {
        if (arguments.has(option)) {
            return Error{ExitCode::usage,
                         fmt::format("--{} and --no-persist exclude each other", option),
                         "with --no-persist give addresses and --gateway alone"};
        }
    }
    const std::string &name = arguments.operands().front();
    auto interface = TRY(find_ipoib(world.files, world.processes, name));
    auto now = TRY(look_at_interface(world, name));
    InterfaceSettings settings;
    settings.name = name;
    settings.addresses = wanted.addresses;
    settings.gateways = wanted.gateways.value_or(std::vector<SocketAddress>());
    TRY(check_gateways(settings));
    ChangeSet probe("");
    plan_addresses_now(probe, name, now, wanted);
    ChangeSet set(fmt::format("ipoib addr {} --no-persist", name));
    if (!interface.up) {
        set.add(change_program({"ip", "link", "set", "dev", name, "up"},
                               {"ip", "link", "set", "dev", name, "down"}));
    }
    if (!probe.empty()) {
        // Before the other changes of addresses, so that undo restores addresses and routes last.
        HeldAddresses held;
        held.interface = name;
        for (const InterfaceAddress &each : wanted.addresses) {
            held.brought.push_back(each.text());
        }
        auto change = hold_addresses(now, name, &settings);
        set.add(change ? std::move(change) : change_addresses(std::move(held)));
        plan_addresses_now(set, name, now, wanted);
    }
    auto answer = carry_out_guarded(world, {arguments.dry_run()}, set,
                                    fmt::format("{} has these addresses already", name),
                                    guard_unless_confirmed(world, arguments, {name}, set));
    if (answer) {
        answer->json["backend"] = nullptr;
    }
    if (answer && !set.empty()) {
        answer->warnings.emplace_back(
            "this holds until the next reboot, or until the manager of the network configures the "
            "interface again");
    }
    return answer;
}

/* ---- now and at every boot ---- */

void explain_dhcp(Answer &answer, const std::string &name, const std::string &backend) {
    answer.warnings.push_back(fmt::format(
        "the DHCP server knows {} by a client identifier alone: a DHCP message has no room for the "
        "20 bytes of its address (RFC 4390){}",
        name,
        backend == ifupdown().name()
            ? "; dhclient needs a line \"send dhcp-client-identifier\" in dhclient.conf"
            : ""));
}

Error nothing_at_boot() {
    return {ExitCode::unavailable,
            "nothing here sets addresses at boot: neither NetworkManager nor networkd runs, and "
            "there is no /etc/network/interfaces",
            "give --backend nm, networkd or ifupdown to write its files all the same"};
}

Result<Answer> run_ipoib_addr(World &world, const Arguments &arguments) {
    const std::string &name = arguments.operands().front();
    auto wanted = TRY(parse_wanted(arguments));
    if (arguments.has("no-persist")) {
        return set_addresses_now(world, arguments, wanted);
    }
    auto interface = TRY(find_ipoib(world.files, world.processes, name));
    auto records = TRY(load_records(world.places));
    const InterfaceSettings *record = find_record(records, name);
    auto backend = TRY(choose_backend(world, arguments.text("backend"), records, name,
                                      record == nullptr ? interface.parent : record->parent));
    if (backend == nullptr) {
        return nothing_at_boot();
    }
    InterfaceSettings settings = record == nullptr ? InterfaceSettings() : *record;
    settings.name = name;
    settings.backend = std::string(backend->name());
    add_partition(settings, interface);
    InterfaceSettings asked = settings;
    asked.addresses = wanted.addresses;
    asked.gateways = wanted.gateways.value_or(std::vector<SocketAddress>());
    asked.dns = wanted.dns.value_or(std::vector<SocketAddress>());
    TRY(refuse_other_profiles(world, *backend, asked));
    auto now = TRY(look_at_interface(world, name));
    auto next = TRY(replacement(world, arguments, settings, now, wanted));
    settings = std::move(next.settings);
    // A NetworkManager connection always has a mode, so the present mode is kept.
    if (backend == &network_manager() && settings.mode.empty() &&
        (!settings.addresses.empty() || settings.dhcp4)) {
        settings.mode = interface.mode;
    }
    ChangeSet set(fmt::format("ipoib addr {}", name));
    auto after = TRY(with_parent(world, set, records, settings, next.without));
    TRY(plan_interface(world, set, name, now, records, records_with(after.records, settings),
                       Activation::start, {}));
    const bool changes = !set.empty();
    auto answer = carry_out_guarded(world, {arguments.dry_run()}, set,
                                    fmt::format("{} has these addresses already", name),
                                    guard_unless_confirmed(world, arguments, {name}, set));
    if (!answer) {
        return answer;
    }
    answer->json["backend"] = settings.backend;
    if (changes) {
        report_taken(*answer, name, news_of(next.before, settings));
        answer->warnings.insert(answer->warnings.end(), next.warnings.begin(), next.warnings.end());
        report_parent(*answer, after);
    }
    if (wanted.dhcp) {
        explain_dhcp(*answer, name, settings.backend);
    }
    for (const std::string &each : next.dropped) {
        answer->warnings.push_back(
            fmt::format("{} is dropped: it does not fit the new addresses", each));
    }
    return answer;
}

const VerbRows addr_rows(Section::host, 4, [] {
    return std::vector<Verb>{
        {
            .words = "ipoib addr",
            .operands = "INTERFACE [ADDRESS/LENGTH...]",
            .summary =
                "replace the addresses of an interface by static ones or DHCP, now and at every "
                "boot",
            .options =
                {{"gateway", "ADDRESS...",
                  "a router of each family, in place of that family's; 'none' takes all away",
                  true},
                 {"dns", "ADDRESS...", "name servers; 'none' removes all; by default they stay",
                  true},
                 {"dhcp", "", "take the address of IPv4 from a DHCP server"},
                 {"none", "", "remove the settings that this verb has made"},
                 without_option,
                 backend_option,
                 no_persist,
                 confirmed_option},
            .least_operands = 1,
            .most_operands = 64,
            .changes = true,
            .run = run_ipoib_addr,
        },
    };
});

} // namespace

} // namespace causeway
