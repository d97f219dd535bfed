// SPDX-License-Identifier: GPL-2.0-or-later
// A generic netlink socket bound to the family "causeway", by libnl.
#pragma once

#include "base/result.h"
#include "kernel/refusal.h"
#include "machine/netlink_attributes.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

struct nl_sock;

namespace causeway {

class NetlinkSocket {
  public:
    using Take = std::function<Result<void>(const Attributes &)>;

    // Returns none if the core module, which owns the family, is not loaded. Does not load it.
    static Result<std::optional<NetlinkSocket>> open();

    // Sends one request and calls @take for each answer, until the kernel acknowledges the request.
    // Returns the kernel's error, or else the first error of @take, which is not called again after
    // an error.
    Result<void> call(Request request, std::uint8_t command, const AttributeWriter &attributes,
                      const Take &take);
    // Does the same for a list. Calls @restart first. If the list changed while it was read, calls
    // @restart and reads it again, up to 8 times in all. Succeeds without an answer if no loaded
    // module has such a list.
    Result<void> dump(std::uint8_t command, const std::function<void()> &restart, const Take &take);

    // Joins the multicast group of the events. From then on call() and dump() must not be used.
    Result<void> subscribe();

    enum class Received { messages, nothing, overrun };
    // Waits for events and calls @take for each. @limit: the longest wait; none: no limit. Returns
    // overrun if the kernel dropped events because they were read too slowly.
    Result<Received> receive(std::optional<std::chrono::milliseconds> limit, const Take &take);

  private:
    struct Free {
        void operator()(nl_sock *socket) const;
    };
    using Socket = std::unique_ptr<nl_sock, Free>;

    struct Exchange;

    NetlinkSocket(Socket socket, int family) : socket_(std::move(socket)), family_(family) {}

    Result<void> send(std::uint8_t command, int flags, const AttributeWriter &attributes);
    int exchange(Exchange &state);

    Socket socket_;
    int family_ = 0;
};

} // namespace causeway
