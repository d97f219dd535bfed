// SPDX-License-Identifier: GPL-2.0-or-later
// Ports that Causeway opens in firewalld and ufw, which store them themselves. In ufw a comment
// marks Causeway's rules. firewalld has no comments, so a file records them.
#pragma once

#include "change/change_set.h"
#include "host/firewall.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// Parses the value of --backend. Returns none for none, and an error (usage) for a name that is no
// firewall.
Result<std::optional<Firewall>> parse_firewall(const std::optional<std::string> &name);

struct ZonePort {
    std::string zone;
    OpenPort port;

    bool operator==(const ZonePort &) const = default;
};

// Returns the ports that Causeway opened in firewalld: those of its file, and those that only the
// journal knows, because an earlier version opened them.
Result<std::vector<ZonePort>> opened_in_firewalld(const World &world);
// Opens the ports in the zones. A port that is open already is left out of the set and of the file.
Result<void> plan_open_firewalld(World &world, const std::vector<std::string> &zones,
                                 const std::vector<OpenPort> &ports, ChangeSet &set);
// Returns an error if firewalld is installed and does not run.
Result<void> plan_close_firewalld(World &world, const std::vector<ZonePort> &ports, ChangeSet &set);

// Runs ufw. Returns the ports of rules with Causeway's comment.
Result<std::vector<OpenPort>> opened_in_ufw(World &world);
Result<void> plan_open_ufw(World &world, const std::vector<OpenPort> &ports, ChangeSet &set);
void plan_close_ufw(const std::vector<OpenPort> &ports, ChangeSet &set);

} // namespace causeway
