// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/exportfs.h"

#include "base/systemd_name.h"
#include "host/mount_table.h"

#include "base/durable_file.h"
#include "nfs/mounting.h"
#include "nfs/units.h"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view exports_prefix = "causeway-";
constexpr std::string_view exports_suffix = ".exports";
// The table of exports in effect, which exportfs keeps. It includes exports that no file has.
constexpr const char *export_table = "var/lib/nfs/etab";

bool is_ours(const fs::path &place) {
    const std::string name = place.filename().string();
    return name.substr(0, exports_prefix.size()) == exports_prefix;
}

// Returns true for regular files and links to them, which exportfs reads. If the type is unknown,
// returns true, and reading the file gives the error.
bool is_read(const fs::path &place) {
    if (place.extension() != exports_suffix || place.filename().string().front() == '.') {
        return false;
    }
    std::error_code failure;
    switch (fs::status(place, failure).type()) {
    case fs::file_type::regular:
    case fs::file_type::not_found:
    case fs::file_type::none:
    case fs::file_type::unknown:
        return true;
    default:
        return false;
    }
}

// Returns the files that exportfs reads, by name; none if the folder does not exist.
Result<std::vector<fs::path>> list_exports(const fs::path &folder) {
    std::vector<fs::path> places;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        if (is_read(entry->path())) {
            places.push_back(entry->path());
        }
    }
    if (failure && failure != std::errc::no_such_file_or_directory) {
        return Error{ExitCode::failed,
                     fmt::format("it is not known what is exported already: cannot list {}: {}",
                                 folder.string(), failure.message()),
                     fmt::format("make {} a folder that root can list; for the exports in effect "
                                 "see: exportfs -v",
                                 folder.string()),
                     failure.value()};
    }
    std::sort(places.begin(), places.end());
    return places;
}

// Does the same, but returns none if they cannot be listed.
std::vector<fs::path> exports_files(const fs::path &folder) {
    const auto places = list_exports(folder);
    return places ? *places : std::vector<fs::path>();
}

// Returns /etc/exports and those of the drop-ins that Causeway did not write.
std::vector<fs::path> besides_ours(const Places &places, std::vector<fs::path> dropins) {
    dropins.erase(std::remove_if(dropins.begin(), dropins.end(), is_ours), dropins.end());
    dropins.insert(dropins.begin(), places.of_others("etc/exports"));
    return dropins;
}

Result<std::vector<fs::path>> files_of_others(const Places &places) {
    auto dropins = TRY(list_exports(places.nfs_exports()));
    return besides_ours(places, std::move(dropins));
}

std::string how_to_read(const fs::path &place, const Error &error) {
    if (error.system_error != 0) {
        return fmt::format("make {} a plain file that root can read; for the exports in effect "
                           "see: exportfs -v",
                           place.string());
    }
    // The file is larger than read_small_file() accepts.
    return place.filename() == fs::path(export_table).filename()
               ? "end exports that are not needed; see: exportfs -v"
               : "split it into files below 1 MiB in /etc/exports.d";
}

// Returns none if there is no such file.
Result<std::vector<ExportedFolder>> folders_in(const fs::path &place) {
    const auto text = read_small_file(place);
    if (!text) {
        Error error = text.error();
        error.what = fmt::format("it is not known what is exported already: {}", error.what);
        if (error.fix.empty()) {
            error.fix = how_to_read(place, error);
        }
        return error;
    }
    return *text ? exported_folders(**text) : std::vector<ExportedFolder>();
}

// Returns the hosts of the first export in @ours that is also in @others.
std::optional<std::string> hosts_in_both(const std::vector<ExportedFolder> &ours,
                                         const std::vector<ExportedFolder> &others) {
    for (const ExportedFolder &mine : ours) {
        for (const ExportedTo &each : mine.to) {
            const auto has = [&](const ExportedFolder &other) {
                return other.path == mine.path &&
                       std::any_of(other.to.begin(), other.to.end(),
                                   [&](const ExportedTo &to) { return to.hosts == each.hosts; });
            };
            if (std::any_of(others.begin(), others.end(), has)) {
                return each.hosts;
            }
        }
    }
    return std::nullopt;
}

