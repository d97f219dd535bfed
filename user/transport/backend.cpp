// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/backend.h"

#include "base/units.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <vector>

namespace causeway {

Result<BackendChoice> take_backend(const Arguments &arguments, const std::string &choices) {
    std::vector<BackendChoice> given;
    for (const char *option : {"device", "file", "ram", "scsi"}) {
        if (arguments.has(option)) {
            given.push_back({option});
        }
    }
    if (given.size() != 1) {
        return Error{ExitCode::usage,
                     given.empty() ? "no device, file or memory is given to export"
                                   : "an export has one backend, not several",
                     "give one of " + choices};
    }
    BackendChoice &choice = given.front();
    const std::string typed = arguments.text(choice.kind).value_or("");
    if (choice.kind == "ram") {
        choice.size = TRY(parse_size("--ram", typed));
        return choice;
    }
    if (typed.empty()) {
        return Error{ExitCode::usage, fmt::format("--{} is empty", choice.kind), "give a path"};
    }
    choice.path = std::filesystem::absolute(typed).lexically_normal().string();
    return choice;
}

Result<void> check_path(const std::string &kind, const std::string &path) {
    const auto bad = [&](std::string_view why, std::string fix) {
        return Error{ExitCode::unavailable, fmt::format("the {} {} {}", kind, path, why),
                     std::move(fix)};
    };
    const char *const devices = "see which devices there are: lsblk --paths";
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        const int number = errno;
        Error error = bad(fmt::format("cannot be used: {}", std::strerror(number)), "");
        error.system_error = number;
        if (number == ENOENT) {
            error.fix = kind == "file"
                            ? fmt::format("make it first, such as: truncate -s 10G {}", path)
                            : devices;
        }
        return error;
    }
    if (kind == "device" && !S_ISBLK(status.st_mode)) {
        return bad("is not a block device",
                   S_ISREG(status.st_mode) ? fmt::format("give --file {}", path) : devices);
    }
    if (kind == "file" && !S_ISREG(status.st_mode)) {
        return bad("is not a regular file",
                   S_ISBLK(status.st_mode)
                       ? fmt::format("give --device {}", path)
                       : "make one and give that, such as: truncate -s 10G FILE");
    }
    if (kind == "file" && status.st_size == 0) {
        return bad("is empty", fmt::format("give it a size, such as: truncate -s 10G {}", path));
    }
    return {};
}

Result<void> check_memory(std::uint64_t size, std::uint64_t unit) {
    if (size != 0 && size % unit == 0) {
        return {};
    }
    const std::uint64_t up = std::max(unit, (size + unit - 1) / unit * unit);
    return Error{ExitCode::usage, fmt::format("--ram {} is not a multiple of {} bytes", size, unit),
                 fmt::format("give --ram {}", size_exact(up))};
}

} // namespace causeway
