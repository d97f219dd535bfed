// SPDX-License-Identifier: GPL-2.0-or-later
// The network connections that the caller of this command sits at the end of.
#pragma once

#include "host/socket_address.h"

#include <filesystem>
#include <string>
#include <vector>

namespace causeway {

struct SessionEnd {
    SocketAddress local;
    SocketAddress peer;
    std::string scope{}; // the interface of a link-local address, where it was said
};

// Of this process and those that started it: what SSH_CONNECTION says in their environments, which
// sudo takes out of the command's own, and their established TCP connections. /proc as it is
// mounted. The first process of the machine is left out.
std::vector<SessionEnd> sessions_of_caller(const std::filesystem::path &proc);

} // namespace causeway
