// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/backend.h"

#include "base/durable_file.h"
#include "change/change_set.h"
#include "config/file_header.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

bool service_runs(World &world, const std::string &service) {
    auto end = world.processes.run({"systemctl", "is-active", "--quiet", service});
    return end && end->good();
}

// NetworkManager leaves alone what its configuration calls unmanaged.
bool is_unmanaged(World &world, const std::string &interface) {
    auto end = world.processes.run({"nmcli", "-t", "-f", "DEVICE,STATE", "device"});
    return end && end->good() && has_line(end->out, interface + ":unmanaged");
}

} // namespace

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
    if (systemd_runs(world)) {
        if (service_runs(world, "NetworkManager.service") && !is_unmanaged(world, interface)) {
            return &network_manager();
        }
        if (service_runs(world, "systemd-networkd.service")) {
            return &networkd();
        }
    }
    std::error_code failure;
    return fs::exists(world.places.ifupdown() / "interfaces", failure) ? &ifupdown() : nullptr;
}

std::optional<fs::path> foreign_file(const fs::path &folder, std::string_view suffix,
                                     bool (*asked)(const std::string &content,
                                                   const std::string &interface),
                                     const std::string &interface) {
    std::vector<fs::path> found;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (name.size() < suffix.size() ||
            name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0) {
            continue;
        }
        auto content = read_small_file(entry->path());
        if (content && *content && !is_ours(**content) && asked(**content, interface)) {
            found.push_back(entry->path());
        }
    }
    const auto first = std::min_element(found.begin(), found.end());
    return first == found.end() ? std::nullopt : std::optional(*first);
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

Error configured_elsewhere(const fs::path &place, const std::string &interface, std::string mend) {
    return Error{ExitCode::bad_config,
                 fmt::format("{} is configured by {}, which causeway did not write", interface,
                             place.string()),
                 std::move(mend)};
}

} // namespace causeway
