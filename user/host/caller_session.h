// SPDX-License-Identifier: GPL-2.0-or-later
// The network connections that administrators of this machine sit at the end of.
#pragma once

#include "base/places.h"
#include "base/socket_address.h"

#include <filesystem>
#include <string>
#include <vector>

namespace causeway {

struct SessionEnd {
    SocketAddress local;
    SocketAddress peer;
    std::string scope{}; // the interface of a link-local address, where it was said
    std::string host{};  // the peer's name, where its address is not known

    std::string peer_text() const { return peer.empty() ? host : peer.host_text(); }
};

// Of this process and those that started it: what SSH_CONNECTION says in their environments, which
// sudo takes out of the command's own, and their established TCP connections. /proc as it is
// mounted. The first process of the machine is left out.
std::vector<SessionEnd> sessions_of_caller(const std::filesystem::path &proc);

// Of everybody: the connections of the servers of remote logins, the remote sessions of logind, and
// the logins in utmp. Below tmux, run0, systemd-run and cockpit, no process that started the
// command belongs to the session of its caller.
std::vector<SessionEnd> remote_logins(const Places &places);

} // namespace causeway
