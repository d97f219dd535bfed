// SPDX-License-Identifier: GPL-2.0-or-later
#include "ipoib/keeping.h"

#include "netconf/kept_now.h"
#include "netconf/other_profiles.h"
#include "netconf/records.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

Result<void> ipoib_can(const IpoibInterface &interface, const std::string &mode) {
    if (mode != mode_connected && mode != mode_datagram) {
        return Error{ExitCode::usage, fmt::format("'{}' is no mode of IPoIB", mode),
                     "give connected or datagram"};
    }
    if (mode == mode_connected && !interface.can_connect) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} cannot do connected mode: its device has enhanced IPoIB, as "
                                 "ConnectX-4 and later do, which is datagram only",
                                 interface.name),
                     "leave it in datagram mode"};
    }
    return {};
}

Result<void> check_ipoib_mtu(const std::string &mode, std::uint64_t mtu) {
    if (mode != mode_connected && mtu > most_datagram_mtu) {
        return Error{ExitCode::usage,
                     fmt::format("an MTU of {} is too large for datagram mode", mtu),
                     fmt::format("give 2044 where switches take 2 KiB, at most {}, or --mode "
                                 "connected",
                                 most_datagram_mtu)};
    }
    return {};
}

namespace {

bool has_address(const InterfaceNow &now, const SocketAddress &address) {
    return std::any_of(now.addresses.begin(), now.addresses.end(),
                       [&](const AddressNow &each) { return each.address == address.host_text(); });
}

void report_kept_lines(Answer &answer, const std::string &interface,
                       const std::vector<std::string> &taken) {
    for (const std::string &each : taken) {
        answer.text += fmt::format("kept, as {} has it now: {}\n", interface, each);
    }
}

} // namespace

Result<std::vector<SocketAddress>> parse_without(World &world, const Arguments &arguments,
                                                 const InterfaceSettings &settings,
                                                 const InterfaceNow &now) {
    std::vector<SocketAddress> without;
    if (!arguments.has("without")) {
        return without;
    }
    auto parent = TRY(settings.parent.empty() ? Result<InterfaceNow>(InterfaceNow())
                                              : look_at_interface(world, settings.parent));
    for (const std::string &text : arguments.list("without")) {
        const auto address = SocketAddress::from_text(text);
        if (!address) {
            return Error{ExitCode::usage, fmt::format("--without '{}' is not an IP address", text),
                         "give an address without its length, such as 10.0.0.200"};
        }
        const bool in_profile =
            std::any_of(settings.addresses.begin(), settings.addresses.end(),
                        [&](const InterfaceAddress &each) { return each.address == *address; });
        if (!in_profile && !has_address(now, *address) && !has_address(parent, *address)) {
            return Error{ExitCode::usage, fmt::format("{} has no address {}", settings.name, text),
                         "see which it has: causeway ipoib show " + settings.name};
        }
        without.push_back(*address);
    }
    return without;
}

Result<ParentKept> with_parent(World &world, ChangeSet &set,
                               const std::vector<InterfaceSettings> &records,
                               const InterfaceSettings &child,
                               const std::vector<SocketAddress> &without) {
    ParentKept kept;
    kept.records = records;
    const InterfaceSettings *had = find_record(records, child.name);
    const InterfaceSettings *record = find_record(records, child.parent);
    const bool named = had != nullptr && had->backend == child.backend;
    if (child.parent.empty() || child.backend != networkd().name() || named ||
        (record != nullptr && record->backend != child.backend)) {
        return kept; // plan_interface() refuses the last of these cases
    }
    auto now = TRY(look_at_interface(world, child.parent));
    InterfaceSettings parent = record == nullptr ? InterfaceSettings() : *record;
    parent.name = child.parent;
    parent.backend = child.backend;
    const InterfaceSettings before = parent;
    auto warnings = TRY(keep_what_is_now(world, parent, now, without));
    kept.parent = parent.name;
    kept.taken = news_of(before, parent);
    kept.warnings = std::move(warnings);
    if (auto held = hold_addresses(now, parent.name, &parent)) {
        set.add(std::move(held));
    }
    kept.records = records_with(records, parent);
    return kept;
}

