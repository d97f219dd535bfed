// SPDX-License-Identifier: GPL-2.0-or-later
// Stock attachments that are there: what discovery found for each of them is on record under /run.
#pragma once

#include "base/result.h"
#include "change/change_set.h"
#include "machine/world.h"
#include "stock/initiator.h"
#include "stock/settings.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct StockAttachmentSight {
    StockAttachment settings; // as on record, or as configured where it is not attached
    bool persistent = false;
    std::optional<StockConnection> connection{};
};

// Those that are attached or configured, by name. Drop-ins and records that cannot be read are told
// in the warnings.
Result<std::vector<StockAttachmentSight>> stock_attachments(World &world,
                                                            std::vector<std::string> &warnings);
Result<std::optional<StockAttachmentSight>> find_stock_attachment(World &world,
                                                                  const DiskName &disk);

// Finds the target, connects and puts it on record, or the reverse. The modules are loaded.
ChangePointer change_stock_attachment(StockAttachment settings, bool attached);

// Adds to the set what attaches it: modules and the connection.
void add_attach(World &world, ChangeSet &set, const StockAttachment &settings);

// The disks of the connection, once there are some and their devices can be opened; an error where
// none comes in time: the SCSI layer looks for them in the background.
Result<StockConnection> wait_for_disks(World &world, const StockAttachment &settings,
                                       std::chrono::milliseconds limit);

// Returns an error that says how a disk of the connection is used. Succeeds if all disks are
// unused, or if there is no connection.
Result<void> check_unused(World &world, const StockAttachmentSight &sight);

} // namespace causeway
