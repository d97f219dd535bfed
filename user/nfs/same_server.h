// SPDX-License-Identifier: GPL-2.0-or-later
// Which mounts of one server share a transport. A client of NFS 4.1 or 4.2 that connects to a
// server it knows already, by whatever transport, goes on with the client that is there
// (nfs41_walk_client_list() compares the version, never the transport). So one mount by TCP makes
// all later ones of that version go by TCP, until the last of them is unmounted.
#pragma once

#include "kernel/mount_use.h"
#include "nfs/mounts.h"

#include <string>
#include <vector>

namespace causeway {

// By the address that the kernel shows: it is that of the client which both share.
bool same_server(const NfsMount &one, const NfsMount &other);

// Whether the kernel joins one of them to the client of the other.
bool share_client(const NfsMount &one, const NfsMount &other);

// The mounts by TCP that the one on this folder was joined to.
std::vector<NfsMount> joined_by_tcp(const std::vector<NfsMount> &mounts,
                                    const std::string &directory);

// The kernel mounted it when somebody walked from one file system of the server into another. It
// goes with the mount that it lies in.
bool is_submount(const std::vector<NfsMount> &mounts, const NfsMount &mount);

// Whether anything is mounted below the folder.
bool holds_mounts(const std::vector<NfsMount> &mounts, const std::string &directory);

std::vector<std::string> directories_of(const std::vector<NfsMount> &mounts);

// "storage1 (10.0.0.1)".
std::string server_text(const NfsMount &mount);

// ", used by cp (process 4711), bash (process 12)"; empty where no process is known.
std::string users_text(const std::vector<MountUser> &users);

} // namespace causeway
