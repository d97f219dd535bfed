// SPDX-License-Identifier: GPL-2.0-or-later
// What "restore" and "stop" do with stock exports and attachments.
#pragma once

#include "base/result.h"
#include "command/plan.h"
#include "machine/world.h"

#include <functional>
#include <string>
#include <vector>

namespace causeway {

struct StockDeed {
    std::string subject;  // "scratch", "storage1/scratch"
    std::string sentence; // what is done, or would be
    bool there = false;   // it is as wanted already
    std::function<Result<void>()> perform{};
};

// Each is one export or attachment to bring up or take down; performing it writes no journal.
// Drop-ins that cannot be read are in the broken ones.
Result<std::vector<StockDeed>> stock_exports_to_restore(World &world, std::vector<Error> &broken);
Result<std::vector<StockDeed>> stock_attachments_to_restore(World &world,
                                                            std::vector<Error> &broken);
Result<std::vector<StockDeed>> stock_exports_to_stop(World &world);
Result<std::vector<StockDeed>> stock_attachments_to_stop(World &world);
// Those that are to be done, as "restore --dry-run" and "stop --dry-run" show them.
void plan_stock(const Result<std::vector<StockDeed>> &deeds, Plan &plan);

} // namespace causeway
