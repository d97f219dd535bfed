// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/section.h"

#include <algorithm>
#include <array>

namespace causeway {

namespace {

constexpr std::string_view of_the_host = "host";

struct Family {
    std::string_view section;
    std::string_view words; // of a verb, or of the first word of several
};

constexpr std::array families = {
    Family{"disks", "export"},      Family{"disks", "discover"}, Family{"disks", "attach"},
    Family{"disks", "detach"},      Family{"disks", "list"},     Family{"disks", "acknowledge"},
    Family{"nfs", "nfs"},           Family{"seeing", "show"},    Family{"seeing", "net"},
    Family{"seeing", "stat"},       Family{"seeing", "watch"},   Family{"seeing", "top"},
    Family{"seeing", "metrics"},    Family{"seeing", "bench"},   Family{"seeing", "fabric"},
    Family{"seeing", "ping"},       Family{"seeing", "explain"}, Family{"repairing", "doctor"},
    Family{"repairing", "fix"},     Family{"repairing", "undo"}, Family{"repairing", "confirm"},
    Family{"repairing", "restore"}, Family{"repairing", "stop"}, Family{"repairing", "help"},
    Family{"repairing", "version"},
};

} // namespace

const std::vector<Section> &sections() {
    static const std::vector<Section> all = {
        {"disks", "Disks"},
        {"nfs", "Files by NFS"},
        {of_the_host, "The host made ready"},
        {"seeing", "Seeing"},
        {"repairing", "Repairing and the rest"},
    };
    return all;
}

std::string_view section_of(const Verb &verb) {
    const std::string_view first = verb.words.substr(0, verb.words.find(' '));
    const auto found = std::find_if(families.begin(), families.end(),
                                    [&](const Family &family) { return family.words == first; });
    return found == families.end() ? of_the_host : found->section;
}

std::vector<const Verb *> verbs_in(std::string_view section) {
    std::vector<const Verb *> found;
    for (const Verb &verb : all_verbs()) {
        if (!verb.hidden && section_of(verb) == section) {
            found.push_back(&verb);
        }
    }
    return found;
}

} // namespace causeway
