// SPDX-License-Identifier: GPL-2.0-or-later
// The change by which a verb mounts or unmounts an NFS folder. The mount helper does not use it, so
// that mounts by mount(8) and by systemd at boot have no entry in the journal.
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
    any,       // RDMA, or TCP if that is allowed and RDMA fails
    tcp,       // TCP, with the recorded reason; if TCP fails, as any
    remount,   // as any; if that fails, TCP even if it is not allowed
    by_module, // as any; the mount uses RDMA before and after, by another module
};

// Receives the result of the mount.
struct MountResult {
    MountOutcome outcome{};
    std::optional<Error> failed{}; // the error if the folder is not mounted
};

// The file that is locked while mounts are tried and remounted: the trial of another command would
// keep an NFS client that is about to end. Undo does not wait for the lock but returns an error.
std::filesystem::path remount_lock(const Places &places);

// Returns the source, directory and options of a mount, and the reason if it uses TCP: from the
// record of the mount, else, without a reason, from what the kernel shows.
MountRecord words_of(World &world, const NfsMount &mount);
// Returns an error if the source or the options are malformed.
Result<MountRequest> request_of_words(const MountRecord &words);

// @result: null, or an object that outlives the set. @with: the folders that are remounted
// together; undo unmounts an inner one before the outer one.
ChangePointer change_nfs_mount(MountRecord words, MountWay way, MountResult *result,
                               std::vector<std::string> with = {});
// @switches: options of umount(8). Undo mounts the folder again.
ChangePointer change_nfs_umount(MountRecord words, MountWay way,
                                std::vector<std::string> switches = {});

} // namespace causeway
