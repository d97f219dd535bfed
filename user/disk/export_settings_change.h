// SPDX-License-Identifier: GPL-2.0-or-later
// The change of settings of an export that runs: who may attach it, and how it is served. Its
// clients stay.
#pragma once

#include "base/disk_settings.h"
#include "change/change.h"
#include "disk/settings_change.h"
#include "machine/kernel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

using NewExportSettings = NewSettings<ExportSettings>;

// Returns the settings in which @after differs from @running and that can change while the export
// runs. Sets @fixed to the differences in the others, as differences() names them. A key file in
// @after always counts as different, because the kernel does not report the key. @configured: the
// settings that name the key file and the list of addresses of the running export.
NewExportSettings new_settings(const ExportInfo &running,
                               const std::optional<ExportSettings> &configured,
                               const ExportSettings &after, std::vector<std::string> &fixed);

// Returns the differences in settings that cannot change while an export runs.
std::vector<std::string> fixed_differences(ExportSettings there, const ExportSettings &wanted);

// How a verb changes settings. The journal does not contain this.
struct ExportSettingsWay {
    bool force = false;             // end connections that the new settings do not admit
    std::uint32_t *ended = nullptr; // set to their number
};

ChangePointer change_export_settings(NewExportSettings settings, ExportSettingsWay way = {});

} // namespace causeway
