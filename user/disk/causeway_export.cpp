// SPDX-License-Identifier: GPL-2.0-or-later
// Causeway's own transport in "export add" and "export remove".
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "config/dropins.h"
#include "config/key_file.h"
#include "config/server_settings.h"
#include "disk/causeway.h"
#include "disk/export_change.h"
#include "disk/export_settings_change.h"
#include "disk/exporting.h"
#include "disk/served_addresses.h"
#include "disk/server_life.h"
#include "show/words.h"
#include "stock/disk_users.h"
#include "transport/backend.h"
#include <algorithm>

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

std::string absolute(const std::string &path) {
    return fs::absolute(path).lexically_normal().string();
}

Result<void> take_backend(const Arguments &arguments, ExportSettings &settings) {
    const auto choice = TRY(take_backend(arguments, "--device DEVICE, --file FILE and --ram SIZE"));
    settings.backend = choice.kind == "device" ? Backend::device
                       : choice.kind == "file" ? Backend::file
                                               : Backend::ram;
    settings.path = choice.path;
    settings.size = choice.size;
    return {};
}

// Takes the options about the disk's owners. They depend on the other settings, which must be set.
Result<void> take_owners(const Arguments &arguments, ExportSettings &settings) {
    for (const char *option : {"state-folder", "forget-owners"}) {
        if (arguments.has(option) && !settings.keeps_ledger()) {
            return Error{ExitCode::usage,
                         fmt::format("--{} goes with a disk that may be written and that lasts: a "
                                     "{} export keeps no ledger of owners in files",
                                     option, settings.read_only ? "read-only" : "memory"),
                         "leave it out"};
        }
    }
    if (const auto folder = arguments.text("state-folder")) {
        if (!fs::path(*folder).is_absolute()) {
            return Error{ExitCode::usage,
                         fmt::format("--state-folder '{}' is not an absolute path", *folder),
                         "give a folder that is there, from '/' on"};
        }
        settings.state_folder = plain_folder(*folder);
        if (settings.state_folder.find('\n') != std::string::npos) {
            return Error{ExitCode::usage, "--state-folder has a line break in it",
                         "use another folder"};
        }
    }
    auto after = TRY(arguments.number("takeover-after", 0, longest_takeover));
    if (after) {
        TRY(check_takeover(settings, "--takeover-after"));
        settings.takeover_after = static_cast<std::uint32_t>(*after);
    }
    return {};
}

// Takes the hosts that may attach the disk. No disk is open to every host unless an administrator
// allows it.
Result<void> take_clients(const Arguments &arguments, ExportSettings &settings) {
    auto allowed = TRY(parse_allow_list(arguments.list("allow")));
    settings.allow = std::move(allowed.networks);
    settings.allow_any = allowed.any;
    if (const auto file = arguments.text("key-file")) {
        settings.key_file = absolute(*file);
        TRY(read_key(settings.key_file));
    }
    if (settings.allow.empty() && !settings.allow_any && settings.key_file.empty()) {
        return Error{ExitCode::usage, "no option names the hosts that may attach the disk",
                     "give --allow CIDR, or --key-file FILE, or --allow any for every host that "
                     "reaches this one"};
    }
    return {};
}

Result<ExportSettings> export_of(const Arguments &arguments) {
    ExportSettings settings;
    settings.name = TRY(parse_export_name(arguments.operands().front()));
    TRY(take_backend(arguments, settings));
    settings.read_only = arguments.has("read-only");
    settings.exclusive = arguments.has("exclusive");
    settings.write_through = arguments.has("write-through");
    settings.tcp = arguments.has("tcp");
    TRY(take_owners(arguments, settings));
    TRY(take_clients(arguments, settings));
    TRY(parse_export_addresses("--address", arguments.list("address"), settings));
    if (const auto typed = arguments.text("uuid")) {
        settings.identity = Uuid::parse(*typed);
        if (!settings.identity || settings.identity->is_nil()) {
            return Error{ExitCode::usage, fmt::format("--uuid '{}' is not a UUID", *typed),
                         "leave it out for a random one, or make one with uuidgen"};
        }
        if (settings.backend == Backend::ram) {
            return Error{
                ExitCode::usage,
                "a memory disk gets a new UUID each time it is made, since its content is new",
                "leave --uuid out"};
        }
    }
    return settings;
}

