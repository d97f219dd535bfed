// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of gather_facts(), each in a file of its name: gather_*.cpp.
#pragma once

#include "doctor/facts.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

void gather_devices(World &world, Facts &facts);
void gather_configuration(World &world, Facts &facts);
// After the devices and the configuration.
void gather_system(World &world, Facts &facts);
void gather_causeway(World &world, Facts &facts);
// After all others.
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

// The text of the address at which a Soft-RoCE device on a network interface has to answer; none if
// the interface is down or has no address.
std::optional<std::string> address_to_answer_at(const std::vector<NetInterface> &interfaces,
                                                const std::string &netdev);

// Pure parsers of what programs and files say.
std::vector<NetInterface> parse_ip_address(const std::string &json);
bool netlink_has_ibacm(std::string_view proc_net_netlink);
ModuleFacts parse_modinfo(std::string_view text);
// The file is named in errors.
Result<std::vector<PartitionLine>> partition_lines(const std::string &file, std::string_view text);
// "MemTotal"-like line of /proc/PID/limits in bytes.
std::uint64_t parse_memlock(std::string_view limits);
// Whether a file of limits(5) lets somebody lock much.
bool raises_memlock(std::string_view text);
// Whether a file of udev rules names an interface by a whole IPoIB address.
bool names_by_full_address(std::string_view text);
// The interfaces for which a file of NetworkManager, networkd or ifupdown wants connected mode.
std::vector<std::string> wants_connected(std::string_view text);
std::optional<SoftUnit> parse_soft_unit(std::string_view text);

} // namespace causeway
