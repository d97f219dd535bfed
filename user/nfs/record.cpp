// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/record.h"

#include "base/answer.h"
#include "base/durable_file.h"
#include "base/systemd_name.h"
#include "nfs/units.h"

#include <nlohmann/json.hpp>

namespace causeway {

namespace {

// In place of the number of a mount.
constexpr const char *unmounted_id = "unmounted";

std::filesystem::path place_of(const Places &places, const std::string &directory) {
    return places.nfs_mounts() / (escaped_path(directory) + ".json");
}

std::optional<MountRecord> read_record(const Places &places, const std::string &directory) {
    const auto text = read_small_file(place_of(places, directory));
    if (!text || !*text) {
        return std::nullopt;
    }
    const auto json = nlohmann::json::parse(**text, nullptr, false);
    if (!json.is_object()) {
        return std::nullopt;
    }
    const auto word = [&](const char *key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_string() ? found->get<std::string>()
                                                         : std::string();
    };
    MountRecord record{word("source"), word("directory"), word("options"), word("reason"),
                       word("shown"),  word("mount_id"),  word("device")};
    if (const auto kept = json.find("kept_ms"); kept != json.end() && kept->is_number_integer()) {
        record.kept = std::chrono::milliseconds(kept->get<std::int64_t>());
    }
    return record.directory == directory ? std::optional(record) : std::nullopt;
}

// Judges by the age of the mount, which the kernel counts in whole seconds by a clock of its own.
bool made_later(const NfsMount &mount, const MountRecord &record, std::chrono::milliseconds now) {
    constexpr int drift = 1000; // the clocks may differ by one part in this number
    constexpr std::chrono::seconds rounding{2};
    return mount.age && record.kept.count() != 0 &&
           now - *mount.age > record.kept + rounding + (now - record.kept) / drift;
}

} // namespace

Result<void> keep_record(const Places &places, const MountRecord &record) {
    const nlohmann::ordered_json json = {
        {"source", record.source}, {"directory", record.directory}, {"options", record.options},
        {"reason", record.reason}, {"shown", record.shown},         {"mount_id", record.mount_id},
        {"device", record.device}, {"kept_ms", record.kept.count()}};
    return write_durably(place_of(places, record.directory),
                         json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n", 0644);
}

std::optional<MountRecord> find_record(const Places &places, const std::string &source,
                                       const std::string &directory) {
    auto record = read_record(places, directory);
    // Another file system may have been mounted on the same folder since.
    return record && record->source == source ? record : std::nullopt;
}

std::optional<MountRecord> record_of(const Places &places, const NfsMount &mount,
                                     std::chrono::milliseconds now) {
    auto record = read_record(places, mount.directory);
    if (!record || mount.source != (record->shown.empty() ? record->source : record->shown)) {
        return std::nullopt;
    }
    // Earlier versions recorded no numbers.
    const bool other = !record->mount_id.empty() &&
                       (record->mount_id != mount.id || record->device != mount.device);
    return other || made_later(mount, *record, now) ? std::nullopt : record;
}

Result<void> keep_unmounted(const Places &places, MountRecord record) {
    record.mount_id = unmounted_id;
    return keep_record(places, record);
}

bool is_kept_unmounted(const Places &places, const std::string &source,
                       const std::string &directory) {
    const auto record = find_record(places, source, directory);
    return record && record->mount_id == unmounted_id;
}

Result<void> forget_record(const Places &places, const std::string &directory) {
    TRY(remove_durably(place_of(places, directory)));
    return {};
}

} // namespace causeway
