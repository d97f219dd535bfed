// SPDX-License-Identifier: GPL-2.0-or-later
// Options that several verbs of IPoIB interfaces have.
#pragma once

#include "command/arguments.h"

namespace causeway {

inline constexpr OptionSpec backend_option{
    "backend", "nm|networkd|ifupdown",
    "program that sets the interface up at boot; by default the one that manages the network here"};
inline constexpr OptionSpec mode_option{"mode", "connected|datagram", "mode of the interface"};
inline constexpr OptionSpec mtu_option{"mtu", "BYTES",
                                       "68 to 4092 in datagram mode, to 65520 in connected mode"};
inline constexpr OptionSpec without_option{
    "without", "ADDRESS...",
    "addresses that the interface has now and the profile shall not have, such as those that a "
    "cluster moves",
    true};
inline constexpr OptionSpec confirmed_option{"confirmed", "",
                                             "do not wait for \"causeway confirm\", although a "
                                             "session runs over the interface: for scripts"};

} // namespace causeway
