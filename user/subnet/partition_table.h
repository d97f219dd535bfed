// SPDX-License-Identifier: GPL-2.0-or-later
// The partitions of this machine's subnet managers, for people and programs.
#pragma once

#include "base/answer.h"
#include "machine/terminal.h"
#include "subnet/managers.h"

namespace causeway {

// Adds the partitions to the answer, as a table and as "partitions" in JSON: those of all ports,
// and those that ports have of their own. @guids: these ports alone, unless it is empty.
void add_partitions(const Managers &managers, const std::vector<std::string> &guids,
                    const Terminal &terminal, Answer &answer);

} // namespace causeway
