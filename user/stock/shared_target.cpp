// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/shared_target.h"

#include "stock/transport.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

unsigned int lun_of(const StockExport &settings) {
    return settings.lun.value_or(stock_transport(settings.via).row().first_lun);
}

std::vector<std::string> sorted(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
}

// The reason why the exports cannot be in one target; empty if they can.
std::string obstacle(const StockExport &there, const StockExport &wanted) {
    if (there.via != wanted.via) {
        return fmt::format("goes by {}", via_title(there.via));
    }
    if (portals_text(there) != portals_text(wanted)) {
        return fmt::format("has the portals {}", portals_text(there));
    }
    if (there.chap != wanted.chap) {
        return fmt::format("has the CHAP settings: {}", chap_phrase(there.chap));
    }
    const bool open = there.initiators.empty();
    if (open != wanted.initiators.empty()) {
        return open ? "admits every initiator" : "admits only initiators that are named";
    }
    if (open && there.read_only != wanted.read_only) {
        return there.read_only ? "refuses the writes of every initiator"
                               : "accepts the writes of every initiator";
    }
    if (stock_transport(there.via).row().admits_to_target &&
        sorted(there.initiators) != sorted(wanted.initiators)) {
        return "admits other initiators, and NVMe admits an initiator to all disks of a target";
    }
    return {};
}

bool takes_lun(const std::vector<StockExportState> &others, unsigned int number) {
    return std::any_of(others.begin(), others.end(), [&](const StockExportState &each) {
        return lun_of(each.settings) == number;
    });
}

Result<void> take_lun(const std::vector<StockExportState> &others, StockExport &wanted) {
    const unsigned int first = stock_transport(wanted.via).row().first_lun;
    if (wanted.lun && *wanted.lun < first) {
        return Error{ExitCode::usage, fmt::format("{} has no number 0", via_title(wanted.via)),
                     "give --lun 1 or a higher number"};
    }
    if (wanted.lun && takes_lun(others, *wanted.lun)) {
        return Error{ExitCode::failed,
                     fmt::format("the number {} of {} is that of another export", *wanted.lun,
                                 wanted.target),
                     "leave out --lun to take a free one; see: causeway export list"};
    }
    if (wanted.lun || others.empty()) {
        return {};
    }
    unsigned int number = first;
    while (number <= most_luns && takes_lun(others, number)) {
        number++;
    }
    if (number > most_luns) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} has no free number for a disk", wanted.target),
                     "give another --target"};
    }
    wanted.lun = number;
    return {};
}

} // namespace

Result<std::vector<StockExportState>> others_in_target(World &world, const StockExport &settings) {
    std::vector<StockExportState> others;
    std::vector<std::string> warnings;
    if (!stock_transport(settings.via).row().shares_targets) {
        return others;
    }
    for (StockExportState &state : TRY(stock_exports(world, warnings))) {
        if (state.settings.name != settings.name && state.settings.target == settings.target) {
            others.push_back(std::move(state));
        }
    }
    return others;
}

Result<void> join_target(World &world, StockExport &wanted, bool portals_typed) {
    const StockTransport &transport = stock_transport(wanted.via);
    if (!transport.row().shares_targets) {
        return wanted.lun ? Result<void>(Error{ExitCode::usage,
                                               "SRP shows one disk to each attachment, as LUN 0",
                                               "leave out --lun"})
                          : Result<void>();
    }
    const auto others = TRY(others_in_target(world, wanted));
    for (const StockExportState &other : others) {
        if (!portals_typed) {
            wanted.portal = other.settings.portal;
            wanted.more_portals = other.settings.more_portals;
        }
        if (const std::string why = obstacle(other.settings, wanted); !why.empty()) {
            return Error{ExitCode::failed,
                         fmt::format("'{}' cannot join the target {}: the export '{}' there {}",
                                     wanted.name, wanted.target, other.settings.name, why),
                         "give the same settings, or another --target"};
        }
    }
    const bool running = std::any_of(others.begin(), others.end(),
                                     [](const StockExportState &each) { return each.running; });
    if (!running && world.files.has_folder(transport.target_folder(wanted))) {
        return Error{
            ExitCode::failed,
            fmt::format("the target {} is there, and another program made it", wanted.target),
            "remove it with that program, or give another --target"};
    }
    return take_lun(others, wanted);
}

} // namespace causeway
