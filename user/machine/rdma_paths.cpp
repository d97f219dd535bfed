// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/rdma_paths.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <sys/wait.h>
#include <unistd.h>

namespace causeway {

namespace {

using Clock = std::chrono::steady_clock;

// Reasons in a REJ message (InfiniBand volume 1, 12.6.7.2).
constexpr int invalid_service = 8;
constexpr int refused_by_service = 28;
// An arbitrary number: no queue pair with this number is ever ready to receive.
constexpr std::uint32_t no_queue_pair = 1;

struct ChannelEnd {
    void operator()(rdma_event_channel *channel) const { rdma_destroy_event_channel(channel); }
};
struct IdEnd {
    void operator()(rdma_cm_id *id) const { rdma_destroy_id(id); }
};
using Channel = std::unique_ptr<rdma_event_channel, ChannelEnd>;
using Id = std::unique_ptr<rdma_cm_id, IdEnd>;

struct Happened {
    bool timed_out = false;
    rdma_cm_event_type kind = RDMA_CM_EVENT_DEVICE_REMOVAL;
    int status = 0;
};

// Waits for the next event and acknowledges it, because an id with unacknowledged events cannot be
// destroyed.
Happened next_event(rdma_event_channel *channel, std::chrono::milliseconds limit) {
    const Clock::time_point end = Clock::now() + limit;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
        pollfd ready{channel->fd, POLLIN, 0};
        const int count =
            ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return {true, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT};
        }
        rdma_cm_event *event = nullptr;
        if (rdma_get_cm_event(channel, &event) != 0) {
            if (errno == EAGAIN || errno == EINTR) {
                continue;
            }
            return {true, RDMA_CM_EVENT_UNREACHABLE, -errno};
        }
        const Happened happened{false, event->event, event->status};
        rdma_ack_cm_event(event);
        return happened;
    }
}

Error cannot(std::string_view action, int number) {
    Error error{ExitCode::unavailable, fmt::format("cannot {}: {}", action, std::strerror(number)),
                "", number};
    if (number == EACCES || number == EPERM) {
        error.code = ExitCode::no_permission;
        error.fix = "run the command as root";
    } else if (number == ENODEV || number == ENOENT) {
        error.fix = "see that there is an RDMA device (causeway show), then: causeway modules "
                    "enable rdma_ucm";
    }
    return error;
}

std::string errno_words(int number) {
    return std::strerror(number < 0 ? -number : number);
}

std::uint64_t since(Clock::time_point start) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

void note_place(const rdma_cm_id &id, PathTry &attempt) {
    if (id.verbs != nullptr) {
        attempt.device = ibv_get_device_name(id.verbs->device);
        attempt.port = id.port_num;
    }
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(&id.route.addr.src_addr);
    const std::size_t size =
        id.route.addr.src_addr.sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (auto local = SocketAddress::from_bytes({bytes, size})) {
        local->set_port(0);
        attempt.local = *local;
    }
}

void note_answer(const Happened &happened, bool iwarp, PathTry &attempt) {
    if (happened.kind == RDMA_CM_EVENT_ESTABLISHED ||
        happened.kind == RDMA_CM_EVENT_CONNECT_RESPONSE) {
        attempt.accepted = true;
        return;
    }
    // iWARP reports an errno where InfiniBand and RoCE report a reason.
    attempt.nobody_listens =
        iwarp ? happened.status == -ECONNREFUSED : happened.status == invalid_service;
    if (attempt.nobody_listens) {
        attempt.reason = "no service listens on this port";
    } else if (!iwarp && happened.status == refused_by_service) {
        attempt.reason = "the service there refused, which shows that it is there";
    } else {
        attempt.reason = fmt::format("the peer refused ({})", happened.status);
    }
}

// The reason why a step failed; none if it succeeded.
using Failure = std::optional<std::string>;

Failure resolve_address(rdma_event_channel *channel, rdma_cm_id *id, const SocketAddress &peer,
                        std::chrono::milliseconds limit, PathTry &attempt) {
    constexpr const char *no_device = "no RDMA device is on the way to it";
    sockaddr_storage address{};
    std::memcpy(&address, peer.bytes().data(), peer.bytes().size());
    const Clock::time_point start = Clock::now();
    if (rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr *>(&address),
                          static_cast<int>(limit.count())) != 0) {
        return errno == ENODEV ? no_device : errno_words(errno);
    }
    const Happened happened = next_event(channel, limit);
    if (happened.kind != RDMA_CM_EVENT_ADDR_RESOLVED) {
        return happened.status == -ENODEV ? no_device : errno_words(happened.status);
    }
    attempt.address = since(start);
    note_place(*id, attempt);
    return std::nullopt;
}

Failure resolve_route(rdma_event_channel *channel, rdma_cm_id *id, std::chrono::milliseconds limit,
                      PathTry &attempt) {
    const Clock::time_point start = Clock::now();
    if (rdma_resolve_route(id, static_cast<int>(limit.count())) != 0) {
        return errno_words(errno);
    }
    const Happened happened = next_event(channel, limit);
    if (happened.kind != RDMA_CM_EVENT_ROUTE_RESOLVED) {
        return "no route: " + errno_words(happened.status);
    }
    attempt.route = since(start);
    return std::nullopt;
}

