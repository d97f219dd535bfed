// SPDX-License-Identifier: GPL-2.0-or-later
#include "verbs/keeping.h"

#include "netconf/kept_now.h"
#include "netconf/other_profiles.h"
#include "netconf/records.h"

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

// Under networkd the parent's profile names the child, so that there has to be one: it keeps what
// the parent has now.
Result<std::vector<InterfaceSettings>> with_parent(World &world, ChangeSet &set,
                                                   const std::vector<InterfaceSettings> &records,
                                                   const InterfaceSettings &child) {
    if (child.parent.empty() || child.backend != networkd().name() ||
        find_record(records, child.name) != nullptr) {
        return records;
    }
    auto now = look_at_interface(world, child.parent);
    if (!now) {
        return now.error();
    }
    const InterfaceSettings *record = find_record(records, child.parent);
    if (record != nullptr && record->backend != child.backend) {
        return records;
    }
    InterfaceSettings parent = record == nullptr ? InterfaceSettings() : *record;
    parent.name = child.parent;
    parent.backend = child.backend;
    if (auto good = keep_what_is_now(world, parent, *now); !good) {
        return good.error();
    }
    if (auto held = hold_addresses(*now, parent.name, &parent)) {
        set.add(std::move(held));
    }
    return records_with(records, parent);
}

} // namespace

Result<Keeping> keep_interface(
    World &world, ChangeSet &set, const Arguments &arguments, const std::string &interface,
    std::vector<ChangePointer> live,
    const std::function<InterfaceSettings(const std::vector<InterfaceSettings> &)> &wanted,
    Uptake uptake) {
    Keeping keeping;
    keeping.asked = arguments.has("no-persist");
    if (keeping.asked && arguments.has("backend")) {
        return Error{ExitCode::usage, "--backend and --no-persist exclude each other",
                     "leave one of them away"};
    }
    auto records = load_records(world.places);
    if (!records) {
        return records.error();
    }
    if (!keeping.asked) {
        const InterfaceSettings probe = wanted(*records);
        auto backend =
            choose_backend(world, arguments.text("backend"), *records, interface, probe.parent);
        if (!backend) {
            return backend.error();
        }
        keeping.backend = *backend;
    }
    if (keeping.backend == nullptr) {
        for (ChangePointer &change : live) {
            set.add(std::move(change));
        }
        return keeping;
    }
    InterfaceSettings settings = wanted(*records);
    settings.backend = std::string(keeping.backend->name());
    if (auto good = refuse_other_profiles(world, *keeping.backend, settings); !good) {
        return good.error();
    }
    auto now = look_at_interface(world, interface);
    if (!now) {
        return now.error();
    }
    if (auto good = keep_what_is_now(world, settings, *now); !good) {
        return good.error();
    }
    auto after = with_parent(world, set, *records, settings);
    if (!after) {
        return after.error();
    }
    if (auto good =
            plan_interface(world, set, interface, *now, *records,
                           records_with(*std::move(after), settings), uptake, std::move(live));
        !good) {
        return good.error();
    }
    return keeping;
}

void tell_keeping(Answer &answer, const Keeping &keeping, bool changes) {
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
