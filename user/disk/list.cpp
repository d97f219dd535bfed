// SPDX-License-Identifier: GPL-2.0-or-later
// list, export list, discover.
#include "base/units.h"
#include "command/verb.h"
#include "kernel/refusal.h"
#include "show/table.h"
#include "transport/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

Result<std::vector<DiscoveredExport>> ask(World &world, const ServerName &server) {
    auto addresses = TRY(world.resolver.resolve(server));
    for (std::size_t i = 0;; i++) {
        auto found = world.kernel.discover(server.text(), addresses.at(i));
        if (found) {
            return found;
        }
        Error error = found.error();
        if (i + 1 == addresses.size() || !is_of_the_network(error.system_error)) {
            error.what = fmt::format("cannot ask {} at {}: {}", server.text(),
                                     addresses.at(i).text(), error.what);
            return error;
        }
    }
}

std::string discovery_notes(const DiscoveredExport &found) {
    std::vector<std::string> words;
    if (found.read_only) {
        words.emplace_back("read-only");
    }
    if (found.exclusive) {
        words.emplace_back("exclusive");
    }
    if (found.has_key) {
        words.emplace_back("key");
    }
    return fmt::format("{}", fmt::join(words, " "));
}

Result<Answer> run_list(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    for (const TransportFamily *family : TransportFamily::all()) {
        TRY(family->list_attachments(world, answer));
    }
    return answer;
}

Result<Answer> run_export_list(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    for (const TransportFamily *family : TransportFamily::all()) {
        TRY(family->list_exports(world, answer));
    }
    return answer;
}

Result<Answer> run_discover(World &world, const Arguments &arguments) {
    auto server = TRY(parse_server(arguments.operands().front()));
    TRY(world.modules.need(module_disk));
    auto found = TRY(ask(world, server));
    Answer answer;
    answer.json["server"] = server.text();
    answer.json["exports"] = Json::array();
    Table table({{"DISK"},
                 {"SIZE", Table::Align::right},
                 {"BLOCK", Table::Align::right},
                 {"OPTIONS"},
                 {"UUID"}});
    for (const DiscoveredExport &entry : found) {
        answer.json["exports"].push_back({{"name", entry.name},
                                          {"identity", entry.identity.text()},
                                          {"size", entry.size},
                                          {"block_size", entry.block_size},
                                          {"read_only", entry.read_only},
                                          {"exclusive", entry.exclusive},
                                          {"volatile_cache", entry.volatile_cache},
                                          {"has_key", entry.has_key}});
        table.row({server.text() + "/" + entry.name, size_text(entry.size),
                   fmt::format("{}", entry.block_size), discovery_notes(entry),
                   entry.identity.text()});
    }
    answer.text = found.empty() ? fmt::format("{} offers nothing to this machine\n", server.text())
                                : table.text(world.terminal);
    return answer;
}

const VerbRows export_list_rows(Section::disks, 4, [] {
    return std::vector<Verb>{
        {
            .words = "export list",
            .summary = "show the exports of this machine",
            .run = run_export_list,
        },
    };
});

const VerbRows list_rows(Section::disks, 5, [] {
    return std::vector<Verb>{
        {
            .words = "discover",
            .operands = "SERVER[:PORT]",
            .summary = "show the exports that a server offers to this machine",
            .least_operands = 1,
            .most_operands = 1,
            .run = run_discover,
        },
        {
            .words = "list",
            .summary = "show the attached disks",
            .run = run_list,
        },
    };
});

} // namespace

} // namespace causeway