Result<std::vector<std::string>> mount_points(KernelFiles &files) {
    std::vector<std::string> directories;
    const auto text = TRY(files.read(mountinfo_place));
    for (MountLine &line : visible_mounts(text.value_or(std::string()))) {
        directories.push_back(std::move(line.directory));
    }
    return directories;
}

// Names, wildcards, netgroups and netmasks may include any host.
bool may_be_in_both(const std::string &hosts, const std::vector<Prefix> &networks) {
    const auto network = parse_prefix(hosts);
    return !network || networks.empty() ||
           std::any_of(networks.begin(), networks.end(), [&](const Prefix &each) {
               return covers(*network, each) || covers(each, *network);
           });
}

} // namespace

fs::path exports_place(const Places &places, const std::string &path) {
    return places.nfs_exports() /
           fmt::format("{}{}{}", exports_prefix, escaped_path(path), exports_suffix);
}

std::vector<fs::path> our_exports(const Places &places) {
    auto found = exports_files(places.nfs_exports());
    found.erase(std::remove_if(found.begin(), found.end(),
                               [](const fs::path &place) { return !is_ours(place); }),
                found.end());
    return found;
}

std::string export_target(const std::string &hosts, const std::string &path) {
    if (hosts.find(':') == std::string::npos) {
        return fmt::format("{}:{}", hosts, path);
    }
    const std::size_t slash = std::min(hosts.find('/'), hosts.size());
    return fmt::format("[{}]{}:{}", hosts.substr(0, slash), hosts.substr(slash), path);
}

CommandLines export_commands(const std::vector<ExportedFolder> &folders) {
    CommandLines commands;
    for (const ExportedFolder &folder : folders) {
        for (const ExportedTo &each : folder.to) {
            commands.push_back(
                {"exportfs", "-i", "-o", each.options, export_target(each.hosts, folder.path)});
        }
    }
    return commands;
}

CommandLines export_commands(std::string_view text) {
    return export_commands(exported_folders(text));
}

CommandLines unexport_commands(std::string_view text) {
    CommandLines commands;
    for (const ExportedFolder &folder : exported_folders(text)) {
        for (const ExportedTo &each : folder.to) {
            commands.push_back({"exportfs", "-u", export_target(each.hosts, folder.path)});
        }
    }
    return commands;
}

CommandLines commands_of_others(const Places &places, std::string_view text,
                                std::vector<std::string> &warnings) {
    const auto warn = [&](const Error &error) {
        warnings.push_back(fmt::format(
            "{}; if others export the folder to the same hosts there, put that right, then run "
            "exportfs -r, which ends all exports that no file has",
            error.what));
    };
    const auto dropins = list_exports(places.nfs_exports());
    if (!dropins) {
        warn(dropins.error());
    }
    std::vector<ExportedFolder> others;
    for (const fs::path &place :
         besides_ours(places, dropins ? *dropins : std::vector<fs::path>())) {
        if (const auto found = folders_in(place)) {
            others.insert(others.end(), found->begin(), found->end());
        } else {
            warn(found.error());
        }
    }
    CommandLines commands;
    for (const ExportedFolder &folder : exported_folders(text)) {
        for (const ExportedTo &each : folder.to) {
            if (hosts_in_both({{folder.path, {each}}}, others)) {
                commands.push_back({"exportfs", export_target(each.hosts, folder.path)});
            }
        }
    }
    return commands;
}

Result<std::vector<ExportedFolder>> live_exports(const Places &places, std::string_view text) {
    const auto ours = exported_folders(text);
    const auto table = TRY(folders_in(places.of_others(export_table)));
    std::vector<ExportedFolder> live;
    for (const ExportedFolder &folder : table) {
        for (const ExportedTo &each : folder.to) {
            if (hosts_in_both({{folder.path, {each}}}, ours)) {
                live.push_back({folder.path, {each}});
            }
        }
    }
    return live;
}

