// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/export_settings_change.h"

#include "change/kinds.h"
#include "disk/export_change.h"
#include "disk/exporting.h"
#include "disk/served_addresses.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

struct Setting {
    std::uint32_t bit;
    std::string_view name; // in a sentence
    std::string (*text)(const ExportSettings &settings);
};

std::string yes_or_no(bool yes) {
    return yes ? "yes" : "no";
}

std::string allowed_text(const ExportSettings &settings) {
    const auto words = allow_words(settings);
    return words.empty() ? "any" : fmt::format("{}", fmt::join(words, " "));
}

std::string named_addresses_text(const ExportSettings &settings) {
    const auto words = export_address_words(settings);
    return words.empty() ? "those of the machine" : fmt::format("{}", fmt::join(words, " "));
}

// In the order of the sentences.
constexpr std::array settings_that_change{
    Setting{CW_CHANGE_ALLOW, "allow list", allowed_text},
    Setting{CW_CHANGE_KEY, "key",
            [](const ExportSettings &settings) {
                return settings.key_file.empty() ? std::string("none") : settings.key_file;
            }},
    Setting{CW_CHANGE_READ_ONLY, "read-only",
            [](const ExportSettings &settings) { return yes_or_no(settings.read_only); }},
    Setting{CW_CHANGE_TCP, "tcp",
            [](const ExportSettings &settings) { return yes_or_no(settings.tcp); }},
    Setting{CW_CHANGE_TAKEOVER_AFTER, "takeover-after",
            [](const ExportSettings &settings) {
                return settings.takeover_after == 0 ? std::string("never")
                                                    : fmt::format("{} s", settings.takeover_after);
            }},
    Setting{CW_CHANGE_ADDRESSES, "addresses", named_addresses_text},
};

// "allow list 10.0.0.0/24, tcp yes".
std::string export_phrases(std::uint32_t what, const ExportSettings &to) {
    std::vector<std::string> all;
    for (const Setting &setting : settings_that_change) {
        if ((what & setting.bit) != 0) {
            all.push_back(fmt::format("{} {}", setting.name, setting.text(to)));
        }
    }
    return fmt::format("{}", fmt::join(all, ", "));
}

Json export_settings_json(const ExportSettings &settings) {
    Json json = {{"allow", allow_words(settings)},
                 {"read_only", settings.read_only},
                 {"tcp", settings.tcp},
                 {"takeover_after", settings.takeover_after},
                 {"addresses", export_address_words(settings)}};
    put_bytes(json, "key_file", settings.key_file);
    return json;
}

Result<ExportSettings> export_settings_from(const Json &json) {
    ExportSettings settings;
    auto allow = TRY(parse_allow_list(json.at("allow").get<std::vector<std::string>>()));
    settings.allow = std::move(allow.networks);
    settings.allow_any = allow.any;
    settings.read_only = json.at("read_only").get<bool>();
    settings.tcp = json.at("tcp").get<bool>();
    settings.takeover_after = json.at("takeover_after").get<std::uint32_t>();
    TRY(parse_export_addresses("addresses", json.at("addresses").get<std::vector<std::string>>(),
                               settings));
    settings.key_file = get_bytes(json, "key_file").value_or("");
    return settings;
}

// Returns null if a text in the JSON is malformed.
ChangePointer export_change_from(const Json &json) {
    NewExportSettings settings;
    settings.what = json.at("what").get<std::uint32_t>();
    auto before = export_settings_from(json.at("before"));
    auto after = export_settings_from(json.at("after"));
    if (!before || !after) {
        return nullptr;
    }
    settings.before = *std::move(before);
    settings.after = *std::move(after);
    settings.before.name = settings.after.name = json.at("name").get<std::string>();
    settings.key_unknown = json.at("key_unknown").get<bool>();
    return change_export_settings(std::move(settings));
}

const ChangeKind kind_export_settings("export-settings", export_change_from);

