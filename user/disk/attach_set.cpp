// SPDX-License-Identifier: GPL-2.0-or-later
// attach set: changes settings of a disk that is attached, while programs use it.
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "config/key_file.h"
#include "disk/attaching.h"
#include "disk/attachment_settings_change.h"
#include "disk/causeway.h"
#include "disk/key_option.h"
#include "transport/family.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::array<std::string_view, 3> live_options = {"io-timeout", "fast-fail", "policy"};

bool is_live(const AttachOption &option) {
    return std::find(live_options.begin(), live_options.end(), option.word) != live_options.end();
}

Result<void> check_attach_options(const Arguments &arguments) {
    if (arguments.has("key-file") && arguments.has("no-key")) {
        return Error{ExitCode::usage, "--key-file and --no-key exclude each other",
                     "give one of them"};
    }
    const bool some = arguments.has("key-file") || arguments.has("no-key") ||
                      std::any_of(live_options.begin(), live_options.end(),
                                  [&](std::string_view word) { return arguments.has(word); });
    if (!some) {
        return Error{ExitCode::usage, "no setting is given",
                     "give one or more of --io-timeout, --fast-fail, --policy, --key-file, "
                     "--no-key; other settings need a detach and a new attach"};
    }
    return {};
}

// Changes what the arguments name.
Result<void> take_attach_settings(const Arguments &arguments, AttachmentSettings &settings) {
    for (const AttachOption &option : attach_options) {
        if (!is_live(option)) {
            continue;
        }
        if (const auto typed = arguments.text(option.word)) {
            settings.*option.value = TRY(option.parse(fmt::format("--{}", option.word), *typed));
        }
    }
    if (const auto file = arguments.text("key-file")) {
        settings.key_file = std::filesystem::absolute(*file).lexically_normal().string();
        TRY(read_key(settings.key_file));
    } else if (arguments.has("no-key")) {
        settings.key_file.clear();
    }
    return {};
}

class AttachSetAction final : public DiskAction {
  public:
    AttachSetAction(DiskName disk, const Arguments &arguments)
        : disk_(std::move(disk)), arguments_(arguments) {}

    Result<ChangeSet> changes(World &world) override {
        lock_ = TRY(lock_attachment(world, disk_, arguments_.dry_run()));
        const auto running = TRY(running_attachment(world, disk_));
        const auto stored = TRY(find_attachment(world.places, disk_));
        if (!running && !stored) {
            return not_attached(disk_);
        }
        if (!running && arguments_.has("no-persist")) {
            return Error{ExitCode::unavailable,
                         fmt::format("{} is configured and not attached, and --no-persist leaves "
                                     "its file as it is",
                                     disk_.text()),
                         "leave --no-persist out, or attach the disk: causeway restore"};
        }
        ChangeSet set("attach set " + disk_.text(), Scope::disks);
        if (running) {
            AttachmentSettings after{numbers_of(*running), disk_};
            TRY(take_attach_settings(arguments_, after));
            auto settings = new_settings(
                *running, stored ? std::optional(stored->settings) : std::nullopt, after);
            if (!arguments_.has("key-file") && !arguments_.has("no-key")) {
                settings.what &= ~std::uint32_t(CW_CHANGE_KEY);
                settings.key_unknown = false;
            }
            if (settings.what != 0) {
                set.add(change_attachment_settings(std::move(settings)));
            }
        }
        if (stored && !arguments_.has("no-persist")) {
            TRY(describe_file(set, *stored));
        }
        unconfigured_ = !stored;
        return set;
    }

    std::string nothing_to_do() const override {
        return fmt::format("{} has these settings", disk_.text());
    }

    Result<Answer> answer(World & /*world*/, Answer done) override {
        if (arguments_.dry_run()) {
            return done;
        }
        done.json["server"] = disk_.server.text();
        done.json["name"] = disk_.name;
        if (unconfigured_) {
            done.text += fmt::format("{} was attached with --no-persist: the settings end with "
                                     "the attachment\n",
                                     disk_.text());
        }
        return done;
    }

  private:
    Result<void> describe_file(ChangeSet &set, const Stored<AttachmentSettings> &stored) const {
        AttachmentSettings settings = stored.settings;
        TRY(take_attach_settings(arguments_, settings));
        const auto text = TRY(edited_dropin(stored, settings));
        return set.describe(stored.place, {text, settings.key_file.empty() ? 0644U : 0600U});
    }

    DiskName disk_;
    const Arguments &arguments_;
    std::optional<FileLock> lock_; // from the look at what is there until the changes are made
    bool unconfigured_ = false;
};

Result<Answer> run_attach_set(World &world, const Arguments &arguments) {
    const auto disk = TRY(parse_disk(arguments.operands().front()));
    // The first family has an action for every name.
    auto families = TransportFamily::all();
    std::reverse(families.begin(), families.end());
    ActionPointer action;
    for (std::size_t i = 0; !action; i++) {
        action = TRY(families.at(i)->attach_set(world, disk, arguments));
    }
    return perform(world, *action, arguments.dry_run());
}

std::vector<OptionSpec> attach_set_specs() {
    std::vector<OptionSpec> all;
    for (const AttachOption &option : attach_options) {
        if (is_live(option)) {
            all.push_back({option.word, option.operand, option.help});
        }
    }
    all.insert(all.end(),
               {key_option, {"no-key", "", "the export needs no key any more"}, no_persist});
    return all;
}

const VerbRows attach_set_rows(Section::disks, 6, [] {
    return std::vector<Verb>{
        {
            .words = "attach set",
            .operands = "SERVER[:PORT]/NAME",
            .summary = "change settings of an attached disk, now and at boot; the disk stays "
                       "attached",
            .options = attach_set_specs(),
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_attach_set,
        },
    };
});

} // namespace

Result<ActionPointer> CausewayFamily::attach_set(World &world, const DiskName &disk,
                                                 const Arguments &arguments) const {
    TRY(check_attach_options(arguments));
    TRY(check_disk_name(world, causeway_family, disk));
    return ActionPointer(std::make_unique<AttachSetAction>(disk, arguments));
}

} // namespace causeway
