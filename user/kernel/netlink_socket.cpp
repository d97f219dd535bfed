// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/netlink_socket.h"

#include "base/narration.h"
#include "kernel/narrated_request.h"
#include "machine/netlink_pointers.h"

#include <causeway.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace causeway {

namespace {

constexpr int dump_attempts = 8;
constexpr int receive_buffer = 1 << 20;

Error library_failure(std::string_view action, int failure) {
    return Error{ExitCode::failed, fmt::format("cannot {}: {}", action, nl_geterror(failure))};
}

// Returns the sentence of an extended ACK, whose attributes begin at @offset of the message.
std::string sentence_behind(const nlmsghdr *header, std::size_t offset) {
    const auto *start = reinterpret_cast<const std::uint8_t *>(nlmsg_data(header));
    const auto length = static_cast<std::size_t>(nlmsg_datalen(header));
    if ((header->nlmsg_flags & NLM_F_ACK_TLVS) == 0 || offset > length) {
        return {};
    }
    return Attributes({start + offset, length - offset}).text(NLMSGERR_ATTR_MSG);
}

std::span<const std::uint8_t> attributes_of(const nlmsghdr *header) {
    const auto *generic = static_cast<const genlmsghdr *>(nlmsg_data(header));
    return {reinterpret_cast<const std::uint8_t *>(genlmsg_attrdata(generic, 0)),
            static_cast<std::size_t>(genlmsg_attrlen(generic, 0))};
}

} // namespace

// The results of one request, which libnl's callbacks set.
struct NetlinkSocket::Exchange {
    const Take &take;
    bool done = false;
    int number = 0;         // errno of the kernel's refusal
    std::string sentence{}; // of its extended ACK
    Result<void> taken{};

    static int on_valid(nl_msg *message, void *self_pointer) {
        auto *self = static_cast<Exchange *>(self_pointer);
        const nlmsghdr *header = nlmsg_hdr(message);
        if (genlmsg_valid_hdr(const_cast<nlmsghdr *>(header), 0) == 0) {
            return NL_SKIP;
        }
        if (self->taken) {
            self->taken = self->take(Attributes(attributes_of(header)));
        }
        return NL_OK;
    }

    static int any_sequence(nl_msg * /*message*/, void * /*nothing*/) { return NL_OK; }

    static int on_ack(nl_msg * /*message*/, void *self_pointer) {
        static_cast<Exchange *>(self_pointer)->done = true;
        return NL_STOP;
    }

    // The message that ends a dump contains an error code, as the acknowledgement of a request
    // does.
    static int on_finish(nl_msg *message, void *self_pointer) {
        auto *self = static_cast<Exchange *>(self_pointer);
        const nlmsghdr *header = nlmsg_hdr(message);
        std::int32_t code = 0;
        if (static_cast<std::size_t>(nlmsg_datalen(header)) >= sizeof(code)) {
            std::memcpy(&code, nlmsg_data(header), sizeof(code));
        }
        if (code < 0) {
            self->number = -code;
            self->sentence = sentence_behind(header, sizeof(code));
        }
        self->done = true;
        return NL_STOP;
    }

    static int on_error(sockaddr_nl * /*from*/, nlmsgerr *refused, void *self_pointer) {
        auto *self = static_cast<Exchange *>(self_pointer);
        const auto *header = reinterpret_cast<const nlmsghdr *>(
            reinterpret_cast<const std::uint8_t *>(refused) - NLMSG_HDRLEN);
        std::size_t offset = sizeof(nlmsgerr);
        if ((header->nlmsg_flags & NLM_F_CAPPED) == 0 && refused->msg.nlmsg_len > NLMSG_HDRLEN) {
            offset += NLMSG_ALIGN(refused->msg.nlmsg_len - NLMSG_HDRLEN);
        }
        self->number = -refused->error;
        self->sentence = sentence_behind(header, offset);
        self->done = true;
        return NL_STOP;
    }
};

void NetlinkSocket::Free::operator()(nl_sock *socket) const {
    nl_socket_free(socket);
}

Result<std::optional<NetlinkSocket>> NetlinkSocket::open() {
    // A request for an unknown family would make the kernel load the module, which a list must not
    // do.
    if (::access("/sys/module/causeway", F_OK) != 0) {
        return std::optional<NetlinkSocket>();
    }
    Socket socket(nl_socket_alloc());
    if (!socket) {
        return library_failure("make a netlink socket", -NLE_NOMEM);
    }
    if (const int failure = genl_connect(socket.get()); failure < 0) {
        return library_failure("open a netlink socket", failure);
    }
    const int on = 1;
    for (const int option : {NETLINK_EXT_ACK, NETLINK_CAP_ACK}) {
        if (::setsockopt(nl_socket_get_fd(socket.get()), SOL_NETLINK, option, &on, sizeof(on)) !=
            0) {
            return Error{ExitCode::failed,
                         fmt::format("cannot set up a netlink socket: {}", std::strerror(errno))};
        }
    }
    const int family = genl_ctrl_resolve(socket.get(), CW_GENL_NAME);
    if (family == -NLE_OBJ_NOTFOUND) {
        return std::optional<NetlinkSocket>();
    }
    if (family < 0) {
        return library_failure("find the netlink family " CW_GENL_NAME, family);
    }
    return std::optional(NetlinkSocket(std::move(socket), family));
}

