// SPDX-License-Identifier: GPL-2.0-or-later
// The target of NVMe over RDMA: nvmet (drivers/nvme/target/configfs.c).
#include "host/rdma_devices.h"
#include "stock/target.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::size_t serial_length = 20;

std::string port_value(KernelFiles &files, const std::string &port, const char *name) {
    return sysfs_text(files, fmt::format("{}/ports/{}/{}", nvmet_folder, port, name));
}

// The number of a port that listens on this address already, no matter which program made it; else
// the next free number.
std::string port_for(KernelFiles &files, const SocketAddress &portal) {
    const auto ports = files.list(fmt::format("{}/ports", nvmet_folder));
    for (const std::string &port : ports) {
        if (port_value(files, port, "addr_trtype") == "rdma" &&
            port_value(files, port, "addr_traddr") == portal.host_text() &&
            port_value(files, port, "addr_trsvcid") == fmt::format("{}", portal.port())) {
            return port;
        }
    }
    unsigned int number = 1;
    while (std::find(ports.begin(), ports.end(), fmt::format("{}", number)) != ports.end()) {
        number++;
    }
    return fmt::format("{}", number);
}

std::string serial_of(const Uuid &identity) {
    std::string digits = identity.text();
    digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
    return digits.substr(0, serial_length);
}

} // namespace

TargetPlan plan_nvme_target(KernelFiles &files, const StockExport &settings) {
    const std::string subsystem = fmt::format("{}/subsystems/{}", nvmet_folder, settings.target);
    const std::string space = subsystem + "/namespaces/1";
    const std::string port =
        fmt::format("{}/ports/{}", nvmet_folder, port_for(files, settings.portal));
    const bool v4 = settings.portal.family() == AF_INET;
    TargetPlan plan{subsystem, {}};
    auto &steps = plan.steps;
    steps.push_back(config_folder(subsystem));
    // The serial number stays the same after a reboot, so that device names made from it stay
    // valid.
    steps.push_back(config_value(subsystem + "/attr_serial", serial_of(*settings.identity)));
    steps.push_back(
        config_value(subsystem + "/attr_allow_any_host", settings.initiators.empty() ? "1" : "0"));
    for (const std::string &initiator : settings.initiators) {
        const std::string host = fmt::format("{}/hosts/{}", nvmet_folder, initiator);
        steps.push_back(config_shared_folder(host));
        steps.push_back(
            config_link(fmt::format("{}/allowed_hosts/{}", subsystem, initiator), host));
    }
    steps.push_back(config_folder(space));
    steps.push_back(config_value(space + "/device_path", settings.path));
    steps.push_back(config_value(space + "/device_uuid", settings.identity->text()));
    steps.push_back(config_value(space + "/enable", "1", "0"));
    const bool listens = files.has_folder(port);
    steps.push_back(config_shared_folder(port));
    if (!listens) {
        steps.push_back(config_value(port + "/addr_adrfam", v4 ? "ipv4" : "ipv6"));
        steps.push_back(config_value(port + "/addr_trtype", "rdma"));
        steps.push_back(config_value(port + "/addr_traddr", settings.portal.host_text()));
        steps.push_back(
            config_value(port + "/addr_trsvcid", fmt::format("{}", settings.portal.port())));
    }
    steps.push_back(config_link(fmt::format("{}/subsystems/{}", port, settings.target), subsystem));
    return plan;
}

} // namespace causeway
