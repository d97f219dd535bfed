// SPDX-License-Identifier: GPL-2.0-or-later
#include "real_programs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds limit{60};

std::string variable(const char *name) {
    const char *const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// tests/deps unpacks each package into a folder below this one.
fs::path unpacked() {
    const std::string cache = variable("XDG_CACHE_HOME");
    return (cache.empty() ? fs::path(variable("HOME")) / ".cache" : fs::path(cache)) / "causeway" /
           "unpacked";
}

std::vector<std::string> program_folders() {
    std::vector<std::string> folders = {"/usr/sbin", "/usr/bin", "/sbin", "/bin"};
    std::error_code failure;
    for (fs::directory_iterator entry(unpacked(), failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        for (const char *folder : {"usr/sbin", "usr/bin", "sbin"}) {
            folders.push_back((entry->path() / folder).string());
        }
    }
    return folders;
}

} // namespace

bool real_programs_there(const std::vector<std::string> &names) {
    const auto folders = program_folders();
    return std::all_of(names.begin(), names.end(), [&](const std::string &name) {
        return std::any_of(folders.begin(), folders.end(), [&](const std::string &folder) {
            std::error_code failure;
            return fs::exists(fs::path(folder) / name, failure);
        });
    });
}

ProcessEnd run_real_program(std::vector<std::string> words) {
    const std::string path = fmt::format("PATH={}", fmt::join(program_folders(), ":"));
    words.insert(words.begin(), {"env", path});
    SystemProcesses programs;
    auto end = programs.run(words, limit);
    if (!end) {
        ADD_FAILURE() << end.error().what;
        return ProcessEnd{1};
    }
    return *std::move(end);
}

} // namespace causeway