void report_parent(Answer &answer, const ParentKept &kept) {
    if (kept.parent.empty()) {
        return;
    }
    answer.json["kept_of_parent"] = kept.taken;
    report_kept_lines(answer, kept.parent, kept.taken);
    answer.warnings.insert(answer.warnings.end(), kept.warnings.begin(), kept.warnings.end());
}

void add_partition(InterfaceSettings &settings, const IpoibInterface &interface) {
    if (settings.pkey || interface.parent.empty()) {
        return;
    }
    if (auto pkey = parse_pkey(interface.pkey)) {
        settings.parent = interface.parent;
        settings.pkey = *pkey;
    }
}

std::optional<Guard> guard_unless_confirmed(World &world, const Arguments &arguments,
                                            const std::vector<std::string> &interfaces,
                                            const ChangeSet &set) {
    return arguments.has("confirmed") ? std::nullopt : guard_of_changes(world, interfaces, set);
}

Result<Keeping> keep_interface(
    World &world, ChangeSet &set, const Arguments &arguments, const std::string &interface,
    std::vector<ChangePointer> live,
    const std::function<InterfaceSettings(const std::vector<InterfaceSettings> &)> &wanted,
    Activation activation) {
    Keeping keeping;
    keeping.asked = arguments.has("no-persist");
    if (keeping.asked && arguments.has("backend")) {
        return Error{ExitCode::usage, "--backend and --no-persist exclude each other",
                     "leave one of them away"};
    }
    auto records = TRY(load_records(world.places));
    if (!keeping.asked) {
        const InterfaceSettings probe = wanted(records);
        auto backend =
            TRY(choose_backend(world, arguments.text("backend"), records, interface, probe.parent));
        keeping.backend = backend;
    }
    if (keeping.backend == nullptr) {
        for (ChangePointer &change : live) {
            set.add(std::move(change));
        }
        return keeping;
    }
    InterfaceSettings settings = wanted(records);
    settings.backend = std::string(keeping.backend->name());
    TRY(refuse_other_profiles(world, *keeping.backend, settings));
    auto now = TRY(look_at_interface(world, interface));
    auto without = TRY(parse_without(world, arguments, settings, now));
    const InterfaceSettings before = settings;
    auto warnings = TRY(keep_what_is_now(world, settings, now, without));
    keeping.warnings = std::move(warnings);
    keeping.taken = news_of(before, settings);
    keeping.parent = TRY(with_parent(world, set, records, settings, without));
    TRY(plan_interface(world, set, interface, now, records,
                       records_with(keeping.parent.records, settings), activation,
                       std::move(live)));
    return keeping;
}

void report_taken(Answer &answer, const std::string &interface,
                  const std::vector<std::string> &taken) {
    answer.json["kept"] = taken;
    report_kept_lines(answer, interface, taken);
}

void report_keeping(Answer &answer, const std::string &interface, const Keeping &keeping,
                    bool changes) {
    if (changes && keeping.backend != nullptr) {
        report_taken(answer, interface, keeping.taken);
        answer.warnings.insert(answer.warnings.end(), keeping.warnings.begin(),
                               keeping.warnings.end());
        report_parent(answer, keeping.parent);
    }
    answer.json["backend"] =
        keeping.backend == nullptr ? Json(nullptr) : Json(std::string(keeping.backend->name()));
    if (!changes || keeping.backend != nullptr) {
        return;
    }
    answer.warnings.emplace_back(
        keeping.asked
            ? "this holds until the next reboot"
            : "this holds until the next reboot: neither NetworkManager nor networkd runs "
              "here, and there is no /etc/network/interfaces; --backend forces one");
}

} // namespace causeway
