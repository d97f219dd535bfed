// SPDX-License-Identifier: GPL-2.0-or-later
#include "firewall/service_ports.h"

#include "base/durable_file.h"
#include "base/prefix.h"
#include "config/dropins.h"
#include "config/server_settings.h"
#include "nfs/options.h"
#include "nfs/server.h"
#include "stock/exporting.h"

#include <algorithm>

namespace causeway {

namespace {

std::uint16_t rdma_port_of_nfs(const World &world) {
    const auto text = read_small_file(world.places.nfs_conf());
    const auto port = port_of_nfs_conf(text && *text ? **text : "");
    return port.value_or(nfs_rdma_port);
}

void append(std::vector<OpenPort> &ports, const std::vector<OpenPort> &more) {
    for (const OpenPort &port : more) {
        if (std::find(ports.begin(), ports.end(), port) == ports.end()) {
            ports.push_back(port);
        }
    }
}

Result<std::vector<OpenPort>> stock_ports(World &world, const std::vector<RdmaDevice> &devices) {
    std::vector<std::string> unreadable;
    auto exports = TRY(stock_exports(world, unreadable));
    if (!unreadable.empty()) {
        return Error{ExitCode::bad_config, unreadable.front(), "fix the file first"};
    }
    if (exports.empty()) {
        return Error{ExitCode::usage, "no export by NVMe, iSER, iSCSI or SRP is here",
                     "first: causeway export add NAME --via nvme|iser|iscsi|srp"};
    }
    std::vector<OpenPort> ports;
    for (const StockExportState &state : exports) {
        append(ports, ports_of(state.settings, devices));
    }
    return ports;
}

// The kernel knows those that are not kept for the next boot; without its module there are none.
bool serves_over_tcp(World &world) {
    const auto configured = load_exports(world.places);
    const auto running = world.kernel.exports();
    return (configured && std::any_of(configured->good.begin(), configured->good.end(),
                                      [](const auto &stored) { return stored.settings.tcp; })) ||
           (running && std::any_of(running->begin(), running->end(),
                                   [](const ExportInfo &info) { return info.settings.tcp; }));
}

} // namespace

Result<std::vector<OpenPort>> needed_ports(World &world, const Arguments &arguments) {
    const auto devices = rdma_devices(world.files);
    std::vector<OpenPort> ports;
    if (arguments.has("disks")) {
        const std::uint16_t port = configured_port(world.places);
        append(ports, rdma_ports(devices, port));
        // Without an RDMA device, disks go over TCP alone, and the exports may come later.
        if (devices.empty() || serves_over_tcp(world)) {
            append(ports, {{"tcp", tcp_port_of(port)}});
        }
    }
    if (arguments.has("nfs")) {
        append(ports, rdma_ports(devices, rdma_port_of_nfs(world)));
        append(ports, {{"tcp", nfs_tcp_port}});
    }
    if (arguments.has("stock")) {
        auto stock = stock_ports(world, devices);
        if (!stock) {
            return stock;
        }
        append(ports, *stock);
    }
    if (arguments.has("soft")) {
        const auto all = rdma_ports(devices, 0);
        std::copy_if(all.begin(), all.end(), std::back_inserter(ports), [&](const OpenPort &port) {
            return port.port == roce_port &&
                   std::find(ports.begin(), ports.end(), port) == ports.end();
        });
    }
    return ports;
}

std::vector<OpenPort> possible_ports(World &world, const Arguments &arguments) {
    std::vector<OpenPort> ports;
    if (arguments.has("disks")) {
        append(ports, {{"tcp", default_port}, {"tcp", default_tcp_port}, {"udp", roce_port}});
        const std::uint16_t port = configured_port(world.places);
        append(ports, {{"tcp", port}, {"tcp", tcp_port_of(port)}});
    }
    if (arguments.has("nfs")) {
        append(ports, {{"tcp", rdma_port_of_nfs(world)},
                       {"tcp", nfs_rdma_port},
                       {"tcp", nfs_tcp_port},
                       {"udp", roce_port}});
    }
    if (arguments.has("stock")) {
        for (const Via via : {Via::nvme, Via::iser, Via::iscsi, Via::srp}) {
            append(ports, {{"tcp", via_port(via)}});
        }
        append(ports, {{"udp", roce_port}});
        std::vector<std::string> unreadable;
        if (const auto exports = stock_exports(world, unreadable)) {
            for (const StockExportState &state : *exports) {
                append(ports, ports_of(state.settings, rdma_devices(world.files)));
            }
        }
    }
    if (arguments.has("soft")) {
        append(ports, {{"udp", roce_port}});
    }
    return ports;
}

std::vector<ServiceUse> ports_in_use(World &world) {
    const auto devices = rdma_devices(world.files);
    std::vector<ServiceUse> uses;
    const auto add = [&](const char *service, const std::vector<OpenPort> &ports) {
        for (const OpenPort &port : ports) {
            uses.push_back({port, service});
        }
    };
    const auto configured = load_exports(world.places);
    const auto running = world.kernel.exports();
    if ((configured && !configured->good.empty()) || (running && !running->empty())) {
        const std::uint16_t port = configured_port(world.places);
        add("disks", rdma_ports(devices, port));
        if (serves_over_tcp(world)) {
            add("disks", {{"tcp", tcp_port_of(port)}});
        }
    }
    const auto nfs_conf = read_small_file(world.places.nfs_conf());
    if (const auto port = port_of_nfs_conf(nfs_conf && *nfs_conf ? **nfs_conf : "")) {
        add("nfs", rdma_ports(devices, *port));
        add("nfs", {{"tcp", nfs_tcp_port}});
    }
    std::vector<std::string> unreadable;
    if (const auto exports = stock_exports(world, unreadable)) {
        for (const StockExportState &state : *exports) {
            add("stock", ports_of(state.settings, devices));
        }
    }
    for (const OpenPort &port : rdma_ports(devices, 0)) {
        if (port.port == roce_port) {
            add("soft", {port});
        }
    }
    return uses;
}

Result<std::vector<std::string>> parse_from(const Arguments &arguments) {
    const auto typed = arguments.list("from");
    std::vector<std::string> networks;
    for (const std::string &each : typed) {
        if (each == "any" && typed.size() == 1) {
            return std::vector<std::string>{""};
        }
        if (each == "any") {
            return Error{ExitCode::usage, "--from any and a network exclude each other",
                         "give --from any alone, or the networks alone"};
        }
        auto network = TRY(parse_prefix(each, "--from"));
        networks.push_back(network.text());
    }
    return networks;
}

} // namespace causeway
