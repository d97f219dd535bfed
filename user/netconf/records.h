// SPDX-License-Identifier: GPL-2.0-or-later
// The requested settings of each interface, in one file of Causeway's under
// /etc/causeway/interfaces.d. The files of NetworkManager, networkd and ifupdown are made from
// these records, and so is the playbook for Ansible.
#pragma once

#include "base/places.h"
#include "netconf/settings.h"

#include <filesystem>
#include <string>
#include <vector>

namespace causeway {

std::string record_text(const InterfaceSettings &settings);
Result<InterfaceSettings> parse_record(const std::string &source, const std::string &name,
                                       const std::string &content);
std::filesystem::path record_place(const Places &places, const std::string &name);

// Returns the records sorted by name, or an error if one of them cannot be read.
Result<std::vector<InterfaceSettings>> load_records(const Places &places);

} // namespace causeway
