// SPDX-License-Identifier: GPL-2.0-or-later
// What was said when a folder was mounted, kept under /run until it is unmounted or the machine
// stops: the options, so that it can be mounted again, and why it goes by TCP.
#pragma once

#include "base/places.h"
#include "base/result.h"
#include "nfs/mounts.h"

#include <chrono>
#include <optional>
#include <string>

namespace causeway {

struct MountRecord {
    std::string source;
    std::string directory;
    std::string options; // as parse_nfs_options() reads them
    std::string reason;  // why not by RDMA; empty where it is

    // What the kernel shows as its source: that of another mount of the same file system by another
    // name of the server, where both share one superblock. Empty: the source.
    std::string shown{};
    // Which mount it is. The kernel gives both numbers to later mounts, so the time counts too.
    std::string mount_id{};
    std::string device{};
    std::chrono::milliseconds kept{}; // by the clock that all processes share; 0: not known
};

Result<void> keep_record(const Places &places, const MountRecord &record);
// None where there is none, or one that cannot be read.
std::optional<MountRecord> find_record(const Places &places, const std::string &source,
                                       const std::string &directory);
// The record of this very mount: one that somebody else made later on the same folder has none.
std::optional<MountRecord> record_of(const Places &places, const NfsMount &mount,
                                     std::chrono::milliseconds now);
Result<void> forget_record(const Places &places, const std::string &directory);

} // namespace causeway
