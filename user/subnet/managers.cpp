// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/managers.h"

#include "base/durable_file.h"
#include "change/carry_out.h"
#include "config/file_header.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

// opensm's name for the file of its partitions. The path is that of the machine, also in a test.
constexpr const char *partitions_key = "partition_config_file";
constexpr const char *shared_partitions = "/etc/causeway/partitions.conf";
// With this setting a port can be a full and a limited member of a partition at once.
constexpr const char *both_key = "allow_both_pkeys";

fs::path port_files(const Places &places) {
    return places.opensm_settings().parent_path() / "opensm.d";
}

fs::path settings_place(const Places &places, const std::string &guid) {
    return port_files(places) / (guid + ".conf");
}

Result<OpensmSettings> read_settings(const fs::path &place) {
    auto content = TRY(read_small_file(place));
    return OpensmSettings(content.value_or(""));
}

// The settings of opensm's package, in the order in which the unit joins its files.
Result<OpensmSettings> package_settings(const Places &places) {
    auto settings = TRY(read_settings(places.opensm() / "opensm.conf"));
    auto more = TRY(read_settings(places.rdma() / "opensm.conf"));
    settings.append(more);
    return settings;
}

Result<OpensmSettings> shared_settings(const Places &places) {
    auto settings = TRY(read_settings(places.opensm_settings()));
    if (settings.value(partitions_key) != shared_partitions) {
        // An earlier version copied the file of the package.
        auto package = TRY(package_settings(places));
        settings.subtract(package);
    }
    settings.erase(partitions_key);
    return settings;
}

// Returns the rules of the first file that exists.
Result<std::vector<PartitionRule>> shared_rules(const Places &places) {
    for (const fs::path &place : {places.partitions(), places.rdma() / "partitions.conf",
                                  places.opensm() / "partitions.conf"}) {
        auto content = TRY(read_small_file(place));
        if (content) {
            return parse_partitions(place.string(), *content);
        }
    }
    return std::vector<PartitionRule>();
}

bool has_both_memberships(const std::vector<PartitionRule> &rules) {
    const auto both = [](const std::string &word) {
        return word.size() > 5 && word.substr(0, 5) != "mgid=" &&
               word.substr(word.size() - 5) == "=both";
    };
    return std::any_of(rules.begin(), rules.end(), [&](const PartitionRule &rule) {
        return std::any_of(rule.flags.begin(), rule.flags.end(), both) ||
               std::any_of(rule.properties.begin(), rule.properties.end(), both);
    });
}

// settings_text() adds the setting again for as long as a partition needs it.
OpensmSettings without_both(OpensmSettings settings, const std::vector<PartitionRule> &rules) {
    if (has_both_memberships(rules)) {
        settings.erase(both_key);
    }
    return settings;
}

// Returns the text of a file of settings, with the partitions that go with them.
std::string settings_text(OpensmSettings settings, const std::string &partitions,
                          const std::vector<PartitionRule> &rules) {
    settings.set(partitions_key, partitions);
    if (has_both_memberships(rules)) {
        settings.set(both_key, "TRUE");
    }
    return our_header("sm") + settings.text();
}

Result<void> write_partitions(ChangeSet &set, const fs::path &place,
                              const std::vector<PartitionRule> &rules) {
    const std::string text = partitions_text(rules);
    // A file that cannot be parsed again would leave the subnet without its partitions.
    if (auto same = parse_partitions("the new partitions", text); !same || *same != rules) {
        return Error{ExitCode::failed, "the new partitions cannot be read back", ""};
    }
    return set.write(place, text);
}

Result<void> plan_port(ChangeSet &set, const Places &places, const ManagedPort &port) {
    const fs::path partitions = partitions_place(places, port.guid);
    if (port.partitions) {
        TRY(write_partitions(set, partitions, *port.partitions));
        return set.write(
            settings_place(places, port.guid),
            settings_text(port.settings,
                          fmt::format("/etc/causeway/opensm.d/{}.partitions.conf", port.guid),
                          *port.partitions));
    }
    TRY(set.remove(partitions));
    const fs::path settings = settings_place(places, port.guid);
    return port.settings.empty() ? set.remove(settings)
                                 : set.write(settings, our_header("sm") + port.settings.text());
}

