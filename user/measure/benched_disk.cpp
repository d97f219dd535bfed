// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/benched_disk.h"

#include "disk/attaching.h"
#include "show/words.h"
#include "transport/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr const char *forms_of_disk =
    "give an attached disk SERVER/NAME, an export of this machine, or a device such as /dev/sdb";

Result<Backing> backing_of_device(World &world, const std::string &path, const std::string &fix) {
    const auto found = world.disk_use.find(path);
    if (!found || !found->is_device) {
        return Error{ExitCode::usage,
                     found ? fmt::format("{} is a file, not a block device", path)
                           : fmt::format("there is no block device {}", path),
                     fix};
    }
    return *found;
}

// Finds the attachment or the export that the device belongs to. It is worth a hint only, so that
// what cannot be read is left out.
void find_use(World &world, const Backing &backing, BenchedDisk &disk) {
    if (const auto attachments = world.kernel.attachments()) {
        for (const AttachmentInfo &info : *attachments) {
            const auto name = parse_disk(info.server + "/" + info.name);
            if (!info.disk.empty() && name &&
                world.disk_use.find(world.links.node(info.disk).string()) == backing) {
                disk.attached = *name;
            }
        }
    }
    if (const auto exports = world.kernel.exports()) {
        for (const ExportInfo &info : *exports) {
            if (info.settings.backend == Backend::device &&
                world.disk_use.find(info.settings.path) == backing) {
                disk.exported = info.settings.name;
            }
        }
    }
}

// A read of a disk without a connection waits for one.
Result<void> check_live(World &world, const DiskName &disk) {
    const auto running = TRY(running_attachment(world, disk));
    if (running && running->state != CW_STATE_LIVE) {
        return Error{ExitCode::try_again,
                     fmt::format("{} has no connection ({}), so its reads would wait", disk.text(),
                                 state_word(running->state)),
                     "see: causeway net"};
    }
    return {};
}

Result<BenchedDisk> find_attached(World &world, const std::string &typed) {
    const auto name = TRY(parse_disk(typed));
    TRY(check_live(world, name));
    for (const TransportFamily *family : TransportFamily::all()) {
        const auto devices = TRY(family->devices_of_attachment(world, name));
        if (!devices) {
            continue;
        }
        if (devices->empty()) {
            return Error{ExitCode::try_again, fmt::format("{} has no device yet", name.text()),
                         "see: causeway list"};
        }
        if (devices->size() > 1) {
            return Error{
                ExitCode::usage,
                fmt::format("{} has several disks: {}", name.text(), fmt::join(*devices, ", ")),
                fmt::format("choose one: --disk {}", devices->front())};
        }
        TRY(backing_of_device(world, devices->front(), "see: causeway list"));
        return BenchedDisk{typed, devices->front(), name};
    }
    return not_attached(name);
}

Result<BenchedDisk> find_exported(World &world, const std::string &typed) {
    const auto name = TRY(parse_export_name(typed));
    for (const TransportFamily *family : TransportFamily::all()) {
        const auto path = TRY(family->path_of_export(world, name));
        if (!path) {
            continue;
        }
        if (path->empty()) {
            return Error{
                ExitCode::usage, fmt::format("the export {} is memory, it has no disk", name),
                fmt::format("measure it on a client: causeway bench --disk SERVER/{}", name)};
        }
        TRY(backing_of_device(
            world, *path,
            fmt::format("measure the disk that has the file: findmnt -no SOURCE -T {}", *path)));
        return BenchedDisk{typed, *path, std::nullopt, name};
    }
    return Error{ExitCode::usage, fmt::format("this machine has no export '{}'", name),
                 forms_of_disk};
}

} // namespace

Result<BenchedDisk> find_benched_disk(World &world, const std::string &typed) {
    if (typed.substr(0, 1) == "/") {
        const auto backing = TRY(backing_of_device(world, typed, forms_of_disk));
        BenchedDisk disk{typed, typed};
        find_use(world, backing, disk);
        if (disk.attached) {
            TRY(check_live(world, *disk.attached));
        }
        return disk;
    }
    return typed.find('/') != std::string::npos ? find_attached(world, typed)
                                                : find_exported(world, typed);
}

} // namespace causeway
