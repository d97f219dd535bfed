// SPDX-License-Identifier: GPL-2.0-or-later
// The change of one entry of dcb(8): the priority of a DSCP on an interface.
#pragma once

#include "change/change.h"

#include <string>

namespace causeway {

struct DscpEntry {
    std::string netdev;
    unsigned int dscp = 0;
    unsigned int priority = 0;
};

// Adds or deletes the entry. mlx5 replaces an entry by itself when another one of the same DSCP is
// added, and then refuses to delete the old one: a set of changes deletes the old one first.
ChangePointer change_dscp_entry(DscpEntry entry, bool added);

} // namespace causeway