std::string shown(const std::vector<std::string> &words) {
    std::string line;
    for (const std::string &word : words) {
        const bool plain = !word.empty() && word.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                                "UVWXYZ0123456789-_./:,=@%+") == std::string::npos;
        std::string quoted;
        for (const char c : word) {
            quoted += c == '\'' ? "'\\''" : std::string(1, c);
        }
        line += fmt::format("{}{}", line.empty() ? "" : " ",
                            plain ? word : fmt::format("'{}'", quoted));
    }
    return line;
}

Result<std::optional<OtherExport>> export_of_others(const Places &places, std::string_view text) {
    const auto ours = exported_folders(text);
    const auto files = TRY(files_of_others(places));
    for (const fs::path &place : files) {
        const auto found = TRY(folders_in(place));
        if (const auto hosts = hosts_in_both(ours, found)) {
            return std::optional(OtherExport{*hosts, place});
        }
    }
    return std::optional<OtherExport>();
}

Result<std::optional<FsidHolder>> holder_of_fsid(World &world, const ServeSettings &settings) {
    const std::string fsid = fsid_of_options(settings.options);
    if (fsid.empty()) {
        return std::optional<FsidHolder>();
    }
    // If the fsid is a UUID, nfsd adds the inode of a folder that is not the root of its file
    // system.
    const bool whole = is_fsid_number(fsid);
    const auto roots = TRY(mount_points(world.files));
    const auto counts = [&](const std::string &path) {
        return whole || std::find(roots.begin(), roots.end(), path) != roots.end();
    };
    if (!counts(settings.path)) {
        return std::optional<FsidHolder>();
    }
    std::vector<fs::path> tables = TRY(list_exports(world.places.nfs_exports()));
    tables.insert(tables.begin(), world.places.of_others("etc/exports"));
    // The table is stale if nfsd ended without exportfs, so it counts only while nfsd runs.
    if (TRY(nfsd_runs(world.files))) {
        tables.push_back(world.places.of_others(export_table));
    }
    const auto has = [&](const ExportedTo &to) {
        return same_fsid(fsid_of_options(to.options), fsid) &&
               may_be_in_both(to.hosts, settings.to);
    };
    for (const fs::path &place : tables) {
        const auto found = TRY(folders_in(place));
        for (const ExportedFolder &folder : found) {
            const std::string path = real_directory(folder.path);
            if (std::any_of(folder.to.begin(), folder.to.end(), has) && path != settings.path &&
                counts(path)) {
                return std::optional(FsidHolder{folder.path, place, is_ours(place)});
            }
        }
    }
    return std::optional<FsidHolder>();
}

Result<std::vector<std::string>> folders_of_others(const Places &places) {
    std::vector<std::string> paths;
    const auto files = TRY(files_of_others(places));
    for (const fs::path &place : files) {
        const auto found = TRY(folders_in(place));
        for (const ExportedFolder &folder : found) {
            if (std::find(paths.begin(), paths.end(), folder.path) == paths.end()) {
                paths.push_back(folder.path);
            }
        }
    }
    return paths;
}

Result<std::vector<std::string>> exported_besides(const Places &places, const fs::path &own) {
    std::vector<std::string> names;
    std::vector<ExportedFolder> known;
    for (const fs::path &place : TRY(list_exports(places.nfs_exports()))) {
        const auto found = TRY(folders_in(place));
        known.insert(known.end(), found.begin(), found.end());
        if (is_ours(place) && place != own) {
            names.push_back(place.string());
        }
    }
    const auto others = TRY(folders_of_others(places));
    names.insert(names.end(), others.begin(), others.end());
    for (const ExportedFolder &folder : TRY(folders_in(places.of_others(export_table)))) {
        for (const ExportedTo &each : folder.to) {
            const bool has_file =
                std::find(others.begin(), others.end(), folder.path) != others.end() ||
                hosts_in_both({{folder.path, {each}}}, known);
            if (!has_file) {
                names.push_back(export_target(each.hosts, folder.path));
            }
        }
    }
    return names;
}

} // namespace causeway
