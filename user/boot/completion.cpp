// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of the names of kernel modules.
#include "command/completion.h"
#include "boot/memlock_limits.h"
#include "host/rdma_modules.h"

namespace causeway {

namespace {

using Names = std::vector<std::string>;

Names modules(World & /*world*/) {
    Names names;
    for (const KnownModule &module : known_rdma_modules()) {
        names.emplace_back(module.name);
    }
    return names;
}

Names limited_names(World &world) {
    const auto limits = load_memlock_limits(world.places);
    return limits ? limits->names() : Names();
}

const CompletionSource source_of_limit_to_unset("limits unset", "WHO", limited_names);
const CompletionSource source_of_module_to_load("", "MODULE", modules);

} // namespace

} // namespace causeway
