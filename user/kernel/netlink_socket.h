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

    // None where the module that owns the family is not loaded. Asking does not load it.
    static Result<std::optional<NetlinkSocket>> open();

    // Sends one request and hands every answer to take, until the kernel says that it is done. The
    // first error, of the kernel or of take, ends it.
    Result<void> call(Request request, std::uint8_t command, const AttributeWriter &attributes,
                      const Take &take);
    // The same for a list; asks anew when the list changed while it was told.
    Result<void> dump(std::uint8_t command, const std::function<void()> &restart, const Take &take);

    // Joins the multicast group of the events; call() must not be used on this socket from then on.
    Result<void> subscribe();

    enum class Received { messages, nothing, overrun };
    // Waits for events and hands each to take.
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
