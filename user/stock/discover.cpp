// SPDX-License-Identifier: GPL-2.0-or-later
// discover --via.
#include "base/append_once.h"
#include "show/progress.h"
#include "show/table.h"
#include "stock/family.h"
#include "stock/transport.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// A target with all portals at which the server offers it.
struct OfferedRow {
    std::string target;
    std::vector<OfferedTarget> at;
};

std::vector<OfferedRow> rows_of(const Offer &offer) {
    std::vector<OfferedRow> rows;
    for (const OfferedTarget &each : offer.targets) {
        auto row = std::find_if(rows.begin(), rows.end(), [&](const OfferedRow &known) {
            return known.target == each.target;
        });
        if (row == rows.end()) {
            rows.push_back({each.target, {}});
            row = rows.end() - 1;
        }
        row->at.push_back(each);
    }
    return rows;
}

// The NAME with which "attach SERVER/NAME" finds this target; empty if only --target does.
std::string name_in(const OfferedRow &row, Via via) {
    const std::string_view by = stock_transport(via).offered_by();
    const bool fits = std::any_of(row.at.begin(), row.at.end(), [&](const OfferedTarget &each) {
        return by.empty() || each.transport == by;
    });
    const std::size_t colon = row.target.rfind(':');
    const auto name = colon == std::string::npos ? Result<std::string>(Error())
                                                 : parse_export_name(row.target.substr(colon + 1));
    return fits && name && stock_transport(via).check_discovery("") ? *name : std::string();
}

std::string portals_column(const OfferedRow &row) {
    constexpr std::size_t most_shown = 4;
    std::vector<std::string> words;
    for (const OfferedTarget &each : row.at) {
        if (words.size() == most_shown) {
            words.push_back(fmt::format("{} more", row.at.size() - most_shown));
            break;
        }
        words.push_back(each.transport.empty() ? each.portal
                                               : fmt::format("{} {}", each.transport, each.portal));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

Json portals_json(const OfferedRow &row) {
    Json all = Json::array();
    for (const OfferedTarget &each : row.at) {
        all.push_back({{"transport", or_null(each.transport)}, {"portal", each.portal}});
    }
    return all;
}

// Asks the addresses of the server one after another.
Result<Offer> ask(World &world, Via via, ServerName server) {
    if (server.port == default_port) {
        server.port = via_port(via);
    }
    const auto addresses = TRY(world.resolver.resolve(server));
    for (std::size_t i = 0;; i++) {
        auto offer = stock_transport(via).discover(world, addresses.at(i));
        if (offer || i + 1 == addresses.size() || offer.error().code != ExitCode::try_again) {
            return offer;
        }
    }
}

Result<Offer> ask_patiently(World &world, Via via, const ServerName &server) {
    const Progress progress(world, fmt::format("waiting for {} to answer", server.text()));
    return ask(world, via, server);
}

} // namespace

Result<Answer> StockFamily::discover(World &world, const Arguments &arguments) const {
    const Via via = TRY(parse_via(arguments.text("via").value_or("")));
    const auto server = TRY(parse_server(arguments.operands().front()));
    TRY(refuse_options(arguments, {"transport"}, "is of Causeway's own transport",
                       "leave out --{} or --via"));
    TRY(check_initiator_tools(world, via));
    const auto offer = TRY(ask_patiently(world, via, server));
    Answer answer;
    answer.json["server"] = server.text();
    answer.json["via"] = via_text(via);
    answer.json["targets"] = Json::array();
    answer.json["referrals"] = offer.referrals;
    Table table({{"DISK"}, {"TARGET"}, {"AT"}});
    for (const OfferedRow &row : rows_of(offer)) {
        const std::string name = name_in(row, via);
        answer.json["targets"].push_back(
            {{"target", row.target}, {"name", or_null(name)}, {"portals", portals_json(row)}});
        table.row(
            {name.empty() ? "" : server.text() + "/" + name, row.target, portals_column(row)});
    }
    answer.text = offer.targets.empty() ? fmt::format("{} offers nothing to this machine by {}\n",
                                                      server.text(), via_title(via))
                                        : table.text(world.terminal);
    for (const std::string &portal : offer.referrals) {
        answer.text += fmt::format("more: causeway discover {} --via {}\n", portal, via_text(via));
    }
    if (offer.left_out != 0) {
        answer.warnings.push_back(
            fmt::format("{} entries of the answer of {} are left out: they are malformed, or above "
                        "the limit of {}",
                        offer.left_out, server.text(), most_offered));
    }
    return answer;
}

} // namespace causeway
