// SPDX-License-Identifier: GPL-2.0-or-later
// The initiator of NVMe over RDMA: nvme-cli.
#include "stock/initiator.h"

#include "host/rdma_devices.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace causeway {

namespace {

constexpr const char *controllers_folder = "/sys/class/nvme";
constexpr std::chrono::seconds nvme_limit{60};

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns "nvme0n1" for "nvme0n1" and for "nvme0c1n1", which names one path of a multipath disk.
// Empty if the name is not that of a namespace.
std::string disk_of(const std::string &name) {
    const std::size_t space = name.rfind('n');
    if (name.rfind("nvme", 0) != 0 || space <= 4 || !is_number(name.substr(space + 1))) {
        return {};
    }
    const std::string front = name.substr(4, space - 4);
    const std::size_t path = front.find('c');
    const std::string subsystem = front.substr(0, path);
    const bool known =
        is_number(subsystem) && (path == std::string::npos || is_number(front.substr(path + 1)));
    return known ? fmt::format("nvme{}{}", subsystem, name.substr(space)) : std::string();
}

std::vector<std::string> where(const SocketAddress &portal) {
    return {"-t", "rdma", "-a", portal.host_text(), "-s", fmt::format("{}", portal.port())};
}

Result<ProcessEnd> nvme(World &world, const std::string &verb, const SocketAddress &portal,
                        std::vector<std::string> more) {
    std::vector<std::string> words = {"nvme", verb};
    for (const std::string &word : where(portal)) {
        words.push_back(word);
    }
    words.insert(words.end(), more.begin(), more.end());
    auto end = world.processes.run(words, nvme_limit);
    if (!end || end->good()) {
        return end;
    }
    return Error{ExitCode::try_again,
                 fmt::format("nvme {} at {}: {}", verb, portal.text(),
                             end->timed_out ? "no answer" : end->last_words()),
                 "the kernel's log says more: dmesg | tail"};
}

} // namespace

std::vector<std::string> parse_nvme_discovery(const std::string &text) {
    std::vector<std::string> names;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("records") || !json["records"].is_array()) {
        return names;
    }
    for (const auto &record : json["records"]) {
        if (!record.is_object() || !record.contains("subnqn") || !record["subnqn"].is_string()) {
            continue;
        }
        // The remote machine chose this name: it must not contain control characters for a
        // terminal.
        auto name = record["subnqn"].get<std::string>();
        if (std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; })) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

Result<std::vector<std::string>> discover_nvme(World &world, const SocketAddress &portal) {
    auto end = TRY(nvme(world, "discover", portal, {"-o", "json"}));
    return parse_nvme_discovery(end.out);
}

Result<void> connect_nvme(World &world, const StockAttachment &settings,
                          const SocketAddress &portal) {
    auto end = nvme(world, "connect", portal, {"-n", settings.target});
    return end ? Result<void>() : end.error();
}

Result<void> disconnect_nvme(World &world, const StockAttachment &settings) {
    auto end = world.processes.run({"nvme", "disconnect", "-n", settings.target}, nvme_limit);
    if (!end) {
        return end.error();
    }
    if (!end->good()) {
        return Error{ExitCode::failed, fmt::format("nvme disconnect: {}", end->last_words())};
    }
    return {};
}

std::optional<StockConnection> find_nvme(KernelFiles &files, const StockAttachment &settings) {
    for (const std::string &controller : files.list(controllers_folder)) {
        const std::string folder = fmt::format("{}/{}", controllers_folder, controller);
        if (sysfs_text(files, folder + "/subsysnqn") != settings.target ||
            sysfs_text(files, folder + "/transport") != "rdma") {
            continue;
        }
        StockConnection found{controller, sysfs_text(files, folder + "/state")};
        for (const std::string &name : files.list(folder)) {
            if (const std::string disk = disk_of(name); !disk.empty()) {
                found.disks.push_back(disk);
            }
        }
        return found;
    }
    return std::nullopt;
}

} // namespace causeway
