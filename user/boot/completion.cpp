// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of the names of kernel modules.
#include "command/completion.h"
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

const CompletionSource source_of_module_to_load("", "MODULE", modules);

} // namespace

} // namespace causeway
