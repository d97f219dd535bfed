// SPDX-License-Identifier: GPL-2.0-or-later
// The files that keep settings of an RDMA device for the next boot have its name: in their own
// names, and in the commands of units.
#pragma once

#include "change/change_set.h"

#include <string>

namespace causeway {

// Adds the changes that write what "roce mode", "roce tos", "port enable", "port disable" and
// "port type" keep of the device under its new name. Changes no file that Causeway did not write.
Result<void> plan_new_device_name(World &world, ChangeSet &set, const std::string &from,
                                  const std::string &to);

} // namespace causeway
