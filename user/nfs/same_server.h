// SPDX-License-Identifier: GPL-2.0-or-later
// Which mounts of one server share a transport. A client of NFS 4.1 or 4.2 that connects to a
// server it knows already, by whatever transport, goes on with the client that is there
// (nfs41_walk_client_list() compares the version, never the transport). So one mount by TCP makes
// all later ones of that version go by TCP, until the last of them is unmounted.
#pragma once

#include "machine/mount_use.h"
#include "nfs/mounts.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// What to do about a client by TCP that no mount which is seen here holds.
inline constexpr const char *unseen_holders_mend =
    "it is held by a mount of another mount namespace (a container), by one that was unmounted "
    "with --lazy, or by one below another mount: end what uses it";

// By the address that the kernel shows: it is that of the client which both share, also where they
// were mounted by different addresses of the server.
bool same_server(const NfsMount &one, const NfsMount &other);

// Whether the kernel joins one of them to the client of the other.
bool share_client(const NfsMount &one, const NfsMount &other);

// The mounts by TCP that the one on this folder was joined to.
std::vector<NfsMount> joined_by_tcp(const std::vector<NfsMount> &mounts,
                                    const std::string &directory);

// What a trial by RDMA tells that the kernel joined to a client by TCP: the mounts by TCP which
// have that client and would keep it while those on the folders leaving are unmounted.
std::vector<NfsMount> staying_by_tcp(const std::vector<NfsMount> &mounts, const NfsMount &trial,
                                     const std::vector<std::string> &leaving);

// Whether a file system that is not among the mounts holds the same client. volumes: the text of
// /proc/fs/nfsfs/volumes, which lists those of the whole network namespace.
inline constexpr const char *nfs_volumes = "/proc/fs/nfsfs/volumes";
bool held_unseen(std::string_view volumes, const std::vector<NfsMount> &mounts,
                 const NfsMount &trial);

// The kernel mounted it when somebody walked from one file system of the server into another. It
// goes with the mount that it lies in.
bool is_submount(const std::vector<NfsMount> &mounts, const NfsMount &mount);

// Whether it is a path inside the folder, which does not lie below itself.
bool lies_below(std::string_view path, std::string_view folder);

std::vector<std::string> directories_of(const std::vector<NfsMount> &mounts);

// "storage1 (10.0.0.1)".
std::string server_text(const NfsMount &mount);

// ", used by cp (process 4711), bash (process 12)"; empty where no process is known.
std::string users_text(const std::vector<MountUser> &users);

} // namespace causeway
