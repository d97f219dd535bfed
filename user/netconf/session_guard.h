// SPDX-License-Identifier: GPL-2.0-or-later
// Detects that a login session may run over interfaces that are about to change.
#pragma once

#include "change/change_set.h"
#include "change/unconfirmed.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// Returns the IPoIB interfaces of a port of InfiniBand.
std::vector<std::string> interfaces_of_port(World &world, const std::string &device,
                                            unsigned int port);

// Returns a guard that names the first of the interfaces over which a session may run; none if
// there is no such session. Each interface stands also for its P_Key children and the bonds or
// bridges above it. Sessions are those of the caller, and all remote logins of the machine. A
// session runs over an interface if its local address is there, or if the route to its peer uses
// the interface. It counts as well if that is unknown: the peer is a name, the addresses cannot be
// read, or the session came by the loopback or a tunnel.
std::optional<Guard> guard_of_session(World &world, const std::vector<std::string> &interfaces);

// Does the same for these interfaces and for all others that the set changes, such as the parent of
// a child whose profile names the child.
std::optional<Guard> guard_of_changes(World &world, std::vector<std::string> interfaces,
                                      const ChangeSet &set);

// Does the same for the interfaces that the set changes, except those in @but: no session can run
// over these.
std::optional<Guard> guard_of_others(World &world, const std::vector<std::string> &but,
                                     const ChangeSet &set);

// Does the same for the undo of a journal entry, also if the undo disables a port. The guard
// contains what its interfaces have now.
std::optional<Guard> guard_of_undo(World &world, const JournalEntry &entry);

} // namespace causeway
