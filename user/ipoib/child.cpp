// SPDX-License-Identifier: GPL-2.0-or-later
// ipoib child add, ipoib child remove: an interface in another partition.
#include "command/verb.h"
#include "host/rdma_devices.h"
#include "ipoib/child_change.h"
#include "ipoib/keeping.h"
#include "ipoib/options.h"
#include "netconf/kept_now.h"
#include "netconf/records.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// The kernel makes a child also for a partition that the port is not a member of. Such a child
// would never get a link.
Result<std::vector<std::string>> check_membership(World &world, const IpoibInterface &parent,
                                                  std::uint16_t pkey) {
    const auto port = ipoib_port(world.files, parent);
    if (!port) {
        return std::vector<std::string>();
    }
    const auto pkeys = port_pkeys(world.files, *port);
    const auto has = [&](std::uint16_t wanted) {
        return std::find(pkeys.begin(), pkeys.end(), wanted) != pkeys.end();
    };
    if (has(pkey)) {
        return std::vector<std::string>();
    }
    const auto limited = static_cast<std::uint16_t>(pkey & ~full_member);
    if (has(limited)) {
        return std::vector<std::string>{
            fmt::format("{} port {} is a limited member of {}: it reaches full members alone",
                        port->device, port->port, pkey_text(pkey))};
    }
    std::vector<std::string> there;
    for (const std::uint16_t each : pkeys) {
        there.push_back(pkey_text(each));
    }
    return Error{
        ExitCode::unavailable,
        fmt::format("{} port {} is in no partition {}: the subnet manager gave it {}", port->device,
                    port->port, pkey_text(pkey),
                    there.empty() ? "none yet" : fmt::format("{}", fmt::join(there, ", "))),
        fmt::format(
            "on the host of the subnet manager: causeway sm partition add {0}; or, if there "
            "is such a partition: causeway sm partition set {0} --member with all members "
            "and this port",
            pkey_text(pkey))};
}

Result<IpoibInterface> find_parent(World &world, const std::string &name) {
    auto parent = find_ipoib(world.files, world.processes, name);
    if (parent && !parent->parent.empty()) {
        return Error{ExitCode::usage, fmt::format("{} is a child itself", name),
                     "name the interface of its port"};
    }
    return parent;
}

std::optional<IpoibInterface> interface_there(World &world, const std::string &name) {
    auto found = find_ipoib(world.files, world.processes, name);
    return found ? std::optional(*found) : std::nullopt;
}

// The settings of a child that the user typed.
struct ChildWish {
    std::string parent;
    std::uint16_t pkey = 0;
    std::optional<std::string> mode;
    std::optional<std::uint64_t> mtu;
};

// Returns the typed settings that differ: "MTU 2044, not 1500". A mode of "" and an MTU of 0 are
// unknown, or left to the kernel: nothing differs from them.
std::vector<std::string> differences_from(const ChildWish &wish, const std::string &mode,
                                          unsigned int mtu) {
    std::vector<std::string> different;
    if (wish.mode && !mode.empty() && *wish.mode != mode) {
        different.push_back(fmt::format("mode {}, not {}", mode, *wish.mode));
    }
    if (wish.mtu && mtu != 0 && *wish.mtu != mtu) {
        different.push_back(fmt::format("MTU {}, not {}", mtu, *wish.mtu));
    }
    return different;
}

// Returns an error if the child exists with other settings than the typed ones, or is recorded with
// others. @record: null if the verb does not touch the record.
Result<void> same_child(const ChildWish &wish, const std::string &name,
                        const std::optional<IpoibInterface> &there,
                        const InterfaceSettings *record) {
    const char *state = "is there";
    auto different =
        there ? differences_from(wish, there->mode, there->mtu) : std::vector<std::string>();
    if (different.empty() && record != nullptr) {
        state = "is kept for the next boot";
        different = differences_from(wish, record->mode, record->mtu.value_or(0));
    }
    if (different.empty()) {
        return {};
    }
    return Error{ExitCode::failed,
                 fmt::format("the child {} {} with other settings: {}", name, state,
                             fmt::join(different, "; ")),
                 fmt::format("{}causeway ipoib set {}{}{}",
                             there ? ""
                                   : fmt::format("causeway ipoib child add {} {}, then: ",
                                                 wish.parent, pkey_text(wish.pkey)),
                             name, wish.mode ? " --mode " + *wish.mode : "",
                             wish.mtu ? fmt::format(" --mtu {}", *wish.mtu) : "")};
}

// Returns the typed settings. Returns an error if the parent cannot have such a child, or if the
// child is there with others.
Result<ChildWish> checked_wish(World &world, const Arguments &arguments,
                               std::vector<std::string> &warnings) {
    ChildWish wish;
    wish.parent = arguments.operands()[0];
    wish.pkey = TRY(parse_pkey(arguments.operands()[1]));
    wish.mtu = TRY(arguments.number("mtu", least_ipoib_mtu, most_connected_mtu));
    const auto parent = TRY(find_parent(world, wish.parent));
    wish.mode = arguments.text("mode");
    if (wish.mode) {
        TRY(ipoib_can(parent, *wish.mode));
    }
    const std::string name = child_name(wish.parent, wish.pkey);
    const auto there = interface_there(world, name);
    if (wish.mtu) {
        const bool connects = there && there->mode == mode_connected;
        TRY(check_ipoib_mtu(wish.mode.value_or(connects ? mode_connected : mode_datagram),
                            *wish.mtu));
    }
    warnings = TRY(check_membership(world, parent, wish.pkey));
    if (name.size() > longest_interface) {
        return Error{
            ExitCode::usage, fmt::format("the name {} would be too long", name),
            fmt::format("give the parent a shorter one: causeway name set {} ib0", wish.parent)};
    }
    const auto had = TRY(load_records(world.places));
    TRY(same_child(wish, name, there,
                   arguments.has("no-persist") ? nullptr : find_record(had, name)));
    return wish;
}

