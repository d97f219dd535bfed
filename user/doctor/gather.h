// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor asks of every machine, each part in a file of its name, and functions by which
// features gather their own facts.
#pragma once

#include "doctor/facts.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

void gather_devices(World &world, Facts &facts);
void gather_kernel(World &world, Facts &facts);
// After the devices.
void gather_network(World &world, Facts &facts);

// What a program says, without error: none where it is not installed, fails or takes long.
std::optional<std::string> said_by(World &world, const std::vector<std::string> &words);

std::vector<std::string> lines_of(std::string_view text);
std::vector<std::string> words_of_line(std::string_view line);
// None where it is not there or cannot be read.
std::optional<std::string> text_of(const std::filesystem::path &place);
// The files of a folder whose names end so, sorted.
std::vector<std::filesystem::path> files_in(const std::filesystem::path &folder,
                                            std::string_view suffix);

// Whether systemctl says exactly this of a unit: "is-enabled", "enabled".
bool systemctl_says(World &world, const std::string &question, const std::string &unit,
                    std::string_view answer);

// Pure parsers of what programs and files say.
std::vector<NetInterface> parse_ip_address(const std::string &json);
bool netlink_has_ibacm(std::string_view proc_net_netlink);
ModuleFacts parse_modinfo(std::string_view text);

} // namespace causeway
