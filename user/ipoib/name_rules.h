// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of udev by which "name set" keeps names.
#pragma once

#include "base/places.h"
#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct NameRule {
    std::string name;
    std::string guid;       // port GUID of an interface, node GUID of a device, as in sysfs
    bool is_device = false; // an RDMA device; else an IPoIB interface
    std::string line;
};

// Returns none for a comment, and for a line that "name set" did not write.
std::optional<NameRule> parse_name_rule(const std::string &line);

// Returns the file of the rules: of RDMA devices, or of interfaces.
std::filesystem::path name_rules_place(const Places &places, bool of_devices);

// Returns no rules if Causeway did not write the file.
Result<std::vector<NameRule>> load_name_rules(const Places &places, bool of_devices);

// Returns the lines of the file, without comments and without the rules of this name.
Result<std::string> name_rules_without(const Places &places, bool of_devices,
                                       const std::string &name);

} // namespace causeway
