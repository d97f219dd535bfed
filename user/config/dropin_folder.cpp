// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/dropin_folder.h"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> conf_files(const fs::path &folder) {
    std::vector<fs::path> files;
    std::error_code failure;
    fs::directory_iterator entries(folder, failure);
    while (!failure && entries != fs::directory_iterator()) {
        const std::string name = entries->path().filename().string();
        if (name.front() != '.' && entries->path().extension() == dropin_suffix) {
            files.push_back(entries->path());
        }
        entries.increment(failure);
    }
    if (failure && failure != std::errc::no_such_file_or_directory) {
        return Error{failure == std::errc::permission_denied ? ExitCode::no_permission
                                                             : ExitCode::failed,
                     fmt::format("cannot read {}: {}", folder.string(), failure.message())};
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace causeway
