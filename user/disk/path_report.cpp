// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/path_report.h"

#include "base/units.h"
#include "show/words.h"

#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::uint64_t nanoseconds_per_ms = 1000000;

} // namespace

std::string state_sentence(const DiskPath &path) {
    const std::string word = path_state_word(path.state);
    switch (path.state) {
    case CW_DISK_PATH_LIVE:
        return word + (path.carries_io ? ", carries I/O" : ", stands by");
    case CW_DISK_PATH_CONNECTING:
        return path.attempts > 1 ? fmt::format("{}, attempt {}", word, path.attempts) : word;
    default:
        return path.retry_in ? fmt::format("{}, next attempt in {}", word,
                                           duration_text(*path.retry_in * nanoseconds_per_ms))
                             : word;
    }
}

std::string fence_sentence(const DiskPath &path) {
    if (!path.fencing) {
        return {};
    }
    if (path.fence_commands == 0) {
        return "its fence waits for the server's answer";
    }
    return fmt::format("its fence waits for {} at the server's disk",
                       path.fence_commands == 1 ? std::string("1 command")
                                                : fmt::format("{} commands", path.fence_commands));
}

std::string failure_text(const std::string &reason, std::int32_t error) {
    if (reason.empty()) {
        return error == 0 ? std::string() : errno_text(error);
    }
    return error == 0 ? reason : fmt::format("{} ({})", reason, errno_text(error));
}

Json path_json(const DiskPath &path) {
    return {{"number", path.number},
            {"peer", or_null(path.peer.text())},
            {"local", or_null(path.local.host_text())},
            {"state", path_state_word(path.state)},
            {"carries_io", path.carries_io},
            {"transport", transport_word(path.transport)},
            {"device", or_null(path.device)},
            {"device_port", path.device_port},
            {"queues", path.queues},
            {"attempts", path.attempts},
            {"retry_in_ms", path.retry_in ? Json(*path.retry_in) : Json(nullptr)},
            {"reason", or_null(path.reason)},
            {"errno", -path.error},
            {"fencing", path.fencing},
            {"fence_commands", path.fence_commands},
            {"losses", path.losses},
            {"fences", path.fences},
            {"fence_ns", path.fence_time}};
}

std::string path_line(const DiskPath &path) {
    std::string line =
        fmt::format("path {}: {} -> {}", path.number, local_text(path), path.peer.text());
    const bool live = path.state == CW_DISK_PATH_LIVE;
    if (const std::string transport = transport_title(path.transport); !transport.empty()) {
        line += " by " + transport;
    }
    if (live) {
        line += " over " + device_text(path.device, path.device_port);
    }
    line += ", " + state_sentence(path);
    if (const std::string failure = failure_text(path.reason, path.error);
        !live && !failure.empty()) {
        line += ": " + failure;
    }
    if (const std::string fence = fence_sentence(path); !fence.empty()) {
        line += "; " + fence;
    }
    return line;
}

std::string local_text(const DiskPath &path) {
    return path.local.empty() ? "any" : path.local.host_text();
}

} // namespace causeway
