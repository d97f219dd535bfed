// SPDX-License-Identifier: GPL-2.0-or-later
// Files below /etc: ours, and those of others that are only read.
#include "doctor/gather.h"

#include "subnet/opensm.h"
#include "subnet/partitions.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

std::string trimmed(const std::string &text) {
    const std::size_t start = text.find_first_not_of(" \t\n");
    return start == std::string::npos
               ? ""
               : text.substr(start, text.find_last_not_of(" \t\n") - start + 1);
}

// opensm reads ours once it was set up by a verb of ours, else that of its package.
void gather_partitions(World &world, Facts &facts) {
    const auto ports = opensm_ports(world.places);
    facts.manager_ours = ports && !ports->empty();
    const std::vector<fs::path> files = facts.manager_ours
                                            ? std::vector{world.places.partitions()}
                                            : std::vector{world.places.opensm() / "partitions.conf",
                                                          world.places.rdma() / "partitions.conf"};
    for (const fs::path &file : files) {
        const auto text = text_of(file);
        if (!text) {
            continue;
        }
        const auto lines = partition_lines(file.string(), *text);
        if (!lines) {
            facts.unseen.push_back(lines.error().what);
            continue;
        }
        facts.partition_files.push_back(file.string());
        facts.partitions.insert(facts.partitions.end(), lines->begin(), lines->end());
    }
}

void gather_interface_files(World &world, Facts &facts) {
    std::vector<fs::path> files = {world.places.ifupdown() / "interfaces"};
    struct Folder {
        fs::path path;
        std::string suffix;
    };
    for (const Folder &folder :
         {Folder{world.places.network_manager(), ".nmconnection"},
          Folder{world.places.networkd(), ".network"}, Folder{world.places.networkd(), ".netdev"},
          Folder{world.places.ifupdown() / "interfaces.d", ""}}) {
        const auto more = files_in(folder.path, folder.suffix);
        files.insert(files.end(), more.begin(), more.end());
    }
    for (const fs::path &file : files) {
        for (const std::string &interface : wants_connected(text_of(file).value_or(""))) {
            facts.connected_config.emplace(interface, file.string());
        }
    }
}

} // namespace

Result<std::vector<PartitionLine>> partition_lines(const std::string &file, std::string_view text) {
    auto rules = TRY(parse_partitions(file, text));
    constexpr std::string_view rate = "rate=";
    std::vector<PartitionLine> lines;
    for (const PartitionRule &rule : rules) {
        if (!rule.pkey && rule.name != "Default") {
            continue;
        }
        PartitionLine line{file, rule.pkey.value_or(default_partition), 0};
        for (const std::string &flag : rule.flags) {
            if (flag.compare(0, rate.size(), rate) == 0) {
                line.rate = static_cast<unsigned int>(
                    std::strtoul(flag.c_str() + rate.size(), nullptr, 10));
            }
        }
        lines.push_back(line);
    }
    return lines;
}

bool names_by_full_address(std::string_view text) {
    constexpr std::string_view key = "ATTR{address}==\"";
    const auto lines = lines_of(text);
    return std::any_of(lines.begin(), lines.end(), [&](const std::string &line) {
        const std::size_t start = line.find(key);
        if (start == std::string::npos || line.front() == '#' ||
            line.find("NAME=\"") == std::string::npos) {
            return false;
        }
        const std::size_t value = start + key.size();
        const std::string address = line.substr(value, line.find('"', value) - value);
        return address.size() == ipoib_address_text &&
               address.find_first_of("*?") == std::string::npos;
    });
}

std::vector<std::string> wants_connected(std::string_view text) {
    std::vector<std::string> interfaces;
    std::string interface;
    bool connected = false;
    const auto keep = [&] {
        if (connected && !interface.empty()) {
            interfaces.push_back(interface);
        }
        connected = false;
    };
    for (const std::string &line : lines_of(text)) {
        const std::string plain = trimmed(line);
        const auto words = words_of_line(plain);
        if (words.empty() || plain.front() == '#') {
            continue;
        }
        if (words.front() == "iface" && words.size() > 1) {
            keep();
            interface = words[1];
        } else if (plain.rfind("interface-name=", 0) == 0 || plain.rfind("Name=", 0) == 0) {
            interface = plain.substr(plain.find('=') + 1);
        }
        connected |= plain == "transport-mode=connected" || plain == "Mode=connected" ||
                     (plain.find("connected") != std::string::npos &&
                      plain.find("/mode") != std::string::npos);
    }
    keep();
    return interfaces;
}

std::optional<SoftUnit> parse_soft_unit(std::string_view text) {
    for (const std::string &line : lines_of(text)) {
        const auto words = words_of_line(line);
        const auto verb = std::find(words.begin(), words.end(), "soft");
        if (line.rfind("ExecStart=", 0) == 0 && words.end() - verb >= 6 && verb[1] == "add" &&
            verb[4] == "--name") {
            return SoftUnit{verb[3], verb[2], verb[5]};
        }
    }
    return std::nullopt;
}

void gather_configuration(World &world, Facts &facts) {
    for (const fs::path &file : files_in(world.places.units(), ".service")) {
        if (file.filename().string().rfind("causeway-soft@", 0) == 0) {
            if (const auto unit = parse_soft_unit(text_of(file).value_or(""))) {
                facts.soft_units.push_back(*unit);
            }
        }
    }
    gather_partitions(world, facts);
    gather_interface_files(world, facts);
    for (const fs::path &file : files_in(world.places.udev_rules(), ".rules")) {
        if (names_by_full_address(text_of(file).value_or(""))) {
            facts.full_address_rules.push_back(file.string());
        }
    }
    if (const auto beegfs = text_of(world.places.of_others("etc/beegfs/beegfs-client.conf"))) {
        facts.beegfs = true;
        for (const std::string &line : lines_of(*beegfs)) {
            const auto words = words_of_line(line);
            facts.beegfs_rdma_off |=
                words.size() == 3 && words[0] == "connUseRDMA" && words[2] == "false";
        }
    }
    std::error_code error;
    facts.beegfs_library =
        fs::exists(world.places.of_others("opt/beegfs/lib/libbeegfs_ib.so"), error);
    if (auto entries = Journal(world.places.journal()).entries()) {
        facts.journal = std::move(*entries);
    } else {
        facts.unseen.push_back(entries.error().what);
    }
}

} // namespace causeway
