// SPDX-License-Identifier: GPL-2.0-or-later
// The first line of every file that a verb writes. A file without that line belongs to another
// program or to an administrator, and causeway does not change it.
#pragma once

#include <string>
#include <string_view>

namespace causeway {

// Returns the line with its newline. The line names the verb, such as "sm enable".
std::string our_header(std::string_view verb);
// Returns true if the content starts with the line of any verb.
bool is_ours(std::string_view content);

} // namespace causeway