// Removes the files of the ports that have a manager before, and none afterwards.
Result<void> remove_ports(ChangeSet &set, const Places &places, const Managers &before,
                          const Managers &after) {
    const auto guids = after.guids();
    for (const ManagedPort &port : before.ports) {
        if (std::find(guids.begin(), guids.end(), port.guid) == guids.end()) {
            TRY(set.remove(settings_place(places, port.guid)));
            TRY(set.remove(partitions_place(places, port.guid)));
        }
    }
    return {};
}

Result<void> plan_managers(ChangeSet &set, const Places &places, OpensmPackage package,
                           const Managers &before, const Managers &after) {
    TRY(plan_opensm_units(set, places, package, before.guids(), after.guids()));
    if (after.ports.empty()) {
        TRY(set.remove(places.opensm_settings()));
        TRY(set.remove(places.partitions()));
    } else {
        TRY(set.write(places.opensm_settings(),
                      settings_text(after.settings, shared_partitions, after.partitions)));
        TRY(write_partitions(set, places.partitions(), after.partitions));
    }
    TRY(remove_ports(set, places, before, after));
    for (const ManagedPort &port : after.ports) {
        TRY(plan_port(set, places, port));
    }
    return {};
}

// Returns all that opensm on one port reads only when it starts.
std::string start_text(const Managers &managers, const ManagedPort &port) {
    OpensmSettings settings = managers.settings;
    settings.append(port.settings);
    return settings_text(settings, port.partitions ? "own" : "shared",
                         managers.partitions_of(port));
}

struct Differences {
    std::vector<std::string> gone;
    std::vector<std::string> restart; // new ones too
    std::vector<std::string> reread;
};

Differences differences(const Managers &before, const Managers &after) {
    Differences found;
    const auto port_of = [](const Managers &managers, const std::string &guid) {
        return std::find_if(managers.ports.begin(), managers.ports.end(),
                            [&](const ManagedPort &each) { return each.guid == guid; });
    };
    for (const ManagedPort &port : before.ports) {
        if (port_of(after, port.guid) == after.ports.end()) {
            found.gone.push_back(port.guid);
        }
    }
    for (const ManagedPort &port : after.ports) {
        const auto old = port_of(before, port.guid);
        if (old == before.ports.end() || start_text(before, *old) != start_text(after, port)) {
            found.restart.push_back(port.guid);
        } else if (before.partitions_of(*old) != after.partitions_of(port)) {
            found.reread.push_back(port.guid);
        }
    }
    return found;
}

Programs start_programs(OpensmPackage package, const Managers &before, const Managers &after,
                        bool units_change, const std::vector<std::string> &idle) {
    Differences found = differences(before, after);
    const bool first = before.ports.empty();
    Programs programs;
    if (units_change) {
        programs.push_back({"systemctl", "daemon-reload"});
        found.restart = after.guids();
        found.reread.clear();
    }
    for (const std::string &guid : idle) {
        if (std::find(found.restart.begin(), found.restart.end(), guid) == found.restart.end()) {
            found.restart.push_back(guid);
        }
        found.reread.erase(std::remove(found.reread.begin(), found.reread.end(), guid),
                           found.reread.end());
    }
    const bool all = first || idle.size() == after.ports.size();
    const Programs restart = opensm_restart(package, found.restart, all && !found.restart.empty());
    programs.insert(programs.end(), restart.begin(), restart.end());
    const Programs reread = opensm_reread(package, found.reread);
    programs.insert(programs.end(), reread.begin(), reread.end());
    return programs;
}

Programs stop_programs(OpensmPackage package, const Managers &before, const Managers &after) {
    return opensm_stop(package, differences(before, after).gone,
                       !before.ports.empty() && after.ports.empty());
}

} // namespace

fs::path partitions_place(const Places &places, const std::string &guid) {
    return port_files(places) / (guid + ".partitions.conf");
}

std::vector<std::string> Managers::guids() const {
    std::vector<std::string> guids;
    guids.reserve(ports.size());
    for (const ManagedPort &port : ports) {
        guids.push_back(port.guid);
    }
    return guids;
}

ManagedPort *Managers::find(const std::string &guid) {
    const auto found = std::find_if(ports.begin(), ports.end(),
                                    [&](const ManagedPort &each) { return each.guid == guid; });
    return found == ports.end() ? nullptr : &*found;
}

Result<void> Managers::change_partitions(const std::vector<std::string> &guids,
                                         const ChangeRules &change) {
    if (guids.empty()) {
        TRY(change(partitions));
    }
    for (ManagedPort &port : ports) {
        const bool named = std::find(guids.begin(), guids.end(), port.guid) != guids.end();
        if (!named && (!guids.empty() || !port.partitions)) {
            continue;
        }
        auto rules = partitions_of(port);
        TRY(change(rules));
        if (rules != partitions_of(port)) {
            port.partitions = std::move(rules);
        }
    }
    return {};
}

