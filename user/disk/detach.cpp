// SPDX-License-Identifier: GPL-2.0-or-later
// detach, acknowledge.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "disk/attaching.h"
#include "disk/attachment_change.h"
#include "disk/stock.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// A disk that is attached, configured, or both.
struct Target {
    std::string server;
    std::string name;
    std::optional<AttachmentInfo> running{};
    std::optional<Stored<AttachmentSettings>> configured{};

    std::string text() const { return server + "/" + name; }
};

Result<std::vector<Target>> all_targets(World &world) {
    auto attachments = TRY(world.kernel.attachments());
    auto configured = TRY(load_attachments(world.places));
    std::vector<Target> targets;
    for (const AttachmentInfo &info : attachments) {
        targets.push_back({info.server, info.name, info});
    }
    for (const auto &stored : configured.good) {
        const std::string server = stored.settings.disk.server.text();
        const std::string &name = stored.settings.disk.name;
        auto known = std::find_if(targets.begin(), targets.end(), [&](const Target &target) {
            return target.server == server && target.name == name;
        });
        if (known == targets.end()) {
            targets.push_back({server, name});
            known = targets.end() - 1;
        }
        known->configured = stored;
    }
    return targets;
}

Result<ChangeSet> detaching(const Target &target, bool force) {
    ChangeSet set("detach " + target.text(), Scope::disks);
    if (target.running) {
        AttachmentWay way;
        way.force = force;
        auto disk = TRY(parse_disk(target.text()));
        set.add(change_attachment(
            state_of(disk, *target.running,
                     target.configured ? std::optional(target.configured->settings) : std::nullopt),
            false, way));
    }
    if (target.configured) {
        TRY(set.describe(target.configured->place, {}));
    }
    return set;
}

Result<Answer> detach_one(World &world, const Target &target, bool force, bool dry_run) {
    auto set = TRY(detaching(target, force));
    return carry_out(world, {dry_run}, set, "it is not attached");
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

// The only one that fails is an error; one of several is a warning, and its exit code counts. Each
// is an entry of the journal, and the answer names that of a single one.
Result<Answer> detach_each(World &world, const std::vector<Target> &targets, bool force,
                           bool dry_run) {
    Answer answer;
    answer.json = {{"dry_run", dry_run}, {"changes", Json::array()}, {"journal", nullptr}};
    answer.json["detached"] = Json::array();
    for (const Target &target : targets) {
        auto done = detach_one(world, target, force, dry_run);
        if (!done && targets.size() == 1) {
            return done.error();
        }
        if (!done) {
            answer.warnings.push_back(done.error().what);
            answer.code = done.error().code;
            continue;
        }
        const Json &journal = done->json["journal"];
        if (!dry_run) {
            answer.json["detached"].push_back(
                {{"server", target.server}, {"name", target.name}, {"journal", journal}});
        }
        if (targets.size() == 1) {
            answer.json["journal"] = journal;
        }
        for (const Json &change : done->json["changes"]) {
            answer.json["changes"].push_back(change);
        }
        answer.text += dry_run
                           ? done->text
                           : fmt::format("{} is detached\n{}", target.text(), line_of_undo(*done));
        answer.warnings.insert(answer.warnings.end(), done->warnings.begin(), done->warnings.end());
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
    Answer answer = TRY(detach_each(world, targets, force, arguments.dry_run()));
    if (arguments.has("all")) {
        TRY(detach_all_stock(world, force, arguments.dry_run(), answer));
    }
    answer.json["changed"] = !answer.json["detached"].empty();
    if (answer.text.empty() && answer.warnings.empty()) {
        answer.text = arguments.dry_run() ? "would change nothing\n"
                      : arguments.has("all")
                          ? "nothing is attached\n"
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
    ChangeSet set("acknowledge " + disk.text(), Scope::disks);
    if (running->loss) {
        set.add(change_loss(disk));
    }
    auto answer = TRY(carry_out(world, {arguments.dry_run()}, set, ""));
    if (arguments.dry_run()) {
        return answer;
    }
    answer.json["server"] = disk.server.text();
    answer.json["name"] = disk.name;
    answer.text =
        running->loss
            ? fmt::format("{}: the loss is acknowledged, flushes pass again\n", disk.text())
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
