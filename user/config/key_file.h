// SPDX-License-Identifier: GPL-2.0-or-later
// A pre-shared key is in a file of its own. Configuration files only name that file.
#pragma once

#include "base/result.h"
#include "base/secret.h"

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace causeway {

// The rule that the content of a key file must follow.
struct KeyForm {
    std::size_t shortest; // bytes
    std::size_t longest;  // at most longest_key_of_all
    std::string_view rule;
    std::string_view maker; // a command whose output is a key
};
inline constexpr std::size_t longest_key_of_all = 128;
inline constexpr KeyForm any_key{16, 64, "a key has 16 to 64 bytes that are not all zero",
                                 "head -c 32 /dev/urandom | base64"};

// Returns the key, without one trailing newline: bytes of this form, not all zero. Returns an error
// (bad_config) unless the file belongs to root or to the caller and no other user has access. The
// error is no_permission if the caller may not open the file.
Result<Secret> read_key(const std::filesystem::path &place, const KeyForm &form = any_key);

} // namespace causeway
