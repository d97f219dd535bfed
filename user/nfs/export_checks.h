// SPDX-License-Identifier: GPL-2.0-or-later
// Checks whether a folder can be exported: for "nfs serve", and again for the undo of "nfs
// unserve", because other exports may have been added since.
#pragma once

#include "machine/world.h"
#include "nfs/exportfs.h"
#include "nfs/server.h"

#include <string>
#include <string_view>

namespace causeway {

// Returns an error if the path does not exist or is no folder.
Result<void> check_folder(const std::string &path);

// Returns an error if another folder has the fsid of these options for some of the same hosts.
Result<void> check_fsid_is_free(World &world, const ServeSettings &settings);

// Returns the commands that make the present exports of this folder to these hosts again. Those
// were made by exportfs alone: returns an error if a file that Causeway did not write exports the
// folder to one of the same hosts, because exportfs uses the first of two such lines, and the end
// of Causeway's export would end both. Returns an error if a present export has another fsid.
Result<CommandLines> exported_by_others(const World &world, const ServeSettings &settings);

// Makes all these checks for each folder in @text, a drop-in of exports(5).
Result<void> check_exports(World &world, std::string_view text);

} // namespace causeway
