// SPDX-License-Identifier: GPL-2.0-or-later
// watch: events, one line each, as they happen.
#include "base/nearest.h"
#include "command/verb.h"
#include "show/progress.h"
#include "show/words.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::uint64_t nanoseconds = 1000000000;

std::string time_text(std::uint64_t since_epoch) {
    const auto seconds = static_cast<std::time_t>(since_epoch / nanoseconds);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                       since_epoch % nanoseconds / 1000000);
}

std::string json_line(const Event &event) {
    Json json = {{"schema", json_schema}};
    if (event.lost != 0) {
        json["event"] = "overrun";
        return json.dump();
    }
    json["event"] = event_word(event.kind);
    json["time"] = time_text(event.time);
    const auto add = [&](const char *key, const std::string &value) {
        if (!value.empty()) {
            json[key] = value;
        }
    };
    add("role", event.role == 0 ? "" : role_word(event.role));
    add("server", event.server);
    add("name", event.name);
    add("disk", event.disk);
    add("host_name", event.host_name);
    add("peer", event.peer.text());
    add("text", event.text);
    add("reason", event.reason);
    if (event.error != 0) {
        json["errno"] = -event.error;
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_line(const Event &event) {
    if (event.lost != 0) {
        return "events came faster than they were read, some are lost";
    }
    std::string line = fmt::format("{} {}", time_text(event.time), event_word(event.kind));
    if (!event.server.empty()) {
        line += fmt::format(" {}{}{}", event.server, event.name.empty() ? "" : "/", event.name);
    } else if (!event.name.empty()) {
        line += fmt::format(" {}", event.name);
    }
    if (!event.disk.empty()) {
        line += fmt::format(" {}", event.disk);
    }
    const std::string peer = event.host_name.empty() ? event.peer.host_text() : event.host_name;
    if (!peer.empty()) {
        line += fmt::format(" ({})", peer);
    }
    if (!event.text.empty()) {
        line += fmt::format(": {}", event.text);
    }
    if (!event.reason.empty() && event.reason != event.text) {
        line += fmt::format(": {}", event.reason);
    }
    return line;
}

struct Ending {
    std::optional<std::uint64_t> count;
    std::optional<std::string> until;
    std::optional<std::chrono::steady_clock::time_point> deadline;
};

Result<Ending> ending_of(const Arguments &arguments) {
    Ending ending;
    auto count = TRY(arguments.number("count", 1, 1000000000));
    ending.count = count;
    ending.until = arguments.text("until");
    const auto known = event_words();
    if (ending.until && std::find(known.begin(), known.end(), *ending.until) == known.end()) {
        const auto close = nearest(*ending.until, known);
        return Error{ExitCode::usage, fmt::format("--until '{}' is no event", *ending.until),
                     close ? fmt::format("did you mean {}?", *close)
                           : fmt::format("events are: {}", fmt::join(known, " "))};
    }
    auto seconds = TRY(arguments.number("timeout", 1, 1000000));
    if (seconds) {
        ending.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(*seconds);
    }
    return ending;
}

std::optional<std::chrono::milliseconds> time_left(const Ending &ending) {
    if (!ending.deadline) {
        return std::nullopt;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        *ending.deadline - std::chrono::steady_clock::now());
    return std::max(left, std::chrono::milliseconds(0));
}

Result<Answer> run_watch(World &world, const Arguments &arguments) {
    auto ending = TRY(ending_of(arguments));
    TRY(world.modules.need(module_core));
    auto stream = TRY(world.kernel.subscribe());
    const Progress::Pause no_line; // this verb prints while it waits
    world.err << "watching\n" << std::flush;
    Answer answer;
    answer.printed = true;
    for (std::uint64_t seen = 0; !ending.count || seen < *ending.count; seen++) {
        auto event = TRY(stream->next(time_left(ending)));
        if (!event) {
            return Error{ExitCode::try_again,
                         ending.until ? fmt::format("no event '{}' came in time", *ending.until)
                                      : "the time is over"};
        }
        world.out << (world.json ? json_line(*event) : text_line(*event)) << "\n" << std::flush;
        if (!world.out) {
            return answer;
        }
        if (ending.until && event->lost == 0 && event_word(event->kind) == *ending.until) {
            break;
        }
    }
    return answer;
}

const VerbRows watch_rows(Section::seeing, 4, [] {
    return std::vector<Verb>{
        {
            .words = "watch",
            .summary = "print events as they happen",
            .options = {{"count", "N", "end after N events"},
                        {"until", "EVENT",
                         "end after the first event of this kind, such as up or down"},
                        {"timeout", "SECONDS", "longest time to wait, then exit 75"}},
            .run = run_watch,
        },
    };
});

} // namespace

} // namespace causeway
