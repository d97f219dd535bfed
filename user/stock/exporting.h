// SPDX-License-Identifier: GPL-2.0-or-later
// Stock exports that are there: what was made for each of them is on record under /run, for as long
// as the kernel keeps it.
#pragma once

#include "base/result.h"
#include "change/change_set.h"
#include "host/firewall.h"
#include "machine/world.h"
#include "stock/settings.h"
#include "stock/target.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct StockExportSight {
    StockExport settings;
    bool running = false;
    bool persistent = false;
    TargetPlan made; // of one that runs
};

// The exports that run or are configured, sorted by name. Configuration files and records that
// cannot be read are reported in the warnings.
Result<std::vector<StockExportSight>> stock_exports(World &world,
                                                    std::vector<std::string> &warnings);
// The same for a caller that has loaded, and reports, the configuration files itself.
Result<std::vector<StockExportSight>> stock_exports(World &world,
                                                    const Folder<StockExport> &configured,
                                                    std::vector<std::string> &warnings);
Result<std::optional<StockExportSight>> find_stock_export(World &world, const std::string &name);

// What of a firewall its initiators have to pass. That of iSER logs in and discovers by TCP as
// well.
std::vector<OpenPort> ports_of(const StockExport &settings, const std::vector<RdmaDevice> &devices);

// Adds to the set what brings it up: modules, configfs, the steps, the record.
Result<void> add_bring_up(World &world, ChangeSet &set, const StockExport &settings);
// Adds what takes it down again; it runs.
Result<void> add_take_down(World &world, ChangeSet &set, const StockExportSight &sight);

} // namespace causeway
