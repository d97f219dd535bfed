// SPDX-License-Identifier: GPL-2.0-or-later
// The change of settings of a disk that is attached: its key, its timeouts and the policy of its
// paths. The disk stays attached.
#pragma once

#include "base/disk_settings.h"
#include "change/change.h"
#include "disk/settings_change.h"
#include "machine/kernel.h"

#include <optional>

namespace causeway {

using NewAttachmentSettings = NewSettings<AttachmentSettings>;

// Returns the settings in which @after differs from the attached disk and that can change while the
// disk is attached. A number that is not set in @after is the default of attach. A key file in
// @after always counts as different, because the kernel does not report the key. @configured: the
// settings that name the key file of the attached disk.
NewAttachmentSettings new_settings(const AttachmentInfo &running,
                                   const std::optional<AttachmentSettings> &configured,
                                   const AttachmentSettings &after);

ChangePointer change_attachment_settings(NewAttachmentSettings settings);

} // namespace causeway
