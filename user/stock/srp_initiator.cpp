// SPDX-License-Identifier: GPL-2.0-or-later
// The initiator of SRP: ib_srp (Documentation/ABI/stable/sysfs-driver-ib_srp). It connects by
// rdma_cm.
#include "stock/initiator.h"

#include "host/rdma_devices.h"
#include "stock/target.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *srp_ports_folder = "/sys/class/infiniband_srp";
constexpr const char *hosts_folder = "/sys/class/scsi_host";

std::vector<std::string> hosts_of(KernelFiles &files, const std::string &target) {
    std::vector<std::string> hosts;
    for (const std::string &host : files.list(hosts_folder)) {
        if (sysfs_text(files, fmt::format("{}/{}/id_ext", hosts_folder, host)) == target) {
            hosts.push_back(host);
        }
    }
    return hosts;
}

std::string number_of(const std::string &host) {
    return host.substr(host.find_first_of("0123456789"));
}

std::string remote_port(const std::string &host, const char *value) {
    return fmt::format("/sys/class/srp_remote_ports/port-{}:1/{}", number_of(host), value);
}

} // namespace

Result<std::string> connect_srp(World &world, const StockAttachment &settings,
                                const SocketAddress &portal) {
    const auto ports = world.files.list(srp_ports_folder);
    if (ports.empty()) {
        return Error{ExitCode::unavailable, "there is no RDMA device that SRP could use",
                     "see which there are with \"causeway show\", or make one with --soft NETDEV"};
    }
    const auto before = hosts_of(world.files, settings.target);
    const std::string guid = settings.target.substr(2);
    const std::string line = fmt::format("id_ext={0},ioc_guid={0},dest={1},initiator_ext={2}", guid,
                                         portal.text(), srp_extension(settings.disk.name));
    std::string earlier;
    // Only the kernel knows which RDMA device has a route to the server, so try each port.
    for (const std::string &port : ports) {
        auto added =
            world.files.write(fmt::format("{}/{}/add_target", srp_ports_folder, port), line + "\n");
        if (!added) {
            earlier +=
                fmt::format("{}{}: {}", earlier.empty() ? "" : "; ", port, added.error().what);
            continue;
        }
        for (const std::string &host : hosts_of(world.files, settings.target)) {
            if (std::find(before.begin(), before.end(), host) == before.end()) {
                return host;
            }
        }
    }
    return Error{ExitCode::try_again,
                 fmt::format("SRP at {}: {}", portal.text(),
                             earlier.empty() ? "no SCSI host has come" : earlier),
                 fmt::format("on the server this machine has to be named with --initiator; the "
                             "kernel's log says more: dmesg | tail")};
}

Result<void> disconnect_srp(World &world, const StockAttachment &settings) {
    auto asked = world.files.write(remote_port(settings.host, "delete"), "1\n");
    if (!asked) {
        return asked;
    }
    // ib_srp removes the SCSI host in the background.
    constexpr std::chrono::seconds time_to_remove{30};
    constexpr std::chrono::milliseconds between_looks{100};
    const auto deadline = world.clock.now() + time_to_remove;
    for (;;) {
        const auto hosts = hosts_of(world.files, settings.target);
        if (std::find(hosts.begin(), hosts.end(), settings.host) == hosts.end()) {
            return {};
        }
        if (world.clock.now() >= deadline) {
            return Error{ExitCode::try_again,
                         fmt::format("the kernel still removes {} after {} s", settings.host,
                                     time_to_remove.count()),
                         "see with \"causeway list\" when it is gone"};
        }
        world.clock.sleep(between_looks);
    }
}

std::optional<StockConnection> find_srp(KernelFiles &files, const StockAttachment &settings) {
    const auto hosts = hosts_of(files, settings.target);
    if (settings.host.empty() ||
        std::find(hosts.begin(), hosts.end(), settings.host) == hosts.end()) {
        return std::nullopt;
    }
    return StockConnection{settings.host, sysfs_text(files, remote_port(settings.host, "state")),
                           scsi_disks(files, number_of(settings.host) + ":")};
}

} // namespace causeway
