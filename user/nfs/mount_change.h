// SPDX-License-Identifier: GPL-2.0-or-later
// A mount made or ended by a verb. The mount helper mounts without it: what mount(8) and systemd do
// at boot is not in the journal.
#pragma once

#include "change/change.h"
#include "nfs/mounting.h"
#include "nfs/record.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// By which transport a folder is mounted.
enum class MountWay {
    any,       // RDMA, or TCP where that is allowed and RDMA fails
    tcp,       // TCP, for the reason on record
    remount,   // as any, but rather by TCP than not at all
    by_module, // as any, by RDMA before and after
};

// What came of mount().
struct MountTold {
    MountOutcome outcome{};
    std::optional<Error> failed{}; // the folder is not mounted, though the set goes on
};

// Held while mounts are tried and remounted: the trial of another command would keep a client that
// is about to go. An undo does not wait for it.
std::filesystem::path remount_lock(const Places &places);

// Source, directory and options, and the reason if it goes by TCP: from the record of the mount, or
// from what the kernel shows.
MountRecord words_of(World &world, const NfsMount &mount);
// An error if the source or the options are malformed.
Result<MountRequest> request_of_words(const MountRecord &words);

// told: may be null, and outlives the set. with: the folders that are remounted together, because
// the way back unmounts those inside first.
ChangePointer change_nfs_mount(MountRecord words, MountWay way, MountTold *told,
                               std::vector<std::string> with = {});
// switches: of umount(8). The way back mounts the folder again.
ChangePointer change_nfs_umount(MountRecord words, MountWay way,
                                std::vector<std::string> switches = {});

} // namespace causeway
