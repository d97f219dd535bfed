// SPDX-License-Identifier: GPL-2.0-or-later
// The change of the initiators that may attach an export, and of their secrets, while clients have
// it attached.
#pragma once

#include "change/change.h"
#include "stock/configfs.h"
#include "stock/target.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct AccessEdit {
    std::string subject;             // "the export 'x' by iSCSI"
    std::string probe;               // of the export
    std::vector<ConfigStep> taken{}; // reversed, of initiators that are no longer admitted
    std::vector<ConfigStep> made{};  // of initiators that are admitted now
    // A value with the text after the edit, and the text before it in `back`.
    std::optional<ConfigStep> openness{};
    // Secrets that are written anew: from the file in `text`, and by undo from that in `back`.
    std::vector<ConfigStep> secrets{};
    // Reversed and made again at the end, which ends all connections.
    std::vector<ConfigStep> cut{};
    // Initiators that are no longer admitted may keep their connections.
    bool leaves_some = false;

    bool empty() const {
        return taken.empty() && made.empty() && !openness && secrets.empty() && cut.empty();
    }
};

ChangePointer change_access(AccessEdit edit);

} // namespace causeway
