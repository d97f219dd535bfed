// SPDX-License-Identifier: GPL-2.0-or-later
#include "owners/own_disk.h"

#include "base/answer.h"
#include "host/mount_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <sstream>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr const char *block_class = "/sys/class/block/";

// Returns the value of a line KEY=VALUE of a uevent file, or "" if there is no such line.
std::string uevent_value(KernelFiles &files, const std::string &folder, const std::string &key) {
    const auto content = files.read(folder + "/uevent");
    std::istringstream stream(content ? content->value_or("") : "");
    for (std::string line; std::getline(stream, line);) {
        if (line.substr(0, key.size() + 1) == key + "=") {
            return line.substr(key.size() + 1);
        }
    }
    return {};
}

bool is_below(const std::string &path, const std::string &folder) {
    return folder == "/" || path == folder ||
           (path.size() > folder.size() && path.substr(0, folder.size()) == folder &&
            path[folder.size()] == '/');
}

// Returns the block device of the file system that has the folder: "sda1", "dm-0". Returns none if
// it has no block device.
std::optional<std::string> device_below(World &world, const fs::path &folder) {
    const auto mountinfo = world.files.read(mountinfo_place);
    if (!mountinfo) {
        return std::nullopt;
    }
    std::optional<MountLine> found;
    for (const MountLine &line : visible_mounts(mountinfo->value_or(""))) {
        if (is_below(folder.string(), line.directory) &&
            (!found || line.directory.size() >= found->directory.size())) {
            found = line;
        }
    }
    if (!found) {
        return std::nullopt;
    }
    const std::string name =
        uevent_value(world.files, "/sys/dev/block/" + found->device, "DEVNAME");
    if (!name.empty()) {
        return name;
    }
    // The device number of btrfs belongs to no block device. The mount source names one of its
    // disks.
    if (found->source.substr(0, 5) != "/dev/") {
        return std::nullopt;
    }
    std::error_code failure;
    const fs::path node = fs::canonical(found->source, failure);
    return (failure ? fs::path(found->source) : node).filename().string();
}

// Returns true for "causeway0" and so on.
bool is_our_disk(const std::string &name) {
    const std::string start = "causeway";
    return name.size() > start.size() && name.substr(0, start.size()) == start &&
           std::all_of(name.begin() + static_cast<std::ptrdiff_t>(start.size()), name.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
}

// Adds Causeway's disks under a block device, through partitions, device-mapper, md and loop
// devices.
void add_disks(World &world, const std::string &name, std::set<std::string> &seen,
               std::set<std::string> &disks) {
    if (!seen.insert(name).second) {
        return;
    }
    if (is_our_disk(name)) {
        disks.insert(name);
        return;
    }
    const std::string folder = block_class + name;
    for (const std::string &slave : world.files.list(folder + "/slaves")) {
        add_disks(world, slave, seen, disks);
    }
    if (const auto part = world.files.read(folder + "/partition"); part && *part) {
        add_disks(world, uevent_value(world.files, folder + "/..", "DEVNAME"), seen, disks);
    }
    if (const auto file = world.files.read(folder + "/loop/backing_file"); file && *file) {
        const fs::path backing = (*file)->substr(0, (*file)->find('\n'));
        if (const auto device = device_below(world, backing.parent_path())) {
            add_disks(world, *device, seen, disks);
        }
    }
}

// Returns the addresses of this machine, or none if they cannot be read.
std::optional<std::set<std::string>> own_addresses(World &world) {
    const auto said = world.processes.run({"ip", "-json", "address"}, std::chrono::seconds(10));
    if (!said || said->status != 0) {
        return std::nullopt;
    }
    const Json interfaces = Json::parse(said->out, nullptr, false);
    if (!interfaces.is_array()) {
        return std::nullopt;
    }
    std::set<std::string> found;
    for (const Json &one : interfaces) {
        if (!one.is_object() || !one.contains("addr_info") || !one["addr_info"].is_array()) {
            continue;
        }
        for (const Json &address : one["addr_info"]) {
            if (address.is_object() && address.contains("local") && address["local"].is_string()) {
                found.insert(address["local"].get<std::string>());
            }
        }
    }
    return found;
}

bool is_loopback(const std::string &address) {
    return address == "::1" || address.substr(0, 4) == "127.";
}

} // namespace

Result<void> check_not_on_own_disk(World &world, const fs::path &folder, const Uuid &identity) {
    std::error_code failure;
    const fs::path real = fs::canonical(folder, failure);
    const auto device = device_below(world, failure ? folder : real);
    std::set<std::string> seen;
    std::set<std::string> disks;
    if (device) {
        add_disks(world, *device, seen, disks);
    }
    if (disks.empty()) {
        return {};
    }
    auto attachments = TRY(world.kernel.attachments());
    const auto addresses = own_addresses(world);
    for (const AttachmentInfo &info : attachments) {
        if (disks.count(info.disk) == 0) {
            continue;
        }
        // ip(8) prints a link-local address without its interface.
        const std::string told = info.address.host_text();
        const std::string server = told.substr(0, told.find('%'));
        const bool own = is_loopback(server) || (addresses && addresses->count(server) != 0) ||
                         info.identity == identity;
        const std::string fix = "give --state-folder DIR, a folder on a disk that does not need "
                                "this server";
        if (own) {
            return Error{ExitCode::failed,
                         fmt::format("the state folder {} lies on /dev/{}, which is attached from "
                                     "this machine as {}/{}: the ledger of owners cannot be there",
                                     folder.string(), info.disk, info.server, info.name),
                         fix};
        }
        if (!addresses) {
            return Error{ExitCode::failed,
                         fmt::format("the state folder {} lies on /dev/{}, and \"ip -json "
                                     "address\" does not report whether its server {} is this "
                                     "machine",
                                     folder.string(), info.disk, server),
                         fix};
        }
    }
    return {};
}

} // namespace causeway
