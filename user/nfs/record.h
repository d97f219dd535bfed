// SPDX-License-Identifier: GPL-2.0-or-later
// The record of an NFS mount: the options that "nfs remount" mounts it with, and the reason why the
// mount does not use RDMA. The record is a file under /run, so it is gone after a reboot. "nfs
// umount" removes the record; "nfs remount" keeps it while the folder is unmounted.
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
    std::string options; // in the form that parse_nfs_options() reads
    std::string reason;  // why the mount does not use RDMA; empty if it does

    // The source that the kernel shows. If two mounts of a file system by different names of the
    // server share one superblock, the kernel shows the source of the other mount. Empty: the
    // source.
    std::string shown{};
    // Identify the mount. The kernel reuses both numbers for later mounts, so the time is compared
    // too.
    std::string mount_id{};
    std::string device{};
    std::chrono::milliseconds kept{}; // time of the record, by HostClock; 0: unknown
};

// Writes the record, which replaces another one for the same folder.
Result<void> keep_record(const Places &places, const MountRecord &record);
// Returns none if there is no record, or one that cannot be read.
std::optional<MountRecord> find_record(const Places &places, const std::string &source,
                                       const std::string &directory);
// Returns the record of exactly this mount; none for a mount that another program made later on the
// same folder.
std::optional<MountRecord> record_of(const Places &places, const NfsMount &mount,
                                     std::chrono::milliseconds now);
// Keeps the record of a folder that "nfs remount" or its undo has unmounted and is about to mount
// again. If the mount fails, the record stays, so that undo can repeat the mount. record_of()
// returns such a record for no mount.
Result<void> keep_unmounted(const Places &places, MountRecord record);
// Returns true if there is a record by keep_unmounted() for this source and folder.
bool is_kept_unmounted(const Places &places, const std::string &source,
                       const std::string &directory);
Result<void> forget_record(const Places &places, const std::string &directory);

} // namespace causeway
