// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/disk_users.h"

#include "config/dropins.h"
#include "host/backing_files.h"
#include "host/rdma_devices.h"
#include "kernel/refusal.h"
#include "stock/disk_stack.h"
#include "stock/target.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <sstream>
#include <vector>

namespace causeway {

namespace {

constexpr const char *block_folder = "/sys/class/block";

// A block device with its name in /sys, such as "sdb1".
struct BlockDevice {
    std::string name;
    Backing backing;

    std::string node() const { return "/dev/" + name; }
};

// The first line of the file without its newline; empty if there is no such file.
std::string content_of(KernelFiles &files, const std::string &path) {
    const std::string content = text_of(files, path);
    return content.substr(0, content.find('\n'));
}

BlockDevice device_named(KernelFiles &files, const std::string &name) {
    const std::string number = content_of(files, fmt::format("{}/{}/dev", block_folder, name));
    BlockDevice device{name, {true, 0, 0, 0}};
    std::istringstream stream(number);
    char colon = 0;
    stream >> device.backing.major >> colon >> device.backing.minor;
    return device;
}

std::vector<std::string> partitions_of(KernelFiles &files, const std::string &disk) {
    std::vector<std::string> names;
    for (const std::string &name : files.list(fmt::format("{}/{}", block_folder, disk))) {
        if (name.rfind(disk, 0) == 0) {
            names.push_back(name);
        }
    }
    return names;
}

// The disk that has this partition; empty if the name is not a partition.
std::string disk_with(KernelFiles &files, const std::string &partition) {
    for (const std::string &disk : files.list(block_folder)) {
        if (disk != partition && partition.rfind(disk, 0) == 0 &&
            files.has_folder(fmt::format("{}/{}/{}", block_folder, disk, partition))) {
            return disk;
        }
    }
    return {};
}

// Empty if /sys does not show the device.
std::string name_of(KernelFiles &files, const Backing &backing) {
    const std::string number = fmt::format("{}:{}", backing.major, backing.minor);
    for (const std::string &name : files.list(block_folder)) {
        if (content_of(files, fmt::format("{}/{}/dev", block_folder, name)) == number) {
            return name;
        }
    }
    return {};
}

// Mounts and holders. The tables of this mount namespace show the mounts.
std::string claim_of(KernelFiles &files, const BlockDevice &device) {
    const DiskStack stack = stack_on(files, device.name);
    return stack.sentence.empty() ? "" : fmt::format("{} {}", device.node(), stack.sentence);
}

/* ---- users that refer to a path: swap, loop devices, targets ---- */

// Searches for users that refer by a path to the disk or the file, or to a part of it.
class PathUsers {
  public:
    PathUsers(World &world, const std::vector<Backing> &parts) : world_(world), parts_(parts) {}

    std::string find() const {
        for (auto look : {&PathUsers::swap, &PathUsers::loop, &PathUsers::nvmet, &PathUsers::lio}) {
            if (std::string user = (this->*look)(); !user.empty()) {
                return user;
            }
        }
        return {};
    }

    std::string own_export() const {
        const auto exports = world_.kernel.exports();
        for (const ExportInfo &info : exports ? *exports : std::vector<ExportInfo>()) {
            if (leads_there(info.settings.path)) {
                return fmt::format("the export '{}' {} {}", info.settings.name,
                                   info.ending ? "is ending, but its disk has not answered yet:"
                                               : "has",
                                   info.settings.path);
            }
        }
        return {};
    }

  private:
    bool leads_there(const std::string &path) const {
        const auto found = path.empty() ? std::nullopt : world_.disk_use.find(path);
        return found && std::find(parts_.begin(), parts_.end(), *found) != parts_.end();
    }

    std::string swap() const {
        for (const std::string &path : swap_areas(world_.files)) {
            if (leads_there(path)) {
                return fmt::format("this machine swaps to {}", path);
            }
        }
        return {};
    }

    std::string loop() const {
        for (const LoopDevice &loop : loop_devices(world_.files)) {
            if (leads_there(loop.file)) {
                return fmt::format("the loop device /dev/{} is on {}", loop.name, loop.file);
            }
        }
        return {};
    }

    std::string nvmet() const {
        const std::string subsystems = fmt::format("{}/subsystems", nvmet_folder);
        for (const std::string &subsystem : world_.files.list(subsystems)) {
            const std::string spaces = fmt::format("{}/{}/namespaces", subsystems, subsystem);
            for (const std::string &space : world_.files.list(spaces)) {
                const std::string folder = fmt::format("{}/{}", spaces, space);
                const std::string path = content_of(world_.files, folder + "/device_path");
                if (content_of(world_.files, folder + "/enable") == "1" && leads_there(path)) {
                    return fmt::format("the NVMe target {} exports {}", subsystem, path);
                }
            }
        }
        return {};
    }

    std::string lio() const {
        const std::string core = fmt::format("{}/core", lio_folder);
        for (const std::string &adapter : world_.files.list(core)) {
            for (const std::string &store :
                 world_.files.list(fmt::format("{}/{}", core, adapter))) {
                const std::string path = content_of(
                    world_.files, fmt::format("{}/{}/{}/udev_path", core, adapter, store));
                if (leads_there(path)) {
                    return fmt::format("the backstore {}/{} of LIO exports {}", adapter, store,
                                       path);
                }
            }
        }
        return {};
    }

