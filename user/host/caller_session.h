// SPDX-License-Identifier: GPL-2.0-or-later
// The network connections of administrators who are logged in to this machine.
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
    std::string scope{}; // interface of a link-local address; empty: not given
    std::string host{};  // the peer's name, if its address is unknown

    std::string peer_text() const { return peer.empty() ? host : peer.host_text(); }
};

// Returns the sessions of this process and of its ancestors except process 1: from SSH_CONNECTION
// in their environments (sudo removes it from the command's own), and from their established TCP
// connections. @proc is the folder where /proc is mounted.
std::vector<SessionEnd> sessions_of_caller(const std::filesystem::path &proc);

// Returns the remote logins of all users: the connections of servers for remote logins, the remote
// sessions of logind, and the logins in utmp. Below tmux, run0, systemd-run and cockpit, no
// ancestor of the command belongs to the session of its caller.
std::vector<SessionEnd> remote_logins(const Places &places);

} // namespace causeway
