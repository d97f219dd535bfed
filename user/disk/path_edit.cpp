// SPDX-License-Identifier: GPL-2.0-or-later
// path add, path remove: the paths of a disk that is attached.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "disk/attaching.h"
#include "disk/attachment_change.h"
#include "disk/path_change.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace causeway {

namespace {

using Paths = std::vector<PathSettings>;

struct PathedDisk {
    DiskName name;
    std::vector<NumberedPath> paths;                        // as the kernel has them
    std::optional<Stored<AttachmentSettings>> configured{}; // with all paths in the list
};

Paths settings_of(const std::vector<NumberedPath> &paths) {
    Paths all;
    for (const NumberedPath &path : paths) {
        all.push_back(settings_of(path.addresses));
    }
    return all;
}

std::string list_text(const Paths &paths) {
    std::vector<std::string> words;
    for (const PathSettings &path : paths) {
        words.push_back(path.text());
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

// Returns true if the file may describe these paths. A name may have had any address.
bool agree(const Paths &file, const Paths &running) {
    return std::equal(file.begin(), file.end(), running.begin(), running.end(),
                      [](const PathSettings &one, const PathSettings &other) {
                          return one.from == other.from && one.tcp == other.tcp &&
                                 (one.address == other.address ||
                                  !SocketAddress::from_text(one.address));
                      });
}

// Returns the paths of the configuration file, each with its address. A disk without a list of
// paths has one, to the name of its server. In a list, a name stands for its first address, so the
// name is kept only if it has no other one than that in force.
Paths paths_with_addresses(World &world, const AttachmentSettings &settings,
                           const PathedDisk &disk) {
    if (!settings.paths.empty() && !settings.paths.front().address.empty()) {
        return settings.paths;
    }
    const DiskPathAddresses &running = disk.paths.front().addresses;
    PathSettings only = settings.paths.empty() ? PathSettings() : settings.paths.front();
    const auto found = world.resolver.resolve(settings.disk.server);
    const bool plain =
        found && found->size() == 1 && found->front().host_text() == running.address.host_text();
    only.address = plain ? settings.disk.server.host : running.address.host_text();
    return {only};
}

Error described_otherwise(const PathedDisk &disk, const std::string &how, const std::string &fix) {
    return Error{ExitCode::failed,
                 fmt::format("{} describes {} with other settings than those in force: {}",
                             disk.configured->place.string(), disk.name.text(), how),
                 fmt::format("{}causeway detach {}, then attach it again", fix, disk.name.text())};
}

Result<PathedDisk> pathed_disk(World &world, DiskName name) {
    PathedDisk disk;
    disk.name = std::move(name);
    const auto running = TRY(running_attachment(world, disk.name));
    if (!running) {
        return not_attached(disk.name);
    }
    disk.paths = numbered_paths(*running);
    disk.configured = TRY(find_attachment(world.places, disk.name));
    if (!disk.configured) {
        return disk;
    }
    AttachmentSettings &settings = disk.configured->settings;
    settings.paths = paths_with_addresses(world, settings, disk);
    return disk;
}

// At boot, all paths of the file are looked up, and two that are the same are refused. A name may
// lead to the address of another path then, although the path to the name leads elsewhere now.
Result<void> check_for_boot(World &world, const DiskName &disk, const Paths &paths) {
    std::vector<std::pair<DiskPathAddresses, PathSettings>> ends;
    for (const PathSettings &path : paths) {
        const auto end = end_of_path(world.resolver, disk, path);
        if (!end) {
            continue; // the name may be known at boot
        }
        for (const auto &[other, settings] : ends) {
            if (have_same_ends(other, *end)) {
                return Error{ExitCode::failed,
                             fmt::format("the disk could not be attached at boot: the paths {} and "
                                         "{} of {} both lead to {}",
                                         settings.text(), path.text(), disk.text(),
                                         end->address.host_text()),
                             "give another address of the server; a name in the configuration "
                             "file stands for the first of its addresses"};
            }
        }
        ends.emplace_back(*end, path);
    }
    return {};
}

// Adds the new configuration file of the disk to the set. What was written must be read at boot.
Result<void> describe(World &world, ChangeSet &set, const PathedDisk &disk, const Paths &paths) {
    AttachmentSettings settings = disk.configured->settings;
    settings.paths = paths;
    TRY(check_for_boot(world, disk.name, paths));
    const auto text = TRY(edited_dropin(*disk.configured, settings));
    const auto read = TRY(parse_attachment_dropin(disk.configured->place.string(), text));
    if (read.paths != paths) {
        return Error{ExitCode::failed,
                     fmt::format("{} cannot describe the paths {}", disk.configured->place.string(),
                                 list_text(paths))};
    }
    return set.describe(disk.configured->place, {text, settings.key_file.empty() ? 0644U : 0600U});
}

// The file describes the disk as it was before the request, or as it is after that: a request that
// was cut off between the two is made again, and does the rest. @fresh: the new list of the file.
Result<void> describe_change(World &world, ChangeSet &set, const PathedDisk &disk,
                             const Paths &before, const Paths &after, const Paths &fresh) {
    if (!disk.configured || agree(disk.configured->settings.paths, after)) {
        return {};
    }
    if (agree(disk.configured->settings.paths, before)) {
        return describe(world, set, disk, fresh);
    }
    return described_otherwise(
        disk,
        fmt::format("the list of paths is {}, not {}", list_text(settings_of(disk.paths)),
                    list_text(disk.configured->settings.paths)),
        "if one path differs: causeway path add or causeway path remove, of that path; else: ");
}

template <typename List> List without(List list, std::size_t index) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
    return list;
}

Paths with(Paths list, std::size_t index, const PathSettings &path) {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(std::min(index, list.size())), path);
    return list;
}

// Adds the path that was added or removed. @path: none if only the file had it.
void report_path(Answer &answer, const PathedDisk &disk, const std::optional<NumberedPath> &path) {
    const auto addresses = path ? path->addresses : DiskPathAddresses();
    answer.json.update(
        {{"server", disk.name.server.text()},
         {"name", disk.name.name},
         {"number", path ? Json(path->number) : Json(nullptr)},
         {"peer", path ? Json(addresses.address.text()) : Json(nullptr)},
         {"local", or_null(addresses.local.host_text())},
         {"transport", path ? Json(transport_word(settings_of(addresses))) : Json(nullptr)}});
}

/* ---- add ---- */

Result<PathSettings> path_of(const Arguments &arguments) {
    const auto addresses = arguments.list("path");
    const auto from = arguments.list("from");
    if (addresses.size() != 1 || from.size() > 1) {
        return Error{ExitCode::usage,
                     addresses.empty() ? std::string("no path is given")
                                       : std::string("more than one path is given"),
                     "give one address of the server, --path ADDRESS, and if wanted one of this "
                     "machine, --from ADDRESS"};
    }
    PathWords words{addresses, from};
    if (const auto transport = arguments.text("transport")) {
        words.transports = {*transport};
    }
    const auto paths = TRY(parse_paths(words, "--"));
    return paths.front();
}

// The kernel gives a new path the lowest number that is free.
std::uint32_t free_number(const std::vector<NumberedPath> &paths) {
    std::uint32_t number = 0;
    for (const NumberedPath &path : paths) {
        if (path.number != number) {
            break;
        }
        number++;
    }
    return number;
}

Result<Answer> run_path_add(World &world, const Arguments &arguments) {
    const auto wanted = TRY(path_of(arguments));
    auto name = TRY(parse_disk(arguments.operands().front()));
    const auto lock = TRY(lock_attachment(world, name, arguments.dry_run()));
    auto disk = TRY(pathed_disk(world, std::move(name)));
    const auto ends = TRY(end_of_path(world.resolver, disk.name, wanted));
    const auto same =
        std::find_if(disk.paths.begin(), disk.paths.end(), [&](const NumberedPath &path) {
            return have_same_ends(path.addresses, ends);
        });
    ChangeSet set(fmt::format("path add {} {}", disk.name.text(), wanted.text()), Scope::disks);
    NumberedPath added = {free_number(disk.paths), ends};
    std::size_t index = added.number; // in the list: all lower numbers have a path
    Paths before = settings_of(disk.paths);
    Paths after = before;
    if (same != disk.paths.end()) {
        added = *same;
        index = static_cast<std::size_t>(same - disk.paths.begin());
        before = without(std::move(before), index);
    } else if (disk.paths.size() >= most_paths) {
        return Error{ExitCode::failed,
                     fmt::format("{} has {} paths, and a disk has at most {}", disk.name.text(),
                                 disk.paths.size(), most_paths),
                     "remove one before: causeway path remove"};
    } else {
        set.add(change_path(disk.name, settings_of(ends), true));
        after = with(std::move(after), index, settings_of(ends));
    }
    const Paths listed = disk.configured ? disk.configured->settings.paths : Paths();
    TRY(describe_change(world, set, disk, before, after, with(listed, index, wanted)));
    auto answer = TRY(carry_out(world, {arguments.dry_run()}, set, "the disk has this path"));
    report_path(answer, disk, added);
    return answer;
}

/* ---- remove ---- */

bool is_named(const PathSettings &path, const std::string &word) {
    const auto address = SocketAddress::from_text(word);
    return path.address == (address ? address->host_text() : word);
}

// Returns the index of the path that is named by its number or the address of the server; none if
// the disk has no such path.
Result<std::optional<std::size_t>> named_path(const PathedDisk &disk, const std::string &word) {
    const Paths listed = disk.configured ? disk.configured->settings.paths : Paths();
    const bool names = listed.size() == disk.paths.size(); // the file has names of these paths
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < disk.paths.size(); i++) {
        if (word == fmt::format("{}", disk.paths[i].number) ||
            is_named(settings_of(disk.paths[i].addresses), word) ||
            (names && is_named(listed[i], word))) {
            found.push_back(i);
        }
    }
    if (found.size() > 1) {
        return Error{
            ExitCode::usage,
            fmt::format("{} has {} paths to {}", disk.name.text(), found.size(), word),
            fmt::format("give the number of one, see causeway path list {}", disk.name.text())};
    }
    return found.empty() ? std::optional<std::size_t>() : std::optional(found.front());
}

