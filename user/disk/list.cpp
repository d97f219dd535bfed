// SPDX-License-Identifier: GPL-2.0-or-later
// list, export list, discover.
#include "base/units.h"
#include "command/verb.h"
#include "disk/causeway.h"
#include "disk/discovery.h"
#include "show/progress.h"
#include "show/table.h"
#include "show/words.h"
#include "transport/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

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

Json addresses_json(const DiscoveredExport &found) {
    Json all = Json::array();
    for (const ExportAddress &each : found.addresses) {
        all.push_back({{"transport", transport_word(each.transport)},
                       {"address", each.address.host_text()},
                       {"port", each.address.port()}});
    }
    return all;
}

// The first addresses, the preferred one first, each transport before its addresses. The server
// chooses their number, so the rest is in the JSON only.
std::string addresses_column(const DiscoveredExport &found, const ServerName &server) {
    constexpr std::size_t most_shown = 4;
    std::vector<std::string> words;
    std::uint8_t transport = CW_TRANSPORT_NONE;
    for (const ExportAddress &each : found.addresses) {
        if (words.size() == most_shown) {
            words.push_back(fmt::format("{} more", found.addresses.size() - most_shown));
            break;
        }
        const int port = server.port + (each.transport == CW_TRANSPORT_TCP ? 1 : 0);
        const std::string address =
            each.address.port() == port ? each.address.host_text() : each.address.text();
        words.push_back(each.transport == transport
                            ? address
                            : fmt::format("{} {}", transport_word(each.transport), address));
        transport = each.transport;
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

// The lines of the disks that udev has made a link to. A node may have another number after a
// reboot.
std::string fstab_lines(const Answer &answer) {
    std::string lines;
    const auto take = [&](const Json &disk) {
        if (disk.value("fstab", Json()).is_string()) {
            lines += disk.at("fstab").get<std::string>() + "\n";
        }
    };
    for (const Json &each : answer.json.value("attachments", Json::array())) {
        take(each);
    }
    for (const Json &each : answer.json.value("stock", Json::array())) {
        for (const Json &disk : each.value("disks", Json::array())) {
            take(disk);
        }
    }
    return lines.empty() ? "no disk is attached that has a link in /dev\n" : lines;
}

Result<Answer> run_list(World &world, const Arguments &arguments) {
    Answer answer;
    for (const TransportFamily *family : TransportFamily::all()) {
        TRY(family->list_attachments(world, answer));
    }
    if (arguments.has("fstab")) {
        answer.text = fstab_lines(answer);
    }
    if (answer.text.empty()) {
        answer.text = "no disk is attached\n";
    }
    return answer;
}

Result<Answer> run_export_list(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    for (const TransportFamily *family : TransportFamily::all()) {
        TRY(family->list_exports(world, answer));
    }
    if (answer.text.empty()) {
        answer.text = "this machine exports no disk\n";
    }
    return answer;
}

Result<Answer> run_discover(World &world, const Arguments &arguments) {
    return family_for(arguments).discover(world, arguments);
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
            .options = {{"transport", "rdma|tcp|rdma,tcp",
                         "by which to ask; the second one if the first one fails; by default "
                         "rdma"},
                        via_option},
            .least_operands = 1,
            .most_operands = 1,
            .run = run_discover,
        },
        {
            .words = "list",
            .summary = "show the attached disks",
            .options = {{"fstab", "", "print a line for /etc/fstab for each disk"}},
            .run = run_list,
        },
    };
});

} // namespace

Result<Answer> CausewayFamily::discover(World &world, const Arguments &arguments) const {
    auto server = TRY(parse_server(arguments.operands().front()));
    const auto transports = TRY(parse_transports(
        "--transport", arguments.text("transport").value_or(std::string(transport_rdma))));
    TRY(world.modules.need(module_disk));
    std::optional<Progress> progress(std::in_place, world,
                                     fmt::format("waiting for {} to answer", server.text()));
    const auto found = TRY(causeway::discover(world, server, transports)).exports;
    progress.reset();
    Answer answer;
    answer.json["server"] = server.text();
    answer.json["exports"] = Json::array();
    Table table({{"DISK"},
                 {"SIZE", Table::Align::right},
                 {"BLOCK", Table::Align::right},
                 {"OPTIONS"},
                 {"UUID"},
                 {"ADDRESSES"}});
    for (const DiscoveredExport &entry : found) {
        answer.json["exports"].push_back({{"name", entry.name},
                                          {"identity", entry.identity.text()},
                                          {"size", entry.size},
                                          {"block_size", entry.block_size},
                                          {"read_only", entry.read_only},
                                          {"exclusive", entry.exclusive},
                                          {"volatile_cache", entry.volatile_cache},
                                          {"has_key", entry.has_key},
                                          {"addresses", addresses_json(entry)}});
        table.row({server.text() + "/" + entry.name, size_text(entry.size),
                   fmt::format("{}", entry.block_size), discovery_notes(entry),
                   entry.identity.text(), addresses_column(entry, server)});
    }
    answer.text = found.empty() ? fmt::format("{} offers nothing to this machine\n", server.text())
                                : table.text(world.terminal);
    return answer;
}

} // namespace causeway
