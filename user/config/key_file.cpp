// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/key_file.h"

#include "base/descriptor.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace causeway {

namespace {

std::string command_for(const KeyForm &form, const std::string &file) {
    return fmt::format("make one with: (umask 077; {} > {})", form.maker, file);
}

std::string rule_of(const KeyForm &form) {
    return fmt::format("{}; {}", form.rule, command_for(form, "FILE"));
}

Error bad_key(const std::filesystem::path &place, std::string_view why, std::string fix) {
    return Error{ExitCode::bad_config, fmt::format("key file {} {}", place.string(), why),
                 std::move(fix)};
}

Result<void> check_owner(const std::filesystem::path &place, int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0) {
        return bad_key(place, fmt::format("cannot be looked at: {}", std::strerror(errno)), "");
    }
    if (!S_ISREG(status.st_mode)) {
        return bad_key(place, "is not a regular file", "");
    }
    if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
        return bad_key(place, "belongs to another user, who could change it",
                       fmt::format("chown root {}", place.string()));
    }
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return bad_key(place,
                       fmt::format("is open to others (mode {:04o})", status.st_mode & 07777U),
                       fmt::format("chmod 600 {}", place.string()));
    }
    return {};
}

} // namespace

Result<Secret> read_key(const std::filesystem::path &place, const KeyForm &form) {
    const Descriptor file(::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) {
        const int number = errno;
        Error error = bad_key(place, fmt::format("cannot be read: {}", std::strerror(number)), "");
        if (number == ENOENT) {
            error.fix = command_for(form, place.string());
        } else if (number == EACCES) {
            error.code = ExitCode::no_permission;
            error.fix = "run the command as root";
        }
        return error;
    }
    TRY(check_owner(place, file.get()));
    // One byte more for the newline, and one to notice that the file is longer.
    std::vector<std::uint8_t> bytes(longest_key_of_all + 2);
    std::size_t length = 0;
    while (length < bytes.size()) {
        const ssize_t got = ::read(file.get(), bytes.data() + length, bytes.size() - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return bad_key(place, fmt::format("cannot be read: {}", std::strerror(errno)), "");
        }
        if (got == 0) {
            break;
        }
        length += static_cast<std::size_t>(got);
    }
    if (length > 0 && bytes[length - 1] == '\n') {
        length--;
    }
    bytes.resize(length);
    const bool all_zero =
        std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
    Secret key(std::move(bytes));
    if (key.empty()) {
        return bad_key(place, "is empty", rule_of(form));
    }
    if (length < form.shortest) {
        return bad_key(place, fmt::format("has {} bytes, too few to protect anything", length),
                       rule_of(form));
    }
    if (length > form.longest) {
        return bad_key(place, fmt::format("is longer than {} bytes", form.longest), rule_of(form));
    }
    if (all_zero) {
        return bad_key(place, "has only zero bytes", rule_of(form));
    }
    return key;
}

} // namespace causeway
