// SPDX-License-Identifier: GPL-2.0-or-later
// From what is wanted of the interfaces to changes of this machine.
#pragma once

#include "change/change_set.h"
#include "host/interface_now.h"
#include "netconf/backend.h"
#include "netconf/settings.h"

#include <string>
#include <vector>

namespace causeway {

// What whoever manages the network is told when its files are there.
enum class Uptake {
    reread, // to know them at the next start
    start,  // to bring the interface into that state now
};

// Replaces, in the records, what is said of this interface; nothing where it says nothing.
std::vector<InterfaceSettings> records_with(std::vector<InterfaceSettings> records,
                                            const InterfaceSettings &settings);

// Adds to the set what leads from the one list of records to the other, which differ in this one
// interface: our records, the files of its backend, the programs. The live changes come when the
// files are in place and before the interface is started. What the interface has now is for undo.
Result<void> plan_interface(World &world, ChangeSet &set, const std::string &interface,
                            const InterfaceNow &now, const std::vector<InterfaceSettings> &before,
                            const std::vector<InterfaceSettings> &after, Uptake uptake,
                            std::vector<ChangePointer> live);

// Adds to the set the live change that renames an interface, and what gives its record, and the
// files made of it, the other name. Its manager reads the files when they and the interface have
// the new name, and on the way back when they have the old one.
Result<void> plan_rename(World &world, ChangeSet &set, const std::string &from,
                         const std::string &to, const std::vector<InterfaceSettings> &records,
                         ChangePointer live);

// The backend for an interface: the forced one, else the one that has it already, else the one that
// manages this machine. Null where there is none.
Result<const NetworkBackend *> choose_backend(World &world,
                                              const std::optional<std::string> &forced,
                                              const std::vector<InterfaceSettings> &records,
                                              const std::string &interface,
                                              const std::string &parent = {});

const InterfaceSettings *find_record(const std::vector<InterfaceSettings> &records,
                                     const std::string &interface);

} // namespace causeway
