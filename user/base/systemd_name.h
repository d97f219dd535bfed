// SPDX-License-Identifier: GPL-2.0-or-later
// Names of systemd units.
#pragma once

#include <string>
#include <string_view>

namespace causeway {

// Escapes a path as systemd-escape(1) --path does: "/srv/my home" becomes "srv-my\x20home"; "/"
// becomes "-".
std::string escaped_path(std::string_view path);

} // namespace causeway
