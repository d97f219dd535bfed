// SPDX-License-Identifier: GPL-2.0-or-later
// The change of the type of service that connections from a RoCE port have by default.
#pragma once

#include "change/change.h"
#include "machine/kernel_files.h"

#include <optional>
#include <string>

namespace causeway {

inline constexpr unsigned int most_tos = 255;

struct RoceTos {
    std::string device;
    unsigned int port = 0;
    unsigned int before = 0; // 0 to 255
    unsigned int after = 0;
};
// If configfs has no folder of the device, the change makes it, and undo leaves it there.
ChangePointer change_roce_tos(RoceTos tos);

// Returns the type of service of the port. Returns none if configfs does not show the device; the
// kernel's default is 0 then.
std::optional<unsigned int> roce_tos_now(KernelFiles &files, const std::string &device,
                                         unsigned int port);

} // namespace causeway
