// SPDX-License-Identifier: GPL-2.0-or-later
// The initiators that may attach an export that is there, and their secrets, for "export set" and
// "reload".
#pragma once

#include "base/result.h"
#include "change/change_set.h"
#include "machine/world.h"
#include "stock/exporting.h"
#include "stock/settings.h"

#include <string>

namespace causeway {

// How initiators and secrets change.
struct AccessWay {
    bool force = false;  // end the connections of initiators that are no longer admitted
    bool renews = false; // read the secrets again
    // For the error about clients that would lose their connection: what ends it.
    std::string by_force = "or give --force";
};

// Returns an error if an export that shares the target or a host of nvmet would get other
// initiators or secrets too.
Result<void> check_access(World &world, const StockExport &there, const StockExport &wanted);

// Adds the changes that give an export that runs, and its record, the initiators and the secrets of
// @wanted. Returns an error (exit code 75) if a client would lose its connection, unless by force.
Result<void> add_access(World &world, ChangeSet &set, const StockExportState &state,
                        const StockExport &wanted, const AccessWay &way);

} // namespace causeway
