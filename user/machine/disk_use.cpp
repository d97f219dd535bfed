// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/disk_use.h"

#include "base/descriptor.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds longest_scan{2};
constexpr std::string_view device_folder = "/dev/";

// The link of a descriptor in /proc has write permission if and only if the descriptor was opened
// for writing.
bool link_writes(const fs::path &link) {
    struct stat status {};
    return ::lstat(link.c_str(), &status) == 0 && (status.st_mode & S_IWUSR) != 0;
}

struct Wanted {
    std::string path; // canonical, as in the links of /proc/PID/fd
    Backing backing;
};

// Follows the link only if it leads below /dev. Following a link to a file of a network file system
// could block until the server responds.
bool link_leads_to(const fs::path &link, const std::string &target, const Wanted &wanted) {
    if (!wanted.backing.is_device) {
        return target == wanted.path;
    }
    struct stat status {};
    return target.substr(0, device_folder.size()) == device_folder &&
           ::stat(link.c_str(), &status) == 0 && S_ISBLK(status.st_mode) &&
           ::major(status.st_rdev) == wanted.backing.major &&
           ::minor(status.st_rdev) == wanted.backing.minor;
}

// Returns the first of the wanted paths that the process has open for writing, or "".
std::string written_by(const fs::path &process, const std::vector<Wanted> &wanted) {
    std::error_code failure;
    fs::directory_iterator file(process / "fd", failure);
    for (; !failure && file != fs::directory_iterator(); file.increment(failure)) {
        std::error_code gone;
        const std::string target = fs::read_symlink(file->path(), gone).string();
        if (gone || target.rfind('/', 0) != 0 || !link_writes(file->path())) {
            continue;
        }
        for (const Wanted &each : wanted) {
            if (link_leads_to(file->path(), target, each)) {
                return each.path;
            }
        }
    }
    return {};
}

} // namespace

std::optional<Backing> SystemDiskUse::find(const std::string &path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    if (S_ISBLK(status.st_mode)) {
        return Backing{true, ::major(status.st_rdev), ::minor(status.st_rdev), 0};
    }
    if (S_ISREG(status.st_mode)) {
        return Backing{false, ::major(status.st_dev), ::minor(status.st_dev), status.st_ino};
    }
    return std::nullopt;
}

bool SystemDiskUse::is_claimed(const std::string &device) {
    const Descriptor disk(
        ::open(device.c_str(), O_RDONLY | O_EXCL | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    return !disk && errno == EBUSY;
}

bool SystemDiskUse::is_being_written(const std::string &path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file) {
        return false;
    }
    // A program that opens the file for writing at this moment waits until the lease is released,
    // and this process gets a signal. SIGURG is ignored by default; SIGIO would end the process.
    ::fcntl(file.get(), F_SETSIG, SIGURG);
    const bool taken = ::fcntl(file.get(), F_SETLEASE, F_RDLCK) == 0;
    const bool refused = !taken && errno == EAGAIN;
    if (taken) {
        ::fcntl(file.get(), F_SETLEASE, F_UNLCK);
    }
    return refused;
}

std::string SystemDiskUse::writer(const std::vector<std::string> &paths) {
    std::vector<Wanted> wanted;
    std::error_code failure;
    for (const std::string &path : paths) {
        const auto backing = find(path);
        const std::string canonical = fs::canonical(path, failure).string();
        if (backing && !failure) {
            wanted.push_back({canonical, *backing});
        }
    }
    const auto deadline = std::chrono::steady_clock::now() + longest_scan;
    fs::directory_iterator entry("/proc", failure);
    for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        const std::string number = entry->path().filename().string();
        if (std::chrono::steady_clock::now() >= deadline) {
            break;
        }
        if (number.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        if (const std::string path = written_by(entry->path(), wanted); !path.empty()) {
            std::ifstream comm(entry->path() / "comm");
            std::string program;
            std::getline(comm, program);
            return fmt::format("{} (process {}) has {} open", program, number, path);
        }
    }
    return {};
}

} // namespace causeway
