// SPDX-License-Identifier: GPL-2.0-or-later
// A folder of drop-ins: one INI file for each thing that lasts.
#pragma once

#include "base/durable_file.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace causeway {

inline constexpr const char *dropin_suffix = ".conf";

template <typename Settings> struct Stored {
    std::filesystem::path place;
    Settings settings;
};

// A folder's files; those that cannot be read as settings are in broken, and the others all the
// same in good.
template <typename Settings> struct Folder {
    std::vector<Stored<Settings>> good;
    std::vector<Error> broken;
};

// Files of a folder that end in .conf and are not hidden, by name; none where there is no folder.
Result<std::vector<std::filesystem::path>> conf_files(const std::filesystem::path &folder);

// parse: (place, content) -> Result<Settings>.
template <typename Settings, typename Parse>
Result<Folder<Settings>> load_folder(const std::filesystem::path &folder, Parse parse) {
    auto files = TRY(conf_files(folder));
    Folder<Settings> loaded;
    for (const std::filesystem::path &place : files) {
        auto content = read_small_file(place);
        if (!content) {
            loaded.broken.push_back(content.error());
            continue;
        }
        auto settings = parse(place, content->value_or(std::string()));
        if (settings) {
            loaded.good.push_back({place, *std::move(settings)});
        } else {
            loaded.broken.push_back(settings.error());
        }
    }
    return loaded;
}

} // namespace causeway
