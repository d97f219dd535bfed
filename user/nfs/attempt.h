// SPDX-License-Identifier: GPL-2.0-or-later
// One run of mount.nfs by one transport, and what its failure means for further ones.
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
    std::string family;   // "6" where the server is reached by IPv6
    SocketAddress by_tcp; // nfsd's port
};
Result<NfsServer> find_nfs_server(World &world, const MountRequest &request);

enum class Outlook {
    final,    // the server or this machine has answered: the other transport gets the same answer
    later,    // the server may answer later
    not_here, // this machine has no RDMA now
    none,     // anything else
};

struct Attempt {
    bool good = false;
    Outlook outlook = Outlook::none;
    bool timed_out = false; // it took all the time that it had
    Error error{};
};

// "mount -t nfs" of the request's folder, with these options and this source.
std::vector<std::string> mount_words(const MountRequest &request, const std::string &options,
                                     const std::string &source);

// limit: none for as long as mount.nfs takes.
Result<Attempt> attempt_rdma(World &world, const MountRequest &request, const std::string &family,
                             std::chrono::seconds limit);
Result<Attempt> attempt_tcp(World &world, const MountRequest &request, const std::string &family);

// "umount: target is busy" without the program's name.
std::string without_program(std::string said);

Error cannot_mount(const MountRequest &request, std::string_view way, Error error);

} // namespace causeway
