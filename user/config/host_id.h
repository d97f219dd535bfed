// SPDX-License-Identifier: GPL-2.0-or-later
// The UUID by which servers know this machine.
#pragma once

#include "base/places.h"
#include "base/result.h"
#include "base/uuid.h"

#include <string_view>

namespace causeway {

// Derived from a machine ID with a constant of this application, so that the ID itself stays
// private.
Uuid host_from_machine_id(std::string_view machine_id);

struct HostId {
    Uuid uuid;
    bool fresh = false; // it was made in this boot: nothing shows yet that it outlives a reboot
};

// From /etc/machine-id; where that is empty, a random one kept in /var/lib/causeway/host, with the
// boot in which it was made.
Result<HostId> host_id(const Places &places, const Uuid &boot);

} // namespace causeway
