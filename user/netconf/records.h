// SPDX-License-Identifier: GPL-2.0-or-later
// What was asked for of each interface, in a file of ours under /etc/causeway/interfaces.d. The
// files of NetworkManager, networkd and ifupdown are made from it, and the playbook for Ansible.
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

// By name; an error where one of them cannot be read.
Result<std::vector<InterfaceSettings>> load_records(const Places &places);

} // namespace causeway