// The disk does not have the path. An earlier request may have been cut off before the file was
// written.
Result<Answer> forget_path(World &world, const Arguments &arguments, const PathedDisk &disk) {
    const std::string &word = arguments.operands().back();
    const Paths listed = disk.configured ? disk.configured->settings.paths : Paths();
    const Paths running = settings_of(disk.paths);
    for (std::size_t i = 0; i < listed.size(); i++) {
        const Paths fresh = without(listed, i);
        if (!is_named(listed[i], word) || !agree(fresh, running)) {
            continue;
        }
        ChangeSet set(fmt::format("path remove {} {}", disk.name.text(), listed[i].text()),
                      Scope::disks);
        TRY(describe(world, set, disk, fresh));
        auto answer = TRY(carry_out(world, {arguments.dry_run()}, set, ""));
        report_path(answer, disk, std::nullopt);
        answer.json["fencing"] = false;
        return answer;
    }
    return Error{ExitCode::failed, fmt::format("{} has no path {}", disk.name.text(), word),
                 fmt::format("see causeway path list {}", disk.name.text())};
}

// Returns true if the path ended before it had answered its commands. The kernel shows a removed
// path until it is fenced.
bool is_fencing(World &world, const DiskName &disk, std::uint32_t number) {
    const auto sessions = world.kernel.sessions();
    if (!sessions) {
        return false;
    }
    for (const SessionInfo &session : *sessions) {
        if (session.role != CW_ROLE_CLIENT || session.server != disk.server.text() ||
            session.name != disk.name) {
            continue;
        }
        return std::any_of(session.paths.begin(), session.paths.end(), [&](const DiskPath &path) {
            return path.number == number && path.fencing;
        });
    }
    return false;
}

