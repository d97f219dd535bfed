// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/transport.h"

#include "base/nearest.h"
#include "transport/family.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

struct Entry {
    Via via;
    const StockTransport &(*transport)();
};
constexpr std::array transports = {
    Entry{Via::nvme, nvme_transport}, Entry{Via::nvme_tcp, nvme_tcp_transport},
    Entry{Via::iser, iser_transport}, Entry{Via::iscsi, iscsi_transport},
    Entry{Via::srp, srp_transport}};

} // namespace

const StockTransport &stock_transport(Via via) {
    return std::find_if(transports.begin(), transports.end(),
                        [&](const Entry &entry) { return entry.via == via; })
        ->transport();
}

Result<Via> parse_via(std::string_view text) {
    std::vector<std::string> words;
    for (const Entry &entry : transports) {
        words.emplace_back(entry.transport().row().word);
        if (words.back() == text) {
            return entry.via;
        }
    }
    const auto close = nearest(std::string(text), words);
    return Error{ExitCode::usage, fmt::format("there is no transport '{}'", text),
                 close ? fmt::format("did you mean {}?", *close)
                       : fmt::format("give one of {}; without --via it is Causeway's own",
                                     fmt::join(words, ", "))};
}

std::string via_text(Via via) {
    return std::string(stock_transport(via).row().word);
}

std::string via_title(Via via) {
    return std::string(stock_transport(via).row().title);
}

std::uint16_t via_port(Via via) {
    return stock_transport(via).row().port;
}

Result<std::string> StockTransport::choose(const StockAttachment &settings, const Offer &offer,
                                           const SocketAddress & /*portal*/) const {
    return choose_target(settings, offer);
}

Result<std::string> choose_target(const StockAttachment &settings, const Offer &offer) {
    const auto offered = offer.names(stock_transport(settings.via).offered_by());
    const std::string ending = ":" + settings.disk.name;
    std::vector<std::string> fitting;
    for (const std::string &name : offered) {
        const bool fits = name.size() > ending.size() &&
                          name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
        if (fits && std::find(fitting.begin(), fitting.end(), name) == fitting.end()) {
            fitting.push_back(name);
        }
    }
    if (fitting.size() == 1) {
        return fitting.front();
    }
    const std::string what = fmt::format("{} {} '{}' by {}", settings.disk.server.text(),
                                         fitting.empty() ? "offers no" : "offers several",
                                         settings.disk.name, via_title(settings.via));
    const auto &choice = fitting.empty() ? offered : fitting;
    return Error{ExitCode::unavailable, what,
                 choice.empty()
                     ? "see what it offers with \"causeway export list\" there"
                     : fmt::format("give --target with one of: {}", fmt::join(choice, ", "))};
}

Result<Chap> take_chap(Via via, const Arguments &arguments) {
    const ChapForm form = stock_transport(via).row().chap;
    if (form == ChapForm::none) {
        TRY(refuse_options(
            arguments, chap_words(),
            fmt::format("is of iSCSI, iSER and NVMe, {} has no CHAP", via_title(via)),
            "leave out --{}, or give --via iser"));
    }
    return take_chap(form, arguments);
}

Result<void> check_initiator_tools(World &world, Via via) {
    const StockTransport::Row &row = stock_transport(via).row();
    if (row.program.empty() || world.processes.there(std::string(row.program))) {
        return {};
    }
    return Error{ExitCode::unavailable, fmt::format("the program {} is not installed", row.program),
                 fmt::format("apt install {}, or: dnf install {}", row.package,
                             row.package == "open-iscsi" ? "iscsi-initiator-utils" : row.package)};
}

} // namespace causeway
