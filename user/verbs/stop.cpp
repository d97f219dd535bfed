// SPDX-License-Identifier: GPL-2.0-or-later
// stop: what this machine exports ends in order, and with --all what it has attached.
#include "command/plan.h"
#include "stock/exporting.h"
#include "stock/target.h"
#include "verbs/server_life.h"
#include "verbs/stock_restore.h"
#include "verbs/verbs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

void stop_stock(const Result<std::vector<StockDeed>> &deeds, Answer &answer) {
    if (!deeds) {
        answer.warnings.push_back(deeds.error().what);
        answer.code = deeds.error().code;
        return;
    }
    for (const StockDeed &deed : *deeds) {
        if (auto done = deed.perform(); done) {
            answer.json["stock"].push_back(deed.subject);
            answer.text += deed.sentence + "\n";
        } else {
            answer.warnings.push_back(done.error().what);
            answer.code = done.error().code;
        }
    }
}

void detach_all(World &world, Answer &answer) {
    auto attachments = world.kernel.attachments();
    if (!attachments) {
        answer.warnings.push_back(attachments.error().what);
        answer.code = attachments.error().code;
        return;
    }
    for (const AttachmentInfo &info : *attachments) {
        const std::string subject = info.server + "/" + info.name;
        auto detached = world.kernel.detach(info.server, info.name, false);
        if (detached) {
            answer.json["detached"].push_back(subject);
            answer.text += fmt::format("{} is detached\n", subject);
            if (!detached->empty()) {
                answer.warnings.push_back(fmt::format("{}: {}", subject, *detached));
            }
        } else {
            answer.warnings.push_back(
                fmt::format("cannot detach {}: {}", subject, detached.error().what));
            answer.code = detached.error().code;
        }
    }
}

// Ok where no client is connected to an export, as far as can be seen: the kernel's own targets of
// NVMe and SRP do not tell.
Result<void> check_unused(World &world) {
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    std::vector<std::string> warnings;
    auto stock = stock_exports(world, warnings);
    if (!stock) {
        return stock.error();
    }
    std::vector<std::string> used;
    for (const StockExportSight &sight : *stock) {
        if (sight.running && !connected_initiators(world.files, sight.settings).empty()) {
            used.push_back(sight.settings.name);
        }
    }
    for (const ExportInfo &info : *exports) {
        if (!info.ending && info.sessions != 0) {
            used.push_back(fmt::format("{} ({} sessions)", info.settings.name, info.sessions));
        }
    }
    if (used.empty()) {
        return {};
    }
    return Error{ExitCode::try_again,
                 fmt::format("clients are connected to exports: {}", fmt::join(used, ", ")),
                 "detach there first; with --force their I/O waits until the exports are "
                 "back, or fails after its time-out"};
}

Result<Answer> plan_stop_verb(World &world, bool all) {
    Plan plan;
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    for (const ExportInfo &info : *exports) {
        plan.act(
            fmt::format("end the export '{}' with {} sessions", info.settings.name, info.sessions));
    }
    auto attachments = world.kernel.attachments();
    if (!attachments) {
        return attachments.error();
    }
    for (const AttachmentInfo &info : *attachments) {
        if (all) {
            plan.act(fmt::format("detach {}/{}", info.server, info.name));
        }
    }
    plan_stock(stock_exports_to_stop(world), plan);
    if (all) {
        plan_stock(stock_attachments_to_stop(world), plan);
    }
    return plan.answer();
}

} // namespace

Result<Answer> run_stop(World &world, const Arguments &arguments) {
    const bool all = arguments.has("all");
    if (!arguments.has("force")) {
        if (auto unused = check_unused(world); !unused) {
            return unused.error();
        }
    }
    if (arguments.dry_run()) {
        return plan_stop_verb(world, all);
    }
    Answer answer;
    answer.json = {{"exports", 0},
                   {"clean", true},
                   {"unflushed", Json::array()},
                   {"detached", Json::array()},
                   {"stock", Json::array()}};
    if (world.modules.loaded(module_target)) {
        auto lock = lock_server(world);
        if (!lock) {
            return lock.error();
        }
        auto outcome = end_life(world);
        if (!outcome) {
            return outcome.error();
        }
        answer.json["exports"] = outcome->exports;
        answer.json["clean"] = outcome->report.clean;
        answer.text = fmt::format("{} exports ended in order\n", outcome->exports);
        for (const auto &unflushed : outcome->report.unflushed) {
            answer.json["unflushed"].push_back(
                {{"name", unflushed.name}, {"reason", unflushed.reason}});
            answer.warnings.push_back(
                fmt::format("the export '{}': {}", unflushed.name, unflushed.reason));
        }
        if (!outcome->report.clean) {
            answer.text.clear();
            answer.warnings.emplace_back(
                "the exports ended, but not everything could be flushed: clients will "
                "be told that writes may be lost");
            answer.code = ExitCode::failed;
        }
    }
    stop_stock(stock_exports_to_stop(world), answer);
    if (all) {
        detach_all(world, answer);
        stop_stock(stock_attachments_to_stop(world), answer);
    }
    return answer;
}

} // namespace causeway
