// SPDX-License-Identifier: GPL-2.0-or-later
// A folder of configuration files: one INI file for each object.
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

// The files of a folder. A file that cannot be read or parsed does not hide the others: its error
// is in broken, and the settings of the others are in good.
template <typename Settings> struct Folder {
    std::vector<Stored<Settings>> good;
    std::vector<Error> broken;
};

// Returns the files of a folder that end in .conf and are not hidden, sorted by name. Returns an
// empty list if the folder does not exist.
Result<std::vector<std::filesystem::path>> conf_files(const std::filesystem::path &folder);

// Reads all .conf files of a folder. @parse is a function (place, content) -> Result<Settings>.
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
