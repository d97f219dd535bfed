// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/task.h"

namespace causeway {

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
            answer.warnings.push_back(set.error().what);
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

} // namespace causeway
