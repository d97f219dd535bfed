// SPDX-License-Identifier: GPL-2.0-or-later
// Exit statuses of the command. docs/OUTPUT.md lists them for users.
#pragma once

namespace causeway {

enum class ExitCode : int {
    ok = 0,
    failed = 1,         // tried and refused, or partly done
    usage = 64,         // the command line is wrong
    unavailable = 69,   // something needed does not exist, or cannot do what was asked
    try_again = 75,     // may work later: no answer, busy, or in use
    no_permission = 77, // not root, wrong key, not on the allow list
    bad_config = 78,    // a file that the command reads or would write is wrong, or not Causeway's
};

} // namespace causeway
