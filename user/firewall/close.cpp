// SPDX-License-Identifier: GPL-2.0-or-later
// firewall close, firewall list: the ports that "firewall open" opened, and no others.
#include "base/append_once.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "firewall/open_nft.h"
#include "firewall/service_ports.h"
#include "firewall/stored_ports.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// A port that Causeway opened, in one of the firewalls.
struct OpenedPort {
    Firewall firewall;
    OpenPort port;
    std::string zone{}; // firewalld alone

    std::string text() const {
        return fmt::format("{}{} in {}", port.phrase(),
                           zone.empty() ? "" : fmt::format(" of zone {}", zone),
                           firewall_name(firewall));
    }
};

// Returns the ports of all firewalls, or of one. A ufw that cannot be asked is a warning, unless it
// is the one.
Result<std::vector<OpenedPort>> opened_ports(World &world, std::optional<Firewall> only,
                                             std::vector<std::string> &warnings) {
    const auto wants = [&](Firewall firewall) { return !only || *only == firewall; };
    std::vector<OpenedPort> opened;
    if (wants(Firewall::firewalld)) {
        auto ports = TRY(opened_in_firewalld(world));
        for (const ZonePort &each : ports) {
            opened.push_back({Firewall::firewalld, each.port, each.zone});
        }
    }
    if (wants(Firewall::ufw) && world.processes.there("ufw")) {
        auto ports = opened_in_ufw(world);
        if (!ports && only) {
            return ports.error();
        }
        if (!ports) {
            warnings.push_back(fmt::format("the rules of ufw are unknown: {}", ports.error().what));
        }
        for (const OpenPort &port : ports ? *ports : std::vector<OpenPort>()) {
            opened.push_back({Firewall::ufw, port});
        }
    }
    if (wants(Firewall::nftables)) {
        auto ports = TRY(kept_ports(world));
        for (const OpenPort &port : ports) {
            opened.push_back({Firewall::nftables, port});
        }
    }
    return opened;
}

bool same_port(const OpenPort &one, const OpenPort &other) {
    return one.protocol == other.protocol && one.port == other.port;
}

// Returns the services that need the port now, except those that the user named.
std::vector<std::string> users_of(const std::vector<ServiceUse> &uses, const OpenPort &port,
                                  const Arguments *named = nullptr) {
    std::vector<std::string> services;
    for (const ServiceUse &each : uses) {
        if (same_port(each.port, port) && (named == nullptr || !named->has(each.service))) {
            append_once(services, each.service);
        }
    }
    return services;
}

/* ---- firewall list ---- */

Result<Answer> run_firewall_list(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    auto opened = TRY(opened_ports(world, std::nullopt, answer.warnings));
    const auto uses = ports_in_use(world);
    answer.json["ports"] = Json::array();
    Table table({{"PORT"}, {"FROM"}, {"FIREWALL"}, {"ZONE"}, {"NEEDED BY"}});
    for (const OpenedPort &each : opened) {
        const auto services = users_of(uses, each.port);
        answer.json["ports"].push_back(
            {{"port", each.port.port},
             {"protocol", each.port.protocol},
             {"from", each.port.from.empty() ? "any" : each.port.from},
             {"firewall", firewall_name(each.firewall)},
             {"zone", each.zone.empty() ? Json(nullptr) : Json(each.zone)},
             {"needed_by", services}});
        table.row(
            {each.port.text(), each.port.from.empty() ? "any" : each.port.from,
             std::string(firewall_name(each.firewall)), each.zone,
             services.empty() ? "nothing now" : fmt::format("{}", fmt::join(services, ", "))});
    }
    answer.text = answer.json["ports"].empty() ? "\"causeway firewall open\" has opened no port\n"
                                               : table.text(world.terminal);
    return answer;
}

/* ---- firewall close ---- */

// The ports that the user wants to close.
struct Closing {
    std::vector<OpenPort> ports;       // of the named services, for any sender
    std::vector<std::string> networks; // empty: of every network
    std::optional<std::string> zone;
    bool all = false;

    bool names(const OpenedPort &opened) const {
        const bool by_port =
            all || std::any_of(ports.begin(), ports.end(),
                               [&](const OpenPort &port) { return same_port(port, opened.port); });
        const bool by_network = networks.empty() || std::find(networks.begin(), networks.end(),
                                                              opened.port.from) != networks.end();
        return by_port && by_network && (!zone || *zone == opened.zone);
    }
};

