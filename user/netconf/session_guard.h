// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the administrator who calls sits behind the interfaces that are about to change.
#pragma once

#include "change/change_set.h"
#include "change/unconfirmed.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// The interfaces that are named, their P_Key children and what lies above them (a bond, a bridge)
// count. A session is the caller's, or any remote login of the machine. It runs over one of the
// interfaces if its own address is there or the way to its peer leads through, and counts as one
// that does if that cannot be known: the peer is a name, the addresses cannot be read, or the
// session came by the loopback or a tunnel. The guard names the first of the interfaces over which
// a session runs.
std::optional<Guard> guard_of_session(World &world, const std::vector<std::string> &interfaces);

// The same for these interfaces and for the others that the set changes, such as the parent of a
// child whose profile names the child.
std::optional<Guard> guard_of_changes(World &world, std::vector<std::string> interfaces,
                                      const ChangeSet &set);

// The same for the interfaces that the set changes, but these: no session can run over them.
std::optional<Guard> guard_of_others(World &world, const std::vector<std::string> &but,
                                     const ChangeSet &set);

// The same for undoing an entry of the journal. The guard holds what its interfaces have now.
std::optional<Guard> guard_of_undo(World &world, const JournalEntry &entry);

} // namespace causeway
