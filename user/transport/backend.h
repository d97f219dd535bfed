// SPDX-License-Identifier: GPL-2.0-or-later
// The device, the file or the memory behind an export, for every transport.
#pragma once

#include "base/result.h"
#include "command/arguments.h"

#include <cstdint>
#include <string>

namespace causeway {

// The value of the option --device, --file, --ram or --scsi.
struct BackendChoice {
    std::string kind;       // the name of the option
    std::string path{};     // absolute; all but ram
    std::uint64_t size = 0; // bytes; ram only
};

// Returns an error (usage) unless exactly one of the options is given. @choices: the options of the
// transport in words, for the error.
Result<BackendChoice> take_backend(const Arguments &arguments, const std::string &choices);

// Checks that the path of a backend can be used, and that it is of its kind.
Result<void> check_path(const std::string &kind, const std::string &path);
// Returns an error (usage) unless the size is a multiple of @unit; both in bytes.
Result<void> check_memory(std::uint64_t size, std::uint64_t unit);

} // namespace causeway
