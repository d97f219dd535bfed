// SPDX-License-Identifier: GPL-2.0-or-later
// Completes names of disks that can be measured.
#include "command/completion.h"

namespace causeway {

namespace {

std::vector<std::string> disks_to_measure(World &world) {
    std::vector<std::string> names;
    if (const auto attachments = world.kernel.attachments()) {
        for (const AttachmentInfo &info : *attachments) {
            names.push_back(info.server + "/" + info.name);
        }
    }
    if (const auto exports = world.kernel.exports()) {
        for (const ExportInfo &info : *exports) {
            names.push_back(info.settings.name);
        }
    }
    return names;
}

const CompletionSource source_of_disk_to_measure("bench", "DISK", disks_to_measure);

} // namespace

} // namespace causeway
