// SPDX-License-Identifier: GPL-2.0-or-later
// Gathers the facts that doctor reads on every machine, each group in a file of its name. Also
// functions by which features gather their own facts.
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
// Call this after gather_devices().
void gather_network(World &world, Facts &facts);

// Returns the output of a program. Returns none if the program is not installed, fails or takes
// longer than 10 s.
std::optional<std::string> said_by(World &world, const std::vector<std::string> &words);

std::vector<std::string> lines_of(std::string_view text);
std::vector<std::string> words_of_line(std::string_view line);
// Returns none if the file does not exist or cannot be read.
std::optional<std::string> text_of(const std::filesystem::path &place);
// Returns the files of a folder whose names end in @suffix, sorted.
std::vector<std::filesystem::path> files_in(const std::filesystem::path &folder,
                                            std::string_view suffix);

// Returns true if systemctl prints exactly this answer about a unit: "is-enabled", "enabled".
bool systemctl_says(World &world, const std::string &question, const std::string &unit,
                    std::string_view answer);

// Pure parsers for output of programs and content of files.
std::vector<NetInterface> parse_ip_address(const std::string &json);
// Returns true if ibacm listens to the netlink group that receives path queries.
bool netlink_has_ibacm(std::string_view proc_net_netlink);
ModuleFacts parse_modinfo(std::string_view text);

} // namespace causeway
