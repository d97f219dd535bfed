// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/mount_use.h"

#include "base/descriptor.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <sys/mount.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

// MNT_EXPIRE marks an idle mount. An access removes the mark.
void take_mark_off(const std::string &directory) {
    const Descriptor folder(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

bool lies_in(std::string_view path, std::string_view directory) {
    return path.substr(0, directory.size()) == directory &&
           (path.size() == directory.size() || path[directory.size()] == '/');
}

bool link_lies_in(const fs::path &link, const std::string &directory) {
    std::error_code failure;
    const fs::path target = fs::read_symlink(link, failure);
    return !failure && lies_in(target.string(), directory);
}

bool has_open(const fs::path &process, const std::string &directory) {
    std::error_code failure;
    fs::directory_iterator file(process / "fd", failure);
    for (; !failure && file != fs::directory_iterator(); file.increment(failure)) {
        if (link_lies_in(file->path(), directory)) {
            return true;
        }
    }
    return false;
}

// Looks for the path of a program, library or other mapped file: the sixth column of maps.
bool has_mapped(const fs::path &process, const std::string &directory) {
    std::ifstream maps(process / "maps");
    for (std::string line; std::getline(maps, line);) {
        const std::size_t path = line.find('/');
        if (path != std::string::npos && lies_in(std::string_view(line).substr(path), directory)) {
            return true;
        }
    }
    return false;
}

bool uses(const fs::path &process, const std::string &directory) {
    return link_lies_in(process / "cwd", directory) || link_lies_in(process / "root", directory) ||
           link_lies_in(process / "exe", directory) || has_open(process, directory) ||
           has_mapped(process, directory);
}

} // namespace

bool SystemMountUse::is_busy(const std::string &directory) {
    take_mark_off(directory);
    // EAGAIN: the mount is idle, and is marked now. EBUSY: it is in use. Any other error does not
    // report its use.
    const bool busy = ::umount2(directory.c_str(), MNT_EXPIRE) != 0 && errno == EBUSY;
    take_mark_off(directory);
    return busy;
}

std::vector<MountUser> SystemMountUse::users(const std::string &directory) {
    std::vector<MountUser> found;
    std::error_code failure;
    fs::directory_iterator entry("/proc", failure);
    for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos ||
            !uses(entry->path(), directory)) {
            continue;
        }
        MountUser user{std::stoi(name), ""};
        std::ifstream comm(entry->path() / "comm");
        std::getline(comm, user.program);
        found.push_back(std::move(user));
    }
    std::sort(found.begin(), found.end(), [](const MountUser &one, const MountUser &other) {
        return one.process < other.process;
    });
    return found;
}

} // namespace causeway
