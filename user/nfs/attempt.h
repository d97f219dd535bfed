// SPDX-License-Identifier: GPL-2.0-or-later
// One run of mount.nfs by one transport, and the consequence of its failure for further runs.
#pragma once

#include "base/result.h"
#include "machine/world.h"
#include "nfs/mounting.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct NfsServer {
    std::string family;   // "6" for IPv6, "" for IPv4
    SocketAddress by_tcp; // the address and port of nfsd
};
// Resolves the server of the request. Prefers IPv4, unless the request allows only IPv6.
Result<NfsServer> find_nfs_server(World &world, const MountRequest &request);

enum class Outlook {
    final,    // definite: the other transport would fail in the same way
    later,    // the server may answer later
    not_here, // this machine cannot use RDMA now
    none,     // any other failure
};

struct Attempt {
    bool good = false;
    Outlook outlook = Outlook::none;
    bool timed_out = false; // it ran until its time limit
    Error error{};
};

// The command "mount -t nfs" for the folder of the request, with these options and this source.
std::vector<std::string> mount_words(const MountRequest &request, const std::string &options,
                                     const std::string &source);

// Run mount.nfs once. @family: NfsServer::family. attempt_tcp() has no time limit. Return an error
// only if mount.nfs could not be started; any other failure is in the Attempt.
Result<Attempt> attempt_rdma(World &world, const MountRequest &request, const std::string &family,
                             std::chrono::seconds limit);
Result<Attempt> attempt_tcp(World &world, const MountRequest &request, const std::string &family);

// Removes the name of the program: "target is busy" from "umount: target is busy".
std::string without_program(std::string said);

// Returns the error with "cannot mount SOURCE on FOLDER", then @way, before its text.
Error cannot_mount(const MountRequest &request, std::string_view way, Error error);

} // namespace causeway