    World &world_;
    const std::vector<Backing> &parts_;
};

std::string user_of_file(World &world, const std::string &path, const Backing &file) {
    const std::vector<Backing> parts = {file};
    const PathUsers users(world, parts);
    std::string user = users.own_export();
    if (user.empty()) {
        user = users.find();
    }
    if (user.empty() && world.disk_use.is_being_written(path)) {
        user = world.disk_use.writer({path});
        return user.empty() ? fmt::format("{} is open for writing", path) : user;
    }
    return user;
}

Result<void> refuse_use(World &world, const std::string &name, const std::string &path) {
    const std::string user = user_of_path(world, path);
    if (user.empty()) {
        return {};
    }
    return refusal(Request::add_export, EBUSY,
                   fmt::format("cannot export '{}': {} is in use: {}", name, path, user));
}

// The disk of a SCSI generic device, such as /dev/sg1, which is no block device; for other paths
// the path itself.
std::string disk_of_scsi(KernelFiles &files, const std::string &path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    const auto disks = files.list(fmt::format("/sys/class/scsi_generic/{}/device/block", name));
    return disks.empty() ? path : "/dev/" + disks.front();
}

} // namespace

std::string user_of_disk(World &world, const std::string &disk) {
    std::vector<BlockDevice> claimable = {device_named(world.files, disk)};
    for (const std::string &part : partitions_of(world.files, disk)) {
        claimable.push_back(device_named(world.files, part));
    }
    std::vector<BlockDevice> all = claimable;
    if (const std::string whole = disk_with(world.files, disk); !whole.empty()) {
        all.push_back(device_named(world.files, whole));
    }
    std::vector<Backing> parts;
    for (const BlockDevice &device : all) {
        parts.push_back(device.backing);
    }
    const PathUsers users(world, parts);
    std::string user = users.own_export();
    for (std::size_t i = 0; user.empty() && i < all.size(); i++) {
        user = claim_of(world.files, all[i]);
    }
    if (user.empty()) {
        user = users.find();
    }
    // The tables name the user. Only the claim also detects a user in another mount namespace.
    for (std::size_t i = 0; user.empty() && i < claimable.size(); i++) {
        if (world.disk_use.is_claimed(claimable[i].node())) {
            user = fmt::format("{} is mounted elsewhere, or part of another device",
                               claimable[i].node());
        }
    }
    if (!user.empty()) {
        return user;
    }
    std::vector<std::string> nodes;
    for (const BlockDevice &device : all) {
        nodes.push_back(device.node());
    }
    return world.disk_use.writer(nodes);
}

std::string release_of_disk(World &world, const std::string &disk) {
    std::vector<std::string> commands;
    std::vector<std::string> devices = partitions_of(world.files, disk);
    devices.push_back(disk);
    for (const std::string &device : devices) {
        for (std::string &command : stack_on(world.files, device).release) {
            commands.erase(std::remove(commands.begin(), commands.end(), command), commands.end());
            commands.push_back(std::move(command));
        }
    }
    return fmt::format("{}", fmt::join(commands, "; "));
}

std::string user_of_path(World &world, const std::string &path) {
    const auto backing = world.disk_use.find(path);
    if (!backing) {
        return {};
    }
    if (!backing->is_device) {
        return user_of_file(world, path, *backing);
    }
    const std::string name = name_of(world.files, *backing);
    return name.empty() ? std::string() : user_of_disk(world, name);
}

Result<void> check_unclaimed(World &world, const ExportSettings &settings) {
    return settings.backend == Backend::ram ? Result<void>()
                                            : refuse_use(world, settings.name, settings.path);
}

Result<void> check_unclaimed(World &world, const std::string &subject, const TargetPlan &plan) {
    for (const ConfigStep &step : plan.steps) {
        const std::string file = step.path.substr(step.path.rfind('/') + 1);
        const bool names_disk = file == "device_path" || file == "udev_path";
        const std::string user =
            names_disk ? user_of_path(world, disk_of_scsi(world.files, step.text)) : std::string();
        if (!user.empty()) {
            return Error{ExitCode::try_again,
                         fmt::format("cannot make {}: {} is in use: {}", subject, step.text, user)};
        }
    }
    return {};
}

Result<void> check_not_configured(World &world, const std::string &name, const std::string &path) {
    const auto wanted = path.empty() ? std::nullopt : world.disk_use.find(path);
    auto own = load_exports(world.places);
    auto stock = load_stock_exports(world.places);
    if (!own || !stock) {
        return own ? stock.error() : own.error();
    }
    std::vector<std::pair<std::string, std::string>> others; // pairs of name and path
    for (const auto &stored : own->good) {
        others.emplace_back(stored.settings.name, stored.settings.path);
    }
    for (const auto &stored : stock->good) {
        others.emplace_back(stored.settings.name, stored.settings.path);
    }
    for (const auto &[other, its] : others) {
        if (wanted && other != name && !its.empty() && world.disk_use.find(its) == wanted) {
            return Error{ExitCode::failed,
                         fmt::format("cannot export '{}': the export '{}' is configured with {}",
                                     name, other, its),
                         fmt::format("causeway export remove {}, or give another disk", other)};
        }
    }
    return {};
}

Result<void> check_unclaimed(World &world, const StockExport &settings) {
    if (settings.backend == StockBackend::ram) {
        return {};
    }
    return refuse_use(world, settings.name,
                      settings.backend == StockBackend::scsi
                          ? disk_of_scsi(world.files, settings.path)
                          : settings.path);
}

} // namespace causeway
