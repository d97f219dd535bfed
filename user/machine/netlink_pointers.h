// SPDX-License-Identifier: GPL-2.0-or-later
// Owning pointers to objects of libnl.
#pragma once

#include <memory>
#include <netlink/handlers.h>
#include <netlink/msg.h>

namespace causeway {

struct FreeMessage {
    void operator()(nl_msg *message) const { nlmsg_free(message); }
};
using Message = std::unique_ptr<nl_msg, FreeMessage>;

struct PutCallbacks {
    void operator()(nl_cb *callbacks) const { nl_cb_put(callbacks); }
};
using Callbacks = std::unique_ptr<nl_cb, PutCallbacks>;

} // namespace causeway
