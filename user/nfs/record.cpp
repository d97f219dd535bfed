// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/record.h"

#include "base/durable_file.h"
#include "nfs/units.h"

#include <nlohmann/json.hpp>

namespace causeway {

namespace {

std::filesystem::path place_of(const Places &places, const std::string &directory) {
    return places.nfs_mounts() / (escaped_path(directory) + ".json");
}

} // namespace

Result<void> keep_record(const Places &places, const MountRecord &record) {
    const nlohmann::ordered_json json = {{"source", record.source},
                                         {"directory", record.directory},
                                         {"options", record.options},
                                         {"reason", record.reason}};
    return write_durably(place_of(places, record.directory), json.dump(2, ' ', true) + "\n", 0644);
}

std::optional<MountRecord> find_record(const Places &places, const std::string &source,
                                       const std::string &directory) {
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
    MountRecord record{word("source"), word("directory"), word("options"), word("reason")};
    // Another mount may have come since on the same folder.
    if (record.source != source || record.directory != directory) {
        return std::nullopt;
    }
    return record;
}

Result<void> forget_record(const Places &places, const std::string &directory) {
    auto removed = remove_durably(place_of(places, directory));
    if (!removed) {
        return removed.error();
    }
    return {};
}

} // namespace causeway