// How the export is added.
struct Ways {
    bool persist = true;
    bool forget_owners = false;
    // The command line gave these. This machine may lack an address of the configuration file now.
    std::vector<SocketAddress> addresses{};
    // --soft of a dry run: the RDMA device that the file of addresses may need does not exist.
    bool lacks_device = false;
};

struct ExportSituation {
    std::optional<ExportInfo> running;
    std::optional<Stored<ExportSettings>> configured;
};

// Returns an error if the file of an export has other settings than @wanted.
Result<void> same_file(const World &world, const Stored<ExportSettings> &stored,
                       const ExportSettings &wanted, bool runs) {
    ExportSettings there = stored.settings;
    if (there.state_folder.empty()) {
        // The record of a ledger may have named the folder at the start.
        there.state_folder = runs ? wanted.state_folder : world.places.owners().string();
    }
    const auto different = differences(there, wanted);
    if (different.empty()) {
        return {};
    }
    const std::string set =
        fmt::format("causeway export set {}, with the options that differ", wanted.name);
    return Error{ExitCode::failed,
                 fmt::format("the export '{}' is configured in {} with other settings: {}",
                             wanted.name, stored.place.string(), fmt::join(different, ", ")),
                 !fixed_differences(there, wanted).empty() ? remove_then_add(there)
                 : runs ? "for the settings of the file: causeway reload; for others: " + set
                        : set};
}

// Copies to @wanted what an export that runs has. Returns an error if the export or its file
// differs from @wanted.
Result<void> take_from_running(const World &world, const ExportSituation &now,
                               ExportSettings &wanted, const Ways &ways) {
    TRY(same_export(*now.running, wanted,
                    now.configured ? std::optional(now.configured->settings) : std::nullopt));
    const ExportSettings &there = now.running->settings;
    if (ways.forget_owners) {
        return Error{ExitCode::failed,
                     fmt::format("'{}' is exported: its owners can be discarded only before it is",
                                 wanted.name),
                     remove_then_add(there, {"--forget-owners"})};
    }
    wanted.identity = there.identity;
    wanted.ledger = there.ledger;
    wanted.state_folder =
        there.state_folder == world.places.owners().string() ? "" : there.state_folder;
    if (now.configured && ways.persist) {
        return same_file(world, *now.configured, wanted, true);
    }
    return {};
}

// Finds the running and the configured export of this name. Returns an error if one differs from
// @wanted. Copies its identity, its ledger and the ledger's folder to @wanted.
Result<ExportSituation> compare(World &world, ExportSettings &wanted, const Ways &ways) {
    ExportSituation now;
    now.configured = TRY(find_export(world.places, wanted.name));
    if (now.configured && ways.forget_owners && !ways.persist) {
        return Error{ExitCode::usage,
                     fmt::format("the export '{}' is configured in {}, which names the ledger of "
                                 "its owners: --forget-owners does not go with --no-persist",
                                 wanted.name, now.configured->place.string()),
                     "leave --no-persist out"};
    }
    if (wanted.addresses.empty() && !wanted.no_addresses && now.configured) {
        wanted.addresses = now.configured->settings.addresses;
        wanted.no_addresses = now.configured->settings.no_addresses;
    }
    now.running = TRY(running_export(world, wanted.name));
    if (now.running) {
        TRY(take_from_running(world, now, wanted, ways));
    } else if (now.configured) {
        TRY(same_file(world, *now.configured, wanted, false));
        const ExportSettings &there = now.configured->settings;
        // A file that was written by hand may have no UUID. The one of the command line is used
        // then.
        if (there.identity) {
            wanted.identity = there.identity;
        }
        wanted.ledger = there.ledger;
        // Empty: the ledger is in the default folder, or in the folder that its record names.
        wanted.state_folder = there.state_folder;
    }
    return now;
}

