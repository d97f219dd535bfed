// SPDX-License-Identifier: GPL-2.0-or-later
// What "restore" and "stop" do with stock exports and attachments.
#pragma once

#include "transport/task.h"

#include <vector>

namespace causeway {

// Drop-ins that cannot be read are in the broken ones.
Result<std::vector<Task>> stock_exports_to_restore(World &world, std::vector<Error> &broken);
Result<std::vector<Task>> stock_attachments_to_restore(World &world, std::vector<Error> &broken);
Result<std::vector<Task>> stock_exports_to_stop(World &world);
Result<std::vector<Task>> stock_attachments_to_stop(World &world);

} // namespace causeway