Result<Answer> run_ipoib_child_add(World &world, const Arguments &arguments) {
    std::vector<std::string> warnings;
    const ChildWish wish = TRY(checked_wish(world, arguments, warnings));
    const std::string name = child_name(wish.parent, wish.pkey);
    const std::string mtu_text = wish.mtu ? fmt::format("{}", *wish.mtu) : "";
    std::vector<ChangePointer> live;
    if (!interface_there(world, name)) {
        live.push_back(change_ipoib_child(
            {wish.parent, pkey_text(wish.pkey), name, wish.mode.value_or(""), mtu_text}, true));
    }
    ChangeSet set(fmt::format("ipoib child add {} {}", wish.parent, pkey_text(wish.pkey)));
    auto kept = TRY(keep_interface(
        world, set, arguments, name, std::move(live),
        [&](const std::vector<InterfaceSettings> &records) {
            const InterfaceSettings *record = find_record(records, name);
            InterfaceSettings settings = record == nullptr ? InterfaceSettings() : *record;
            settings.name = name;
            settings.parent = wish.parent;
            settings.pkey = wish.pkey;
            settings.mode = wish.mode.value_or(settings.mode);
            settings.mtu =
                wish.mtu ? std::optional(static_cast<unsigned int>(*wish.mtu)) : settings.mtu;
            return settings;
        },
        Activation::start));
    const bool changes = !set.empty();
    auto answer =
        carry_out_guarded(world, {arguments.dry_run()}, set,
                          fmt::format("{} has the child {} already", wish.parent, name),
                          guard_unless_confirmed(world, arguments, {wish.parent, name}, set));
    if (answer) {
        answer->json["interface"] = name;
        answer->warnings.insert(answer->warnings.end(), warnings.begin(), warnings.end());
        report_keeping(*answer, name, kept, changes);
    }
    return answer;
}

Result<Answer> run_ipoib_child_remove(World &world, const Arguments &arguments) {
    const std::string &name = arguments.operands().front();
    auto records = TRY(load_records(world.places));
    const InterfaceSettings *record = find_record(records, name);
    const auto interface = interface_there(world, name);
    // The name that the kernel gives to a child contains the name of its parent.
    const std::size_t dot = name.rfind('.');
    std::string parent = record == nullptr ? name.substr(0, dot) : record->parent;
    if (record == nullptr && interface && !interface->parent.empty()) {
        parent = interface->parent;
    }
    if (interface && interface->parent.empty() && (record == nullptr || !record->pkey) &&
        (dot == std::string::npos || !interface_there(world, parent))) {
        return Error{ExitCode::usage,
                     fmt::format("{} is no child: it is the interface of a port", name),
                     "see which there are: causeway ipoib show"};
    }
    if (!interface && record == nullptr &&
        (dot == std::string::npos || !interface_there(world, parent))) {
        return find_ipoib(world.files, world.processes, name).error();
    }
    ChangeSet set("ipoib child remove " + name);
    std::vector<ChangePointer> live;
    if (interface) {
        auto pkey =
            TRY(interface->pkey.empty() && record != nullptr && record->pkey
                    ? Result<std::uint16_t>(*record->pkey)
                    : parse_pkey(interface->pkey.empty() ? name.substr(dot + 1) : interface->pkey));
        live.push_back(
            change_ipoib_child({parent, pkey_text(pkey), name, interface->mode,
                                interface->mtu == 0 ? "" : fmt::format("{}", interface->mtu)},
                               false));
    }
    InterfaceSettings nothing;
    nothing.name = name;
    auto now = TRY(look_at_interface(world, name));
    TRY(plan_interface(world, set, name, now, records, records_with(records, nothing),
                       Activation::start, std::move(live)));
    return carry_out_guarded(world, {arguments.dry_run()}, set,
                             fmt::format("there is no interface {}", name),
                             guard_unless_confirmed(world, arguments, {name, parent}, set));
}

const VerbRows child_rows(Section::host, 3, [] {
    return std::vector<Verb>{
        {
            .words = "ipoib child add",
            .operands = "PARENT P_KEY",
            .summary = "make an interface in another partition",
            .options = {mode_option, mtu_option, without_option, backend_option, no_persist,
                        confirmed_option},
            .least_operands = 2,
            .most_operands = 2,
            .changes = true,
            .run = run_ipoib_child_add,
        },
        {
            .words = "ipoib child remove",
            .operands = "INTERFACE",
            .summary = "remove the interface of a partition, now and at boot",
            .options = {confirmed_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_ipoib_child_remove,
        },
    };
});

} // namespace

} // namespace causeway
