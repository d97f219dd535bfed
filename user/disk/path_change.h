// SPDX-License-Identifier: GPL-2.0-or-later
// A path that is added to an attached disk, or removed from it.
#pragma once

#include "change/change.h"
#include "disk/attaching.h"

#include <cstdint>
#include <vector>

namespace causeway {

// A path of an attached disk: its number, and its addresses as attach or "path add" gave them.
struct NumberedPath {
    std::uint32_t number = 0;
    DiskPathAddresses addresses{};
};

// Returns the paths of an attached disk in the order of their numbers.
std::vector<NumberedPath> numbered_paths(const AttachmentInfo &info);

// @path: with IP addresses. @added: the change adds the path; else removes it.
ChangePointer change_path(DiskName disk, PathSettings path, bool added);

} // namespace causeway
