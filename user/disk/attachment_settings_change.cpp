// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/attachment_settings_change.h"

#include "change/kinds.h"
#include "config/key_file.h"
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

class AttachmentSettingsChange final : public Change {
  public:
    explicit AttachmentSettingsChange(NewAttachmentSettings settings)
        : settings_(std::move(settings)) {}

    // The same as of the attachment: undo of an attach does not go past a change of its settings.
    std::string subject() const override { return "disk " + name(); }

    std::string show(Direction direction) const override {
        return what(direction) == 0
                   ? ""
                   : fmt::format("would change {}: {}\n", name(),
                                 attachment_phrases(what(direction), to(direction)));
    }
    std::string report(Direction direction) const override {
        return fmt::format("changed {}: {}", name(),
                           attachment_phrases(what(direction), to(direction)));
    }

    Json json() const override {
        return {{"kind", kind_attachment_settings.name()},
                {"disk", name()},
                {"what", settings_.what},
                {"before", attachment_settings_json(settings_.before)},
                {"after", attachment_settings_json(settings_.after)},
                {"key_unknown", settings_.key_unknown}};
    }

    // The kernel does not report the key, so a key alone says nothing.
    Result<Standing> standing(World &world) const override {
        const auto running = TRY(running_attachment(world, settings_.after.disk));
        if (!running) {
            return Standing::neither;
        }
        const std::uint32_t seen = settings_.what & ~std::uint32_t(CW_CHANGE_KEY);
        if (seen == 0) {
            return Standing::unknown;
        }
        const AttachmentSettings there{numbers_of(*running), settings_.after.disk};
        const std::string now = attachment_phrases(seen, there);
        return now == attachment_phrases(seen, settings_.after)    ? Standing::after
               : now == attachment_phrases(seen, settings_.before) ? Standing::before
                                                                   : Standing::neither;
    }

    Result<void> forward(World &world) const override { return set(world, Direction::forward); }
    Result<void> back(World &world) const override { return set(world, Direction::back); }

    Result<void> may_go_back(World & /*world*/) const override {
        if (settings_.key_unknown) {
            return Error{ExitCode::failed,
                         fmt::format("{} had another key, and the name of its key file is not "
                                     "known: the key cannot be set again",
                                     name()),
                         fmt::format("causeway attach set {} --key-file FILE", name())};
        }
        if ((what(Direction::back) & CW_CHANGE_KEY) != 0 && !settings_.before.key_file.empty()) {
            TRY(read_key(settings_.before.key_file));
        }
        return {};
    }

    bool answer_may_be_lost() const override { return true; }

    std::string what_stays() const override {
        return key_stays() ? fmt::format("the key of {} stays: the earlier one was in the same "
                                         "file, {}",
                                         name(), settings_.before.key_file)
                           : "";
    }

  private:
    std::string name() const { return settings_.after.disk.text(); }

    bool key_stays() const {
        return (settings_.what & CW_CHANGE_KEY) != 0 && !settings_.before.key_file.empty() &&
               settings_.before.key_file == settings_.after.key_file;
    }
    std::uint32_t what(Direction direction) const {
        return direction == Direction::back && key_stays()
                   ? settings_.what & ~std::uint32_t(CW_CHANGE_KEY)
                   : settings_.what;
    }

    const AttachmentSettings &to(Direction direction) const {
        return direction == Direction::forward ? settings_.after : settings_.before;
    }

    Result<void> set(World &world, Direction direction) const {
        const std::uint32_t bits = what(direction);
        const AttachmentSettings &wanted = to(direction);
        if (bits == 0) {
            return {};
        }
        AttachmentUpdate change;
        change.server = wanted.disk.server.text();
        change.name = wanted.disk.name;
        change.change = bits;
        change.io_timeout = wanted.io_timeout;
        change.fast_fail = wanted.fast_fail;
        if (wanted.policy) {
            change.path_policy = static_cast<std::uint8_t>(*wanted.policy);
        }
        if ((bits & CW_CHANGE_KEY) != 0 && !wanted.key_file.empty()) {
            change.key = TRY(read_key(wanted.key_file));
        }
        auto done = world.kernel.set_attachment(change);
        if (!done) {
            Error error = done.error();
            error.what = fmt::format("cannot change {}: {}", name(), error.what);
            return error;
        }
        return {};
    }

    NewAttachmentSettings settings_;
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
