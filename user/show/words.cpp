// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/words.h"

#include "base/units.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::uint64_t milliseconds = 1000000;

struct Word {
    int number;
    std::string_view word;
};

constexpr std::array states = {
    Word{CW_STATE_CONNECTING, "connecting"},
    Word{CW_STATE_LIVE, "live"},
    Word{CW_STATE_HELD, "held"},
    Word{CW_STATE_FAILING, "failing"},
    Word{CW_STATE_REFUSED, "refused"},
    Word{CW_STATE_CLOSING, "closing"},
    Word{CW_STATE_IDLE, "idle"},
    Word{CW_STATE_REVOKED, "revoked"},
};

constexpr std::array events = {
    Word{CW_EVENT_EXPORT_ADDED, "export-added"},
    Word{CW_EVENT_EXPORT_REMOVED, "export-removed"},
    Word{CW_EVENT_EXPORT_RESIZED, "export-resized"},
    Word{CW_EVENT_ATTACHED, "attached"},
    Word{CW_EVENT_DETACHED, "detached"},
    Word{CW_EVENT_UP, "up"},
    Word{CW_EVENT_DOWN, "down"},
    Word{CW_EVENT_ATTEMPT_FAILED, "attempt-failed"},
    Word{CW_EVENT_LOSS, "loss"},
    Word{CW_EVENT_ANOTHER_DISK, "another-disk"},
    Word{CW_EVENT_LOGIN, "login"},
    Word{CW_EVENT_LOGOUT, "logout"},
    Word{CW_EVENT_LOGIN_REFUSED, "login-refused"},
    Word{CW_EVENT_RESIZED, "resized"},
    Word{CW_EVENT_MALFORMED, "malformed"},
    Word{CW_EVENT_NFS_UP, "nfs-up"},
    Word{CW_EVENT_NFS_DOWN, "nfs-down"},
    Word{CW_EVENT_NFS_ATTEMPT_FAILED, "nfs-attempt-failed"},
    Word{CW_EVENT_REVOKED, "revoked"},
    Word{CW_EVENT_EVICTED, "evicted"},
    Word{CW_EVENT_READMITTED, "readmitted"},
};

constexpr std::array refusals = {
    Word{CW_FINAL_STALE, "stale"},
    Word{CW_FINAL_SUPERSEDED, "superseded"},
    Word{CW_FINAL_EVICTED, "evicted"},
};

template <std::size_t size> std::string look_up(const std::array<Word, size> &words, int number) {
    for (const Word &word : words) {
        if (word.number == number) {
            return std::string(word.word);
        }
    }
    return fmt::format("{}", number);
}

std::string retry_phrase(const std::optional<std::uint32_t> &retry_in) {
    if (!retry_in) {
        return {};
    }
    return fmt::format("next attempt in {}", duration_text(*retry_in * milliseconds));
}

} // namespace

std::string role_word(std::uint8_t role) {
    return role == CW_ROLE_CLIENT   ? "client"
           : role == CW_ROLE_SERVER ? "server"
                                    : fmt::format("{}", role);
}

std::string transport_word(std::uint8_t transport) {
    switch (transport) {
    case CW_TRANSPORT_NONE:
        return "none";
    case CW_TRANSPORT_RDMA:
        return "rdma";
    case CW_TRANSPORT_TCP:
        return "tcp";
    default:
        return fmt::format("{}", transport);
    }
}

std::string state_word(std::uint8_t state) {
    return look_up(states, state);
}

std::string refusal_word(std::uint16_t refusal) {
    return look_up(refusals, refusal);
}

std::string way_back(const AttachmentInfo &revoked) {
    const std::string disk = revoked.server + "/" + revoked.name;
    std::string again = fmt::format("causeway detach {0} --force; causeway attach {0}", disk);
    if (revoked.refusal != CW_FINAL_EVICTED) {
        return again;
    }
    return fmt::format("on the server: causeway export readmit {} --host {}; then here: {}",
                       revoked.name, revoked.host.is_nil() ? "UUID" : revoked.host.text(), again);
}

std::string remove_then_add(const ExportSettings &there, std::vector<std::string> options,
                            bool force) {
    const bool discards =
        std::find(options.begin(), options.end(), "--forget-owners") != options.end();
    if (there.identity && there.backend != Backend::ram) {
        options.push_back("--uuid " + there.identity->text());
    }
    return fmt::format(
        "causeway export remove {}{}, then add it {} ({})", there.name, force ? " --force" : "",
        options.empty() ? "again" : fmt::format("with {}", fmt::join(options, " and ")),
        there.backend == Backend::ram ? "its content is lost, and clients have to detach and attach"
        : discards
            ? "clients have to detach before, and attach again"
            : "clients that do not detach before need remove --force, and their I/O waits until "
              "the disk is back");
}

std::string several_writers_note(std::string_view way_out) {
    return fmt::format("Several hosts may attach it. A file system that is not made for several "
                       "hosts is destroyed when two of them mount it: {}.\n",
                       way_out);
}

