// SPDX-License-Identifier: GPL-2.0-or-later
// The groups in which help and the manual page list the verbs.
#pragma once

#include "command/verb.h"

#include <string_view>
#include <vector>

namespace causeway {

struct Section {
    std::string_view name;  // as the manual's template calls it: "disks"
    std::string_view title; // "Disks"
};

// In their order.
const std::vector<Section> &sections();

// By the first word of the verb; a verb that is not named there belongs to the host.
std::string_view section_of(const Verb &verb);

// Those of a section that are not hidden, in the order of the table.
std::vector<const Verb *> verbs_in(std::string_view section);

} // namespace causeway
