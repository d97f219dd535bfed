// SPDX-License-Identifier: GPL-2.0-or-later
// One copy of a ledger of owners, a file. The kernel writes both copies while the disk is exported;
// the command makes them, and reads them before an export begins.
#pragma once

#include "base/result.h"
#include "base/uuid.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace causeway {

struct LedgerHead {
    Uuid uuid;
    Uuid identity; // of the disk
    std::uint64_t generation = 0;
};

struct LedgerCopy {
    enum class State { absent, unreadable, readable };

    State state = State::absent;
    std::string fault{};    // unreadable: the reason
    LedgerHead head{};      // if readable
    std::uint64_t size = 0; // of the file
    bool regular = true;    // the path is a regular file, or does not exist
};

// Returns the size of a copy's file in bytes, which is enough for all hosts.
std::size_t ledger_file_size();

// Reads a copy and checks it. Errors are in the state and the fault of the result.
LedgerCopy read_ledger_copy(const std::filesystem::path &place);

// Returns the content of a whole file: a ledger without hosts, with a new secret. The caller must
// wipe it after use.
std::string new_ledger_image(const LedgerHead &head);

} // namespace causeway