// For an export that does not run: returns an error if the disk is in use on this machine, or if
// the configuration of another export names it.
Result<void> check_free(World &world, const ExportSettings &wanted, const Ways &ways) {
    // Checked first, because it has the best error if the disk is exported and owners are
    // discarded.
    if (ExportSettings checked = wanted; ways.forget_owners) {
        TRY(plan_owners(world, checked, true));
    }
    if (!ways.lacks_device && !wanted.no_addresses) {
        TRY(check_served_addresses(world, ways.addresses, wanted.tcp));
    }
    TRY(check_unclaimed(world, wanted));
    return check_not_configured(world, wanted.name, wanted.path);
}

// Completes @wanted (complete()) and returns the changes that add the export.
Result<ChangeSet> adding(World &world, ExportSettings &wanted, const ExportSituation &now,
                         const Ways &ways) {
    ChangeSet set("export add " + wanted.name, Scope::disks);
    if (!now.running) {
        TRY(load_server_settings(world.places)); // the server would start without them
        TRY(check_free(world, wanted, ways));
        ExportWay way;
        way.locked = true;
        way.ledger = TRY(complete(world, wanted, ways.forget_owners));
        way.loads = !world.modules.loaded(module_target);
        if (ways.forget_owners && now.configured && now.configured->settings.ledger) {
            way.names_discarded = now.configured;
        }
        set.add(change_export({wanted, false, ways.forget_owners}, true, std::move(way)));
    } else if (!wanted.identity && wanted.backend != Backend::ram) {
        wanted.identity = Uuid::random();
    }
    if (!ways.persist) {
        return set;
    }
    auto text = TRY(now.configured ? edited_dropin(*now.configured, wanted) : dropin_text(wanted));
    const fs::path place = dropin_place(world.places, wanted);
    DropinWay way;
    way.kind = now.running ? way.kind : kind_export_dropin;
    if (now.running || !ways.forget_owners || !now.configured || !now.configured->settings.ledger) {
        TRY(set.describe(place, {text, export_file_mode(wanted)}, std::move(way)));
        return set;
    }
    // Undo must not restore a drop-in that names a ledger which no longer exists.
    ExportSettings without = now.configured->settings;
    without.ledger.reset();
    auto before = TRY(dropin_text(without));
    set.add(change_dropin(place, {before, export_file_mode(without)},
                          {text, export_file_mode(wanted)}, std::move(way)));
    return set;
}

class ExportAction final : public DiskAction {
  public:
    ExportAction(ExportSettings wanted, const Arguments &arguments)
        : wanted_(std::move(wanted)), ways_{!arguments.has("no-persist"),
                                            arguments.has("forget-owners"), wanted_.addresses,
                                            arguments.has("soft") && arguments.dry_run()},
          dry_run_(arguments.dry_run()) {}

    Result<ChangeSet> changes(World &world) override {
        TRY(check_backend(wanted_));
        if (!dry_run_) {
            TRY(world.modules.need(module_target));
            lock_ = TRY(lock_server(world));
        }
        now_ = TRY(compare(world, wanted_, ways_));
        return adding(world, wanted_, now_, ways_);
    }

    Result<Answer> answer(World & /*world*/, Answer done) override {
        if (!dry_run_) {
            done.json["name"] = wanted_.name;
            done.text =
                (now_.running
                     ? fmt::format("'{}' is exported already, with these settings\n", wanted_.name)
                     : fmt::format("'{}' exports {}\n", wanted_.name, backend_phrase(wanted_))) +
                line_of_undo(done);
        }
        if (!now_.running && !wanted_.exclusive && !wanted_.read_only) {
            done.text += several_writers_note("with --exclusive, one host at a time has the disk");
        }
        return done;
    }

  private:
    ExportSettings wanted_;
    Ways ways_;
    bool dry_run_;
    std::optional<FileLock> lock_; // from the look at what is there until the changes are made
    ExportSituation now_;
};

