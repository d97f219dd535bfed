// SPDX-License-Identifier: GPL-2.0-or-later
// Calls exportfs(8) for single folders. "exportfs -r" would end the exports that a cluster manager
// or an administrator made with "exportfs -o" and that no file has, and "exportfs -a" would begin
// the exports in files of other programs.
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

// Returns the path of Causeway's drop-in for a folder.
std::filesystem::path exports_place(const Places &places, const std::string &path);
// Returns Causeway's drop-ins that exist; none if they cannot be listed.
std::vector<std::filesystem::path> our_exports(const Places &places);

// Returns the name of an export for exportfs: "10.0.0.0/24:/srv", "[fd00::]/64:/srv".
std::string export_target(const std::string &hosts, const std::string &path);
// Returns "exportfs -i -o rw,sync 10.0.0.0/24:/srv" for each of the hosts in a drop-in. With -i
// exportfs reads no files, so it neither merges options from another line nor complains about one.
CommandLines export_commands(const std::vector<ExportedFolder> &folders);
CommandLines export_commands(std::string_view text);
// Returns "exportfs -u 10.0.0.0/24:/srv" for each of the hosts in a drop-in.
CommandLines unexport_commands(std::string_view text);
// Returns "exportfs 10.0.0.0/24:/srv" for each export of the drop-in @text that a file not of
// Causeway has too. exportfs then uses the options of that file. Run them after unexport_commands()
// and after the removal of the drop-in. A file that cannot be read is a warning, because the end of
// an export must succeed all the same.
CommandLines commands_of_others(const Places &places, std::string_view text,
                                std::vector<std::string> &warnings);
// Returns the command with the quotes that a shell needs.
std::string shown(const std::vector<std::string> &words);

// Returns the exports in effect, with all their options, of the folders to the hosts in @text.
// @text is a drop-in that is not written yet, so another program made these exports. Returns an
// error if the table of exports cannot be read; none if there is no table.
Result<std::vector<ExportedFolder>> live_exports(const Places &places, std::string_view text);

// An export in a file that Causeway did not write.
struct OtherExport {
    std::string hosts;
    std::filesystem::path place;
};
// Returns such an export with the same folder and hosts as one in the drop-in @text; none if there
// is none. Returns an error if a file cannot be read.
Result<std::optional<OtherExport>> export_of_others(const Places &places, std::string_view text);

// Another folder with the same fsid that some of the same hosts may mount: these hosts could get
// either folder. If the fsid is a UUID, this happens only between roots of file systems.
struct FsidHolder {
    std::string path;
    std::filesystem::path place; // the file or the table of exports with this fsid
    bool ours = false;           // "nfs serve" wrote the file
};
// Searches all files of exports and, if nfsd runs, the table of exports in effect. Returns none if
// the settings' options have no fsid, and an error if a file or the table cannot be read.
Result<std::optional<FsidHolder>> holder_of_fsid(World &world, const ServeSettings &settings);

// Returns the folders in /etc/exports and in the files of /etc/exports.d that Causeway did not
// write. Returns an error if a file cannot be read.
Result<std::vector<std::string>> folders_of_others(const Places &places);

// Returns the names of what is exported besides the drop-in @own: Causeway's other drop-ins, the
// folders in files that Causeway did not write, and the exports in effect that no file has. Returns
// an error if a file or the table of exports cannot be read.
Result<std::vector<std::string>> exported_besides(const Places &places,
                                                  const std::filesystem::path &own);

} // namespace causeway
