// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of kernel modules for debugging, which the kernel's dynamic debug turns on and off:
// Documentation/admin-guide/dynamic-debug-howto.rst.
#pragma once

#include "base/result.h"
#include "change/change.h"
#include "machine/world.h"

#include <cstddef>
#include <string>
#include <vector>

namespace causeway {

// The place of a message in the source: "kmod/core/link/link.c:55".
using MessageSite = std::string;

// The messages of one module that is loaded.
struct DebugMessages {
    std::string module;
    std::size_t count = 0;
    std::vector<MessageSite> printed; // those that are turned on

    bool all() const { return printed.size() == count; }
};

// Returns the messages of each loaded module that has such messages, sorted by module. Returns an
// error if the kernel has no dynamic debug, or if its list cannot be read.
Result<std::vector<DebugMessages>> debug_messages(World &world);

// Returns null if the list has no such module.
const DebugMessages *messages_of(const std::vector<DebugMessages> &list, const std::string &module);

// Turns all messages of a module on or off. Undo turns those on again that @before has.
ChangePointer change_debug_messages(DebugMessages before, bool on);

} // namespace causeway