Result<void> NetlinkSocket::send(std::uint8_t command, int flags,
                                 const AttributeWriter &attributes) {
    const auto content = attributes.content();
    const Message message(
        nlmsg_alloc_size(NLMSG_HDRLEN + GENL_HDRLEN + content.size() + NLMSG_ALIGNTO));
    if (!message || genlmsg_put(message.get(), NL_AUTO_PORT, NL_AUTO_SEQ, family_, 0, flags,
                                command, CW_GENL_VERSION) == nullptr) {
        return library_failure("build a request", -NLE_NOMEM);
    }
    if (!content.empty()) {
        if (const int failure =
                nlmsg_append(message.get(), const_cast<std::uint8_t *>(content.data()),
                             content.size(), NLMSG_ALIGNTO);
            failure < 0) {
            return library_failure("build a request", failure);
        }
    }
    const int sent = nl_send_auto(socket_.get(), message.get());
    // Wipe the message: it may contain a key.
    nlmsghdr *header = nlmsg_hdr(message.get());
    explicit_bzero(nlmsg_data(header), static_cast<std::size_t>(nlmsg_datalen(header)));
    if (sent < 0) {
        return library_failure("send a request", sent);
    }
    return {};
}

// Returns 0, or the negative error of libnl.
int NetlinkSocket::exchange(Exchange &state) {
    const Callbacks callbacks(nl_cb_alloc(NL_CB_DEFAULT));
    if (!callbacks) {
        return -NLE_NOMEM;
    }
    nl_cb_set(callbacks.get(), NL_CB_VALID, NL_CB_CUSTOM, Exchange::on_valid, &state);
    nl_cb_set(callbacks.get(), NL_CB_ACK, NL_CB_CUSTOM, Exchange::on_ack, &state);
    nl_cb_set(callbacks.get(), NL_CB_FINISH, NL_CB_CUSTOM, Exchange::on_finish, &state);
    nl_cb_err(callbacks.get(), NL_CB_CUSTOM, Exchange::on_error, &state);
    while (!state.done) {
        const int failure = nl_recvmsgs(socket_.get(), callbacks.get());
        // nl_recvmsgs() also returns the kernel's refusal, which on_error() has stored already.
        if (failure == -NLE_DUMP_INTR || (failure < 0 && !state.done)) {
            return failure;
        }
    }
    return 0;
}

Result<void> NetlinkSocket::call(Request request, std::uint8_t command,
                                 const AttributeWriter &attributes, const Take &take) {
    const auto begin = std::chrono::steady_clock::now();
    narrate(narrated_request(command));
    TRY(send(command, NLM_F_REQUEST | NLM_F_ACK, attributes));
    Exchange state{take};
    if (const int failure = exchange(state); failure < 0) {
        return library_failure("read the kernel's answer", failure);
    }
    narrate(narrated_answer(state.number, state.sentence, begin));
    if (state.number != 0) {
        return refusal(request, state.number, state.sentence);
    }
    return state.taken;
}

Result<void> NetlinkSocket::dump(std::uint8_t command, const std::function<void()> &restart,
                                 const Take &take) {
    for (int attempt = 0; attempt < dump_attempts; attempt++) {
        restart();
        const auto begin = std::chrono::steady_clock::now();
        narrate(narrated_request(command));
        TRY(send(command, NLM_F_REQUEST | NLM_F_DUMP, AttributeWriter()));
        Exchange state{take};
        const int failure = exchange(state);
        narrate(narrated_answer(state.number, state.sentence, begin));
        if (failure == -NLE_DUMP_INTR) {
            continue;
        }
        if (failure < 0) {
            return library_failure("read the kernel's list", failure);
        }
        // No loaded module has this list.
        if (state.number == EOPNOTSUPP) {
            return {};
        }
        if (state.number != 0) {
            return refusal(Request::show, state.number, state.sentence);
        }
        return state.taken;
    }
    return Error{ExitCode::try_again, "the kernel's list keeps changing while it is read"};
}

Result<void> NetlinkSocket::subscribe() {
    const int group = genl_ctrl_resolve_grp(socket_.get(), CW_GENL_NAME, CW_GENL_EVENTS);
    if (group < 0) {
        return library_failure("find the group of events", group);
    }
    nl_socket_set_buffer_size(socket_.get(), receive_buffer, 0);
    if (const int failure = nl_socket_add_membership(socket_.get(), group); failure < 0) {
        return library_failure("listen to events", failure);
    }
    if (const int failure = nl_socket_set_nonblocking(socket_.get()); failure < 0) {
        return library_failure("listen to events", failure);
    }
    return {};
}

Result<NetlinkSocket::Received>
NetlinkSocket::receive(std::optional<std::chrono::milliseconds> limit, const Take &take) {
    pollfd ready{nl_socket_get_fd(socket_.get()), POLLIN, 0};
    const int count = ::poll(&ready, 1, limit ? static_cast<int>(limit->count()) : -1);
    if (count < 0 && errno != EINTR) {
        return Error{ExitCode::failed,
                     fmt::format("cannot wait for events: {}", std::strerror(errno))};
    }
    if (count <= 0) {
        return Received::nothing;
    }
    Exchange state{take};
    const Callbacks callbacks(nl_cb_alloc(NL_CB_DEFAULT));
    if (!callbacks) {
        return library_failure("read events", -NLE_NOMEM);
    }
    nl_cb_set(callbacks.get(), NL_CB_VALID, NL_CB_CUSTOM, Exchange::on_valid, &state);
    // Events answer no request: their sequence number is always zero.
    nl_cb_set(callbacks.get(), NL_CB_SEQ_CHECK, NL_CB_CUSTOM, Exchange::any_sequence, nullptr);
    const int failure = nl_recvmsgs(socket_.get(), callbacks.get());
    if (failure == -NLE_AGAIN) {
        return Received::nothing;
    }
    // ENOBUFS: the kernel could not keep up with a slow reader.
    if (failure == -NLE_NOMEM) {
        return Received::overrun;
    }
    if (failure < 0) {
        return library_failure("read events", failure);
    }
    if (!state.taken) {
        return state.taken.error();
    }
    return Received::messages;
}

} // namespace causeway