void Managers::set(const std::vector<std::string> &guids, const std::string &key,
                   const std::string &value) {
    if (guids.empty()) {
        for (ManagedPort &port : ports) {
            port.settings.erase(key);
        }
        settings.set(key, value);
    }
    for (const std::string &guid : guids) {
        if (ManagedPort *const port = find(guid)) {
            port->settings.set(key, value);
        }
    }
}

void Managers::unset(const std::vector<std::string> &guids, const std::string &key) {
    if (guids.empty()) {
        settings.erase(key);
    }
    for (ManagedPort &port : ports) {
        if (guids.empty() || std::find(guids.begin(), guids.end(), port.guid) != guids.end()) {
            port.settings.erase(key);
        }
    }
}

std::string title_with_ports(const std::string &verb, const std::vector<std::string> &operands) {
    return operands.empty() ? verb : fmt::format("{} {}", verb, fmt::join(operands, " "));
}

Result<Managers> read_managers(const Places &places) {
    Managers managers;
    auto guids = TRY(opensm_ports(places));
    auto settings = TRY(shared_settings(places));
    auto rules = TRY(shared_rules(places));
    managers.settings = without_both(settings, rules);
    managers.partitions = rules;
    for (const std::string &guid : guids) {
        ManagedPort port;
        port.guid = guid;
        auto own = TRY(read_settings(settings_place(places, guid)));
        own.erase(partitions_key);
        port.settings = own;
        const fs::path place = partitions_place(places, guid);
        auto content = TRY(read_small_file(place));
        if (content) {
            auto own_rules = TRY(parse_partitions(place.string(), *content));
            port.settings = without_both(own, own_rules);
            port.partitions = own_rules;
        }
        managers.ports.push_back(std::move(port));
    }
    return managers;
}

Result<Managers> need_managers(const World &world) {
    auto managers = TRY(read_managers(world.places));
    if (managers.ports.empty()) {
        return Error{ExitCode::unavailable,
                     "no subnet manager was enabled here by causeway, so none would read the "
                     "settings",
                     "on the host of the subnet manager: causeway sm enable"};
    }
    return managers;
}

Result<OpensmSettings> effective_settings(const Places &places, const Managers &managers,
                                          const ManagedPort *port) {
    auto settings = TRY(package_settings(places));
    settings.append(managers.settings);
    if (port != nullptr) {
        settings.append(port->settings);
    }
    return settings;
}

Result<Answer> carry_managers(World &world, bool dry_run, const std::string &title,
                              OpensmPackage package, const Managers &before, const Managers &after,
                              const std::string &nothing_to_do,
                              const std::vector<std::string> &idle) {
    if (package == OpensmPackage::none && !after.ports.empty()) {
        return Error{ExitCode::unavailable, "opensm is not installed: there is no opensm.service",
                     "apt install opensm, or: dnf install opensm; to remove the settings: causeway "
                     "sm disable"};
    }
    // An earlier version wrote other units for the same ports.
    ChangeSet units("");
    TRY(plan_opensm_units(units, world.places, package, before.guids(), before.guids()));
    const bool reload = before.ports.empty() || after.ports.empty() || !units.empty();
    ChangeSet files("");
    TRY(plan_managers(files, world.places, package, before, after));
    ChangeSet set(title);
    if (files.empty() && idle.empty()) {
        return carry_out(world, {dry_run}, set, nothing_to_do);
    }
    const auto add = [&](Programs forward, Programs back) {
        if (!forward.empty() || !back.empty()) {
            set.add(change_attempts(std::move(forward), std::move(back)));
        }
    };
    // Undo goes through the list from its end: it stops what was started, restores the files, and
    // starts what ran before.
    Programs back = start_programs(package, after, before, reload, {});
    if (before.ports.empty() && package == OpensmPackage::debian && opensm_service_runs(world)) {
        back.push_back({"systemctl", "restart", "opensm.service"});
    }
    add(stop_programs(package, before, after), std::move(back));
    TRY(plan_managers(set, world.places, package, before, after));
    add(start_programs(package, before, after, reload, idle),
        stop_programs(package, after, before));
    return carry_out(world, {dry_run}, set, nothing_to_do);
}

} // namespace causeway
