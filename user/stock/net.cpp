// SPDX-License-Identifier: GPL-2.0-or-later
// The part of "causeway net" that lists stock transports.
#include "show/table.h"
#include "stock/attaching.h"
#include "stock/exporting.h"
#include "stock/family.h"

#include <fmt/format.h>

namespace causeway {

namespace {

Json row_json(const char *role, Via via, const std::string &peer, const std::string &name,
              const std::string &state) {
    return {{"role", role},
            {"via", via_text(via)},
            {"peer", peer.empty() ? Json(nullptr) : Json(peer)},
            {"name", name},
            {"state", state}};
}

} // namespace

Result<void> StockFamily::list_connections(World &world, Answer &answer) const {
    std::vector<std::string> told; // discarded, because "causeway list" reports these warnings
    auto exports = stock_exports(world, told);
    auto attachments = stock_attachments(world, told);
    if (!exports || !attachments) {
        return exports ? attachments.error() : exports.error();
    }
    answer.json["stock"] = Json::array();
    Table table({{"ROLE"}, {"PEER"}, {"EXPORT"}, {"BY"}, {"STATE"}});
    const auto add = [&](const char *role, Via via, const std::string &peer,
                         const std::string &name, const std::string &state) {
        answer.json["stock"].push_back(row_json(role, via, peer, name, state));
        table.row({role, peer, name, via_title(via), state});
    };
    for (const StockExportSight &sight : *exports) {
        if (!sight.running) {
            continue;
        }
        const StockExport &settings = sight.settings;
        const auto connected = connected_initiators(world.files, sight.made);
        for (const std::string &peer : connected) {
            add("server", settings.via, peer, settings.name, "connected");
        }
        if (connected.empty()) {
            add("server", settings.via, "", settings.name,
                fmt::format("listens at {}", settings.portal.text()));
        }
    }
    for (const StockAttachmentSight &sight : *attachments) {
        const StockAttachment &settings = sight.settings;
        add("client", settings.via, settings.disk.server.text(), settings.disk.name,
            sight.connection
                ? fmt::format("{} ({})", sight.connection->state, sight.connection->handle)
                : "not attached");
    }
    const std::string text = table.text(world.terminal);
    answer.text += (answer.text.empty() || text.empty() ? "" : "\n") + text;
    return {};
}

} // namespace causeway