Failure connect(rdma_event_channel *channel, rdma_cm_id *id, std::chrono::milliseconds limit,
                PathTry &attempt) {
    rdma_conn_param parameters{};
    parameters.qp_num = no_queue_pair;
    parameters.retry_count = 1;
    const Clock::time_point start = Clock::now();
    if (rdma_connect(id, &parameters) != 0) {
        return errno_words(errno);
    }
    const Happened happened = next_event(channel, limit);
    if (happened.timed_out || happened.kind == RDMA_CM_EVENT_UNREACHABLE ||
        happened.kind == RDMA_CM_EVENT_CONNECT_ERROR) {
        return "no answer";
    }
    attempt.answer = since(start);
    const bool iwarp =
        id->verbs != nullptr && id->verbs->device->transport_type == IBV_TRANSPORT_IWARP;
    note_answer(happened, iwarp, attempt);
    return std::nullopt;
}

Result<PathTry> attempt_here(const SocketAddress &peer, std::chrono::milliseconds limit) {
    const Channel channel(rdma_create_event_channel());
    if (!channel || ::fcntl(channel->fd, F_SETFL, O_NONBLOCK) != 0) {
        return cannot("ask the RDMA connection manager", errno);
    }
    rdma_cm_id *made = nullptr;
    if (rdma_create_id(channel.get(), &made, nullptr, RDMA_PS_TCP) != 0) {
        return cannot("ask the RDMA connection manager", errno);
    }
    const Id id(made);
    PathTry attempt;
    Failure failure = resolve_address(channel.get(), id.get(), peer, limit, attempt);
    if (!failure) {
        failure = resolve_route(channel.get(), id.get(), limit, attempt);
    }
    if (!failure) {
        failure = connect(channel.get(), id.get(), limit, attempt);
    }
    if (failure) {
        attempt.reason = *failure;
    }
    return attempt;
}

// A key of the JSON that the child process sends to its parent.
constexpr const char *local_key = "local";

nlohmann::json to_json(const std::optional<std::uint64_t> &time) {
    return time ? nlohmann::json(*time) : nlohmann::json(nullptr);
}

std::optional<std::uint64_t> time_of(const nlohmann::json &json) {
    return json.is_null() ? std::nullopt : std::optional(json.get<std::uint64_t>());
}

std::string packed(const Result<PathTry> &attempt) {
    nlohmann::json json;
    if (!attempt) {
        const Error &error = attempt.error();
        json = {{"code", static_cast<int>(error.code)},
                {"what", error.what},
                {"fix", error.fix},
                {"system_error", error.system_error}};
        return json.dump();
    }
    json = {{"device", attempt->device},
            {"port", attempt->port},
            {local_key, std::vector<std::uint8_t>()},
            {"address", to_json(attempt->address)},
            {"route", to_json(attempt->route)},
            {"answer", to_json(attempt->answer)},
            {"accepted", attempt->accepted},
            {"nobody_listens", attempt->nobody_listens},
            {"reason", attempt->reason}};
    if (!attempt->local.empty()) {
        const auto bytes = attempt->local.bytes();
        json[local_key] = std::vector<std::uint8_t>(bytes.begin(), bytes.end());
    }
    return json.dump();
}

Result<PathTry> unpacked(const std::string &text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return Error{ExitCode::failed,
                     "cannot ask the RDMA connection manager: the process that "
                     "asks it ended early",
                     ""};
    }
    if (json.contains("code")) {
        return Error{static_cast<ExitCode>(json["code"].get<int>()), json["what"], json["fix"],
                     json["system_error"]};
    }
    PathTry attempt;
    attempt.device = json["device"];
    attempt.port = json["port"];
    const auto local = json[local_key].get<std::vector<std::uint8_t>>();
    if (auto address = SocketAddress::from_bytes(local)) {
        attempt.local = *address;
    }
    attempt.address = time_of(json["address"]);
    attempt.route = time_of(json["route"]);
    attempt.answer = time_of(json["answer"]);
    attempt.accepted = json["accepted"];
    attempt.nobody_listens = json["nobody_listens"];
    attempt.reason = json["reason"];
    return attempt;
}

void write_all(int descriptor, const std::string &text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
        if (count <= 0 && errno != EINTR) {
            return;
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
}

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const ssize_t count = ::read(descriptor, part.data(), part.size());
        if (count > 0) {
            text.append(part.data(), static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            return text;
        }
    }
}

} // namespace

// Makes the attempt in a child process. librdmacm keeps every device that it used open until its
// process ends, and the kernel does not remove a Soft-RoCE device that a process has open. The
// caller may want to remove the device next.
Result<PathTry> SystemRdmaPaths::attempt(const SocketAddress &peer,
                                         std::chrono::milliseconds limit) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        return cannot("ask the RDMA connection manager", errno);
    }
    const pid_t child = ::fork();
    if (child < 0) {
        const int number = errno;
        ::close(pipe[0]);
        ::close(pipe[1]);
        return cannot("ask the RDMA connection manager", number);
    }
    if (child == 0) {
        write_all(pipe[1], packed(attempt_here(peer, limit)));
        ::_exit(0);
    }
    ::close(pipe[1]);
    const std::string said = read_all(pipe[0]);
    ::close(pipe[0]);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return unpacked(said);
}

} // namespace causeway
