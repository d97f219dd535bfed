// SPDX-License-Identifier: GPL-2.0-or-later
// export set: changes settings of an export that is there, while its clients use it.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "config/key_file.h"
#include "disk/causeway.h"
#include "disk/export_change.h"
#include "disk/export_settings_change.h"
#include "disk/exporting.h"
#include "disk/key_option.h"
#include "disk/served_addresses.h"
#include "disk/server_life.h"
#include "stock/chap.h"
#include "transport/family.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::array settings_of_the_verb = {"allow",     "key-file",       "no-key",
                                             "read-only", "read-write",     "tcp",
                                             "no-tcp",    "takeover-after", "address"};

// Returns an error (usage) if both options are given.
Result<void> exclude(const Arguments &arguments, const char *one, const char *other) {
    if (arguments.has(one) && arguments.has(other)) {
        return Error{ExitCode::usage, fmt::format("--{} and --{} exclude each other", one, other),
                     "give one of them"};
    }
    return {};
}

Result<void> check_export_options(const Arguments &arguments) {
    TRY(exclude(arguments, "key-file", "no-key"));
    TRY(exclude(arguments, "read-only", "read-write"));
    TRY(exclude(arguments, "tcp", "no-tcp"));
    if (std::none_of(settings_of_the_verb.begin(), settings_of_the_verb.end(),
                     [&](const char *option) { return arguments.has(option); })) {
        return Error{
            ExitCode::usage, "no setting is given",
            fmt::format("give one or more of --{}", fmt::join(settings_of_the_verb, ", --"))};
    }
    return {};
}

// Changes what the arguments name. @restricted: the export was not open to every host before.
Result<void> take_export_settings(const Arguments &arguments, bool restricted,
                                  ExportSettings &settings) {
    if (arguments.has("allow")) {
        auto allowed = TRY(parse_allow_list(arguments.list("allow")));
        settings.allow = std::move(allowed.networks);
        settings.allow_any = allowed.any;
    }
    if (const auto file = arguments.text("key-file")) {
        settings.key_file = std::filesystem::absolute(*file).lexically_normal().string();
        TRY(read_key(settings.key_file));
    } else if (arguments.has("no-key")) {
        settings.key_file.clear();
    }
    if (restricted && admits_by_nothing(settings)) {
        return Error{ExitCode::usage,
                     "without the key, no setting names the hosts that may attach the disk",
                     "give --allow CIDR as well, or --allow any for every host that reaches this "
                     "one"};
    }
    settings.read_only =
        (settings.read_only || arguments.has("read-only")) && !arguments.has("read-write");
    settings.tcp = (settings.tcp || arguments.has("tcp")) && !arguments.has("no-tcp");
    if (const auto after = TRY(arguments.number("takeover-after", 0, longest_takeover))) {
        TRY(check_takeover(settings, "--takeover-after"));
        settings.takeover_after = static_cast<std::uint32_t>(*after);
    }
    if (arguments.has("address")) {
        settings.addresses.clear();
        settings.no_addresses = false;
        auto words = arguments.list("address");
        if (words != std::vector<std::string>{"default"}) {
            TRY(parse_export_addresses("--address", words, settings));
        }
    }
    return {};
}

class ExportSetAction final : public DiskAction {
  public:
    ExportSetAction(std::string name, const Arguments &arguments)
        : name_(std::move(name)), arguments_(arguments) {}

    Result<ChangeSet> changes(World &world) override {
        if (!arguments_.dry_run()) {
            lock_ = TRY(lock_server(world));
        }
        const auto running = TRY(running_export(world, name_));
        const auto stored = TRY(find_export(world.places, name_));
        if (!running && !stored) {
            return Error{ExitCode::unavailable, fmt::format("there is no export '{}'", name_),
                         "see: causeway export list"};
        }
        if (!running && arguments_.has("no-persist")) {
            return Error{
                ExitCode::unavailable,
                fmt::format("'{}' does not run, and --no-persist leaves its file as it is", name_),
                "leave --no-persist out, or start the export: causeway restore"};
        }
        ChangeSet set("export set " + name_, Scope::disks);
        TRY(check_addresses(world, running, stored));
        if (running) {
            TRY(describe_running(set, *running, stored));
        }
        if (stored && !arguments_.has("no-persist")) {
            TRY(describe_file(set, *stored));
        } else if (!stored) {
            unconfigured_ = true;
        }
        return set;
    }

    std::string nothing_to_do() const override {
        return fmt::format("'{}' has these settings", name_);
    }

    Result<Answer> answer(World & /*world*/, Answer done) override {
        if (arguments_.dry_run()) {
            return done;
        }
        done.json["name"] = name_;
        done.json["ended"] = ended_;
        if (ended_ > 0) {
            done.text += fmt::format("{} connection{} ended that the settings do not admit\n",
                                     ended_, ended_ == 1 ? "" : "s");
        }
        if (unconfigured_) {
            done.text +=
                fmt::format("'{}' was added with --no-persist: the settings end with it\n", name_);
        }
        return done;
    }

