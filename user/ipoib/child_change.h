// SPDX-License-Identifier: GPL-2.0-or-later
// The change that makes or removes a P_Key child of an IPoIB interface.
#pragma once

#include "change/change.h"

#include <string>

namespace causeway {

// A P_Key child of an IPoIB interface. @added: the change makes it; else removes it.
struct IpoibChild {
    std::string parent;
    std::string pkey; // "0x8001"
    std::string name; // the kernel makes it from the two above
    std::string mode; // written after the child is made; empty: the kernel's choice
    std::string mtu;  // the same
};
ChangePointer change_ipoib_child(IpoibChild child, bool added);

} // namespace causeway
