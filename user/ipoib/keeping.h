// SPDX-License-Identifier: GPL-2.0-or-later
// What the verbs of "ipoib" share: the checks of what an interface can do, and how its settings are
// kept for the next boot.
#pragma once

#include "change/change_set.h"
#include "command/arguments.h"
#include "host/ipoib.h"
#include "netconf/apply.h"
#include "netconf/session_guard.h"

#include <functional>
#include <string>
#include <vector>

namespace causeway {

// Whether the mode is one, and one that the interface's device has.
Result<void> ipoib_can(const IpoibInterface &interface, const std::string &mode);
Result<void> check_ipoib_mtu(const std::string &mode, std::uint64_t mtu);

// What a child's parent got as its profile, and the records with it.
struct ParentKept {
    std::vector<InterfaceSettings> records{};
    std::string parent{}; // empty: it got none
    std::vector<std::string> taken{};
    std::vector<std::string> warnings{};
};

struct Keeping {
    const NetworkBackend *backend = nullptr; // null: nothing keeps it for the next boot
    bool asked = false;                      // by --no-persist
    // What the interface has now and the profile had not: "the address 10.0.0.1/24".
    std::vector<std::string> taken{};
    std::vector<std::string> warnings{};
    ParentKept parent{};
};

// Adds what keeps the settings that "wanted" makes of the records, and the live changes. The
// options --backend and --no-persist say by whom; where there is nobody, the live ones are all.
// The interface is started where "uptake" says so.
Result<Keeping> keep_interface(
    World &world, ChangeSet &set, const Arguments &arguments, const std::string &interface,
    std::vector<ChangePointer> live,
    const std::function<InterfaceSettings(const std::vector<InterfaceSettings> &)> &wanted,
    Uptake uptake = Uptake::reread);

// Under networkd the parent's profile names the child, so that there has to be one: it keeps what
// the parent has now, without the addresses that are named so.
Result<ParentKept> with_parent(World &world, ChangeSet &set,
                               const std::vector<InterfaceSettings> &records,
                               const InterfaceSettings &child,
                               const std::vector<SocketAddress> &without);

// The addresses of --without, each of which the interface or its parent has, now or in its profile.
Result<std::vector<SocketAddress>> parse_without(World &world, const Arguments &arguments,
                                                 const InterfaceSettings &settings,
                                                 const InterfaceNow &now);

// Of a child that others made: its parent and its P_Key.
void add_partition(InterfaceSettings &settings, const IpoibInterface &interface);

// guard_of_changes(), unless --confirmed says that nobody has to be asked.
std::optional<Guard> guard_unless_confirmed(World &world, const Arguments &arguments,
                                            const std::vector<std::string> &interfaces,
                                            const ChangeSet &set);

// In the answer: what a profile took over from what is now, as "kept".
void tell_taken(Answer &answer, const std::string &interface,
                const std::vector<std::string> &taken);

// The same for the parent, as "kept_of_parent", and the warnings.
void tell_parent(Answer &answer, const ParentKept &kept);

// In the answer: who keeps it, as "backend", and a warning where nobody does.
void tell_keeping(Answer &answer, const std::string &interface, const Keeping &keeping,
                  bool changes);

} // namespace causeway
