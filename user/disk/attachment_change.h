// SPDX-License-Identifier: GPL-2.0-or-later
// An attached disk as a change: attached or detached, and a loss that is acknowledged.
#pragma once

#include "base/disk_settings.h"
#include "change/change.h"
#include "machine/kernel.h"

#include <optional>
#include <string>

namespace causeway {

// How a verb attaches or detaches; the journal does not keep it.
struct AttachmentWay {
    bool background = false;
    bool force = false;          // detach although the disk is open
    std::string link{};          // /dev/causeway/SERVER/NAME, for --dry-run
    bool loads = false;          // the module is not loaded yet, for --dry-run
    std::string *disk = nullptr; // set to the name of the disk; empty: it comes in the background
};

// An attachment as the change knows it.
struct AttachmentState {
    AttachmentSettings settings;
    // It had a key, and the name of the key file is not known: undo cannot attach it again.
    bool key_unknown = false;
};

// The state of a disk that is attached: the configured settings where they are in force, else those
// that the kernel knows.
AttachmentState state_of(const DiskName &disk, const AttachmentInfo &info,
                         const std::optional<AttachmentSettings> &configured);

// The settings of an attached disk, to be compared with the wanted ones. The kernel knows what the
// server granted: less than was asked for is no difference.
AttachmentSettings as_settings(const AttachmentInfo &info, const AttachmentSettings &wanted);

ChangePointer change_attachment(AttachmentState state, bool attached, AttachmentWay way = {});

// Flushes of a disk that has lost writes pass again.
ChangePointer change_loss(const DiskName &disk);

} // namespace causeway
