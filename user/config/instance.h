// SPDX-License-Identifier: GPL-2.0-or-later
// The server's unbroken life, told by a UUID.
//
// A client that holds unflushed writes compares the instance after a reconnect: the same UUID says
// that nothing the server acknowledged can be lost. So the UUID may go on only (a) while the target
// module that was told it is still loaded, or (b) across a stop in which the kernel said that
// everything was flushed; a mark in /var/lib/causeway/instance stands for the latter and is
// removed, durably, before an export exists again. Any other start (crash, power cut, a module
// loaded anew) gets a new UUID.
#pragma once

#include "base/places.h"
#include "base/result.h"
#include "base/uuid.h"

#include <optional>
#include <string>
#include <string_view>

namespace causeway {

struct InstanceRecord {
    Uuid instance;
    Uuid boot; // in which it was written
    bool clean = false;

    bool operator==(const InstanceRecord &) const = default;
};

struct InstanceSight {
    std::optional<InstanceRecord> record; // of the file
    Uuid kernel;                          // what the target holds; nil when it was told none
    bool exports = false;                 // the target has some
    Uuid boot;                            // this boot
};

struct InstancePlan {
    bool new_instance = false;           // record.instance is nil and to be drawn
    bool tell_kernel = false;            // before the first export
    std::optional<InstanceRecord> write; // before the kernel is told
};

// What a verb that adds exports does first.
InstancePlan plan_start(const InstanceSight &sight);

// The record that a stop writes, if it may: the kernel said all is flushed, and the life that ended
// is the one on record.
std::optional<InstanceRecord> plan_stop(const InstanceSight &sight, bool kernel_clean);

std::string instance_text(const InstanceRecord &record);
// A file that cannot be read as a record counts as none: the next start is then a new instance.
std::optional<InstanceRecord> parse_instance(std::string_view content);

Result<std::optional<InstanceRecord>> load_instance(const Places &places);
Result<void> store_instance(const Places &places, const InstanceRecord &record);

} // namespace causeway
