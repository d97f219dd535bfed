// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/kernel_files.h"

#include "base/descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace causeway {

namespace {

Error failure(std::string_view action, const std::string &path, int number) {
    Error error{ExitCode::failed,
                fmt::format("cannot {} {}: {}", action, path, std::strerror(number)), "", number};
    if (number == EACCES || number == EPERM) {
        error.code = ExitCode::no_permission;
        error.fix = "run the command as root";
    }
    return error;
}

} // namespace

Result<std::optional<std::string>> SystemKernelFiles::read(const std::string &path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return std::optional<std::string>();
        }
        return failure("read", path, errno);
    }
    std::string content;
    std::array<char, 16384> chunk{};
    for (;;) {
        const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failure("read", path, errno);
        }
        if (got == 0) {
            return std::optional(std::move(content));
        }
        content.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

Result<void> SystemKernelFiles::write(const std::string &path, const std::string &text) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) {
        return failure("write", path, errno);
    }
    ssize_t taken = 0;
    do {
        taken = ::write(file.get(), text.data(), text.size());
    } while (taken < 0 && errno == EINTR);
    if (taken < 0) {
        return failure("write", path, errno);
    }
    if (static_cast<std::size_t>(taken) != text.size()) {
        return Error{ExitCode::failed, fmt::format("cannot write {}: {} of {} bytes were written",
                                                   path, taken, text.size())};
    }
    return {};
}

std::vector<std::string> SystemKernelFiles::list(const std::string &path) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool SystemKernelFiles::has_folder(const std::string &path) {
    std::error_code error;
    return std::filesystem::is_directory(path, error);
}

Result<void> SystemKernelFiles::make_folder(const std::string &path) {
    return ::mkdir(path.c_str(), 0755) == 0 ? Result<void>() : failure("make", path, errno);
}

Result<void> SystemKernelFiles::remove_folder(const std::string &path) {
    return ::rmdir(path.c_str()) == 0 ? Result<void>() : failure("remove", path, errno);
}

Result<void> SystemKernelFiles::make_link(const std::string &path, const std::string &target) {
    return ::symlink(target.c_str(), path.c_str()) == 0 ? Result<void>()
                                                        : failure("make", path, errno);
}

Result<void> SystemKernelFiles::remove_link(const std::string &path) {
    return ::unlink(path.c_str()) == 0 ? Result<void>() : failure("remove", path, errno);
}

std::string text_of(KernelFiles &files, const std::string &path) {
    auto text = files.read(path);
    return text && *text ? **std::move(text) : std::string();
}

} // namespace causeway
