// SPDX-License-Identifier: GPL-2.0-or-later
// The change of "nfs set": the exports of a folder get other hosts or options, and clients that
// may still mount the folder go on.
#include "base/diff.h"
#include "base/durable_file.h"
#include "change/kinds.h"
#include "nfs/export_checks.h"
#include "nfs/exportfs_run.h"
#include "nfs/serving.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

const ChangeKind
    kind_nfs_export_settings("nfs-export-settings", [](const Json &json) -> ChangePointer {
        const auto text = [&](const char *key) { return get_bytes(json, key).value_or(""); };
        return change_nfs_export_settings(text("path"), text("before"), text("after"),
                                          commands_of_json(json.at("others")));
    });

// Returns the commands that end the exports in @old that @wanted does not have.
CommandLines ends_of(std::string_view old, std::string_view wanted) {
    CommandLines ends = unexport_commands(old);
    const CommandLines kept = unexport_commands(wanted);
    ends.erase(std::remove_if(ends.begin(), ends.end(),
                              [&](const auto &words) {
                                  return std::find(kept.begin(), kept.end(), words) != kept.end();
                              }),
               ends.end());
    return ends;
}

class NfsExportSettingsChange final : public Change {
  public:
    NfsExportSettingsChange(std::filesystem::path place, std::string before, std::string after,
                            CommandLines others)
        : place_(std::move(place)), before_(std::move(before)), after_(std::move(after)),
          others_(std::move(others)) {}

    std::string subject() const override {
        const auto folders = exported_folders(after_);
        return "NFS export of " + (folders.empty() ? place_.string() : folders.front().path);
    }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        const std::string &from = back ? after_ : before_;
        const std::string &to = back ? before_ : after_;
        std::string text = unified_diff(place_.string(), from, to);
        CommandLines commands = export_commands(to);
        for (const CommandLines &more : {ends_of(from, to), back ? others_ : CommandLines()}) {
            commands.insert(commands.end(), more.begin(), more.end());
        }
        for (const auto &words : commands) {
            text += fmt::format("run {}\n", shown(words));
        }
        return text;
    }

    std::string report(Direction /*direction*/) const override {
        return fmt::format("changed the {}", subject());
    }

    Json json() const override {
        Json json = {{"kind", kind_nfs_export_settings.name()},
                     {"others", json_of_commands(others_)}};
        put_bytes(json, "path", place_.string());
        put_bytes(json, "before", before_);
        put_bytes(json, "after", after_);
        return json;
    }

    Result<Standing> standing(World & /*world*/) const override {
        const auto now = TRY(read_small_file(place_));
        return now == after_    ? Standing::after
               : now == before_ ? Standing::before
                                : Standing::neither;
    }

    Result<void> forward(World &world) const override {
        const auto lock = TRY(lock_exports(world, *this));
        return move(world, before_, after_);
    }

    // The checks are repeated because other exports may have been added since.
    Result<void> back(World &world) const override {
        const auto lock = TRY(lock_exports(world));
        TRY(check_exports(world, before_));
        TRY(move(world, after_, before_));
        for (const auto &words : others_) {
            TRY(run_one(world, words));
        }
        return {};
    }

    Result<void> may_go_back(World &world) const override { return check_exports(world, before_); }

  private:
    // Exports to the new hosts before the old exports end, so no host loses the folder in between.
    // If exportfs refuses, restores the drop-in and the exports.
    Result<void> move(World &world, const std::string &from, const std::string &to) const {
        TRY(write_durably(place_, to, 0644));
        const auto said = run_exports(world, to);
        if (!said || !said->empty()) {
            Error error = said
                              ? Error{ExitCode::failed,
                                      fmt::format("the {} cannot be changed: {}", subject(), *said),
                                      "see: man 5 exports"}
                              : said.error();
            if (auto restored = end(world, from, to); !restored) {
                error.what += "; " + restored.error().what;
            }
            return error;
        }
        return end_exports(world, from, to);
    }

    // Takes a failed move() back.
    Result<void> end(World &world, const std::string &from, const std::string &to) const {
        TRY(write_durably(place_, from, 0644));
        for (const auto &words : export_commands(from)) {
            TRY(run_one(world, words));
        }
        return end_exports(world, to, from);
    }

    // Ends the exports that @from has and @to has not. If a file not of Causeway has such an export
    // by now, the options of that file count.
    Result<void> end_exports(World &world, const std::string &from, const std::string &to) const {
        const CommandLines ends = ends_of(from, to);
        for (const auto &words : ends) {
            TRY(run_one(world, words));
        }
        std::vector<std::string> warnings;
        for (const auto &words : commands_of_others(world.places, from, warnings)) {
            const bool ended = std::any_of(ends.begin(), ends.end(), [&](const auto &each) {
                return each.back() == words.back();
            });
            if (ended) {
                TRY(run_one(world, words));
            }
        }
        return {};
    }

    Result<void> run_one(World &world, const std::vector<std::string> &words) const {
        if (std::string said = TRY(run_exportfs(world, words)); !said.empty()) {
            warn(std::move(said));
        }
        return {};
    }

    std::filesystem::path place_;
    std::string before_;
    std::string after_;
    CommandLines others_;
};

} // namespace

ChangePointer change_nfs_export_settings(std::filesystem::path place, std::string before,
                                         std::string after, CommandLines others) {
    return std::make_unique<NfsExportSettingsChange>(std::move(place), std::move(before),
                                                     std::move(after), std::move(others));
}

} // namespace causeway
