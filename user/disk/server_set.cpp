// SPDX-License-Identifier: GPL-2.0-or-later
// server set, server unset, server show: the port and the limits of this machine's server.
#include "base/disk_name.h"
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "change/kinds.h"
#include "command/verb.h"
#include "config/server_settings.h"
#include "disk/server_life.h"
#include "disk/server_limit_change.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

namespace causeway {

namespace {

// The words for the operands of "server unset".
std::vector<std::string> setting_words() {
    std::vector<std::string> words = {"port"};
    for (const ServerLimit &limit : server_limits) {
        words.emplace_back(limit.word);
    }
    return words;
}

struct ServerChange {
    std::string title;
    std::vector<std::string_view> words; // the settings that the command names
    ServerSettings before{};             // of the file
    ServerSettings after{};

    bool names(std::string_view word) const {
        return std::find(words.begin(), words.end(), word) != words.end();
    }
};

// The verb holds lock_server(), and undo takes it.
DropinWay under_server_lock() {
    DropinWay way;
    way.lock_place = [](const World &world) { return world.places.lock(); };
    way.kind = "server-dropin";
    return way;
}

const ChangeKind kind_server_dropin("server-dropin", [](const Json &json) -> ChangePointer {
    return dropin_from(json, under_server_lock());
});

// Returns the changes of the file and of the module. The module may have other limits than the
// file: it may have been loaded anew, or an administrator may have written a number.
Result<ChangeSet> changing(World &world, const ServerChange &change) {
    ChangeSet set(change.title, Scope::disks);
    for (const ServerLimit &limit : server_limits) {
        const auto now = limit_now(world, limit);
        const auto wanted = (change.after.*limit.value).value_or(limit.by_default);
        if (change.names(limit.word) && now && *now != wanted) {
            set.add(change_server_limit(limit, *now, wanted));
        }
    }
    if (change.after != change.before) {
        const auto place = world.places.server_settings();
        const auto text = TRY(edited_server_settings(place, change.before, change.after));
        TRY(set.describe(place, {text.empty() ? std::nullopt : std::optional(text)},
                         under_server_lock()));
    }
    return set;
}

// Sets the port of a server that does not listen yet. Adds what the administrator has to do if the
// server listens on another port than @settings say.
Result<void> set_or_tell_port(World &world, const ServerSettings &settings, Answer &answer) {
    const auto exports = TRY(world.kernel.exports());
    std::string stale;
    if (exports.empty()) {
        stale = TRY(set_server_port(world, settings));
    }
    const auto server = TRY(world.kernel.server());
    const std::uint16_t wanted = settings.port.value_or(default_port);
    answer.json["port"] = wanted;
    answer.json["listening"] = server ? Json(server->port) : Json(nullptr);
    if (server && server->port != wanted && !exports.empty()) {
        answer.text += fmt::format(
            "the server listens on port {} until its module is loaded anew, which ends all I/O of "
            "clients for that time: causeway stop --force && modprobe -r causeway_target && "
            "causeway restore\n",
            server->port);
    } else if (server && !stale.empty()) {
        answer.text += fmt::format("the server listens on port {} until its module is loaded anew: "
                                   "modprobe -r causeway_target && causeway restore\n",
                                   server->port);
    }
    return {};
}

// @change: called with the settings of the file, which it completes. No other command writes the
// file meanwhile.
template <typename Complete>
Result<Answer> apply(World &world, const Arguments &arguments, ServerChange change,
                     const Complete &complete) {
    std::optional<FileLock> lock;
    if (!arguments.dry_run()) {
        lock = TRY(lock_server(world));
    }
    change.before = TRY(load_server_settings(world.places));
    change.after = change.before;
    complete(change.after);
    const ServerSettings &before = change.before;
    const ServerSettings &after = change.after;
    const auto set = TRY(changing(world, change));
    auto answer =
        TRY(carry_out(world, {arguments.dry_run()}, set, "the server has these settings"));
    if (!arguments.dry_run()) {
        TRY(set_or_tell_port(world, after, answer));
        if (before.port != after.port) {
            answer.text += "clients give the port with the name of the server: SERVER:PORT/NAME; a "
                           "firewall has to let the new port through\n";
        }
    }
    return answer;
}

Result<Answer> run_server_set(World &world, const Arguments &arguments) {
    ServerSettings typed;
    ServerChange change{"server set", {}};
    if (const auto port = TRY(arguments.number("port", 1, highest_server_port))) {
        typed.port = static_cast<std::uint16_t>(*port);
    }
    for (const ServerLimit &limit : server_limits) {
        if (const auto number = TRY(arguments.number(std::string(limit.word), 1, limit.most))) {
            typed.*limit.value = static_cast<std::uint32_t>(*number);
            change.words.push_back(limit.word);
        }
    }
    if (typed == ServerSettings()) {
        return Error{ExitCode::usage, "no setting is given",
                     "give --port PORT or a limit, such as --max-sessions 300; see: causeway "
                     "server show"};
    }
    return apply(world, arguments, std::move(change), [&](ServerSettings &settings) {
        if (typed.port) {
            settings.port = typed.port;
        }
        for (const ServerLimit &limit : server_limits) {
            if (typed.*limit.value) {
                settings.*limit.value = typed.*limit.value;
            }
        }
    });
}

Result<Answer> run_server_unset(World &world, const Arguments &arguments) {
    const auto words = setting_words();
    for (const std::string &word : arguments.operands()) {
        if (std::find(words.begin(), words.end(), word) == words.end()) {
            return Error{ExitCode::usage, fmt::format("'{}' is no setting of the server", word),
                         fmt::format("give one or more of {}", fmt::join(words, ", "))};
        }
    }
    const auto &named = arguments.operands().empty() ? words : arguments.operands();
    ServerChange change{"server unset", {named.begin(), named.end()}};
    const auto complete = [named](ServerSettings &settings) {
        for (const std::string &word : named) {
            if (word == "port") {
                settings.port.reset();
            }
            for (const ServerLimit &limit : server_limits) {
                if (word == limit.word) {
                    (settings.*limit.value).reset();
                }
            }
        }
    };
    return apply(world, arguments, std::move(change), complete);
}

Result<Answer> run_server_show(World &world, const Arguments & /*arguments*/) {
    const auto settings = TRY(load_server_settings(world.places));
    const auto server = TRY(world.kernel.server());
    Answer answer;
    Table table({{"SETTING"},
                 {"NOW", Table::Align::right},
                 {"SET", Table::Align::right},
                 {"DEFAULT", Table::Align::right}});
    answer.json["port"] = {{"now", server ? Json(server->port) : Json(nullptr)},
                           {"set", or_null(settings.port)},
                           {"default", default_port}};
    table.row({"port", server ? fmt::format("{}", server->port) : "-",
               settings.port ? fmt::format("{}", *settings.port) : "-",
               fmt::format("{}", default_port)});
    for (const ServerLimit &limit : server_limits) {
        const auto now = limit_now(world, limit);
        const auto wanted = settings.*limit.value;
        table.row({std::string(limit.word), now ? fmt::format("{}", *now) : "-",
                   wanted ? fmt::format("{}", *wanted) : "-", fmt::format("{}", limit.by_default)});
        answer.json[std::string(limit.parameter)] = {
            {"now", or_null(now)}, {"set", or_null(wanted)}, {"default", limit.by_default}};
    }
    answer.text = table.text();
    if (!server) {
        answer.text += "no server runs: the module causeway_target is not loaded\n";
    }
    return answer;
}

std::vector<OptionSpec> set_specs() {
    static const std::vector<std::string> helps = [] {
        std::vector<std::string> all;
        for (const ServerLimit &limit : server_limits) {
            all.push_back(fmt::format("the most {}; by default {}", limit.help, limit.by_default));
        }
        return all;
    }();
    std::vector<OptionSpec> all = {
        {"port", "PORT",
         "port of RDMA, from the next start of the server on; TCP has the next port; by default "
         "4793"}};
    for (std::size_t i = 0; i < server_limits.size(); i++) {
        all.push_back({server_limits.at(i).word, "N", helps.at(i)});
    }
    return all;
}

const VerbRows server_rows(Section::disks, 3, [] {
    return std::vector<Verb>{
        {
            .words = "server set",
            .summary = "set the port and the limits of this machine's server, now and at boot",
            .options = set_specs(),
            .changes = true,
            .run = run_server_set,
        },
        {
            .words = "server unset",
            .operands = "[SETTING...]",
            .summary = "give settings of the server, or all of them, their defaults again",
            .most_operands = server_limits.size() + 1,
            .changes = true,
            .run = run_server_unset,
        },
        {
            .words = "server show",
            .summary = "show the port and the limits of this machine's server",
            .run = run_server_show,
        },
    };
});

} // namespace

} // namespace causeway
