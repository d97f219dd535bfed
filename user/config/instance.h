// SPDX-License-Identifier: GPL-2.0-or-later
// The instance of the server, a UUID that names a time in which the server lost nothing.
//
// A client that has unflushed writes compares the instance after a reconnect: the same UUID means
// that nothing the server acknowledged can be lost. So the UUID may be kept only (a) while the
// target module that received it stays loaded, or (b) across a stop at which the kernel reported
// that everything was flushed. The mark "clean" in /var/lib/causeway/instance records case (b). It
// is removed, durably, before an export exists again. Any other start (after a crash, a power cut,
// or with a newly loaded module) gets a new UUID.
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
    Uuid boot; // the boot in which the record was written
    bool clean = false;

    bool operator==(const InstanceRecord &) const = default;
};

struct InstanceState {
    std::optional<InstanceRecord> record; // from the file
    Uuid kernel;                          // the instance that the target module has; nil: none
    bool exports = false;                 // the target module has exports
    Uuid boot;                            // the current boot
};

struct InstancePlan {
    bool new_instance = false;   // record.instance is nil; the caller generates a new UUID
    bool send_to_kernel = false; // send the instance to the kernel before the first export
    // Write this record before sending the instance to the kernel.
    std::optional<InstanceRecord> write;
};

// Returns what a verb that adds exports must do first.
InstancePlan plan_start(const InstanceState &state);

// Returns the record that a stop writes. Returns none unless the kernel reported that everything
// was flushed and the instance that ended is the recorded one.
std::optional<InstanceRecord> plan_stop(const InstanceState &state, bool kernel_clean);

std::string instance_text(const InstanceRecord &record);
// Returns none for a file that is not a valid record. The next start then gets a new instance.
std::optional<InstanceRecord> parse_instance(std::string_view content);

// Returns none if the file does not exist or holds no record.
Result<std::optional<InstanceRecord>> load_instance(const Places &places);
Result<void> store_instance(const Places &places, const InstanceRecord &record);

} // namespace causeway
