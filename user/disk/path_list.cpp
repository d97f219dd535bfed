// SPDX-License-Identifier: GPL-2.0-or-later
// path list: the paths of the attached disks.
#include "command/verb.h"
#include "disk/attaching.h"
#include "disk/path_report.h"
#include "show/table.h"
#include "show/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace causeway {

namespace {

Tone tone_of(const DiskPath &path) {
    switch (path.state) {
    case CW_DISK_PATH_LIVE:
        return Tone::good;
    case CW_DISK_PATH_CONNECTING:
        return Tone::doubtful;
    default:
        return Tone::bad;
    }
}

void add_row(Table &table, const std::string &disk, const DiskPath &path) {
    table.row({disk, fmt::format("{}", path.number), local_text(path), path.peer.text(),
               transport_title(path.transport), device_text(path.device, path.device_port),
               fmt::format("{}", path.queues), state_sentence(path)});
    table.tone(7, tone_of(path));
    const std::string failure = failure_text(path.reason, path.error);
    if (path.state != CW_DISK_PATH_LIVE && !failure.empty()) {
        table.note(fmt::format("last failure: {}", failure));
    }
    if (const std::string fence = fence_sentence(path); !fence.empty()) {
        table.note(fence);
    }
}

bool goes_by_tcp(const SessionInfo &session) {
    return !session.fallback_reason.empty() &&
           std::any_of(session.paths.begin(), session.paths.end(), [](const DiskPath &path) {
               return path.carries_io && path.transport == CW_TRANSPORT_TCP;
           });
}

Result<Answer> run_path_list(World &world, const Arguments &arguments) {
    std::optional<DiskName> only;
    if (!arguments.operands().empty()) {
        only = TRY(parse_disk(arguments.operands().front()));
    }
    const auto sessions = TRY(world.kernel.sessions());
    Answer answer;
    answer.json["paths"] = Json::array();
    Table table({{"DISK"},
                 {"PATH", Table::Align::right},
                 {"LOCAL"},
                 {"REMOTE"},
                 {"BY"},
                 {"DEVICE"},
                 {"QUEUES", Table::Align::right},
                 {"STATE"}});
    bool found = false;
    for (const SessionInfo &session : sessions) {
        if (session.role != CW_ROLE_CLIENT ||
            (only && (session.server != only->server.text() || session.name != only->name))) {
            continue;
        }
        found = true;
        const std::string policy = policy_word(session.path_policy);
        for (const DiskPath &path : session.paths) {
            Json json = {{"server", session.server},
                         {"name", session.name},
                         {"policy", or_null(policy)},
                         {"fallbacks", session.fallbacks},
                         {"returns", session.returns},
                         {"fallback_reason", or_null(session.fallback_reason)}};
            json.update(path_json(path));
            answer.json["paths"].push_back(std::move(json));
            add_row(table, session.server + "/" + session.name, path);
        }
        if (session.paths.size() > 1 && !policy.empty()) {
            table.note("policy: " + policy);
        }
        if (goes_by_tcp(session)) {
            table.note("I/O goes by TCP, because " + session.fallback_reason);
        }
    }
    if (only && !found) {
        return not_attached(*only);
    }
    answer.text = table.text(world.terminal);
    if (answer.text.empty()) {
        answer.text = "no disk is attached\n";
    }
    return answer;
}

const VerbRows path_rows(Section::disks, 8, [] {
    return std::vector<Verb>{
        {
            .words = "path list",
            .operands = "[SERVER/NAME]",
            .summary = "show the paths of the attached disks: addresses, device, and why one is "
                       "down",
            .most_operands = 1,
            .run = run_path_list,
        },
    };
});

} // namespace

} // namespace causeway
