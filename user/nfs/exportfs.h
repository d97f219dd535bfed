// SPDX-License-Identifier: GPL-2.0-or-later
// exportfs(8), called for one folder: "exportfs -r" would end the exports that a cluster manager or
// an administrator made with "exportfs -o" and that no file has, and "exportfs -a" would begin
// those of other files.
#pragma once

#include "machine/world.h"
#include "nfs/server.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

using CommandLines = std::vector<std::vector<std::string>>;

// The drop-in of a folder, and those that are there.
std::filesystem::path exports_place(const Places &places, const std::string &path);
// None where they cannot be listed.
std::vector<std::filesystem::path> our_exports(const Places &places);

// How exportfs names an export: "10.0.0.0/24:/srv", "[fd00::]/64:/srv".
std::string export_target(const std::string &hosts, const std::string &path);
// "exportfs -i -o rw,sync 10.0.0.0/24:/srv" for each of the hosts in a drop-in. With -i exportfs
// does not read the files: it neither merges options of another line nor complains of one.
CommandLines export_commands(const std::vector<ExportedFolder> &folders);
CommandLines export_commands(std::string_view text);
// "exportfs -u 10.0.0.0/24:/srv".
CommandLines unexport_commands(std::string_view text);
// "exportfs 10.0.0.0/24:/srv", with the options that a file of somebody else has, for those exports
// of a drop-in that are in such a file too: after unexport_commands(), and without the drop-in. A
// file that cannot be read is a warning: to end an export must work all the same.
CommandLines commands_of_others(const Places &places, std::string_view text,
                                std::vector<std::string> &warnings);
// As a shell would take it.
std::string shown(const std::vector<std::string> &words);

// The exports in effect at present, with all their options, that are those of a drop-in which is
// not written yet: somebody made them by exportfs alone. An error where the table of exports cannot
// be read; none where there is no table.
Result<std::vector<ExportedFolder>> live_exports(const Places &places, std::string_view text);

// An export in a file of somebody else.
struct OtherExport {
    std::string hosts;
    std::filesystem::path place;
};
// One of a folder to the same hosts as an export in this drop-in. An error where a file cannot be
// read.
Result<std::optional<OtherExport>> export_of_others(const Places &places, std::string_view text);

// Another folder that some of the same hosts may mount and that has the same fsid: these hosts
// would get either folder. With a UUID only roots of file systems are alike.
struct FsidHolder {
    std::string path;
    std::filesystem::path place; // the file or the table of exports that says so
    bool ours = false;           // the file is one of "nfs serve"
};
// Looks in all files of exports and, if nfsd runs, in the table of exports in effect. An error
// where one of them cannot be read.
Result<std::optional<FsidHolder>> holder_of_fsid(World &world, const ServeSettings &settings);

// The folders in /etc/exports and in files of /etc/exports.d that are not ours. An error
// where one cannot be read.
Result<std::vector<std::string>> folders_of_others(const Places &places);

// Names what is exported besides the drop-in @own: the other drop-ins of ours, the folders in files
// of others, and the exports in effect that no file has. An error where a file or the table of
// exports cannot be read.
Result<std::vector<std::string>> exported_besides(const Places &places,
                                                  const std::filesystem::path &own);

} // namespace causeway
