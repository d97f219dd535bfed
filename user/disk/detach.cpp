// SPDX-License-Identifier: GPL-2.0-or-later
// detach, acknowledge.
#include "command/verb.h"
#include "disk/attaching.h"
#include "disk/attachment_change.h"
#include "transport/family.h"

#include <fmt/format.h>
#include <optional>

namespace causeway {

namespace {

// Returns the tasks that detach the disks which the arguments name.
Result<std::vector<Task>> chosen(World &world, const Arguments &arguments, Answer &answer) {
    const bool all = arguments.has("all");
    if (all == !arguments.operands().empty()) {
        return Error{ExitCode::usage,
                     all ? "--all stands for every disk, and one is named too" : "no disk is given",
                     "give SERVER/NAME or --all"};
    }
    std::string wanted;
    if (!all) {
        const auto disk = TRY(parse_disk(arguments.operands().front()));
        wanted = disk.text();
    }
    std::vector<Task> tasks;
    for (const TransportFamily *family : TransportFamily::all()) {
        std::vector<std::string> of_others;
        auto found =
            TRY(family->detach(world, arguments.has("force"), all ? answer.warnings : of_others));
        for (Task &task : found) {
            if (all || task.subject == wanted) {
                tasks.push_back(std::move(task));
            }
        }
        if (!all && !tasks.empty()) {
            break;
        }
    }
    return tasks;
}

Result<Answer> detach_one(World &world, const Task &task, bool dry_run) {
    std::optional<FileLock> lock;
    if (!dry_run) {
        lock = TRY(task.locked(world));
    }
    const auto set = TRY(task.set(world));
    return carry_out(world, {dry_run}, set, "it is not attached");
}

// If the only task fails, returns its error. If one of several fails, adds a warning and sets the
// exit code. Each task has an entry in the journal; the JSON's "journal" names it if there is one
// task.
Result<Answer> detach_each(World &world, const std::vector<Task> &tasks, bool dry_run,
                           Answer answer) {
    answer.json = {{"dry_run", dry_run}, {"changes", Json::array()}, {"journal", nullptr}};
    answer.json["detached"] = Json::array();
    for (const Task &task : tasks) {
        auto done = detach_one(world, task, dry_run);
        if (!done && tasks.size() == 1) {
            return done.error();
        }
        if (!done) {
            answer.warnings.push_back(done.error().what);
            answer.code = done.error().code;
            continue;
        }
        const Json &journal = done->json["journal"];
        if (!dry_run) {
            const std::size_t slash = task.subject.rfind('/');
            answer.json["detached"].push_back({{"server", task.subject.substr(0, slash)},
                                               {"name", task.subject.substr(slash + 1)},
                                               {"journal", journal}});
        }
        if (tasks.size() == 1) {
            answer.json["journal"] = journal;
        }
        for (const Json &change : done->json["changes"]) {
            answer.json["changes"].push_back(change);
        }
        answer.text += dry_run || task.sentence.empty()
                           ? done->text
                           : fmt::format("{}\n{}", task.sentence, line_of_undo(*done));
        answer.warnings.insert(answer.warnings.end(), done->warnings.begin(), done->warnings.end());
    }
    return answer;
}

Result<Answer> run_detach(World &world, const Arguments &arguments) {
    Answer answer;
    const auto tasks = TRY(chosen(world, arguments, answer));
    answer = TRY(detach_each(world, tasks, arguments.dry_run(), std::move(answer)));
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
            .summary = "remove a disk from this machine, now and at boot",
            .options = {{"force", "", "detach a disk even while the disk is open: its I/O fails"},
                        {"all", "", "detach every disk"}},
            .most_operands = 1,
            .changes = true,
            .run = run_detach,
        },
        {
            .words = "acknowledge",
            .operands = "SERVER/NAME",
            .summary = "accept that writes were lost, and let flushes succeed again",
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_acknowledge,
        },
    };
});

} // namespace

} // namespace causeway
