// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/section.h"

namespace causeway {

std::string_view section_name(Section section) {
    return section_titles.at(static_cast<std::size_t>(section)).name;
}

std::vector<const Verb *> verbs_in(Section section) {
    std::vector<const Verb *> found;
    for (const Verb &verb : all_verbs()) {
        if (!verb.hidden && verb.section == section) {
            found.push_back(&verb);
        }
    }
    return found;
}

} // namespace causeway
