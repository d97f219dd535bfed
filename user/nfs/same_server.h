// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the mounts of one server that share a transport. If a client of NFS 4.1 or 4.2 connects to
// a server that the kernel knows already, the kernel goes on with the existing client, whatever its
// transport (nfs41_walk_client_list() compares the version, never the transport). So one mount by
// TCP makes all later mounts of that version use TCP, until the last of them is unmounted.
#pragma once

#include "machine/mount_use.h"
#include "nfs/mounts.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// The fix for a client by TCP that no visible mount holds.
inline constexpr const char *hidden_mounts_fix =
    "it is held by a mount of another mount namespace (a container), by one that was unmounted "
    "with --lazy, or by one below another mount: end what uses it";

// Compares the addresses that the kernel shows. A client that two mounts share has one address,
// even if they were mounted by different addresses of the server.
bool same_server(const NfsMount &one, const NfsMount &other);

// Returns true if the kernel joins the later of these mounts to the client of the other.
bool share_client(const NfsMount &one, const NfsMount &other);

// Returns the mounts by TCP whose client the mount on this folder joined.
std::vector<NfsMount> joined_by_tcp(const std::vector<NfsMount> &mounts,
                                    const std::string &directory);

// Examines a trial by RDMA that the kernel joined to a client by TCP. Returns the mounts by TCP
// that have this client and would keep it while the mounts on the folders @leaving are unmounted.
std::vector<NfsMount> staying_by_tcp(const std::vector<NfsMount> &mounts, const NfsMount &trial,
                                     const std::vector<std::string> &leaving);

// Returns true if a file system that is not among the mounts holds the client of the trial.
// @volumes: the text of /proc/fs/nfsfs/volumes, which lists those of the whole network namespace.
inline constexpr const char *nfs_volumes = "/proc/fs/nfsfs/volumes";
bool held_unseen(std::string_view volumes, const std::vector<NfsMount> &mounts,
                 const NfsMount &trial);

// Returns true if the kernel made the mount when a process walked from one file system of the
// server into another. Such a mount ends together with the mount that contains it.
bool is_submount(const std::vector<NfsMount> &mounts, const NfsMount &mount);

// Returns true if the path is inside the folder. A folder is not inside itself.
bool lies_below(std::string_view path, std::string_view folder);

std::vector<std::string> directories_of(const std::vector<NfsMount> &mounts);

// "storage1 (10.0.0.1)".
std::string server_text(const NfsMount &mount);

// ", used by cp (process 4711), bash (process 12)"; empty if no process is known.
std::string users_text(const std::vector<MountUser> &users);

} // namespace causeway
