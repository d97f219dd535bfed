// SPDX-License-Identifier: GPL-2.0-or-later
// Attachments by Causeway's own transport.
#include "config/dropins.h"
#include "config/key_file.h"
#include "disk/attaching.h"
#include "disk/attachment_change.h"
#include "disk/causeway.h"
#include "disk/discovery.h"
#include "host/fstab.h"
#include "show/progress.h"
#include "show/words.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::chrono::seconds link_limit{5};

// Returns true for "--path auto".
Result<bool> asks_for_every_path(const Arguments &arguments) {
    if (arguments.list("path") != std::vector<std::string>{std::string(every_path)}) {
        return false;
    }
    if (arguments.has("from")) {
        return Error{ExitCode::usage,
                     fmt::format("--from belongs to addresses of the server, and --path {} names "
                                 "none",
                                 every_path),
                     "leave --from out, or give the addresses"};
    }
    return true;
}

Result<std::vector<std::string>> transports_of(const Arguments &arguments) {
    const auto typed = arguments.text("transport");
    return parse_transports("--transport", typed.value_or(std::string(transport_rdma)));
}

// The paths by RDMA come before those over TCP. Two paths to the server's name are written out.
Result<std::vector<PathSettings>> typed_paths(const Arguments &arguments, const DiskName &disk) {
    const auto transports = TRY(transports_of(arguments));
    PathWords typed{arguments.list("path"), arguments.list("from")};
    if (typed.addresses.empty() && transports.size() > 1) {
        typed.addresses = {disk.server.host};
    }
    PathWords all;
    for (const std::string &transport : transports) {
        all.addresses.insert(all.addresses.end(), typed.addresses.begin(), typed.addresses.end());
        all.from.insert(all.from.end(), typed.from.begin(), typed.from.end());
        if (arguments.has("transport")) {
            all.transports.insert(all.transports.end(),
                                  std::max<std::size_t>(typed.addresses.size(), 1), transport);
        }
    }
    return parse_paths(all, "--");
}

Result<AttachmentSettings> attachment_of(const Arguments &arguments) {
    AttachmentSettings settings;
    settings.disk = TRY(parse_disk(arguments.operands().front()));
    for (const AttachOption &option : attach_options) {
        if (const auto typed = arguments.text(option.word)) {
            settings.*option.value = TRY(option.parse(fmt::format("--{}", option.word), *typed));
        }
    }
    if (const auto file = arguments.text("key-file")) {
        settings.key_file = std::filesystem::absolute(*file).lexically_normal().string();
        TRY(read_key(settings.key_file));
    }
    if (const auto typed = arguments.text("host-uuid")) {
        settings.host = TRY(parse_host_uuid("--host-uuid", *typed));
    }
    if (!TRY(asks_for_every_path(arguments))) {
        settings.paths = TRY(typed_paths(arguments, settings.disk));
    }
    return settings;
}

struct AttachSituation {
    std::optional<AttachmentInfo> running;
    std::optional<Stored<AttachmentSettings>> configured;
};

// Returns the command that gives the disk the settings @wanted.
std::string way_to_change(const AttachSituation &now, const AttachmentSettings &wanted) {
    AttachmentSettings others = wanted;
    others.io_timeout.reset();
    others.fast_fail.reset();
    others.policy.reset();
    const AttachmentSettings there =
        now.configured ? now.configured->settings : as_settings(*now.running, others);
    others.key_file = there.key_file;
    return differences(there, others).empty()
               ? fmt::format("causeway attach set {}, with the options that differ",
                             wanted.disk.text())
               : fmt::format("causeway detach {}, then attach it again", wanted.disk.text());
}

Result<AttachSituation> compare(World &world, const AttachmentSettings &wanted) {
    AttachSituation now;
    now.configured = TRY(find_attachment(world.places, wanted.disk));
    now.running = TRY(running_attachment(world, wanted.disk));
    std::vector<std::string> different;
    if (now.configured) {
        different = differences(now.configured->settings, wanted);
    } else if (now.running) {
        AttachmentSettings now_wanted = wanted;
        now_wanted.paths = TRY(resolved_paths(world.resolver, wanted));
        different = differences(as_settings(*now.running, now_wanted), now_wanted);
    }
    if (!different.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("{} is {} with other settings: {}", wanted.disk.text(),
                                 now.running ? std::string("attached")
                                             : "configured in " + now.configured->place.string(),
                                 fmt::join(different, ", ")),
                     way_to_change(now, wanted)};
    }
    return now;
}

