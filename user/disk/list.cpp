// SPDX-License-Identifier: GPL-2.0-or-later
// list, discover.
#include "base/units.h"
#include "command/verb.h"
#include "disk/stock.h"
#include "kernel/refusal.h"
#include "show/table.h"
#include "show/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

std::string attachment_notes(const AttachmentInfo &info) {
    std::vector<std::string> words;
    if (info.read_only) {
        words.emplace_back("read-only");
    }
    if (info.has_key) {
        words.emplace_back("key");
    }
    if (info.loss) {
        words.emplace_back("LOSS");
    }
    if (info.refusal != 0) {
        words.emplace_back(refusal_word(info.refusal));
    }
    return fmt::format("{}", fmt::join(words, " "));
}

std::string size_or_nothing(std::uint64_t size) {
    return size == 0 ? "" : size_text(size);
}

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

// What is wrong with a disk, and the way out, below the table.
void add_notes(Table &table, const AttachmentInfo &info) {
    if (info.loss) {
        table.note(
            fmt::format("acknowledged writes were lost with the server; every flush fails until: "
                        "causeway acknowledge {}/{}",
                        info.server, info.name));
    }
    if (info.state != CW_STATE_LIVE && !info.reason.empty()) {
        table.note(info.reason);
    }
    if (info.state == CW_STATE_REVOKED) {
        table.note(fmt::format("to get the disk again: {}", way_back(info)));
    }
}

Result<Answer> run_list(World &world, const Arguments & /*arguments*/) {
    auto attachments = TRY(world.kernel.attachments());
    Answer answer;
    answer.json["attachments"] = Json::array();
    Table table({{"DISK"},
                 {"SIZE", Table::Align::right},
                 {"BLOCK", Table::Align::right},
                 {"QUEUES", Table::Align::right},
                 {"STATE"},
                 {"NOTES"},
                 {"DEVICE"},
                 {"LINK"}});
    for (const AttachmentInfo &info : attachments) {
        const auto node = world.links.node(info.disk);
        const auto link = world.links.link(info.server, info.name);
        const bool linked = !info.disk.empty() && world.links.ready(link, node);
        answer.json["attachments"].push_back(
            {{"server", info.server},
             {"name", info.name},
             {"address", info.address.text()},
             {"disk", info.disk.empty() ? Json(nullptr) : Json(info.disk)},
             {"device", info.disk.empty() ? Json(nullptr) : Json(node.string())},
             {"link", linked ? Json(link.string()) : Json(nullptr)},
             {"state", state_word(info.state)},
             {"identity", info.identity.is_nil() ? Json(nullptr) : Json(info.identity.text())},
             {"size", info.size},
             {"block_size", info.block_size},
             {"read_only", info.read_only},
             {"has_key", info.has_key},
             {"volatile_cache", info.volatile_cache},
             {"loss", info.loss},
             {"queues", info.queues},
             {"poll_queues", info.poll_queues},
             {"depth", info.depth},
             {"io_timeout", info.io_timeout},
             {"fast_fail",
              info.fast_fail == CW_FAST_FAIL_OFF ? Json(nullptr) : Json(info.fast_fail)},
             {"openers", info.openers},
             {"host", info.host.is_nil() ? Json(nullptr) : Json(info.host.text())},
             {"refusal", info.refusal == 0 ? Json(nullptr) : Json(refusal_word(info.refusal))},
             {"reason", info.reason}});
        table.row({info.server + "/" + info.name, size_or_nothing(info.size),
                   info.block_size == 0 ? "" : fmt::format("{}", info.block_size),
                   fmt::format("{}", info.queues), state_word(info.state), attachment_notes(info),
                   info.disk.empty() ? "" : node.string(), linked ? link.string() : ""});
        table.tone(4, tone_of_state(info.state));
        add_notes(table, info);
    }
    answer.text = table.text(world.terminal);
    TRY(list_stock_attachments(world, answer));
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

const VerbRows list_rows(Section::disks, 5, [] {
    return std::vector<Verb>{
        {
            .words = "discover",
            .operands = "SERVER[:PORT]",
            .summary = "show what a server offers to this machine",
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
