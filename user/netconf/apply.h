// SPDX-License-Identifier: GPL-2.0-or-later
// Converts wanted settings of interfaces into changes of this machine.
#pragma once

#include "change/change_set.h"
#include "host/interface_now.h"
#include "netconf/backend.h"
#include "netconf/settings.h"

#include <string>
#include <vector>

namespace causeway {

// The action of the network manager after its files are written.
enum class Activation {
    reread, // read its files, for the next start of the interface
    start,  // bring the interface into that state now
};

// Returns the records with this interface's record replaced, or removed if the settings are empty.
std::vector<InterfaceSettings> records_with(std::vector<InterfaceSettings> records,
                                            const InterfaceSettings &settings);

// Adds to the set the changes from one list of records to the other, which differ only in this
// interface: Causeway's records, the files of the backend, and the manager's programs. The changes
// in @live come after the files and before the start of the interface. @now is what the interface
// has now, for undo.
Result<void> plan_interface(World &world, ChangeSet &set, const std::string &interface,
                            const InterfaceNow &now, const std::vector<InterfaceSettings> &before,
                            const std::vector<InterfaceSettings> &after, Activation activation,
                            std::vector<ChangePointer> live);

// Adds to the set the removal of the record of this interface and of the files made from it. Runs
// no program of the manager, so the interface keeps what it has until the manager reads its files
// again.
Result<void> plan_forget(World &world, ChangeSet &set, const std::string &interface,
                         const std::vector<InterfaceSettings> &records);

// Adds to the set the change @live, which renames an interface, and the changes that give its
// record and the files made from it the new name. The manager reads the files when both files and
// interface have the new name, or on undo, when both have the old one.
Result<void> plan_rename(World &world, ChangeSet &set, const std::string &from,
                         const std::string &to, const std::vector<InterfaceSettings> &records,
                         ChangePointer live);

// Returns the backend for an interface: the forced one, else the one that already has the
// interface, else the one that manages this machine. Returns null if there is none.
Result<const NetworkBackend *> choose_backend(World &world,
                                              const std::optional<std::string> &forced,
                                              const std::vector<InterfaceSettings> &records,
                                              const std::string &interface,
                                              const std::string &parent = {});

const InterfaceSettings *find_record(const std::vector<InterfaceSettings> &records,
                                     const std::string &interface);

} // namespace causeway