class ExportSettingsChange final : public SettingsChange<ExportSettings> {
  public:
    ExportSettingsChange(NewExportSettings settings, ExportSettingsWay way)
        : SettingsChange(std::move(settings), CW_CHANGE_KEY | CW_CHANGE_ADDRESSES), way_(way) {}

    // The same as of the export: undo of "export add" does not go past a change of its settings.
    std::string subject() const override { return thing(); }

    std::filesystem::path lock_place(const World &world) const override {
        return world.places.lock();
    }

    Json json() const override {
        Json json = SettingsChange::json();
        json["kind"] = kind_export_settings.name();
        json["name"] = name();
        return json;
    }

  protected:
    std::string thing() const override { return fmt::format("the export '{}'", name()); }
    std::string verb() const override { return "export set " + name(); }
    std::string phrases(std::uint32_t what, const ExportSettings &settings) const override {
        return export_phrases(what, settings);
    }
    bool by_force() const override { return way_.force; }
    std::string consequence(Direction direction) const override {
        return by_force() && direction == Direction::forward
                   ? "; connections that this does not admit would end"
                   : "";
    }
    Json settings_json(const ExportSettings &settings) const override {
        return export_settings_json(settings);
    }

    Result<std::optional<ExportSettings>> in_force(World &world) const override {
        const auto running = TRY(running_export(world, name()));
        return running ? std::optional(running->chosen()) : std::nullopt;
    }

    Result<void> set(World &world, std::uint32_t what, const ExportSettings &wanted, Secret key,
                     bool force) const override {
        ExportUpdate update;
        update.change = what;
        update.settings = wanted;
        update.settings.name = name();
        update.key = std::move(key);
        update.force = force;
        if ((what & CW_CHANGE_ADDRESSES) != 0) {
            CommonAddresses common;
            update.settings.addresses = TRY(served_addresses(world, wanted, common));
            if (wanted.tcp) {
                update.over_tcp = addresses_without_rdma(world, update.settings.addresses);
            }
        }
        const std::uint32_t ended = TRY(world.kernel.set_export(update));
        if (way_.ended != nullptr) {
            *way_.ended = ended;
        }
        return {};
    }

  private:
    const std::string &name() const { return settings().after.name; }

    ExportSettingsWay way_;
};

} // namespace

NewExportSettings new_settings(const ExportInfo &running,
                               const std::optional<ExportSettings> &configured,
                               const ExportSettings &after, std::vector<std::string> &fixed) {
    NewExportSettings found;
    ExportState state = state_of(running, configured);
    found.before = std::move(state.settings);
    found.after = after;
    for (const Setting &setting : settings_that_change) {
        const bool counts = setting.bit != CW_CHANGE_TAKEOVER_AFTER || after.has_owners();
        if (counts && setting.text(found.before) != setting.text(after)) {
            found.what |= setting.bit;
        }
    }
    if (!after.key_file.empty() || (after.key_file.empty() && running.has_key)) {
        found.what |= CW_CHANGE_KEY;
    }
    // Whether an address is for TCP alone depends on tcp.
    if ((found.what & CW_CHANGE_TCP) != 0) {
        found.what |= CW_CHANGE_ADDRESSES;
    }
    found.key_unknown = (found.what & CW_CHANGE_KEY) != 0 && state.key_unknown;
    fixed = fixed_differences(found.before, after);
    return found;
}

std::vector<std::string> fixed_differences(ExportSettings there, const ExportSettings &wanted) {
    there.allow = wanted.allow;
    there.key_file = wanted.key_file;
    there.read_only = wanted.read_only;
    there.tcp = wanted.tcp;
    there.takeover_after = wanted.takeover_after;
    there.addresses = wanted.addresses;
    there.no_addresses = wanted.no_addresses;
    return differences(there, wanted);
}

ChangePointer change_export_settings(NewExportSettings settings, ExportSettingsWay way) {
    return std::make_unique<ExportSettingsChange>(std::move(settings), way);
}

} // namespace causeway