Result<Closing> parse_closing(World &world, const Arguments &arguments) {
    Closing closing;
    closing.all = arguments.has("all");
    const bool named = std::any_of(firewall_services.begin(), firewall_services.end(),
                                   [&](const char *service) { return arguments.has(service); });
    if (named == closing.all) {
        return Error{ExitCode::usage,
                     named ? "--all and the name of a service exclude each other"
                           : "no service is given whose ports are to be closed",
                     "name one or more: --disks, --nfs, --stock, --soft; or give --all"};
    }
    closing.networks = TRY(parse_from(arguments));
    closing.zone = arguments.text("zone");
    closing.ports = possible_ports(world, arguments);
    return closing;
}

Result<void> plan_close(World &world, const std::vector<OpenedPort> &ports, ChangeSet &set) {
    std::vector<ZonePort> of_firewalld;
    std::vector<OpenPort> of_ufw;
    std::vector<OpenPort> of_nftables;
    for (const OpenedPort &each : ports) {
        switch (each.firewall) {
        case Firewall::firewalld:
            of_firewalld.push_back({each.zone, each.port});
            break;
        case Firewall::ufw:
            of_ufw.push_back(each.port);
            break;
        case Firewall::nftables:
            of_nftables.push_back(each.port);
            break;
        }
    }
    TRY(plan_close_firewalld(world, of_firewalld, set));
    plan_close_ufw(of_ufw, set);
    return plan_close_nftables(world, of_nftables, set);
}

std::string title_of_closing(const Arguments &arguments) {
    std::string text = arguments.has("all") ? "firewall close --all" : "firewall close";
    for (const char *service : firewall_services) {
        text += arguments.has(service) ? fmt::format(" --{}", service) : "";
    }
    return text;
}

Result<Answer> run_firewall_close(World &world, const Arguments &arguments) {
    auto closing = TRY(parse_closing(world, arguments));
    auto only = TRY(parse_firewall(arguments.text("backend")));
    std::vector<std::string> warnings;
    auto opened = TRY(opened_ports(world, only, warnings));
    const auto uses = ports_in_use(world);
    std::vector<OpenedPort> closed;
    Json kept = Json::array();
    for (const OpenedPort &each : opened) {
        if (!closing.names(each)) {
            continue;
        }
        const auto services =
            closing.all ? std::vector<std::string>() : users_of(uses, each.port, &arguments);
        if (services.empty()) {
            closed.push_back(each);
            continue;
        }
        kept.push_back(each.port.phrase());
        warnings.push_back(fmt::format("{} stays open, because this machine needs it for: {}; to "
                                       "close it all the same, give --{} too",
                                       each.text(), fmt::join(services, ", "),
                                       fmt::join(services, " --")));
    }
    ChangeSet set(title_of_closing(arguments));
    TRY(plan_close(world, closed, set));
    auto answer =
        TRY(carry_out(world, {arguments.dry_run()}, set,
                      kept.empty() ? "\"causeway firewall open\" has opened none of these "
                                     "ports"
                                   : "every port of these is needed"));
    answer.warnings.insert(answer.warnings.end(), warnings.begin(), warnings.end());
    answer.json["kept"] = kept;
    answer.json["ports"] = Json::array();
    for (const OpenedPort &each : closed) {
        answer.json["ports"].push_back(each.port.phrase());
    }
    return answer;
}

const VerbRows close_rows(Section::host, 14, [] {
    return std::vector<Verb>{
        {
            .words = "firewall close",
            .summary = "close ports that firewall open opened and that nothing else needs; rules "
                       "of others stay",
            .options = {{"disks", "", "close the ports of exported disks"},
                        {"nfs", "", "close the ports of NFS"},
                        {"stock", "", "close the ports of exports by NVMe, iSER, iSCSI and SRP"},
                        {"soft", "", "close UDP 4791, which every host with Soft-RoCE needs"},
                        {"all", "", "close every port that firewall open opened, needed or not"},
                        {"from", "any|NETWORK...",
                         "only what is open to these networks; any: to every host", true},
                        {"zone", "ZONE", "only in this zone of firewalld"},
                        {"backend", "firewalld|ufw|nftables", "only in this firewall"}},
            .changes = true,
            .run = run_firewall_close,
        },
        {
            .words = "firewall list",
            .summary = "show the ports that firewall open opened, and what needs them now",
            .run = run_firewall_list,
        },
    };
});

} // namespace

} // namespace causeway