std::string state_sentence(const SessionInfo &session) {
    const std::string time = duration_text(session.since);
    const std::string retry = retry_phrase(session.retry_in);
    switch (session.state) {
    case CW_STATE_CONNECTING:
        return session.attempts > 1 ? fmt::format("connecting, attempt {}", session.attempts)
                                    : fmt::format("connecting for {}", time);
    case CW_STATE_LIVE:
        return fmt::format("live for {}", time);
    case CW_STATE_HELD:
        return retry.empty() ? fmt::format("held: no path since {}", time)
                             : fmt::format("held: {}, no path since {}", retry, time);
    case CW_STATE_FAILING:
        return retry.empty() ? fmt::format("failing I/O: no path since {}", time)
                             : fmt::format("failing I/O: {}, no path since {}", retry, time);
    case CW_STATE_REFUSED:
        return fmt::format(
            "refused since {}: the name leads to another disk or to less of it, I/O fails", time);
    case CW_STATE_REVOKED:
        return fmt::format("revoked since {}: the server refused it for good, I/O fails", time);
    case CW_STATE_CLOSING:
        return "closing";
    default:
        return state_word(session.state);
    }
}

std::string state_sentence(const NfsConnection &connection) {
    const std::string time = duration_text(connection.since);
    const std::string retry = retry_phrase(connection.retry_in);
    switch (connection.state) {
    case CW_STATE_CONNECTING:
        return connection.attempts > 1 ? fmt::format("connecting, attempt {}", connection.attempts)
                                       : fmt::format("connecting for {}", time);
    case CW_STATE_LIVE:
        return fmt::format("live for {}", time);
    case CW_STATE_HELD:
        return fmt::format("not connected since {}{}{}", time, retry.empty() ? "" : ": ", retry);
    default:
        return state_word(connection.state);
    }
}

std::string device_text(const std::string &device, std::uint8_t port) {
    return device.empty() || port == 0 ? device : fmt::format("{}/{}", device, port);
}

std::string device_text(const SessionInfo &session) {
    return device_text(session.device, session.device_port);
}

const std::vector<CounterName> &counter_names() {
    static const std::vector<CounterName> names = {
        {CW_N_READS, "reads"},
        {CW_N_WRITES, "writes"},
        {CW_N_FLUSHES, "flushes"},
        {CW_N_DISCARDS, "discards"},
        {CW_N_WRITE_ZEROES, "write-zeroes"},
        {CW_N_READ_BYTES, "read-bytes"},
        {CW_N_WRITTEN_BYTES, "written-bytes"},
        {CW_N_ERRORS, "errors"},
        {CW_N_REPLAYED, "replayed"},
        {CW_N_SENDS, "sends"},
        {CW_N_RECEIVES, "receives"},
        {CW_N_SEND_COMPLETIONS, "send-completions"},
        {CW_N_RECEIVE_COMPLETIONS, "receive-completions"},
        {CW_N_REGISTRATIONS, "registrations"},
        {CW_N_INVALIDATIONS, "invalidations"},
        {CW_N_REMOTE_INVALIDATIONS, "remote-invalidations"},
        {CW_N_BULK_READS, "bulk-reads"},
        {CW_N_BULK_WRITES, "bulk-writes"},
        {CW_N_INLINE_READS, "inline-reads"},
        {CW_N_INLINE_WRITES, "inline-writes"},
        {CW_N_MALFORMED, "malformed"},
        {CW_N_BARE_SENDS, "bare-sends"},
    };
    return names;
}

const std::vector<LimitName> &limit_names() {
    static const std::vector<LimitName> names = {
        {CW_LIMIT_STRANGERS, "strangers"},
        {CW_LIMIT_SESSIONS, "sessions"},
        {CW_LIMIT_HOST_SESSIONS, "host-sessions"},
        {CW_LIMIT_HOST_LINKS, "host-links"},
        {CW_LIMIT_MEMORY, "memory"},
        {CW_LIMIT_WAITING, "waiting"},
    };
    return names;
}

const std::vector<NfsCounterName> &nfs_counter_names() {
    static const std::vector<NfsCounterName> names = {
        {CW_NFS_CALLS, "calls"},
        {CW_NFS_REPLIES, "replies"},
        {CW_NFS_BACK_CALLS, "back-calls"},
        {CW_NFS_BACK_REPLIES, "back-replies"},
        {CW_NFS_INLINE_READS, "inline-reads"},
        {CW_NFS_CHUNKED_READS, "chunked-reads"},
        {CW_NFS_INLINE_WRITES, "inline-writes"},
        {CW_NFS_CHUNKED_WRITES, "chunked-writes"},
        {CW_NFS_LONG_CALLS, "long-calls"},
        {CW_NFS_LONG_REPLIES, "long-replies"},
        {CW_NFS_SENT_BYTES, "sent-bytes"},
        {CW_NFS_RECEIVED_BYTES, "received-bytes"},
        {CW_NFS_SENDS, "sends"},
        {CW_NFS_RECEIVES, "receives"},
        {CW_NFS_SEND_COMPLETIONS, "send-completions"},
        {CW_NFS_REGISTRATIONS, "registrations"},
        {CW_NFS_INVALIDATIONS, "invalidations"},
        {CW_NFS_REMOTE_INVALIDATIONS, "remote-invalidations"},
        {CW_NFS_PULLED_READS, "pulled-reads"},
        {CW_NFS_PUSHED_WRITES, "pushed-writes"},
        {CW_NFS_CONNECTS, "connects"},
        {CW_NFS_RESENT, "resent"},
        {CW_NFS_CREDIT_WAITS, "credit-waits"},
        {CW_NFS_ERRORS, "errors"},
        {CW_NFS_MALFORMED, "malformed"},
    };
    return names;
}

std::string event_word(std::uint8_t kind) {
    return look_up(events, kind);
}

std::vector<std::string> event_words() {
    std::vector<std::string> words;
    for (const Word &word : events) {
        words.emplace_back(word.word);
    }
    return words;
}

std::string errno_text(std::int32_t number) {
    return std::strerror(std::abs(number));
}

} // namespace causeway
