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

template <std::size_t size>
std::string look_up(const std::array<NetlinkName, size> &names, int number) {
    for (const NetlinkName &one : names) {
        if (one.number == number) {
            return std::string(one.name);
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
    return look_up(role_names, role);
}

std::string transport_word(std::uint8_t transport) {
    return look_up(transport_names, transport);
}

std::string transport_title(std::uint8_t transport) {
    switch (transport) {
    case CW_TRANSPORT_RDMA:
        return "RDMA";
    case CW_TRANSPORT_TCP:
        return "TCP";
    default:
        return "";
    }
}

std::string state_word(std::uint8_t state) {
    return look_up(state_names, state);
}

std::string path_state_word(std::uint8_t state) {
    return look_up(disk_path_state_names, state);
}

std::string policy_word(std::uint8_t policy) {
    return policy == 0 ? "" : look_up(path_policy_names, policy);
}

std::string refusal_word(std::uint16_t refusal) {
    return look_up(final_refusal_names, refusal);
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

std::string event_word(std::uint8_t kind) {
    return look_up(event_names, kind);
}

std::vector<std::string> event_words() {
    std::vector<std::string> words;
    for (const NetlinkName &one : event_names) {
        words.emplace_back(one.name);
    }
    return words;
}

std::string errno_text(std::int32_t number) {
    return std::strerror(std::abs(number));
}

} // namespace causeway