// Adds the path that programs should use: udev's link if it comes in time, else the node itself.
// Scripts read the path from standard output, so only a terminal gets the line for fstab.
void tell(World &world, const AttachmentSettings &wanted, const std::string &disk, bool comes_back,
          Answer &answer) {
    answer.json.update({{"server", wanted.disk.server.text()},
                        {"name", wanted.disk.name},
                        {"disk", nullptr},
                        {"device", nullptr},
                        {"link", nullptr},
                        {"fstab", nullptr}});
    if (disk.empty()) {
        answer.text = fmt::format("{} is being attached in the background, see: causeway net\n",
                                  wanted.disk.text());
        return;
    }
    const auto node = world.links.node(disk);
    const auto link = world.links.link(wanted.disk.server.text(), wanted.disk.name);
    answer.json["disk"] = disk;
    answer.json["device"] = node.string();
    if (world.links.wait(link, node, link_limit)) {
        answer.json["link"] = link.string();
        answer.text = link.string() + "\n";
        if (comes_back) {
            const std::string line = fstab_line(link.string(), wanted.disk.name);
            answer.json["fstab"] = line;
            answer.text += world.terminal.columns != 0
                               ? fmt::format("to mount it at boot, add to /etc/fstab: {}\n", line)
                               : "";
        }
        return;
    }
    answer.warnings.push_back(fmt::format("udev has not made {}: is systemd-udevd running and "
                                          "60-causeway.rules installed?",
                                          link.string()));
    answer.text = node.string() + "\n";
}

// Adds a warning for each transport that was asked for and that no path has.
void warn_of_missing(const std::vector<PathSettings> &paths,
                     const std::vector<std::string> &transports, Answer &answer) {
    for (const std::string &transport : transports) {
        if (std::none_of(paths.begin(), paths.end(), [&](const PathSettings &path) {
                return transport_word(path) == transport;
            })) {
            answer.warnings.push_back(fmt::format(
                "the disk has no path {}", transport == transport_tcp ? "over TCP" : "by RDMA"));
        }
    }
}

// Adds the paths of the disk, and why "--path auto" did not take others.
void report_paths(const FoundPaths &found, Answer &answer) {
    std::vector<std::string> paths;
    answer.json["paths"] = Json::array();
    for (const PathSettings &path : found.paths) {
        paths.push_back(path.text());
        answer.json["paths"].push_back(
            {{"address", path.address}, {"transport", transport_word(path)}});
    }
    answer.text += fmt::format("paths: {}\n", fmt::join(paths, ", "));
    answer.json["left_out"] = Json::array();
    for (const FoundPaths::LeftOut &each : found.left_out) {
        answer.text += fmt::format("left out {}: {}\n", each.path.text(), each.reason);
        answer.json["left_out"].push_back({{"address", each.path.address},
                                           {"transport", transport_word(each.path)},
                                           {"reason", each.reason}});
    }
}

// Returns the paths of a disk that is attached or configured. Such a disk keeps them.
FoundPaths kept_paths(const AttachSituation &now, const AttachmentSettings &wanted) {
    FoundPaths kept;
    if (now.running) {
        for (const DiskPathAddresses &path : running_paths(*now.running)) {
            kept.paths.push_back(settings_of(path));
        }
        if (!now.running->identity.is_nil()) {
            kept.identity = now.running->identity;
        }
    } else if (now.configured) {
        kept.paths = now.configured->settings.paths;
    }
    if (kept.paths.empty() || kept.paths.front().address.empty()) {
        kept.paths = {{wanted.disk.server.host}};
    }
    return kept;
}

// Returns the list of paths for the configuration file: a single path follows the name of the
// server.
std::vector<PathSettings> paths_for_dropin(std::vector<PathSettings> paths) {
    if (paths.size() == 1) {
        paths.front().address.clear();
    }
    return paths == std::vector<PathSettings>{{}} ? std::vector<PathSettings>() : paths;
}

