// SPDX-License-Identifier: GPL-2.0-or-later
// Attaches one disk, for "attach", "restore" and undo.
#pragma once

#include "base/disk_settings.h"
#include "base/durable_file.h"
#include "base/result.h"
#include "machine/world.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// Returns the kernel's attachment of this disk; none if the disk is not attached.
Result<std::optional<AttachmentInfo>> running_attachment(World &world, const DiskName &disk);

Error not_attached(const DiskName &disk);

// Returns the lock that a command holds from the moment at which it reads the state of the disk
// until it has changed the attachment and its file.
std::filesystem::path attachment_lock(const Places &places, const DiskName &disk);
// Takes this lock, and may wait for a command that waits for a server. Takes none for a @dry_run.
Result<std::optional<FileLock>> lock_attachment(const World &world, const DiskName &disk,
                                                bool dry_run = false);

struct BroughtUp {
    std::string disk; // the block device; may be empty in the background
    std::vector<std::string> warnings{};
};

// Returns the numbers that the kernel reports.
AttachNumbers numbers_of(const AttachmentInfo &info);

// Returns the addresses of the paths that the kernel reports.
std::vector<DiskPathAddresses> running_paths(const AttachmentInfo &info);

PathSettings settings_of(const DiskPathAddresses &path);

// Returns the same paths with IP addresses in place of names, as these resolve now. Of a name that
// has several addresses, the first one of the family of the local address counts.
Result<std::vector<PathSettings>> resolved_paths(Resolver &resolver,
                                                 const AttachmentSettings &settings);

// Returns a path for each address of the server, in the order in which to try them.
Result<std::vector<DiskPathAddresses>> ends_of_server(Resolver &resolver, const ServerName &server,
                                                      bool tcp);

// Returns the addresses of one path. Of a name that has several addresses, the first one of the
// family of the local address counts.
Result<DiskPathAddresses> end_of_path(Resolver &resolver, const DiskName &disk,
                                      const PathSettings &path);

// Returns true if two paths of a disk have the same addresses and transport, and are the same path
// therefore.
bool have_same_ends(const DiskPathAddresses &one, const DiskPathAddresses &other);

// Attaches the disk by all of its paths. A disk without paths has one, to the first address of the
// server's name; after an error of the network (is_of_the_network()) tries the next address.
// @background: the kernel returns before it has connected, so only the first address is used.
Result<BroughtUp> bring_up(World &world, const AttachmentSettings &settings, bool background);

} // namespace causeway
