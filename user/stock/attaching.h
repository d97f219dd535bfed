// SPDX-License-Identifier: GPL-2.0-or-later
// Stock attachments that exist. For each one a record under /run has the target that discovery
// found. The record is written before the login, so that detach and another attach know what an
// interrupted attach left.
#pragma once

#include "base/result.h"
#include "change/change_set.h"
#include "machine/world.h"
#include "stock/settings.h"
#include "stock/transport.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct StockAttachmentState {
    StockAttachment settings; // from the record if it is attached, else from the configuration
    bool persistent = false;
    std::optional<StockConnection> connection{};
    // An attach was interrupted. Its connection may be there, and nothing may use it.
    bool unfinished = false;

    bool attached() const { return connection.has_value() && !unfinished; }
};

// Returns the attachments that are configured, then others that have a record and are connected or
// unfinished. Configuration files
// and records that cannot be read are reported in the warnings.
Result<std::vector<StockAttachmentState>> stock_attachments(World &world,
                                                            std::vector<std::string> &warnings);
Result<std::optional<StockAttachmentState>> find_stock_attachment(World &world,
                                                                  const DiskName &disk);

// The change that discovers the target, writes the record and connects (@attached), or that
// disconnects and removes the record. The first one also ends what an interrupted attach left. The
// kernel modules must be loaded.
ChangePointer change_stock_attachment(StockAttachment settings, bool attached);

// Returns an error if the target of the settings has a session already, which names the session and
// the disk that has it. Another program may use the session, and detach would end it.
Result<void> expect_no_session(World &world, const StockAttachment &settings);

// Adds the changes that attach the disk: modules and the connection.
void add_attach(World &world, ChangeSet &set, const StockAttachment &settings);

// Waits until the connection has disks and their devices can be opened, and returns the connection.
// The SCSI layer scans for disks in the background. Returns an error when @limit has passed.
Result<StockConnection> wait_for_disks(World &world, const StockAttachment &settings,
                                       std::chrono::milliseconds limit);

// Returns the link of /dev/disk/by-id that udev makes from the identity of the disk; empty: there
// is none.
std::string link_by_id(KernelFiles &files, const std::string &disk);
// Does the same. If udevd runs, waits until it has made the link, for at most @limit.
std::string wait_for_link(World &world, const std::string &disk, std::chrono::milliseconds limit);

// Returns an error that states how a disk of the connection is used. Succeeds if all disks are
// unused, or if there is no connection.
Result<void> check_unused(World &world, const StockAttachmentState &state);

} // namespace causeway