Result<std::optional<ExportInfo>> find_export_of(World &world, const std::string &name) {
    auto exports = TRY(world.kernel.exports());
    const auto found = std::find_if(exports.begin(), exports.end(), [&](const ExportInfo &info) {
        return info.settings.name == name;
    });
    return found == exports.end() ? std::optional<ExportInfo>() : std::optional(*found);
}

class RemoveAction final : public DiskAction {
  public:
    RemoveAction(std::string name, const Arguments &arguments)
        : name_(std::move(name)), force_(arguments.has("force")), dry_run_(arguments.dry_run()) {}

    Result<ChangeSet> changes(World &world) override {
        auto there = TRY(find_export_of(world, name_));
        // A configuration file that cannot be parsed is removed all the same.
        const auto stored = find_export(world.places, name_);
        const auto configured = stored && *stored ? std::optional((*stored)->settings)
                                                  : std::optional<ExportSettings>();
        ChangeSet set("export remove " + name_, Scope::disks);
        removed_ = configured.value_or(ExportSettings());
        if (there) {
            ExportWay way;
            way.force = force_;
            way.ending = there->ending;
            way.sessions = there->sessions;
            way.unflushed = &unflushed_;
            ExportState state = state_of(*there, configured);
            removed_ = state.settings;
            set.add(change_export(std::move(state), false, std::move(way)));
        }
        ExportSettings named;
        named.name = name_;
        DropinWay way;
        way.permit = permit_dropin(name_, false);
        way.kind = there ? kind_export_dropin : way.kind;
        TRY(set.describe(dropin_place(world.places, named), {}, std::move(way)));
        nothing_there_ = set.empty();
        return set;
    }

    Result<Answer> answer(World &world, Answer done) override {
        if (dry_run_) {
            return done;
        }
        if (nothing_there_) {
            // An empty set needs no privilege. Taking the lock does, so other users are refused.
            const auto lock = TRY(lock_server(world));
        }
        done.json["name"] = name_;
        done.json["flushed"] = unflushed_.empty();
        const std::string again = same_disk_again(removed_);
        done.json["uuid"] = again.empty() ? Json(nullptr) : Json(removed_.identity->text());
        done.text =
            nothing_there_
                ? fmt::format("there is no export '{}', nothing to remove\n", name_)
                : fmt::format("'{}' is no longer exported{}\n{}", name_, again, line_of_undo(done));
        if (!unflushed_.empty()) {
            done.text = line_of_undo(done);
            done.warnings.push_back(
                fmt::format("'{}' is no longer exported, but {}{}", name_, unflushed_, again));
            done.code = ExitCode::failed;
        }
        return done;
    }

  private:
    std::string name_;
    bool force_;
    bool dry_run_;
    bool nothing_there_ = false;
    ExportSettings removed_;
    std::string unflushed_; // the reason where the disk was not flushed
};

} // namespace

Result<ActionPointer> CausewayFamily::export_add(World & /*world*/,
                                                 const Arguments &arguments) const {
    TRY(only_own_options(arguments));
    auto wanted = TRY(export_of(arguments));
    return ActionPointer(std::make_unique<ExportAction>(std::move(wanted), arguments));
}

Result<std::optional<std::string>> CausewayFamily::exported_by(World &world,
                                                               const std::string &name) const {
    const auto running = TRY(running_export(world, name));
    const auto configured = TRY(find_export(world.places, name));
    return running || configured ? std::optional<std::string>("Causeway's own transport")
                                 : std::nullopt;
}

Result<std::optional<std::string>> CausewayFamily::path_of_export(World &world,
                                                                  const std::string &name) const {
    const auto running = TRY(running_export(world, name));
    const auto configured = TRY(find_export(world.places, name));
    if (!running && !configured) {
        return std::optional<std::string>();
    }
    const ExportSettings &settings = running ? running->settings : configured->settings;
    return std::optional(settings.backend == Backend::ram ? std::string() : settings.path);
}

Result<ActionPointer> CausewayFamily::export_remove(World & /*world*/, const std::string &name,
                                                    const Arguments &arguments) const {
    return ActionPointer(std::make_unique<RemoveAction>(name, arguments));
}

} // namespace causeway
