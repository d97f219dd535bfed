// SPDX-License-Identifier: GPL-2.0-or-later
// name set: a persistent name for an IPoIB interface, or with --rdma for an RDMA device.
//
// udev sets the name at every boot by a rule of Causeway. The rule matches what never changes: the
// port GUID in the last eight bytes of an IPoIB address, or the node GUID of a device.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "host/ipoib.h"
#include "host/rdma_devices.h"
#include "ipoib/device_name_change.h"
#include "ipoib/name_rules.h"
#include "netconf/apply.h"
#include "netconf/other_profiles.h"
#include "netconf/records.h"
#include "netconf/session_guard.h"
#include "port/new_device_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

constexpr std::size_t longest_device = 63; // IB_DEVICE_NAME_MAX without the terminating zero

Result<void> parse_new_name(const std::string &name, std::size_t longest) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    });
    if (!name.empty() && name.size() <= longest && plain && name.front() != '-' &&
        name.front() != '.') {
        return {};
    }
    return Error{ExitCode::usage, fmt::format("'{}' cannot be a name", name),
                 fmt::format("give letters, digits, '_', '-' and '.', at most {}", longest)};
}

// Returns the rules of our file, with @rule in place of the rules that contain this key.
Result<std::string> rules_with(const std::filesystem::path &place, const std::string &key,
                               const std::string &rule) {
    auto content = TRY(read_small_file(place));
    std::string text = our_header("name set");
    std::istringstream stream(content.value_or(""));
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty() && line.front() != '#' && line.find(key) == std::string::npos) {
            text += line + "\n";
        }
    }
    return text + rule + "\n";
}

Result<void> plan_rule(const std::filesystem::path &place, const std::string &key,
                       const std::string &rule, ChangeSet &set) {
    auto text = TRY(rules_with(place, key, rule));
    return set.write(place, text);
}

// Returns an error if the name is kept for another interface or device: udev would give it to the
// one that appears first.
Result<void> expect_free_name(World &world, bool of_devices, const std::string &name,
                              const std::string &guid) {
    for (const NameRule &rule : TRY(load_name_rules(world.places, of_devices))) {
        if (rule.name == name && rule.guid != guid) {
            return Error{ExitCode::usage,
                         fmt::format("{} keeps the name {} for {}",
                                     name_rules_place(world.places, of_devices).string(), name,
                                     rule.guid),
                         fmt::format("give another name; or end that one: causeway name unset {}{}",
                                     name, of_devices ? " --rdma" : "")};
        }
    }
    return {};
}

// Returns an error if a profile would still have the old name, and so would no longer apply to the
// interface.
Result<void> no_profile_stays_behind(World &world, const IpoibInterface &interface,
                                     const std::string &to,
                                     const std::vector<InterfaceSettings> &records) {
    const std::string &from = interface.name;
    for (const InterfaceSettings &each : records) {
        if (each.parent == from) {
            return Error{
                ExitCode::unavailable,
                fmt::format("{} is a child of {} with a profile of causeway's, and has its "
                            "name",
                            each.name, from),
                fmt::format("causeway ipoib child remove {}, and add it again after "
                            "the new name",
                            each.name)};
        }
    }
    if (interface.up && find_record(records, from) != nullptr) {
        return Error{ExitCode::try_again,
                     fmt::format("{} is up, and has a profile of causeway's that names it", from),
                     fmt::format("ip link set dev {} down, then run this again", from)};
    }
    if (const auto place = profile_of_one_name(world, from, to)) {
        return Error{
            ExitCode::bad_config,
            fmt::format("{} is configured by {}, which names it and which causeway did not "
                        "write",
                        from, place->string()),
            fmt::format("write {} there in place of {}, then run this again", to, from)};
    }
    return {};
}

