// SPDX-License-Identifier: GPL-2.0-or-later
#include "change/look.h"

#include "base/durable_file.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace causeway {

namespace fs = std::filesystem;

Result<FileState> look_at_file(const std::filesystem::path &place) {
    struct stat status {};
    if (::lstat(place.c_str(), &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return FileState{};
        }
        const int number = errno;
        return Error{number == EACCES ? ExitCode::no_permission : ExitCode::failed,
                     fmt::format("cannot read {}: {}", place.string(), std::strerror(number)), "",
                     number};
    }
    if (!S_ISREG(status.st_mode)) {
        return Error{ExitCode::failed,
                     fmt::format("{} is there and is no regular file", place.string()),
                     "move it away and try again"};
    }
    auto content = TRY(read_small_file(place));
    return FileState{std::move(content), status.st_mode & 07777U};
}

Result<FileState> look_at_dropin(const fs::path &place) {
    FileState state;
    state.content = TRY(read_small_file(place));
    std::error_code failure;
    const fs::perms mode = fs::status(place, failure).permissions();
    if (state.content && !failure) {
        state.mode = static_cast<unsigned int>(mode & fs::perms::mask);
    }
    return state;
}

Result<std::optional<std::string>> look_at_symlink(const std::filesystem::path &place) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlink(place.c_str(), target.data(), target.size());
    if (length >= 0) {
        return std::optional(std::string(target.data(), static_cast<std::size_t>(length)));
    }
    if (errno == ENOENT || errno == ENOTDIR) {
        return std::optional<std::string>();
    }
    const int number = errno;
    return Error{ExitCode::failed,
                 fmt::format("{} is there and is no symbolic link", place.string()),
                 "move it away and try again", number};
}

} // namespace causeway
