// SPDX-License-Identifier: GPL-2.0-or-later
// server set, server unset, server show: the port and the limits of this machine's server.
#include "base/disk_name.h"
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/server_settings.h"
#include "disk/server_life.h"
#include "host/rdma_devices.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>

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

// Returns none unless the module causeway is loaded.
std::optional<std::string> limit_now(World &world, const ServerLimit &limit) {
    const auto text = world.files.read(parameter_file(limit));
    return text && *text ? std::optional(sysfs_text(world.files, parameter_file(limit)))
                         : std::nullopt;
}

// Returns the changes from the settings @before to @after, in the file and in the module.
Result<ChangeSet> changing(World &world, std::string title, const ServerSettings &before,
                           const ServerSettings &after) {
    ChangeSet set(std::move(title));
    for (const ServerLimit &limit : server_limits) {
        if (before.*limit.value != after.*limit.value && limit_now(world, limit)) {
            TRY(set.set(world, parameter_file(limit),
                        fmt::format("{}", (after.*limit.value).value_or(limit.by_default))));
        }
    }
    const std::string text = server_settings_text(after);
    if (text != server_settings_text(before)) {
        TRY(set.describe(world.places.server_settings(),
                         {text.empty() ? std::nullopt : std::optional(text)}));
    }
    return set;
}

// Adds what the administrator has to do if the server listens on another port than @settings say.
Result<void> tell_of_port(World &world, const ServerSettings &settings, Answer &answer) {
    const auto server = TRY(world.kernel.server());
    const std::uint16_t wanted = settings.port.value_or(default_port);
    answer.json["port"] = wanted;
    answer.json["listening"] = server ? Json(server->port) : Json(nullptr);
    const auto exports = TRY(world.kernel.exports());
    if (server && server->port != wanted && !exports.empty()) {
        answer.text += fmt::format(
            "the server listens on port {} until its module is loaded anew, which ends all I/O of "
            "clients for that time: causeway stop --force && modprobe -r causeway_target && "
            "causeway restore\n",
            server->port);
    }
    return {};
}

Result<Answer> apply(World &world, const Arguments &arguments, const std::string &title,
                     const ServerSettings &before, const ServerSettings &after) {
    const auto set = TRY(changing(world, title, before, after));
    auto answer =
        TRY(carry_out(world, {arguments.dry_run()}, set, "the server has these settings"));
    if (!arguments.dry_run()) {
        TRY(tell_of_port(world, after, answer));
        if (before.port != after.port) {
            answer.text += "clients give the port with the name of the server: SERVER:PORT/NAME; a "
                           "firewall has to let the new port through\n";
        }
    }
    return answer;
}

Result<Answer> run_server_set(World &world, const Arguments &arguments) {
    const auto before = TRY(load_server_settings(world.places));
    ServerSettings after = before;
    bool some = false;
    if (const auto port = TRY(arguments.number("port", 1, highest_server_port))) {
        after.port = static_cast<std::uint16_t>(*port);
        some = true;
    }
    for (const ServerLimit &limit : server_limits) {
        if (const auto number = TRY(arguments.number(std::string(limit.word), 1, limit.most))) {
            after.*limit.value = static_cast<std::uint32_t>(*number);
            some = true;
        }
    }
    if (!some) {
        return Error{ExitCode::usage, "no setting is given",
                     "give --port PORT or a limit, such as --max-sessions 300; see: causeway "
                     "server show"};
    }
    return apply(world, arguments, "server set", before, after);
}

Result<Answer> run_server_unset(World &world, const Arguments &arguments) {
    const auto before = TRY(load_server_settings(world.places));
    const auto words = setting_words();
    ServerSettings after = arguments.operands().empty() ? ServerSettings() : before;
    for (const std::string &word : arguments.operands()) {
        if (std::find(words.begin(), words.end(), word) == words.end()) {
            return Error{ExitCode::usage, fmt::format("'{}' is no setting of the server", word),
                         fmt::format("give one or more of {}", fmt::join(words, ", "))};
        }
        if (word == "port") {
            after.port.reset();
        }
        for (const ServerLimit &limit : server_limits) {
            if (word == limit.word) {
                (after.*limit.value).reset();
            }
        }
    }
    return apply(world, arguments, "server unset", before, after);
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
        table.row({std::string(limit.word), now.value_or("-"),
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