Result<Answer> name_interface(World &world, const Arguments &arguments) {
    const std::string &from = arguments.operands()[0];
    const std::string &to = arguments.operands()[1];
    TRY(parse_new_name(to, longest_interface));
    auto interface = TRY(find_ipoib(world.files, world.processes, from));
    const auto names = world.files.list("/sys/class/net");
    if (from != to && std::find(names.begin(), names.end(), to) != names.end()) {
        return Error{ExitCode::usage, fmt::format("there is a network device {} already", to),
                     "give another name"};
    }
    const std::string guid = port_guid_of(interface.address);
    if (guid.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("{} has no address of 20 bytes: '{}'", from, interface.address)};
    }
    TRY(expect_free_name(world, false, to, guid));
    auto records = TRY(load_records(world.places));
    if (from != to) {
        TRY(no_profile_stays_behind(world, interface, to, records));
    }
    ChangeSet set(fmt::format("name set {} {}", from, to));
    const std::string key = fmt::format(R"(ATTR{{address}}=="?*{}")", guid);
    const std::string rule = fmt::format(
        R"(ACTION=="add", SUBSYSTEM=="net", DRIVERS=="?*", ATTR{{type}}=="32", {}, NAME="{}")", key,
        to);
    TRY(plan_rule(world.places.ipoib_names(), key, rule, set));
    const bool later = from != to && interface.up;
    if (from != to && !interface.up) {
        // The interface may be up when undo runs. Linux 6.2 and later rename it nevertheless;
        // earlier versions refuse, and it keeps its name until the next reboot.
        auto live = change_attempts({{"ip", "link", "set", "dev", from, "name", to}},
                                    {{"ip", "link", "set", "dev", to, "name", from}});
        TRY(plan_rename(world, set, from, to, records, std::move(live)));
    }
    // Under networkd the profile of a child's parent names the child, and networkd reads that
    // profile again. The renamed interface itself needs no guard: it is down if anything of it
    // changes now.
    const auto guard =
        arguments.has("confirmed") ? std::nullopt : guard_of_others(world, {from, to}, set);
    auto answer =
        carry_out_guarded(world, {arguments.dry_run()}, set,
                          fmt::format("{} has this name already, now and at boot", to), guard);
    if (answer && later) {
        answer->warnings.push_back(fmt::format(
            "{} is up, so that it keeps its name until the next reboot; or: ip link set {} down, "
            "then ip link set {} name {}",
            from, from, from, to));
    }
    return answer;
}

Result<Answer> name_device(World &world, const Arguments &arguments) {
    const std::string &from = arguments.operands()[0];
    const std::string &to = arguments.operands()[1];
    TRY(parse_new_name(to, longest_device));
    const auto device = find_rdma_device(world.files, from);
    if (!device) {
        return no_such_rdma_device(rdma_devices(world.files), from);
    }
    if (from != to && find_rdma_device(world.files, to)) {
        return Error{ExitCode::usage, fmt::format("there is an RDMA device {} already", to),
                     "give another name"};
    }
    ChangeSet set(fmt::format("name set --rdma {} {}", from, to));
    // A software device gets its name when it is added.
    if (!device->soft.empty()) {
        return Error{ExitCode::usage,
                     fmt::format("{} is a software device, which is named when it is added", from),
                     fmt::format("causeway soft remove {}, then causeway soft add {} {} --name {}",
                                 from, device->soft, device->netdev, to)};
    }
    TRY(expect_free_name(world, true, to, device->node_guid));
    const std::string key = fmt::format(R"(ATTR{{node_guid}}=="{}")", device->node_guid);
    const std::string rule = fmt::format(
        R"(ACTION=="add", SUBSYSTEM=="infiniband", {}, PROGRAM="rdma_rename %k NAME_FIXED {}")",
        key, to);
    TRY(plan_rule(world.places.rdma_names(), key, rule, set));
    if (from != to) {
        set.add(change_device_name(from, to));
        TRY(plan_new_device_name(world, set, from, to));
    }
    return carry_out(world, {arguments.dry_run()}, set,
                     fmt::format("{} has this name already, now and at boot", to));
}

Result<Answer> run_name_set(World &world, const Arguments &arguments) {
    return arguments.has("rdma") ? name_device(world, arguments) : name_interface(world, arguments);
}

const VerbRows name_rows(Section::host, 6, [] {
    return std::vector<Verb>{
        {
            .words = "name set",
            .operands = "OLD NEW",
            .summary =
                "give an IP over InfiniBand interface a lasting name, at the next boot if it is up",
            .options = {{"rdma", "", "an RDMA device instead, by its node GUID"},
                        {"confirmed", "",
                         "do not wait for \"causeway confirm\", although a session runs over an "
                         "interface that "
                         "is changed: for scripts"}},
            .least_operands = 2,
            .most_operands = 2,
            .changes = true,
            .run = run_name_set,
        },
    };
});

} // namespace

} // namespace causeway
