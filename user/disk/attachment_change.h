// SPDX-License-Identifier: GPL-2.0-or-later
// Changes of an attached disk: attach, detach, and acknowledge lost writes.
#pragma once

#include "base/disk_settings.h"
#include "change/change.h"
#include "machine/kernel.h"

#include <optional>
#include <string>

namespace causeway {

// How a verb attaches or detaches. The journal does not contain this.
struct AttachmentWay {
    bool background = false;
    bool force = false;          // detach even if the disk is open
    std::string link{};          // /dev/causeway/SERVER/NAME, for --dry-run
    bool loads = false;          // the module is not loaded yet, for --dry-run
    std::string *disk = nullptr; // set to the name of the block device; empty in the background
};

// The settings of an attachment, as the journal keeps them.
struct AttachmentState {
    AttachmentSettings settings;
    // The attachment had a key, but the name of the key file is unknown, so undo cannot attach
    // again.
    bool key_unknown = false;
};

// Returns the state of an attached disk: the configured settings if they are in force, else those
// that the kernel reports, with the configured key file.
AttachmentState state_of(const DiskName &disk, const AttachmentInfo &info,
                         const std::optional<AttachmentSettings> &configured);

// Returns the settings that the kernel reports, for a comparison with @wanted. If the server
// granted fewer queues or less depth than wanted, returns the wanted number, so that this is no
// difference. The same holds for a path to a name: the name may have had another address.
AttachmentSettings as_settings(const AttachmentInfo &info, const AttachmentSettings &wanted);

// @attached: the change attaches the disk; else detaches it.
ChangePointer change_attachment(AttachmentState state, bool attached, AttachmentWay way = {});

// If the kernel refused to detach the disk because it is open, returns an error that names the user
// and the commands which release the disk. Returns any other error unchanged.
Error with_user(World &world, const DiskName &disk, Error error);

// Acknowledges lost writes, so that flushes of the disk succeed again. Undo cannot reverse this.
ChangePointer change_loss(const DiskName &disk);

} // namespace causeway
