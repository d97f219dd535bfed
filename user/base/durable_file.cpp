// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/durable_file.h"

#include "base/narration.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t small_file_limit = std::size_t{1} << 20U;

Error system_failure(std::string_view action, const fs::path &place, int number) {
    Error error{ExitCode::failed,
                fmt::format("cannot {} {}: {}", action, place.string(), std::strerror(number)), "",
                number};
    if (number == EACCES || number == EPERM) {
        error.code = ExitCode::no_permission;
        error.fix = "run the command as root";
    }
    return error;
}

Result<void> make_folders(const fs::path &folder) {
    return make_folder_durably(folder, 0755);
}

Result<void> write_all(const Descriptor &file, const fs::path &place, std::string_view content) {
    while (!content.empty()) {
        const ssize_t done = ::write(file.get(), content.data(), content.size());
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return system_failure("write", place, errno);
        }
        content.remove_prefix(static_cast<std::size_t>(done));
    }
    return {};
}

// Renames, but replaces nothing. Uses link(2) and unlink(2) if the file system has no such rename.
bool rename_new(const fs::path &from, const fs::path &to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
        return true;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return false;
    }
    return ::link(from.c_str(), to.c_str()) == 0 && ::unlink(from.c_str()) == 0;
}

} // namespace

Result<void> sync_folder(const fs::path &folder) {
    // A file name without a folder is in the current directory.
    const fs::path named = folder.empty() ? fs::path(".") : folder;
    const Descriptor handle(::open(named.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!handle || ::fsync(handle.get()) != 0) {
        return system_failure("sync the folder", named, errno);
    }
    return {};
}

// Syncs the entry of each new folder in its parent. Otherwise a crash could remove the folder with
// the file in it.
Result<void> make_folder_durably(const fs::path &folder, unsigned int mode) {
    if (folder.empty() || ::access(folder.c_str(), F_OK) == 0) {
        return {};
    }
    TRY(make_folders(folder.parent_path()));
    narrate("make the folder " + folder.string());
    if (::mkdir(folder.c_str(), static_cast<mode_t>(mode)) != 0 && errno != EEXIST) {
        return system_failure("make the folder", folder, errno);
    }
    const fs::path parent = folder.parent_path();
    return sync_folder(parent.empty() ? fs::path(".") : parent);
}

StagedFile::StagedFile(StagedFile &&other) noexcept
    : place_(std::move(other.place_)), temporary_(std::exchange(other.temporary_, fs::path())) {}

StagedFile::~StagedFile() {
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

Result<StagedFile> StagedFile::write(const fs::path &place, std::string_view content,
                                     unsigned int mode, Space space) {
    const fs::path folder = place.parent_path();
    TRY(make_folders(folder));
    // The leading dot keeps a file that a crash leaves behind out of "*.conf".
    const std::string pattern = (folder / ("." + place.filename().string() + ".XXXXXX")).string();
    std::vector<char> name(pattern.begin(), pattern.end());
    name.push_back('\0');
    const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
    if (!file) {
        return system_failure("write in", folder, errno);
    }
    StagedFile staged(place, fs::path(name.data()));
    if (space == Space::reserved) {
        if (const int number = ::posix_fallocate(file.get(), 0, static_cast<off_t>(content.size()));
            number != 0) {
            return system_failure("reserve space for", place, number);
        }
    }
    TRY(write_all(file, place, content));
    if (::fchmod(file.get(), static_cast<mode_t>(mode)) != 0 || ::fsync(file.get()) != 0) {
        return system_failure("write", place, errno);
    }
    return staged;
}

Result<void> StagedFile::commit() {
    narrate("write " + place_.string());
    if (::rename(temporary_.c_str(), place_.c_str()) != 0) {
        return system_failure("write", place_, errno);
    }
    temporary_.clear();
    return sync_folder(place_.parent_path());
}

Result<void> StagedFile::commit_new() {
    narrate("write the new file " + place_.string());
    if (!rename_new(temporary_, place_)) {
        return system_failure("write", place_, errno);
    }
    temporary_.clear();
    return sync_folder(place_.parent_path());
}

Result<void> reserve_durably(const fs::path &place, std::size_t size) {
    const Descriptor file(::open(place.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file) {
        return system_failure("open", place, errno);
    }
    if (const int number = ::posix_fallocate(file.get(), 0, static_cast<off_t>(size));
        number != 0) {
        return system_failure("reserve space for", place, number);
    }
    if (::fsync(file.get()) != 0) {
        return system_failure("write", place, errno);
    }
    return {};
}

Result<void> write_durably(const fs::path &place, std::string_view content, unsigned int mode) {
    auto staged = TRY(StagedFile::write(place, content, mode));
    return staged.commit();
}

Result<void> link_durably(const fs::path &place, const std::string &target) {
    const fs::path folder = place.parent_path();
    TRY(make_folders(folder));
    const fs::path temporary =
        folder / fmt::format(".{}.{}", place.filename().string(), ::getpid());
    ::unlink(temporary.c_str());
    narrate(fmt::format("make the link {} to {}", place.string(), target));
    if (::symlink(target.c_str(), temporary.c_str()) != 0) {
        return system_failure("make a link in", folder, errno);
    }
    if (::rename(temporary.c_str(), place.c_str()) != 0) {
        const int number = errno;
        ::unlink(temporary.c_str());
        return system_failure("make the link", place, number);
    }
    return sync_folder(folder);
}

Result<bool> remove_durably(const fs::path &place) {
    if (::unlink(place.c_str()) != 0) {
        if (errno == ENOENT) {
            return false;
        }
        return system_failure("remove", place, errno);
    }
    narrate("removed " + place.string());
    TRY(sync_folder(place.parent_path()));
    return true;
}

Result<std::optional<std::string>> read_small_file(const fs::path &place) {
    const Descriptor file(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        if (errno == ENOENT) {
            narrate(fmt::format("read {}: there is no such file", place.string()));
            return std::optional<std::string>();
        }
        return system_failure("read", place, errno);
    }
    narrate("read " + place.string());
    std::string content;
    std::array<char, 4096> chunk{};
    for (;;) {
        const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return system_failure("read", place, errno);
        }
        if (got == 0) {
            return std::optional<std::string>(std::move(content));
        }
        content.append(chunk.data(), static_cast<std::size_t>(got));
        if (content.size() > small_file_limit) {
            return Error{ExitCode::bad_config, fmt::format("{} is too large", place.string())};
        }
    }
}

Result<Descriptor> FileLock::open(const fs::path &place) {
    TRY(make_folders(place.parent_path()));
    Descriptor file(::open(place.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    return file ? Result<Descriptor>(std::move(file))
                : Result<Descriptor>(system_failure("open the lock", place, errno));
}

Result<FileLock> FileLock::take(const fs::path &place) {
    auto file = TRY(open(place));
    narrate("wait for the lock " + place.string());
    while (::flock(file.get(), LOCK_EX) != 0) {
        if (errno != EINTR) {
            return system_failure("take the lock", place, errno);
        }
    }
    return FileLock(std::move(file));
}

Result<std::optional<FileLock>> FileLock::take_now(const fs::path &place) {
    auto file = TRY(open(place));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
        return std::optional(FileLock(std::move(file)));
    }
    if (errno != EWOULDBLOCK) {
        return system_failure("take the lock", place, errno);
    }
    return std::optional<FileLock>();
}

} // namespace causeway
