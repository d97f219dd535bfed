// SPDX-License-Identifier: GPL-2.0-or-later
// detach, acknowledge.
#include "base/durable_file.h"
#include "command/plan.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "disk/attaching.h"
#include "disk/stock.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// One disk to give back: attached, configured, or both.
struct Target {
    std::string server;
    std::string name;
    bool running = false;
    std::optional<std::filesystem::path> dropin;

    std::string text() const { return server + "/" + name; }
};

Result<std::vector<Target>> all_targets(World &world) {
    auto attachments = TRY(world.kernel.attachments());
    auto configured = TRY(load_attachments(world.places));
    std::vector<Target> targets;
    for (const AttachmentInfo &info : attachments) {
        targets.push_back({info.server, info.name, true, {}});
    }
    for (const auto &stored : configured.good) {
        const std::string server = stored.settings.disk.server.text();
        const std::string &name = stored.settings.disk.name;
        auto known = std::find_if(targets.begin(), targets.end(), [&](const Target &target) {
            return target.server == server && target.name == name;
        });
        if (known == targets.end()) {
            targets.push_back({server, name, false, {}});
            known = targets.end() - 1;
        }
        known->dropin = stored.place;
    }
    return targets;
}

// A sentence where the server may still keep the disk for this host.
Result<std::string> perform(World &world, const Target &target, bool force) {
    std::string kept;
    if (target.running) {
        auto detached = world.kernel.detach(target.server, target.name, force);
        if (!detached) {
            Error error = detached.error();
            error.what = fmt::format("cannot detach {}: {}", target.text(), error.what);
            return error;
        }
        kept = *std::move(detached);
    }
    if (target.dropin) {
        TRY(remove_durably(*target.dropin));
    }
    return kept;
}

Result<Answer> plan_detach(const std::vector<Target> &targets, bool force) {
    Plan plan;
    for (const Target &target : targets) {
        if (target.running) {
            plan.act(
                fmt::format("detach {}{}", target.text(), force ? ", even while it is open" : ""));
        }
        if (target.dropin) {
            TRY(plan.remove(*target.dropin));
        }
    }
    return plan.answer();
}

Result<std::vector<Target>> chosen(World &world, const Arguments &arguments) {
    const bool all = arguments.has("all");
    if (all == !arguments.operands().empty()) {
        return Error{ExitCode::usage,
                     all ? "--all stands for every disk, and one is named too"
                         : "it is not said what to detach",
                     "give SERVER/NAME or --all"};
    }
    std::optional<DiskName> disk;
    if (!all) {
        disk = TRY(parse_disk(arguments.operands().front()));
    }
    auto targets = all_targets(world);
    if (targets && disk) {
        const std::string wanted = disk->text();
        targets->erase(
            std::remove_if(targets->begin(), targets->end(),
                           [&](const Target &target) { return target.text() != wanted; }),
            targets->end());
    }
    return targets;
}

// The only one that fails is an error; one of several is a warning, and its exit code counts.
Result<Answer> detach_each(World &world, const std::vector<Target> &targets, bool force) {
    Answer answer;
    answer.json["detached"] = Json::array();
    std::optional<Error> failed;
    for (const Target &target : targets) {
        auto done = perform(world, target, force);
        if (done) {
            answer.json["detached"].push_back({{"server", target.server}, {"name", target.name}});
            answer.text += fmt::format("{} is detached\n", target.text());
            if (!done->empty()) {
                answer.warnings.push_back(fmt::format("{}: {}", target.text(), *done));
            }
        } else if (targets.size() == 1) {
            return done.error();
        } else {
            answer.warnings.push_back(done.error().what);
            failed = done.error();
        }
    }
    if (failed) {
        answer.code = failed->code;
    }
    return answer;
}

Result<Answer> run_detach(World &world, const Arguments &arguments) {
    auto targets = TRY(chosen(world, arguments));
    const bool force = arguments.has("force");
    if (targets.empty() && !arguments.has("all")) {
        auto stock = TRY(detach_stock(world, *parse_disk(arguments.operands().front()), force,
                                      arguments.dry_run()));
        if (stock) {
            return *std::move(stock);
        }
    }
    if (arguments.dry_run()) {
        auto plan = plan_detach(targets, force);
        if (plan && arguments.has("all")) {
            TRY(detach_all_stock(world, force, true, *plan));
        }
        return plan;
    }
    Answer answer = TRY(detach_each(world, targets, force));
    if (arguments.has("all")) {
        TRY(detach_all_stock(world, force, false, answer));
    }
    answer.json["changed"] = !answer.json["detached"].empty();
    if (answer.text.empty() && answer.warnings.empty()) {
        answer.text = arguments.has("all") ? "nothing is attached\n"
                                           : fmt::format("{} is not attached, nothing to detach\n",
                                                         arguments.operands().front());
    }
    return answer;
}

Result<Answer> run_acknowledge(World &world, const Arguments &arguments) {
    auto disk = TRY(parse_disk(arguments.operands().front()));
    auto running = TRY(running_attachment(world, disk));
    if (!running) {
        return not_attached(disk);
    }
    const bool loss = running->loss;
    if (arguments.dry_run()) {
        Plan plan;
        if (loss) {
            plan.act(fmt::format("let flushes of {} pass again", disk.text()));
        }
        return plan.answer();
    }
    if (loss) {
        TRY(world.kernel.acknowledge(disk.server.text(), disk.name));
    }
    Answer answer;
    answer.json = {{"server", disk.server.text()}, {"name", disk.name}, {"changed", loss}};
    answer.text =
        loss ? fmt::format("{}: the loss is acknowledged, flushes pass again\n", disk.text())
             : fmt::format("{} has lost nothing, there is nothing to acknowledge\n", disk.text());
    return answer;
}

const VerbRows detach_rows(Section::disks, 7, [] {
    return std::vector<Verb>{
        {
            .words = "detach",
            .operands = "SERVER/NAME | --all",
            .summary = "give a disk back, now and at boot",
            .options = {{"force", "", "even while it is open: its I/O fails"},
                        {"all", "", "every disk"}},
            .most_operands = 1,
            .changes = true,
            .run = run_detach,
        },
        {
            .words = "acknowledge",
            .operands = "SERVER/NAME",
            .summary = "accept that writes were lost, let flushes pass again",
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_acknowledge,
        },
    };
});

} // namespace

} // namespace causeway
