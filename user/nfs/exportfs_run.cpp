// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/exportfs_run.h"

#include "change/kinds.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// Returns exportfs's complaint about the export of this path; empty: none.
std::string complaint(const ProcessEnd &end, const std::string &path) {
    std::string found;
    std::size_t start = 0;
    while (start < end.err.size()) {
        const std::size_t stop = std::min(end.err.find('\n', start), end.err.size());
        const std::string line = end.err.substr(start, stop - start);
        if (line.find(path) != std::string::npos) {
            found = line;
        }
        start = stop + 1;
    }
    if (found.empty() && !end.good()) {
        found = end.last_words();
        found = found.empty() ? fmt::format("exportfs ended with status {}", end.status) : found;
    }
    constexpr std::string_view name = "exportfs: ";
    return found.substr(0, name.size()) == name ? found.substr(name.size()) : found;
}

} // namespace

Result<std::string> run_exports(World &world, std::string_view text) {
    for (const ExportedFolder &folder : exported_folders(text)) {
        for (const auto &words : export_commands({folder})) {
            auto end = TRY(world.processes.run(words));
            if (std::string said = complaint(end, folder.path); !said.empty()) {
                return said;
            }
        }
    }
    return std::string();
}

Result<std::string> run_exportfs(World &world, const std::vector<std::string> &words) {
    const auto end = TRY(world.processes.run(words));
    // An export that does not exist needs no end: another program may have run "exportfs -u".
    if (end.good() || end.err.find("Could not find") != std::string::npos) {
        return std::string();
    }
    return fmt::format("exportfs complains: {}", end.last_words());
}

Result<FileLock> lock_exports(const World &world) {
    return FileLock::take(world.places.nfs_exports_lock());
}

Result<FileLock> lock_exports(World &world, const Change &change) {
    auto lock = TRY(lock_exports(world));
    const Standing standing = TRY(change.standing(world));
    if (standing == Standing::neither) {
        return Error{ExitCode::try_again,
                     fmt::format("another command changed the {} meanwhile", change.subject()),
                     "look at the folder with: causeway nfs list; then run this again"};
    }
    return lock;
}

Json json_of_commands(const CommandLines &commands) {
    Json lines = Json::array();
    for (const auto &words : commands) {
        Json line = Json::array();
        for (const std::string &word : words) {
            Json each;
            put_bytes(each, "word", word);
            line.push_back(std::move(each));
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

CommandLines commands_of_json(const Json &lines) {
    CommandLines commands;
    for (const Json &line : lines) {
        std::vector<std::string> words;
        for (const Json &each : line) {
            words.push_back(get_bytes(each, "word").value_or(""));
        }
        commands.push_back(std::move(words));
    }
    return commands;
}

} // namespace causeway
