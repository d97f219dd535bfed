// SPDX-License-Identifier: GPL-2.0-or-later
// ipoib addr: the static addresses of an interface, its gateways and name servers.
#include "change/carry_out.h"
#include "netconf/records.h"
#include "show/table.h"
#include "verbs/keeping.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

struct Wanted {
    std::vector<InterfaceAddress> addresses;
    std::vector<SocketAddress> gateways;
    std::vector<SocketAddress> dns;
};

Result<std::vector<SocketAddress>> parse_hosts(const Arguments &arguments,
                                               std::string_view option) {
    std::vector<SocketAddress> hosts;
    for (const std::string &text : arguments.list(option)) {
        const auto address = SocketAddress::from_text(text);
        if (!address) {
            return Error{ExitCode::usage,
                         fmt::format("--{} '{}' is not an IP address", option, text),
                         "give addresses such as 10.0.0.254 or fd00::fe"};
        }
        hosts.push_back(*address);
    }
    return hosts;
}

Result<Wanted> parse_wanted(const Arguments &arguments) {
    Wanted wanted;
    for (std::size_t i = 1; i < arguments.operands().size(); i++) {
        auto address = parse_interface_address(arguments.operands()[i]);
        if (!address) {
            return address.error();
        }
        if (std::find(wanted.addresses.begin(), wanted.addresses.end(), *address) ==
            wanted.addresses.end()) {
            wanted.addresses.push_back(*address);
        }
    }
    auto gateways = parse_hosts(arguments, "gateway");
    if (!gateways) {
        return gateways.error();
    }
    wanted.gateways = std::move(*gateways);
    auto dns = parse_hosts(arguments, "dns");
    if (!dns) {
        return dns.error();
    }
    wanted.dns = std::move(*dns);
    const bool none = arguments.has("none");
    if (none == !wanted.addresses.empty()) {
        return Error{ExitCode::usage,
                     none ? "--none and an address exclude each other" : "there is no address",
                     "give addresses such as 10.0.0.1/24, or --none"};
    }
    if (none && (!wanted.gateways.empty() || !wanted.dns.empty())) {
        return Error{ExitCode::usage, "without an address there is neither gateway nor name server",
                     "leave --gateway and --dns away"};
    }
    return wanted;
}

} // namespace

Result<Answer> run_ipoib_addr(World &world, const Arguments &arguments) {
    const std::string &name = arguments.operands().front();
    auto wanted = parse_wanted(arguments);
    if (!wanted) {
        return wanted.error();
    }
    auto interface = find_ipoib(world.files, world.processes, name);
    if (!interface) {
        return interface.error();
    }
    auto records = load_records(world.places);
    if (!records) {
        return records.error();
    }
    const InterfaceSettings *record = find_record(*records, name);
    auto backend = choose_backend(world, arguments.text("backend"), *records, name,
                                  record == nullptr ? "" : record->parent);
    if (!backend) {
        return backend.error();
    }
    if (*backend == nullptr) {
        return Error{ExitCode::unavailable,
                     "nothing here sets addresses at boot: neither NetworkManager nor networkd "
                     "runs, and there is no /etc/network/interfaces",
                     "give --backend nm, networkd or ifupdown to write its files all the same"};
    }
    InterfaceSettings settings = record == nullptr ? InterfaceSettings() : *record;
    settings.name = name;
    settings.backend = std::string((*backend)->name());
    settings.addresses = std::move(wanted->addresses);
    settings.gateways = std::move(wanted->gateways);
    settings.dns = std::move(wanted->dns);
    if (auto good = check_gateways(settings); !good) {
        return good.error();
    }
    // A connection of NetworkManager always has a mode: it stays the one of now.
    if (*backend == &network_manager() && settings.mode.empty() && !settings.addresses.empty()) {
        settings.mode = interface->mode;
    }
    ChangeSet set(fmt::format("ipoib addr {}", name));
    if (auto good = plan_interface(world, set, name, *records, records_with(*records, settings),
                                   Uptake::start, {});
        !good) {
        return good.error();
    }
    auto answer = carry_out(world, {arguments.dry_run()}, set,
                            fmt::format("{} has these addresses already", name));
    if (answer) {
        answer->json["backend"] = settings.backend;
    }
    return answer;
}

} // namespace causeway
