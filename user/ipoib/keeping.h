// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that the verbs of "ipoib" share: they check what an interface supports, and keep its
// settings for the next boot. A record has the requested settings of an interface. A profile is the
// file of the network manager (NetworkManager, networkd or ifupdown) that is made from the record.
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

// Return an error if the mode is unknown or not supported by the interface's device, or if the MTU
// is too large for the mode.
Result<void> ipoib_can(const IpoibInterface &interface, const std::string &mode);
Result<void> check_ipoib_mtu(const std::string &mode, std::uint64_t mtu);

// The result of with_parent(): the records, with that of the parent if it got a profile.
struct ParentKept {
    std::vector<InterfaceSettings> records{};
    std::string parent{}; // empty: the parent got no profile
    std::vector<std::string> taken{};
    std::vector<std::string> warnings{};
};

struct Keeping {
    const NetworkBackend *backend = nullptr; // null: the settings are not kept for the next boot
    bool asked = false;                      // the user gave --no-persist
    // The settings that the profile newly took from the interface: "the address 10.0.0.1/24".
    std::vector<std::string> taken{};
    std::vector<std::string> warnings{};
    ParentKept parent{};
};

// Adds to the set the live changes and the changes that keep the settings for the next boot.
// @wanted makes the settings from the records. --backend and --no-persist select the network
// manager; without one, only the live changes are added. @activation decides whether the manager
// starts the interface.
Result<Keeping> keep_interface(
    World &world, ChangeSet &set, const Arguments &arguments, const std::string &interface,
    std::vector<ChangePointer> live,
    const std::function<InterfaceSettings(const std::vector<InterfaceSettings> &)> &wanted,
    Activation activation = Activation::reread);

// Under networkd the parent's profile names the child, so the parent needs a profile. It keeps what
// the parent has now, except the addresses in @without.
Result<ParentKept> with_parent(World &world, ChangeSet &set,
                               const std::vector<InterfaceSettings> &records,
                               const InterfaceSettings &child,
                               const std::vector<SocketAddress> &without);

// Returns the addresses that the option --without keeps out of the profiles of an interface and of
// its parent. Returns a usage error for an address that is in none of these places: the interface
// now (@now), its settings (@settings), its parent now.
Result<std::vector<SocketAddress>> parse_without(World &world, const Arguments &arguments,
                                                 const InterfaceSettings &settings,
                                                 const InterfaceNow &now);

// Sets parent and P_Key in the settings of a child that Causeway did not make, from those that the
// interface has. Settings that have a P_Key, and those of an interface without parent, stay.
void add_partition(InterfaceSettings &settings, const IpoibInterface &interface);

// Returns guard_of_changes(), or none if the user gave --confirmed.
std::optional<Guard> guard_unless_confirmed(World &world, const Arguments &arguments,
                                            const std::vector<std::string> &interfaces,
                                            const ChangeSet &set);

// Adds "kept" to the answer: the settings (@taken) that the profile took over from the interface.
void report_taken(Answer &answer, const std::string &interface,
                  const std::vector<std::string> &taken);

// Does the same for the parent, as "kept_of_parent", and adds the warnings.
void report_parent(Answer &answer, const ParentKept &kept);

// Adds "backend" to the answer, the manager that keeps the settings, or a warning if there is none.
void report_keeping(Answer &answer, const std::string &interface, const Keeping &keeping,
                    bool changes);

} // namespace causeway
