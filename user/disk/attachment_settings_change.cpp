// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/attachment_settings_change.h"

#include "change/kinds.h"
#include "disk/attaching.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace causeway {

namespace {

struct NumberSetting {
    std::uint32_t bit;
    std::optional<std::uint32_t> AttachNumbers::*value;
    std::uint32_t by_default;
};

constexpr std::array numbers_that_change{
    NumberSetting{CW_CHANGE_IO_TIMEOUT, &AttachNumbers::io_timeout, 0},
    NumberSetting{CW_CHANGE_FAST_FAIL, &AttachNumbers::fast_fail, CW_FAST_FAIL_DEFAULT},
    NumberSetting{CW_CHANGE_PATH_POLICY, &AttachNumbers::policy, CW_PATH_POLICY_AUTO},
};

const AttachOption &option_of(const NumberSetting &setting) {
    return *std::find_if(attach_options.begin(), attach_options.end(),
                         [&](const AttachOption &option) { return option.value == setting.value; });
}

// "io-timeout 30, key none".
std::string attachment_phrases(std::uint32_t what, const AttachmentSettings &to) {
    std::vector<std::string> all;
    for (const NumberSetting &setting : numbers_that_change) {
        if ((what & setting.bit) != 0) {
            const AttachOption &option = option_of(setting);
            all.push_back(
                fmt::format("{} {}", option.word,
                            option.text((to.*setting.value).value_or(setting.by_default))));
        }
    }
    if ((what & CW_CHANGE_KEY) != 0) {
        all.push_back("key " + (to.key_file.empty() ? std::string("none") : to.key_file));
    }
    return fmt::format("{}", fmt::join(all, ", "));
}

Json attachment_settings_json(const AttachmentSettings &settings) {
    Json json = Json::object();
    for (const NumberSetting &setting : numbers_that_change) {
        json[option_of(setting).key()] = or_null(settings.*setting.value);
    }
    put_bytes(json, "key_file", settings.key_file);
    return json;
}

AttachmentSettings attachment_settings_from(const Json &json) {
    AttachmentSettings settings;
    for (const NumberSetting &setting : numbers_that_change) {
        if (const Json &number = json.at(option_of(setting).key()); !number.is_null()) {
            settings.*setting.value = number.get<std::uint32_t>();
        }
    }
    settings.key_file = get_bytes(json, "key_file").value_or("");
    return settings;
}

// Returns null if the name of the disk is malformed.
ChangePointer attachment_change_from(const Json &json) {
    auto disk = parse_disk(json.at("disk").get<std::string>());
    if (!disk) {
        return nullptr;
    }
    NewAttachmentSettings settings;
    settings.what = json.at("what").get<std::uint32_t>();
    settings.before = attachment_settings_from(json.at("before"));
    settings.after = attachment_settings_from(json.at("after"));
    settings.before.disk = settings.after.disk = *std::move(disk);
    settings.key_unknown = json.at("key_unknown").get<bool>();
    return change_attachment_settings(std::move(settings));
}

const ChangeKind kind_attachment_settings("attachment-settings", attachment_change_from);

class AttachmentSettingsChange final : public SettingsChange<AttachmentSettings> {
  public:
    explicit AttachmentSettingsChange(NewAttachmentSettings settings)
        : SettingsChange(std::move(settings), CW_CHANGE_KEY) {}

    // The same as of the attachment: undo of an attach does not go past a change of its settings.
    std::string subject() const override { return "disk " + disk().text(); }

    std::filesystem::path lock_place(const World &world) const override {
        return attachment_lock(world.places, disk());
    }

    Json json() const override {
        Json json = SettingsChange::json();
        json["kind"] = kind_attachment_settings.name();
        json["disk"] = disk().text();
        return json;
    }

  protected:
    std::string thing() const override { return disk().text(); }
    std::string verb() const override { return "attach set " + disk().text(); }
    std::string phrases(std::uint32_t what, const AttachmentSettings &settings) const override {
        return attachment_phrases(what, settings);
    }
    Json settings_json(const AttachmentSettings &settings) const override {
        return attachment_settings_json(settings);
    }

    Result<std::optional<AttachmentSettings>> in_force(World &world) const override {
        const auto running = TRY(running_attachment(world, disk()));
        return running ? std::optional(AttachmentSettings{numbers_of(*running), disk()})
                       : std::nullopt;
    }

    Result<void> set(World &world, std::uint32_t what, const AttachmentSettings &wanted, Secret key,
                     bool /*force*/) const override {
        AttachmentUpdate update;
        update.server = disk().server.text();
        update.name = disk().name;
        update.change = what;
        update.io_timeout = wanted.io_timeout;
        update.fast_fail = wanted.fast_fail;
        if (wanted.policy) {
            update.path_policy = static_cast<std::uint8_t>(*wanted.policy);
        }
        update.key = std::move(key);
        return world.kernel.set_attachment(update);
    }

  private:
    const DiskName &disk() const { return settings().after.disk; }
};

} // namespace

NewAttachmentSettings new_settings(const AttachmentInfo &running,
                                   const std::optional<AttachmentSettings> &configured,
                                   const AttachmentSettings &after) {
    NewAttachmentSettings found;
    const AttachNumbers now = numbers_of(running);
    found.before.disk = found.after.disk = after.disk;
    for (const NumberSetting &setting : numbers_that_change) {
        found.before.*setting.value = (now.*setting.value).value_or(setting.by_default);
        found.after.*setting.value = (after.*setting.value).value_or(setting.by_default);
        if (found.before.*setting.value != found.after.*setting.value) {
            found.what |= setting.bit;
        }
    }
    found.before.key_file = running.has_key && configured ? configured->key_file : "";
    found.after.key_file = after.key_file;
    if (!after.key_file.empty() || running.has_key) {
        found.what |= CW_CHANGE_KEY;
        found.key_unknown = running.has_key && found.before.key_file.empty();
    }
    return found;
}

ChangePointer change_attachment_settings(NewAttachmentSettings settings) {
    return std::make_unique<AttachmentSettingsChange>(std::move(settings));
}

} // namespace causeway