  private:
    // Checks the addresses that the export names afterwards.
    Result<void> check_addresses(World &world, const std::optional<ExportInfo> &running,
                                 const std::optional<Stored<ExportSettings>> &stored) const {
        const auto words = arguments_.list("address");
        if (words.empty() && arguments_.has("no-tcp")) {
            return check_without_tcp(world, stored ? stored->settings.addresses
                                                   : running->settings.addresses);
        }
        ExportSettings typed;
        if (!words.empty() && words.front() != "default") {
            TRY(parse_export_addresses("--address", words, typed));
        }
        if (typed.addresses.empty()) {
            return {};
        }
        const bool tcp = (running && running->settings.tcp) || (stored && stored->settings.tcp);
        return check_served_addresses(world, typed.addresses,
                                      (tcp || arguments_.has("tcp")) && !arguments_.has("no-tcp"));
    }

    Result<void> describe_running(ChangeSet &set, const ExportInfo &running,
                                  const std::optional<Stored<ExportSettings>> &stored) {
        const auto configured =
            stored ? std::optional(stored->settings) : std::optional<ExportSettings>();
        std::vector<std::string> fixed;
        ExportSettings after = state_of(running, configured).settings;
        // The kernel does not report whether an administrator has allowed every host, or every host
        // that has the key.
        if (running.has_key && after.allow.empty()) {
            after.allow_any = configured ? configured->allow_any : !arguments_.has("no-key");
        }
        TRY(take_export_settings(arguments_, is_restricted(running), after));
        auto settings = new_settings(running, configured, after, fixed);
        if (!arguments_.has("key-file") && !arguments_.has("no-key")) {
            settings.what &= ~std::uint32_t(CW_CHANGE_KEY);
            settings.key_unknown = false;
        }
        if (arguments_.has("address")) {
            settings.what |= CW_CHANGE_ADDRESSES;
        }
        if (settings.what != 0) {
            set.add(
                change_export_settings(std::move(settings), {arguments_.has("force"), &ended_}));
        }
        return {};
    }

    Result<void> describe_file(ChangeSet &set, const Stored<ExportSettings> &stored) const {
        ExportSettings settings = stored.settings;
        const bool restricted = !stored.settings.allow.empty() || !stored.settings.key_file.empty();
        TRY(take_export_settings(arguments_, restricted, settings));
        const auto text = TRY(edited_dropin(stored, settings));
        return set.describe(stored.place, {text, export_file_mode(settings)});
    }

    std::string name_;
    const Arguments &arguments_;
    std::optional<FileLock> lock_; // from the look at what is there until the changes are made
    std::uint32_t ended_ = 0;
    bool unconfigured_ = false;
};

Result<Answer> run_export_set(World &world, const Arguments &arguments) {
    const auto name = TRY(parse_export_name(arguments.operands().front()));
    // The first family has an action for every name.
    auto families = TransportFamily::all();
    std::reverse(families.begin(), families.end());
    ActionPointer action;
    for (std::size_t i = 0; !action; i++) {
        action = TRY(families.at(i)->export_set(world, name, arguments));
    }
    return perform(world, *action, arguments.dry_run());
}

const VerbRows export_set_rows(Section::disks, 10, [] {
    return std::vector<Verb>{
        {
            .words = "export set",
            .operands = "NAME",
            .summary = "change settings of an export, now and at boot; its clients stay attached",
            .options =
                {{"allow", "any|CIDR...",
                  "networks that may attach from now on, or any: every host; replaces the list",
                  true},
                 key_option,
                 {"no-key", "", "clients need no key any more; --allow says who may attach"},
                 {"read-only", "", "refuse writes"},
                 {"read-write", "", "accept writes again"},
                 {"tcp", "", "serve the disk over TCP too"},
                 {"no-tcp", "", "serve the disk by RDMA alone"},
                 {"takeover-after", "SECONDS",
                  "of an exclusive export: another machine may take the disk when its owner was "
                  "silent for so long; 0: never"},
                 {"address", "ADDRESS...",
                  "addresses of this machine that the server names to clients, or none, or "
                  "default: those of the machine",
                  true},
                 via_option,
                 {"initiator", "NAME...",
                  "with --via: clients that may attach from now on, by IQN, NQN or SRP GUID; "
                  "--allow any admits all",
                  true},
                 chap_options[1],
                 chap_options[3],
                 {"force", "",
                  "end the connections of clients that the new settings do not admit; without it "
                  "the verb refuses if there are any. By NVMe, and for clients of iSCSI that no "
                  "list named, they stay without it; with it all connections end, and clients "
                  "that are admitted connect again"},
                 no_persist},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_export_set,
        },
    };
});

} // namespace

Result<ActionPointer> CausewayFamily::export_set(World &world, const std::string &name,
                                                 const Arguments &arguments) const {
    TRY(only_own_options(arguments));
    TRY(refuse_options(arguments, {"via"},
                       "belongs to an export by a transport of the kernel, and there is none of "
                       "this name",
                       "leave it out; see: causeway export list"));
    TRY(check_export_options(arguments));
    TRY(check_export_name(world, causeway_family, name));
    return ActionPointer(std::make_unique<ExportSetAction>(name, arguments));
}

} // namespace causeway