// Adds whether the writes of a removed path wait for its fence.
void report_fence(Answer &answer, const DiskName &disk, std::uint32_t number, bool fencing) {
    answer.json["fencing"] = fencing;
    if (fencing) {
        answer.text += fmt::format("path {} of {} ended before it had answered its commands: its "
                                   "writes wait until the server has fenced it\n",
                                   number, disk.text());
    }
}

Result<Answer> run_path_remove(World &world, const Arguments &arguments) {
    auto name = TRY(parse_disk(arguments.operands().front()));
    const auto lock = TRY(lock_attachment(world, name, arguments.dry_run()));
    auto disk = TRY(pathed_disk(world, std::move(name)));
    const auto index = TRY(named_path(disk, arguments.operands().back()));
    if (!index) {
        return forget_path(world, arguments, disk);
    }
    const NumberedPath removed = disk.paths[*index];
    if (disk.paths.size() == 1) {
        return Error{ExitCode::failed,
                     fmt::format("path {} is the only one of {}", removed.number, disk.name.text()),
                     fmt::format("to end the use of the disk: causeway detach {}; to move it to "
                                 "another path, add that one before: causeway path add",
                                 disk.name.text())};
    }
    const PathSettings path = settings_of(removed.addresses);
    ChangeSet set(fmt::format("path remove {} {}", disk.name.text(), path.text()), Scope::disks);
    set.add(change_path(disk.name, path, false));
    const Paths before = settings_of(disk.paths);
    const Paths listed = disk.configured ? disk.configured->settings.paths : Paths();
    const Paths fresh = listed.size() == before.size() ? without(listed, *index) : listed;
    TRY(describe_change(world, set, disk, before, without(before, *index), fresh));
    auto answer = TRY(carry_out(world, {arguments.dry_run()}, set, ""));
    report_path(answer, disk, removed);
    report_fence(answer, disk.name, removed.number,
                 !arguments.dry_run() && is_fencing(world, disk.name, removed.number));
    return answer;
}

const VerbRows path_change_rows(Section::disks, 9, [] {
    return std::vector<Verb>{
        {
            .words = "path add",
            .operands = "SERVER/NAME",
            .summary = "add a path to an attached disk, now and at boot",
            .options = {{"path", "ADDRESS", "address of the server to which the path leads", true},
                        {"from", "ADDRESS",
                         "address of this machine from which the path connects; by default the "
                         "routes decide, as with the word any",
                         true},
                        {"transport", "rdma|tcp", "how the path connects; by default rdma"}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_path_add,
        },
        {
            .words = "path remove",
            .operands = "SERVER/NAME ADDRESS|NUMBER",
            .summary = "remove a path of an attached disk, now and at boot; its I/O goes on by "
                       "another one",
            .least_operands = 2,
            .most_operands = 2,
            .changes = true,
            .run = run_path_remove,
        },
    };
});

} // namespace

} // namespace causeway
