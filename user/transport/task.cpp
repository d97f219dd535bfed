// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/task.h"

#include "show/progress.h"

#include <fmt/format.h>

namespace causeway {

Result<std::optional<FileLock>> Task::locked(const World &world) const {
    if (!lock) {
        return std::optional<FileLock>();
    }
    const Progress progress(world, "waiting for another command that changes " + subject);
    return std::optional(TRY(lock(world)));
}

std::string phrase_of(const Error &error) {
    return error.fix.empty() ? error.what : fmt::format("{} ({})", error.what, error.fix);
}

Answer dry_run_answer() {
    Answer answer;
    answer.json = {
        {"dry_run", true}, {"changed", false}, {"changes", Json::array()}, {"journal", nullptr}};
    return answer;
}

void show_changes(const ChangeSet &set, Answer &answer) {
    for (const ChangePointer &change : set.changes()) {
        answer.json["changes"].push_back(change->json());
        answer.text += change->show(Direction::forward);
    }
}

void show_tasks(World &world, const Result<std::vector<Task>> &tasks, Answer &answer) {
    if (!tasks) {
        answer.warnings.push_back(tasks.error().what);
        return;
    }
    for (const Task &task : *tasks) {
        const auto set = task.set(world);
        if (!set) {
            answer.warnings.push_back(phrase_of(set.error()));
            continue;
        }
        show_changes(*set, answer);
    }
}

void end_dry_run(Answer &answer) {
    if (answer.text.empty()) {
        answer.text = "would change nothing\n";
    }
}

void fail(Answer &answer, const std::string &why, ExitCode code) {
    answer.warnings.push_back(why);
    answer.code = code;
}

std::string first_words(const ProcessEnd &end) {
    // The process writes "causeway: the reason", then a line with the fix.
    constexpr std::string_view start = "causeway: ";
    const std::string line = end.err.substr(0, end.err.find('\n'));
    return line.substr(0, start.size()) == start ? line.substr(start.size()) : line;
}

std::string why_not(const Result<ProcessEnd> &end, std::chrono::seconds limit) {
    return !end             ? end.error().what
           : end->timed_out ? fmt::format("no end within {} s", limit.count())
                            : first_words(*end);
}

ExitCode code_of(const Result<ProcessEnd> &end) {
    return end && !end->timed_out ? static_cast<ExitCode>(end->status) : ExitCode::failed;
}

} // namespace causeway
