// SPDX-License-Identifier: GPL-2.0-or-later
// The option of both ends of a disk that names its pre-shared key.
#pragma once

#include "command/arguments.h"

namespace causeway {

inline constexpr OptionSpec key_option{
    "key-file", "FILE",
    "pre-shared key, 16 to 64 bytes in a file that only root may "
    "read"};

} // namespace causeway
