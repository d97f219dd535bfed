// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/backend.h"

#include "change/change_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

bool service_runs(World &world, const std::string &service) {
    if (!systemd_runs(world)) {
        return false;
    }
    auto end = world.processes.run({"systemctl", "is-active", "--quiet", service});
    return end && end->good();
}

// Returns true if NetworkManager's configuration calls the interface unmanaged. NetworkManager does
// not touch such an interface.
bool is_unmanaged(World &world, const std::string &interface) {
    auto end = world.processes.run({"nmcli", "-t", "-f", "DEVICE,STATE", "device"});
    return end && end->good() && has_line(end->out, interface + ":unmanaged");
}

} // namespace

bool network_manager_runs(World &world) {
    return service_runs(world, "NetworkManager.service");
}

bool networkd_runs(World &world) {
    return service_runs(world, "systemd-networkd.service");
}

const std::vector<const NetworkBackend *> &network_backends() {
    static const std::vector<const NetworkBackend *> all = {&network_manager(), &networkd(),
                                                            &ifupdown()};
    return all;
}

Result<const NetworkBackend *> find_backend(const std::string &name) {
    std::vector<std::string_view> names;
    for (const NetworkBackend *each : network_backends()) {
        if (each->name() == name) {
            return each;
        }
        names.push_back(each->name());
    }
    return Error{ExitCode::usage, fmt::format("'{}' manages no network", name),
                 fmt::format("give --backend {}", fmt::join(names, ", "))};
}

const NetworkBackend *backend_here(World &world, const std::string &interface) {
    if (network_manager_runs(world) && !is_unmanaged(world, interface)) {
        return &network_manager();
    }
    if (networkd_runs(world)) {
        return &networkd();
    }
    std::error_code failure;
    return fs::exists(world.places.ifupdown() / "interfaces", failure) ? &ifupdown() : nullptr;
}

bool has_line(const std::string &content, std::string_view wanted) {
    std::istringstream stream(content);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == std::string::npos) {
            continue;
        }
        const std::size_t last = line.find_last_not_of(" \t\r");
        if (std::string_view(line).substr(first, last - first + 1) == wanted) {
            return true;
        }
    }
    return false;
}

} // namespace causeway
