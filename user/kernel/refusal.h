// SPDX-License-Identifier: GPL-2.0-or-later
// What a kernel's refusal means for the command: its exit code and the deed that fixes it.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace causeway {

// Which request was refused; the same errno calls for different deeds.
enum class Request {
    add_export,
    remove_export,
    stop,
    attach,
    detach,
    discover,
    nfs_rule,
    owner, // of an export: eviction, readmission
    show,
    other
};

// number: positive errno. sentence: the extended ACK's text, quoted as it is; empty where the
// kernel gave none.
Error refusal(Request request, int number, const std::string &sentence);

// Returns true if a positive errno is a failure of one address of a server, so that the next
// address of this server is worth trying.
bool is_of_the_network(int number);

} // namespace causeway
