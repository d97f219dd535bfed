// SPDX-License-Identifier: GPL-2.0-or-later
// What keeps a folder from being exported: "nfs serve" asks before it exports one, and the undo of
// "nfs unserve" asks again, because other exports may have come in between.
#pragma once

#include "machine/world.h"
#include "nfs/exportfs.h"
#include "nfs/server.h"

#include <string>
#include <string_view>

namespace causeway {

// An error if it is not there or is no folder.
Result<void> check_folder(const std::string &path);

// An error if another folder has the fsid of these options for some of the same hosts.
Result<void> check_fsid_is_free(World &world, const ServeSettings &settings);

// Returns the exports of this folder that exportfs has and no file has. An error if a file of
// others exports the folder to one of the same hosts: of two such lines exportfs takes the first
// one, and the end of ours would end both. An error if an export in effect has another fsid.
Result<CommandLines> exported_by_others(const World &world, const ServeSettings &settings);

// All these checks for each folder in a drop-in of exports(5).
Result<void> check_exports(World &world, std::string_view text);

} // namespace causeway
