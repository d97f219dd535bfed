// SPDX-License-Identifier: GPL-2.0-or-later
// The UUID by which servers identify this machine.
#pragma once

#include "base/places.h"
#include "base/result.h"
#include "base/uuid.h"

#include <string_view>

namespace causeway {

// Derives a UUID from a machine ID and a constant of this application, so that the machine ID
// itself stays private.
Uuid host_from_machine_id(std::string_view machine_id);

struct HostId {
    Uuid uuid;
    bool fresh = false; // made in this boot: it is not yet known that it survives a reboot
};

// Returns the UUID derived from /etc/machine-id. If that file holds no machine ID, returns the
// random UUID in /var/lib/causeway/host; makes that file if it does not exist, with the current
// @boot in it.
Result<HostId> host_id(const Places &places, const Uuid &boot);

} // namespace causeway
