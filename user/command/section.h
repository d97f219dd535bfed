// SPDX-License-Identifier: GPL-2.0-or-later
// Names and titles of the sections of verbs, for help and the manual page.
#pragma once

#include "command/verb.h"

#include <array>
#include <string_view>
#include <vector>

namespace causeway {

struct SectionTitle {
    Section section;
    std::string_view name;  // the name in the manual's template and in JSON: "disks"
    std::string_view title; // "Disks"
};

// The order is that of Section.
inline constexpr std::array section_titles = {
    SectionTitle{Section::disks, "disks", "Disks"},
    SectionTitle{Section::nfs, "nfs", "Files by NFS"},
    SectionTitle{Section::host, "host", "The host made ready"},
    SectionTitle{Section::seeing, "seeing", "Seeing"},
    SectionTitle{Section::repairing, "repairing", "Repairing and the rest"},
};

std::string_view section_name(Section section);

// Returns the verbs of a section that are not hidden, in their order.
std::vector<const Verb *> verbs_in(Section section);

} // namespace causeway
