// SPDX-License-Identifier: GPL-2.0-or-later
// Stock exports that exist. The steps that made each of them are on record under /run, for as long
// as the kernel keeps the export.
#pragma once

#include "base/result.h"
#include "change/change_set.h"
#include "command/arguments.h"
#include "host/firewall.h"
#include "machine/world.h"
#include "stock/settings.h"
#include "stock/target.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct StockExportState {
    StockExport settings;
    bool running = false;
    bool persistent = false;
    TargetPlan made; // only while the export runs
};

// Returns the exports that run or are configured, sorted by name. Configuration files and records
// that cannot be read are reported in the warnings.
Result<std::vector<StockExportState>> stock_exports(World &world,
                                                    std::vector<std::string> &warnings);
// Does the same for a caller that has loaded the configuration files and reports their errors
// itself.
Result<std::vector<StockExportState>> stock_exports(World &world,
                                                    const Folder<StockExport> &configured,
                                                    std::vector<std::string> &warnings);
Result<std::optional<StockExportState>> find_stock_export(World &world, const std::string &name);

// Returns the ports that a firewall must open for the initiators. iSER also uses TCP, to discover
// and to log in.
std::vector<OpenPort> ports_of(const StockExport &settings, const std::vector<RdmaDevice> &devices);

// Takes the initiators that may attach. No target is open to every initiator unless an
// administrator allows it, or they need a secret.
Result<void> take_initiators(const Arguments &arguments, StockExport &settings);

// Adds the changes that start the export: modules, configfs, the steps, the record.
Result<void> add_bring_up(World &world, ChangeSet &set, const StockExport &settings);
// Returns the steps without those that the record of another running export has too. @probe: of the
// export to which the steps belong.
Result<std::vector<ConfigStep>> without_needed(World &world, const std::string &probe,
                                               std::vector<ConfigStep> steps);

// Adds the changes that replace the settings and steps on record of an export that runs.
Result<void> add_record(World &world, ChangeSet &set, const StockExport &settings,
                        const TargetPlan &made);
// Adds the changes that end an export that runs.
Result<void> add_take_down(World &world, ChangeSet &set, const StockExportState &state);

} // namespace causeway
