// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/trial.h"

#include "nfs/mounting.h"
#include "nfs/mounts.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view name_start = "trial-";

// A mount.nfs that ran out of time may still have mounted the file system.
Result<void> take_away(World &world, const std::string &path) {
    const auto on = mounted_on(world.files, path);
    if (on && on->nfs) {
        TRY(unmount(world, path));
    }
    // Remove only the folder, never its content: if it is still a mount, the content is the
    // server's.
    std::error_code failure;
    fs::remove(path, failure);
    if (failure) {
        return Error{ExitCode::failed, fmt::format("cannot remove {}: {}", path, failure.message()),
                     "", failure.value()};
    }
    return {};
}

// The name has the form "trial-4711-Ab3xYz", and process 4711 has ended.
bool is_left_over(const std::string &name) {
    if (name.substr(0, name_start.size()) != name_start) {
        return false;
    }
    const std::string rest = name.substr(name_start.size());
    const std::string process = rest.substr(0, rest.find('-'));
    std::error_code failure;
    return !process.empty() && process.find_first_not_of("0123456789") == std::string::npos &&
           !fs::exists("/proc/" + process, failure);
}

void take_leftovers_away(World &world, const fs::path &folder) {
    std::error_code failure;
    std::vector<std::string> left;
    for (fs::directory_iterator entry(folder, failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        if (is_left_over(entry->path().filename().string())) {
            left.push_back(entry->path().string());
        }
    }
    for (const std::string &path : left) {
        static_cast<void>(take_away(world, path));
    }
}

} // namespace

Result<TrialFolder> TrialFolder::make(World &world) {
    const fs::path folder = world.places.nfs_mounts();
    std::error_code failure;
    fs::create_directories(folder, failure);
    take_leftovers_away(world, folder);
    std::string path = (folder / fmt::format("{}{}-XXXXXX", name_start, ::getpid())).string();
    if (::mkdtemp(path.data()) == nullptr) {
        const int reason = errno;
        return Error{ExitCode::failed,
                     fmt::format("cannot make a folder for a trial in {}: {}", folder.string(),
                                 std::strerror(reason)),
                     "run the command as root", reason};
    }
    return TrialFolder(world, std::move(path));
}

TrialFolder::TrialFolder(TrialFolder &&other) noexcept
    : world_(other.world_), path_(std::move(other.path_)) {
    other.path_.clear();
}

TrialFolder::~TrialFolder() {
    static_cast<void>(end());
}

Result<void> TrialFolder::end() {
    if (path_.empty()) {
        return {};
    }
    const std::string path = std::move(path_);
    path_.clear();
    return take_away(*world_, path);
}

} // namespace causeway
