// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/export_checks.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

// Returns an error unless the export in effect has the wanted fsid.
Result<void> check_live_fsid(const std::string &path, const std::string &live,
                             const std::string &wanted) {
    if (same_fsid(live, wanted)) {
        return {};
    }
    return Error{ExitCode::failed,
                 fmt::format("{} is exported already, {}, and is in no file: another fsid makes "
                             "what clients have open stale (ESTALE)",
                             path, live.empty() ? "without an fsid" : "with fsid=" + live),
                 live.empty() ? fmt::format("leave fsid={} out, or end that export first", wanted)
                              : fmt::format("give -o fsid={} too, or end that export first", live)};
}

// Hosts that are not given as a network count as every host.
ServeSettings settings_of(const std::string &path, const ExportedTo &to) {
    ServeSettings settings;
    settings.path = path;
    settings.options = to.options;
    if (const auto network = parse_prefix(to.hosts)) {
        settings.to.push_back(*network);
    }
    return settings;
}

} // namespace

Result<void> check_folder(const std::string &path) {
    std::error_code failure;
    const auto status = fs::status(path, failure);
    if (failure || status.type() == fs::file_type::not_found) {
        return Error{ExitCode::unavailable, fmt::format("there is no folder {}", path),
                     fmt::format("mkdir -p {}", path)};
    }
    if (status.type() != fs::file_type::directory) {
        return Error{ExitCode::unavailable, fmt::format("{} is not a folder", path),
                     "serve the folder that it is in"};
    }
    return {};
}

Result<void> check_fsid_is_free(World &world, const ServeSettings &settings) {
    const auto holder = TRY(holder_of_fsid(world, settings));
    if (!holder) {
        return {};
    }
    const FsidHolder &other = *holder;
    return Error{ExitCode::failed,
                 fmt::format("{} cannot be served with fsid={}: {} has this fsid already for hosts "
                             "of the same networks, by {}",
                             settings.path, fsid_of_options(settings.options), other.path,
                             other.place.string()),
                 fmt::format("give another fsid, or first {}",
                             other.ours ? "run: causeway nfs unserve " + shown({other.path})
                                        : "end the export of " + other.path)};
}

Result<CommandLines> exported_by_others(const World &world, const ServeSettings &settings) {
    const std::string text = exports_text(settings);
    const auto other = TRY(export_of_others(world.places, text));
    if (other) {
        return Error{ExitCode::failed,
                     fmt::format("{} is exported to {} already, by {}", settings.path, other->hosts,
                                 other->place.string()),
                     "give other hosts, or remove these from that file and try again: clients go "
                     "on where the options are the same"};
    }
    const auto live = TRY(live_exports(world.places, text));
    const std::string wanted = fsid_of_options(settings.options);
    for (const ExportedFolder &folder : live) {
        for (const ExportedTo &each : folder.to) {
            TRY(check_live_fsid(settings.path, fsid_of_options(each.options), wanted));
        }
    }
    return export_commands(live);
}

Result<void> check_exports(World &world, std::string_view text) {
    for (const ExportedFolder &folder : exported_folders(text)) {
        TRY(check_folder(folder.path));
        for (const ExportedTo &to : folder.to) {
            const ServeSettings settings = settings_of(folder.path, to);
            TRY(check_fsid_is_free(world, settings));
            TRY(exported_by_others(world, settings));
        }
    }
    return {};
}

} // namespace causeway
