// SPDX-License-Identifier: GPL-2.0-or-later
// Several exports in one target: LUNs of iSCSI and iSER, namespaces of NVMe.
#pragma once

#include "base/result.h"
#include "machine/world.h"
#include "stock/exporting.h"
#include "stock/settings.h"

#include <vector>

namespace causeway {

// The other exports in the target of this one, running or configured. None for SRP, where each
// initiator sees one disk.
Result<std::vector<StockExportState>> others_in_target(World &world, const StockExport &settings);

// Prepares an export that is about to start for its target. If another export has the target,
// checks that both fit together, and chooses a free LUN unless @wanted has one; without
// @portals_typed the portals are those of the other export. Returns an error if another program
// made the target.
Result<void> join_target(World &world, StockExport &wanted, bool portals_typed);

} // namespace causeway
