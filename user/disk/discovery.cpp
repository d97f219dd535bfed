// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/discovery.h"

#include "disk/attaching.h"
#include "host/rdma_addresses.h"
#include "kernel/refusal.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

bool is_loopback(const SocketAddress &address) {
    const std::string text = address.host_text();
    return text == "::1" || text.compare(0, 4, "127.") == 0;
}

Result<DiscoveredExport> export_named(const Discovery &found, const DiskName &disk) {
    const auto at =
        std::find_if(found.exports.begin(), found.exports.end(),
                     [&](const DiscoveredExport &each) { return each.name == disk.name; });
    if (at == found.exports.end()) {
        return Error{
            ExitCode::unavailable,
            fmt::format("{} offers no disk '{}' to this machine", disk.server.text(), disk.name),
            fmt::format("see what it offers: causeway discover {}", disk.server.text())};
    }
    return *at;
}

// Returns why the address cannot be one of the paths, or "".
std::string why_left_out(World &world, const std::vector<AddressedInterface> &interfaces,
                         const ExportAddress &named, const std::vector<std::string> &transports,
                         const DiskName &disk, const SocketAddress &asked) {
    const auto wanted = [&](std::string_view transport) {
        return std::find(transports.begin(), transports.end(), transport) != transports.end();
    };
    const bool tcp = named.transport == CW_TRANSPORT_TCP;
    if (!wanted(tcp ? transport_tcp : transport_rdma)) {
        return fmt::format("the paths go {} only, see --transport", tcp ? "by RDMA" : "over TCP");
    }
    const int port = disk.server.port + (tcp ? 1 : 0);
    if (named.address.port() != port) {
        return fmt::format("its port is {}, and that of the disk's other paths is {}",
                           named.address.port(), port);
    }
    if (is_loopback(named.address) && !is_loopback(asked)) {
        return "it is a loopback address, which leads to this machine";
    }
    return why_not_direct(world, interfaces, named.address, tcp);
}

// Returns the addresses of the server once for each transport.
Result<std::vector<DiskPathAddresses>> ends_to_ask(World &world, const ServerName &server,
                                                   const std::vector<std::string> &transports) {
    std::vector<DiskPathAddresses> all;
    for (const std::string &transport : transports) {
        for (const DiskPathAddresses &end :
             TRY(ends_of_server(world.resolver, server, transport == transport_tcp))) {
            all.push_back(end);
        }
    }
    return all;
}

} // namespace

Result<Discovery> discover(World &world, const ServerName &server,
                           const std::vector<std::string> &transports, const std::string &name) {
    const auto ends = TRY(ends_to_ask(world, server, transports));
    std::string earlier;
    for (std::size_t i = 0;; i++) {
        auto found = world.kernel.discover(server.text(), ends.at(i), name);
        if (found) {
            return Discovery{ends.at(i).address, settings_of(ends.at(i)).tcp, *std::move(found)};
        }
        Error error = found.error();
        const std::string where =
            ends.at(i).address.text() + (settings_of(ends.at(i)).tcp ? " over TCP" : "");
        if (i + 1 == ends.size() || !is_of_the_network(error.system_error)) {
            error.what =
                fmt::format("cannot ask {} at {}: {}{}", server.text(), where, error.what, earlier);
            return error;
        }
        earlier += fmt::format("; at {}: {}", where, error.what);
    }
}

// EXPORTS proves nothing: a server, or a host that answers in its place, can name the addresses of
// other hosts. These limits hold for them:
// - An address is used only on a network that this machine has itself, so no router carries
//   connection requests to hosts elsewhere. There are most_paths addresses at most, and pauses
//   between the attempts.
// - The kernel sends no command to a host that joins the session before that host has proved, in
//   JOINED, that it knows the secret of the login. A host that admits a login has proved the key of
//   the export.
// - The kernel accepts a login only if WELCOME has the identity of the disk, which the attachment
//   keeps. So another server with an export of the same name is not taken for this one. Where there
//   is no key, a host that lies about the identity is believed, as at an address that was typed.
// - The kernel has refused addresses of no host, of several hosts, and of a link.
Result<FoundPaths> discover_paths(World &world, const DiskName &disk,
                                  const std::vector<std::string> &transports) {
    const auto found = TRY(discover(world, disk.server, transports, disk.name));
    const auto disk_there = TRY(export_named(found, disk));
    const PathSettings asked{found.asked.host_text(), "", found.tcp};
    FoundPaths all;
    if (!disk_there.identity.is_nil()) {
        all.identity = disk_there.identity;
    }
    const auto interfaces = disk_there.addresses.empty() ? std::vector<AddressedInterface>()
                                                         : TRY(addressed_interfaces(world));
    const auto has = [&](const PathSettings &path) {
        return std::find(all.paths.begin(), all.paths.end(), path) != all.paths.end();
    };
    for (const ExportAddress &named : disk_there.addresses) {
        if (named.transport != CW_TRANSPORT_RDMA && named.transport != CW_TRANSPORT_TCP) {
            continue; // of a later version
        }
        const PathSettings path{named.address.host_text(), "", named.transport == CW_TRANSPORT_TCP};
        if (has(path)) {
            continue;
        }
        const bool is_asked = path == asked && named.address == found.asked;
        // One place is for the address that was asked.
        const bool full = all.paths.size() + (has(asked) ? 0 : 1) >= most_paths;
        std::string reason =
            is_asked ? ""
            : full   ? fmt::format("a disk has at most {} paths", most_paths)
                     : why_left_out(world, interfaces, named, transports, disk, found.asked);
        if (reason.empty()) {
            all.paths.push_back(path);
        } else {
            all.left_out.push_back({path, std::move(reason)});
        }
    }
    // A server that answers over TCP lists disks that it serves by RDMA alone, too.
    const bool offered =
        !asked.tcp || disk_there.addresses.empty() ||
        std::any_of(disk_there.addresses.begin(), disk_there.addresses.end(),
                    [](const auto &named) { return named.transport == CW_TRANSPORT_TCP; });
    if (!has(asked) && offered) {
        all.paths.push_back(asked);
    }
    if (all.paths.empty()) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} is not served over TCP, and this machine cannot reach it by "
                                 "RDMA",
                                 disk.text()),
                     "on the server, add the export with --tcp; see causeway discover, and here "
                     "causeway show"};
    }
    return all;
}

} // namespace causeway
