// SPDX-License-Identifier: GPL-2.0-or-later
// Converts an errno of the kernel into an error of the command, with its exit code and its fix.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace causeway {

// The request that was refused. The fix depends on the request as well as on the errno.
enum class Request {
    add_export,
    remove_export,
    stop,
    attach,
    detach,
    discover,
    nfs_rule,
    owner, // of an export: eviction, readmission
    set,   // settings of an export or a disk that the modules reported
    show,
    other
};

// Makes the error. @number: positive errno. @sentence: the text of the extended ACK, which becomes
// the error's text unchanged; if it is empty, the text comes from the errno.
Error refusal(Request request, int number, const std::string &sentence);

// Returns true if a positive errno is a failure of one address of a server, so that the next
// address of this server is worth trying.
bool is_of_the_network(int number);

} // namespace causeway