// Asking needs the module, which a dry run does not load.
Result<FoundPaths> ask_for_paths(World &world, const DiskName &disk,
                                 const std::vector<std::string> &transports, bool dry_run) {
    if (!dry_run) {
        TRY(world.modules.need(module_disk));
    } else if (!world.modules.loaded(module_disk)) {
        return Error{ExitCode::unavailable,
                     fmt::format("--dry-run cannot ask {} for its addresses: the kernel module {} "
                                 "is not loaded",
                                 disk.server.text(), module_disk),
                     fmt::format("modprobe {}", module_disk)};
    }
    const Progress progress(world, fmt::format("waiting for {} to answer", disk.server.text()));
    return discover_paths(world, disk, transports);
}

// Checks a disk that was attached already.
Result<void> check_usable(const AttachmentSettings &wanted, const AttachmentInfo &running,
                          bool background) {
    if (running.state == CW_STATE_REVOKED) {
        return Error{ExitCode::failed,
                     fmt::format("{} is attached and revoked ({}): {}", wanted.disk.text(),
                                 refusal_word(running.refusal), running.reason),
                     way_back(running)};
    }
    if (running.disk.empty() && !background) {
        return Error{ExitCode::try_again,
                     fmt::format("{} is being attached in the background and not connected yet{}{}",
                                 wanted.disk.text(), running.reason.empty() ? "" : ": ",
                                 running.reason),
                     "see: causeway net; or wait with: causeway watch --until up"};
    }
    return {};
}

class AttachAction final : public DiskAction {
  public:
    AttachAction(AttachmentSettings wanted, bool by_every_path, const Arguments &arguments)
        : wanted_(std::move(wanted)), every_path_(by_every_path), arguments_(arguments) {}

    Result<ChangeSet> changes(World &world) override {
        lock_ = TRY(lock_attachment(world, wanted_.disk, arguments_.dry_run()));
        now_ = TRY(compare(world, wanted_));
        if (every_path_) {
            TRY(find_paths(world));
        } else if (now_.running && !now_.configured && wanted_.paths.empty()) {
            wanted_.paths = paths_for_dropin(kept_paths(now_, wanted_).paths);
        }
        ChangeSet set("attach " + wanted_.disk.text(), Scope::disks);
        if (!now_.running) {
            AttachmentWay way;
            way.background = arguments_.has("background");
            way.link = world.links.link(wanted_.disk.server.text(), wanted_.disk.name).string();
            way.loads = !world.modules.loaded(module_disk);
            way.disk = &disk_;
            set.add(change_attachment({now_.configured ? now_.configured->settings : wanted_}, true,
                                      way));
        }
        // Configured settings contain those of the arguments, so the file stays.
        if (!arguments_.has("no-persist") && !now_.configured) {
            auto text = TRY(dropin_text(wanted_));
            TRY(set.describe(dropin_place(world.places, wanted_),
                             {text, wanted_.key_file.empty() ? 0644U : 0600U}));
        }
        return set;
    }

    std::string nothing_to_do() const override { return "it is attached"; }

    Result<Answer> answer(World &world, Answer done) override {
        if (!arguments_.dry_run()) {
            if (now_.running) {
                TRY(check_usable(wanted_, *now_.running, arguments_.has("background")));
                disk_ = now_.running->disk;
            }
            tell(world, wanted_, disk_, !arguments_.has("no-persist"), done);
        }
        if (found_) {
            report_paths(*found_, done);
            warn_of_missing(found_->paths, TRY(transports_of(arguments_)), done);
        }
        if (found_ && (now_.running || now_.configured)) {
            done.text += "the disk keeps its paths, and the server was not asked for others\n";
        }
        return done;
    }

  private:
    Result<void> find_paths(World &world) {
        const bool keeps = now_.running || now_.configured;
        const auto transports = TRY(transports_of(arguments_));
        found_ = keeps ? kept_paths(now_, wanted_)
                       : TRY(ask_for_paths(world, wanted_.disk, transports, arguments_.dry_run()));
        if (now_.configured) {
            return {};
        }
        wanted_.paths = paths_for_dropin(found_->paths);
        wanted_.identity = found_->identity;
        return {};
    }

