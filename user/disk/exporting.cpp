// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/exporting.h"

#include "base/listed_address.h"
#include "config/key_file.h"
#include "disk/export_settings_change.h"
#include "disk/server_life.h"
#include "show/words.h"
#include "transport/backend.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::uint64_t page = 4096;

// Returns the command that gives the export @there the settings @wanted.
std::string way_to_change(const ExportInfo &there, const std::optional<ExportSettings> &configured,
                          const ExportSettings &wanted) {
    std::vector<std::string> fixed;
    new_settings(there, configured, wanted, fixed);
    return fixed.empty()
               ? fmt::format("causeway export set {}, with the options that differ", wanted.name)
               : remove_then_add(there.settings);
}

} // namespace

bool admits_by_nothing(const ExportSettings &settings) {
    return settings.allow.empty() && !settings.allow_any && settings.key_file.empty();
}

bool is_restricted(const ExportInfo &running) {
    return running.has_key || !running.settings.allow.empty();
}

Result<void> check_backend(const ExportSettings &settings) {
    return settings.backend == Backend::ram
               ? check_memory(settings.size, page)
               : check_path(backend_text(settings.backend), settings.path);
}

Result<std::optional<ExportInfo>> running_export(World &world, const std::string &name) {
    auto exports = TRY(world.kernel.exports());
    const auto found = std::find_if(exports.begin(), exports.end(), [&](const ExportInfo &info) {
        return !info.ending && info.settings.name == name;
    });
    return found == exports.end() ? std::optional<ExportInfo>() : std::optional(*found);
}

Result<void> same_export(const ExportInfo &there, const ExportSettings &wanted,
                         const std::optional<ExportSettings> &configured) {
    ExportSettings running = there.chosen();
    // The kernel reports only whether there is a key.
    if (there.has_key) {
        running.key_file = configured && !configured->key_file.empty() ? configured->key_file
                           : wanted.key_file.empty()                   ? "set"
                                                                       : wanted.key_file;
    }
    ExportSettings started = wanted;
    started.addresses = listed_addresses(wanted.addresses);
    running.no_addresses = wanted.no_addresses && running.addresses.empty();
    const auto different = differences(running, started);
    if (different.empty()) {
        return {};
    }
    return Error{ExitCode::failed,
                 fmt::format("the export '{}' is there with other settings: {}", wanted.name,
                             fmt::join(different, ", ")),
                 way_to_change(there, configured, wanted)};
}

Result<LedgerPlan> plan_owners(World &world, ExportSettings &settings, bool discard_owners) {
    EarlierOwners owners = EarlierOwners::possible;
    if (!settings.identity) {
        settings.identity = Uuid::random();
        owners = EarlierOwners::none;
    }
    return plan_ledger(world, settings, discard_owners ? EarlierOwners::discard : owners);
}

Result<std::optional<LedgerPlan>> complete(World &world, ExportSettings &settings,
                                           bool discard_owners) {
    if (settings.keeps_ledger()) {
        auto plan = TRY(plan_owners(world, settings, discard_owners));
        settings.ledger = plan.uuid;
        settings.state_folder = plan.default_folder ? "" : plan.folder.string();
        return std::optional(std::move(plan));
    }
    if (settings.backend != Backend::ram && !settings.identity) {
        settings.identity = Uuid::random();
    }
    return std::optional<LedgerPlan>();
}

unsigned int export_file_mode(const ExportSettings &settings) {
    return settings.key_file.empty() ? 0644 : 0600;
}

} // namespace causeway
