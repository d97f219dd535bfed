// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/rdma_links.h"

#include "machine/netlink_attributes.h"
#include "machine/netlink_pointers.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <netlink/errno.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <optional>
#include <rdma/rdma_netlink.h>
#include <span>
#include <string_view>

namespace causeway {

namespace {

struct FreeSocket {
    void operator()(nl_sock *socket) const { nl_socket_free(socket); }
};
using Socket = std::unique_ptr<nl_sock, FreeSocket>;

using Take = std::function<void(const Attributes &)>;

// One request and its replies. Not reusable.
struct Exchange {
    Take take;
    bool done = false;
    int number = 0; // errno of the kernel's refusal; 0: none

    static int on_valid(nl_msg *message, void *self_pointer) {
        auto *self = static_cast<Exchange *>(self_pointer);
        const nlmsghdr *header = nlmsg_hdr(message);
        const auto *start = static_cast<const std::uint8_t *>(nlmsg_data(header));
        if (self->take) {
            self->take(Attributes({start, static_cast<std::size_t>(nlmsg_datalen(header))}));
        }
        return NL_OK;
    }

    static int on_end(nl_msg * /*message*/, void *self_pointer) {
        static_cast<Exchange *>(self_pointer)->done = true;
        return NL_STOP;
    }

    static int on_error(sockaddr_nl * /*from*/, nlmsgerr *refused, void *self_pointer) {
        auto *self = static_cast<Exchange *>(self_pointer);
        self->number = -refused->error;
        self->done = true;
        return NL_STOP;
    }
};

Error core_failure(std::string_view action, int failure) {
    return Error{ExitCode::failed, fmt::format("cannot {}: {}", action, nl_geterror(failure))};
}

// Sends a request and reads the replies. If the kernel refuses, the error contains only the errno
// and its text; the caller adds what was asked.
Result<void> ask(int command, int flags, const AttributeWriter &attributes, Take take = {}) {
    const Socket socket(nl_socket_alloc());
    const Callbacks callbacks(nl_cb_alloc(NL_CB_DEFAULT));
    const Message message(nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), flags));
    if (!socket || !callbacks || !message) {
        return Error{ExitCode::failed, "out of memory"};
    }
    if (const int failure = nl_connect(socket.get(), NETLINK_RDMA); failure < 0) {
        Error error = core_failure("open a socket to the RDMA core of the kernel", failure);
        error.code = ExitCode::unavailable;
        error.fix = "modprobe ib_core";
        return error;
    }
    const auto content = attributes.content();
    if (!content.empty()) {
        void *room = nlmsg_reserve(message.get(), content.size(), NLMSG_ALIGNTO);
        if (room == nullptr) {
            return Error{ExitCode::failed, "out of memory"};
        }
        std::memcpy(room, content.data(), content.size());
    }
    Exchange exchange{std::move(take)};
    nl_cb_set(callbacks.get(), NL_CB_VALID, NL_CB_CUSTOM, Exchange::on_valid, &exchange);
    nl_cb_set(callbacks.get(), NL_CB_ACK, NL_CB_CUSTOM, Exchange::on_end, &exchange);
    nl_cb_set(callbacks.get(), NL_CB_FINISH, NL_CB_CUSTOM, Exchange::on_end, &exchange);
    nl_cb_err(callbacks.get(), NL_CB_CUSTOM, Exchange::on_error, &exchange);
    if (const int failure = nl_send_auto(socket.get(), message.get()); failure < 0) {
        return core_failure("ask the RDMA core of the kernel", failure);
    }
    while (!exchange.done) {
        const int failure = nl_recvmsgs(socket.get(), callbacks.get());
        if (failure < 0 && !exchange.done) {
            return core_failure("hear from the RDMA core of the kernel", failure);
        }
    }
    if (exchange.number != 0) {
        return Error{ExitCode::failed, std::strerror(exchange.number), "", exchange.number};
    }
    return {};
}

Result<void> said(Result<void> answer, const std::string &action) {
    if (answer) {
        return answer;
    }
    Error error = answer.error();
    error.what = fmt::format("cannot {}: {}", action, error.what);
    if (error.system_error == EPERM || error.system_error == EACCES) {
        error.code = ExitCode::no_permission;
        error.fix = "run the command as root";
    }
    return error;
}

Result<std::uint32_t> index_of(const std::string &device) {
    std::optional<std::uint32_t> index;
    TRY(ask(RDMA_NLDEV_CMD_GET, NLM_F_REQUEST | NLM_F_DUMP, {}, [&](const Attributes &row) {
        if (row.text(RDMA_NLDEV_ATTR_DEV_NAME) == device) {
            index = row.u32(RDMA_NLDEV_ATTR_DEV_INDEX);
        }
    }));
    if (!index) {
        return Error{ExitCode::unavailable, fmt::format("there is no RDMA device {}", device),
                     "see which there are: causeway show", ENODEV};
    }
    return *index;
}

} // namespace

Result<void> SystemRdmaLinks::add(const std::string &type, const std::string &device,
                                  const std::string &netdev) {
    AttributeWriter attributes;
    attributes.text(RDMA_NLDEV_ATTR_DEV_NAME, device);
    attributes.text(RDMA_NLDEV_ATTR_LINK_TYPE, type);
    attributes.text(RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
    return said(ask(RDMA_NLDEV_CMD_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, attributes),
                fmt::format("add the {} device {} to {}", type, device, netdev));
}

Result<void> SystemRdmaLinks::remove(const std::string &device) {
    auto index = TRY(index_of(device));
    AttributeWriter attributes;
    attributes.u32(RDMA_NLDEV_ATTR_DEV_INDEX, index);
    return said(ask(RDMA_NLDEV_CMD_DELLINK, NLM_F_REQUEST | NLM_F_ACK, attributes),
                fmt::format("remove the RDMA device {}", device));
}

Result<void> SystemRdmaLinks::rename(const std::string &device, const std::string &name) {
    auto index = TRY(index_of(device));
    AttributeWriter attributes;
    attributes.u32(RDMA_NLDEV_ATTR_DEV_INDEX, index);
    attributes.text(RDMA_NLDEV_ATTR_DEV_NAME, name);
    return said(ask(RDMA_NLDEV_CMD_SET, NLM_F_REQUEST | NLM_F_ACK, attributes),
                fmt::format("rename the RDMA device {} to {}", device, name));
}

} // namespace causeway