    AttachmentSettings wanted_;
    bool every_path_; // "--path auto"
    const Arguments &arguments_;
    std::optional<FileLock> lock_; // from the look at what is there until the changes are made
    std::optional<FoundPaths> found_;
    AttachSituation now_;
    std::string disk_; // its name once it is attached
};

// A disk that is attached, configured, or both.
struct Target {
    std::string server;
    std::string name;
    std::optional<AttachmentInfo> running{};
    std::optional<Stored<AttachmentSettings>> configured{};

    std::string text() const { return server + "/" + name; }
};

Result<std::vector<Target>> all_targets(World &world) {
    auto attachments = TRY(world.kernel.attachments());
    auto configured = TRY(load_attachments(world.places));
    std::vector<Target> targets;
    for (const AttachmentInfo &info : attachments) {
        targets.push_back({info.server, info.name, info});
    }
    for (const auto &stored : configured.good) {
        const std::string server = stored.settings.disk.server.text();
        const std::string &name = stored.settings.disk.name;
        auto known = std::find_if(targets.begin(), targets.end(), [&](const Target &target) {
            return target.server == server && target.name == name;
        });
        if (known == targets.end()) {
            targets.push_back({server, name});
            known = targets.end() - 1;
        }
        known->configured = stored;
    }
    return targets;
}

// Looks again, because another command may have changed the disk before this one got the lock.
Result<ChangeSet> detaching(World &world, const std::string &target, bool force) {
    ChangeSet set("detach " + target, Scope::disks);
    const auto disk = TRY(parse_disk(target));
    const auto running = TRY(running_attachment(world, disk));
    const auto configured = TRY(find_attachment(world.places, disk));
    if (running) {
        AttachmentWay way;
        way.force = force;
        set.add(change_attachment(
            state_of(disk, *running,
                     configured ? std::optional(configured->settings) : std::nullopt),
            false, way));
    }
    if (configured) {
        TRY(set.describe(configured->place, {}));
    }
    return set;
}

} // namespace

const CausewayFamily causeway_family;

Result<void> only_own_options(const Arguments &arguments) {
    return refuse_options(
        arguments,
        {"initiator", "portal", "target", "scsi", "lun", "buffered", "block-size", "unmap",
         "chap-user", "chap-key-file", "chap-mutual-user", "chap-mutual-key-file"},
        "goes with --via only", "leave it out, or say by which transport: --via iser");
}

Result<ActionPointer> CausewayFamily::attach(World & /*world*/, const Arguments &arguments) const {
    TRY(only_own_options(arguments));
    const bool by_every_path = TRY(asks_for_every_path(arguments));
    auto wanted = TRY(attachment_of(arguments));
    return ActionPointer(
        std::make_unique<AttachAction>(std::move(wanted), by_every_path, arguments));
}

Result<std::optional<std::string>> CausewayFamily::attached_by(World &world,
                                                               const DiskName &disk) const {
    const auto running = TRY(running_attachment(world, disk));
    const auto configured = TRY(find_attachment(world.places, disk));
    return running || configured ? std::optional<std::string>("Causeway's own transport")
                                 : std::nullopt;
}

Result<std::optional<std::vector<std::string>>>
CausewayFamily::devices_of_attachment(World &world, const DiskName &disk) const {
    std::optional<std::vector<std::string>> devices;
    const auto running = TRY(running_attachment(world, disk));
    const auto configured = TRY(find_attachment(world.places, disk));
    if (running || configured) {
        devices.emplace();
    }
    if (running && !running->disk.empty()) {
        devices->push_back(world.links.node(running->disk).string());
    }
    return devices;
}

Result<std::vector<Task>> CausewayFamily::detach(World &world, bool force,
                                                 std::vector<std::string> & /*warnings*/) const {
    std::vector<Task> tasks;
    for (const Target &target : TRY(all_targets(world))) {
        const std::string name = target.text();
        tasks.push_back({name, name + " is detached",
                         [name, force](World &now) { return detaching(now, name, force); }});
        // A forced detach does not wait for a command that waits for a server.
        if (!force) {
            tasks.back().lock = [name](const World &now) -> Result<FileLock> {
                return FileLock::take(attachment_lock(now.places, TRY(parse_disk(name))));
            };
        }
    }
    return tasks;
}

} // namespace causeway
