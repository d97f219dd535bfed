// SPDX-License-Identifier: GPL-2.0-or-later
#include "port/pfc_at_boot.h"

#include "base/units.h"
#include "config/file_header.h"
#include "doctor/gather.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// Parses the words of the command of a unit.
std::optional<PfcAtBoot> parse_pfc_at_boot(const std::vector<std::string> &words) {
    std::vector<std::string> typed;
    std::vector<std::string> maps;
    std::string netdev;
    for (std::size_t i = 0; i < words.size(); i++) {
        if (words[i] == "--dscp" && i + 1 < words.size()) {
            maps.push_back(words[++i]);
        } else if (words[i] == "--interface" && i + 1 < words.size()) {
            netdev = words[++i];
        } else if (words[i].compare(0, 2, "--") != 0) {
            typed.push_back(words[i]);
        }
    }
    const auto on = parse_priorities(typed);
    const auto dscp = parse_dscp(maps);
    return words.empty() || typed.empty() || !on || !dscp
               ? std::nullopt
               : std::optional(PfcAtBoot{*on, *dscp, netdev});
}

std::vector<std::string> initramfs_program(World &world) {
    if (world.processes.there("update-initramfs")) {
        return {"update-initramfs", "-u"};
    }
    if (world.processes.there("dracut")) {
        return {"dracut", "--force"};
    }
    return {};
}

} // namespace

std::string priorities_text(const Priorities &priorities) {
    return priorities.empty() ? "off" : fmt::format("{}", fmt::join(priorities, ", "));
}

std::vector<std::string> dscp_words(const DscpEntries &entries, char between) {
    std::vector<std::string> words;
    for (const auto &[dscp, priority] : entries) {
        words.push_back(fmt::format("{}{}{}", dscp, between, priority));
    }
    return words;
}

bool has_dscp(const DscpEntries &entries, unsigned int dscp) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const auto &each) { return each.first == dscp; });
}

Result<DscpEntries> parse_dscp(const std::vector<std::string> &typed) {
    DscpEntries entries;
    for (const std::string &word : typed) {
        if (word == "none" && typed.size() == 1) {
            return entries;
        }
        const std::size_t equals = word.find('=');
        auto dscp = parse_number("a DSCP", word.substr(0, equals), 0, dscp_count - 1);
        auto priority =
            parse_number("a priority", equals == std::string::npos ? "" : word.substr(equals + 1),
                         0, priority_count - 1);
        if (!dscp || !priority) {
            return Error{ExitCode::usage, fmt::format("'{}' gives no priority to a DSCP", word),
                         "write DSCP=PRIORITY, a DSCP from 0 to 63 and a priority from 0 to 7: "
                         "--dscp 26=3; or: --dscp none"};
        }
        const auto key = static_cast<unsigned int>(*dscp);
        if (has_dscp(entries, key)) {
            return Error{ExitCode::usage, fmt::format("the DSCP {} is there twice", key),
                         "give each DSCP one priority"};
        }
        entries.emplace(key, static_cast<unsigned int>(*priority));
    }
    return entries;
}

DeviceUnit pfc_unit_on(const std::string &netdev) {
    return device_unit("pfc set", "pfc", netdev);
}

DeviceUnit pfc_unit_of(const FlowControl &control) {
    DeviceUnit unit = pfc_unit_on(control.netdev);
    unit.interface = control.netdev;
    unit.node_guid = control.node_guid;
    unit.description = fmt::format("Priority flow control of {}", control.netdev);
    return unit;
}

std::optional<PfcAtBoot> pfc_by_unit(const World &world, const FlowControl &control) {
    return parse_pfc_at_boot(words_at_boot(world, pfc_unit_of(control)));
}

std::optional<PfcAtBoot> pfc_of_mlx4(const World &world) {
    constexpr std::string_view key = "pfctx=";
    const std::string text = text_of(world.places.mlx4_options()).value_or("");
    const std::size_t place = text.find(key);
    if (place == std::string::npos) {
        return std::nullopt;
    }
    return PfcAtBoot{bits_of(std::strtoul(text.c_str() + place + key.size(), nullptr, 0)), {}};
}

std::optional<PfcAtBoot> pfc_at_boot(const World &world, const FlowControl &control) {
    return control.source == "mlx4_en" ? pfc_of_mlx4(world) : pfc_by_unit(world, control);
}

std::vector<PfcAtBoot> pfc_of_gone(const World &world, const std::vector<FlowControl> &there) {
    std::vector<PfcAtBoot> gone;
    for (const auto &words : all_words_at_boot(world, "pfc", "pfc set")) {
        const auto kept = parse_pfc_at_boot(words);
        const bool known =
            !kept || std::any_of(there.begin(), there.end(), [&](const FlowControl &each) {
                return each.netdev == kept->netdev;
            });
        if (!known && !kept->netdev.empty()) {
            gone.push_back(*kept);
        }
    }
    return gone;
}

Result<bool> plan_mlx4_option(World &world, ChangeSet &set, const Priorities &on, bool initramfs) {
    unsigned long mask = 0;
    for (const unsigned int priority : on) {
        mask |= 1UL << priority;
    }
    const std::size_t before = set.changes().size();
    const std::string text = our_header("pfc set") +
                             fmt::format("options mlx4_en pfctx=0x{0:02x} pfcrx=0x{0:02x}\n", mask);
    TRY(mask == 0 ? set.remove(world.places.mlx4_options())
                  : set.write(world.places.mlx4_options(), text));
    const bool changes = set.changes().size() != before;
    const auto program = initramfs_program(world);
    if (changes && !program.empty() && initramfs) {
        set.add(refresh_program(program));
    }
    return changes;
}

} // namespace causeway
