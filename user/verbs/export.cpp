// SPDX-License-Identifier: GPL-2.0-or-later
// export add, export remove, export list.
#include "base/durable_file.h"
#include "base/units.h"
#include "command/plan.h"
#include "config/dropins.h"
#include "config/key_file.h"
#include "show/table.h"
#include "verbs/exporting.h"
#include "verbs/server_life.h"
#include "verbs/soft_device.h"
#include "verbs/stock.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

std::string absolute(const std::string &path) {
    return fs::absolute(path).lexically_normal().string();
}

Result<void> take_backend(const Arguments &arguments, ExportSettings &settings) {
    const auto device = arguments.text("device");
    const auto file = arguments.text("file");
    const auto ram = arguments.text("ram");
    const int given = static_cast<int>(device.has_value()) + static_cast<int>(file.has_value()) +
                      static_cast<int>(ram.has_value());
    if (given != 1) {
        return Error{ExitCode::usage,
                     given == 0 ? "it is not said what to export"
                                : "an export has one backend, not several",
                     "give one of --device DEVICE, --file FILE and --ram SIZE"};
    }
    if (ram) {
        settings.backend = Backend::ram;
        auto size = parse_size("--ram", *ram);
        if (!size) {
            return size.error();
        }
        settings.size = *size;
        return {};
    }
    settings.backend = device ? Backend::device : Backend::file;
    const std::string &path = device ? *device : *file;
    if (path.empty()) {
        return Error{ExitCode::usage, fmt::format("--{} is empty", backend_text(settings.backend)),
                     "give a path"};
    }
    settings.path = absolute(path);
    return {};
}

Result<ExportSettings> export_of(const Arguments &arguments) {
    ExportSettings settings;
    auto name = parse_export_name(arguments.operands().front());
    if (!name) {
        return name.error();
    }
    settings.name = *std::move(name);
    if (auto taken = take_backend(arguments, settings); !taken) {
        return taken.error();
    }
    settings.read_only = arguments.has("read-only");
    settings.exclusive = arguments.has("exclusive");
    settings.write_through = arguments.has("write-through");
    for (const std::string &network : arguments.list("allow")) {
        auto prefix = parse_prefix(network);
        if (!prefix) {
            return prefix.error();
        }
        settings.allow.push_back(*prefix);
    }
    if (const auto file = arguments.text("key-file")) {
        settings.key_file = absolute(*file);
        if (auto key = read_key(settings.key_file); !key) {
            return key.error();
        }
    }
    if (const auto typed = arguments.text("uuid")) {
        settings.identity = Uuid::parse(*typed);
        if (!settings.identity || settings.identity->is_nil()) {
            return Error{ExitCode::usage, fmt::format("--uuid '{}' is not a UUID", *typed),
                         "leave it out for a random one, or make one with uuidgen"};
        }
        if (settings.backend == Backend::ram) {
            return Error{
                ExitCode::usage,
                "a memory disk gets a new UUID each time it is made, since its content is new",
                "leave --uuid out"};
        }
    }
    return settings;
}

unsigned int dropin_mode(const ExportSettings &settings) {
    return settings.key_file.empty() ? 0644 : 0600;
}

struct ExportSituation {
    std::optional<ExportInfo> running;
    std::optional<Stored<ExportSettings>> configured;
};

// What is there of this name; an error where that differs from what is wanted. Fills in the
// identity.
Result<ExportSituation> compare(World &world, ExportSettings &wanted) {
    ExportSituation now;
    auto configured = find_export(world.places, wanted.name);
    if (!configured) {
        return configured.error();
    }
    now.configured = *std::move(configured);
    auto running = running_export(world, wanted.name);
    if (!running) {
        return running.error();
    }
    now.running = *std::move(running);
    if (now.running) {
        auto same =
            same_export(*now.running, wanted,
                        now.configured ? std::optional(now.configured->settings) : std::nullopt);
        if (!same) {
            return same.error();
        }
        wanted.identity = now.running->settings.identity;
    } else if (now.configured) {
        const auto different = differences(now.configured->settings, wanted);
        if (!different.empty()) {
            return Error{ExitCode::failed,
                         fmt::format("the export '{}' is configured in {} with other settings: {}",
                                     wanted.name, now.configured->place.string(),
                                     fmt::join(different, ", ")),
                         fmt::format("causeway export remove {}, then add it again", wanted.name)};
        }
        wanted.identity = now.configured->settings.identity;
    }
    if (!wanted.identity && wanted.backend != Backend::ram) {
        wanted.identity = Uuid::random();
    }
    return now;
}

std::string backend_phrase(const ExportSettings &settings) {
    return settings.backend == Backend::ram
               ? fmt::format("{} of memory", size_text(settings.size))
               : fmt::format("{} {}", backend_text(settings.backend), settings.path);
}

Json export_json(const ExportInfo &info, bool persistent) {
    const ExportSettings &settings = info.settings;
    Json allow = Json::array();
    for (const Prefix &prefix : settings.allow) {
        allow.push_back(prefix.text());
    }
    return {{"name", settings.name},
            {"backend", backend_text(settings.backend)},
            {"path", settings.path},
            {"size", settings.size},
            {"block_size", info.block_size},
            {"read_only", settings.read_only},
            {"exclusive", settings.exclusive},
            {"write_through", settings.write_through},
            {"volatile_cache", info.volatile_cache},
            {"allow", allow},
            {"has_key", info.has_key},
            {"identity", settings.identity ? Json(settings.identity->text()) : Json(nullptr)},
            {"sessions", info.sessions},
            {"ending", info.ending},
            {"persistent", persistent}};
}

std::string options_phrase(const ExportSettings &settings, bool has_key) {
    std::vector<std::string> words;
    const auto add = [&](bool on, const char *word) {
        if (on) {
            words.emplace_back(word);
        }
    };
    add(settings.read_only, "read-only");
    add(settings.exclusive, "exclusive");
    add(settings.write_through, "write-through");
    add(has_key, "key");
    return fmt::format("{}", fmt::join(words, " "));
}

std::string state_phrase(const ExportInfo &info, bool persistent) {
    if (info.ending) {
        return fmt::format("ending for {} s", info.ending_for.count());
    }
    return persistent ? "running" : "until reboot";
}

std::string backend_column(const ExportSettings &settings) {
    return settings.backend == Backend::ram ? "memory" : settings.path;
}

std::string allow_phrase(const ExportSettings &settings) {
    std::vector<std::string> words;
    for (const Prefix &prefix : settings.allow) {
        words.push_back(prefix.text());
    }
    return words.empty() ? "everyone" : fmt::format("{}", fmt::join(words, " "));
}

Result<Answer> plan_add(World &world, const ExportSettings &wanted, const ExportSituation &now,
                        bool persist) {
    Plan plan;
    if (persist) {
        auto text = dropin_text(wanted);
        if (!text) {
            return text.error();
        }
        if (auto good = plan.write(dropin_place(world.places, wanted), *text); !good) {
            return good.error();
        }
    }
    if (!now.running) {
        if (!world.modules.loaded(module_target)) {
            plan.act(fmt::format("load the kernel module {}", module_target));
        }
        plan.act(fmt::format("export {} as '{}'", backend_phrase(wanted), wanted.name));
    }
    return plan.answer();
}

Result<Answer> perform_add(World &world, const ExportSettings &wanted, const ExportSituation &now,
                           bool persist) {
    std::optional<StagedFile> staged;
    const fs::path place = dropin_place(world.places, wanted);
    if (persist) {
        auto text = dropin_text(wanted);
        if (!text) {
            return text.error();
        }
        auto before = read_small_file(place);
        if (!before) {
            return before.error();
        }
        if (*before != *text) {
            // Written before the kernel is asked, named after: a full disk must not leave an export
            // that is gone after the next boot.
            auto file = StagedFile::write(place, *text, dropin_mode(wanted));
            if (!file) {
                return file.error();
            }
            staged.emplace(*std::move(file));
        }
    }
    if (!now.running) {
        if (auto up = bring_up(world, wanted); !up) {
            return up.error();
        }
    }
    if (staged) {
        if (auto committed = staged->commit(); !committed) {
            return committed.error();
        }
    }
    Answer answer;
    answer.json = {{"name", wanted.name}, {"changed", !now.running || staged.has_value()}};
    answer.text = now.running
                      ? fmt::format("'{}' is exported already, with these settings\n", wanted.name)
                      : fmt::format("'{}' exports {}\n", wanted.name, backend_phrase(wanted));
    return answer;
}

Result<Answer> add_export(World &world, const Arguments &arguments) {
    if (arguments.has("via")) {
        return add_stock_export(world, arguments);
    }
    if (auto good = only_with_via(arguments); !good) {
        return good.error();
    }
    auto wanted = export_of(arguments);
    if (!wanted) {
        return wanted.error();
    }
    if (auto free = no_stock_export(world, wanted->name); !free) {
        return free.error();
    }
    if (auto good = check_backend(*wanted); !good) {
        return good.error();
    }
    const bool persist = !arguments.has("no-persist");
    if (arguments.dry_run()) {
        auto now = compare(world, *wanted);
        return now ? plan_add(world, *wanted, *now, persist) : Result<Answer>(now.error());
    }
    if (auto there = world.modules.need(module_target); !there) {
        return there.error();
    }
    auto lock = lock_server(world);
    if (!lock) {
        return lock.error();
    }
    auto now = compare(world, *wanted);
    return now ? perform_add(world, *wanted, *now, persist) : Result<Answer>(now.error());
}

} // namespace

Result<Answer> run_export_add(World &world, const Arguments &arguments) {
    return with_soft_device(world, arguments, add_export);
}

namespace {

struct Removal {
    bool there = false;
    std::string unflushed; // why
};

// Without the lock: it takes as long as the export's disk and its clients take.
Result<Removal> end_export(World &world, const std::string &name, bool force) {
    Removal removal;
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    removal.there = std::any_of(exports->begin(), exports->end(),
                                [&](const ExportInfo &info) { return info.settings.name == name; });
    if (!removal.there) {
        return removal;
    }
    auto removed = world.kernel.remove_export(name, force);
    if (!removed) {
        Error error = removed.error();
        error.what = fmt::format("cannot remove the export '{}': {}", name, error.what);
        return error;
    }
    removal.unflushed = *std::move(removed);
    return removal;
}

// True when its file was there. The file of an export that was added again meanwhile stays.
Result<bool> forget_export(World &world, const std::string &name, const fs::path &place) {
    auto lock = lock_server(world);
    if (!lock) {
        return lock.error();
    }
    auto running = running_export(world, name);
    if (!running) {
        return running.error();
    }
    return *running ? Result<bool>(false) : remove_durably(place);
}

} // namespace

Result<Answer> run_export_remove(World &world, const Arguments &arguments) {
    auto name = parse_export_name(arguments.operands().front());
    if (!name) {
        return name.error();
    }
    auto stock = remove_stock_export(world, *name, arguments.has("force"), arguments.dry_run());
    if (!stock) {
        return stock.error();
    }
    if (*stock) {
        return **std::move(stock);
    }
    ExportSettings named;
    named.name = *name;
    const fs::path place = dropin_place(world.places, named);
    if (arguments.dry_run()) {
        Plan plan;
        auto running = running_export(world, *name);
        if (!running) {
            return running.error();
        }
        if (*running) {
            plan.act(
                fmt::format("end the export '{}' with {} sessions", *name, (*running)->sessions));
        }
        if (auto good = plan.remove(place); !good) {
            return good.error();
        }
        return plan.answer();
    }
    auto removed = end_export(world, *name, arguments.has("force"));
    if (!removed) {
        return removed.error();
    }
    auto forgotten = forget_export(world, *name, place);
    if (!forgotten) {
        return forgotten.error();
    }
    Answer answer;
    const bool changed = removed->there || *forgotten;
    answer.json = {{"name", *name}, {"changed", changed}, {"flushed", removed->unflushed.empty()}};
    answer.text = changed ? fmt::format("'{}' is no longer exported\n", *name)
                          : fmt::format("there is no export '{}', nothing to remove\n", *name);
    if (!removed->unflushed.empty()) {
        answer.text.clear();
        answer.warnings.push_back(
            fmt::format("'{}' is no longer exported, but {}", *name, removed->unflushed));
        answer.code = ExitCode::failed;
    }
    return answer;
}

Result<Answer> run_export_list(World &world, const Arguments & /*arguments*/) {
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    auto configured = load_exports(world.places);
    if (!configured) {
        return configured.error();
    }
    Answer answer;
    for (const Error &broken : configured->broken) {
        answer.warnings.push_back(broken.what);
    }
    answer.json["exports"] = Json::array();
    answer.json["not_running"] = Json::array();
    Table table({{"EXPORT"},
                 {"SIZE", Table::Align::right},
                 {"BLOCK", Table::Align::right},
                 {"SESSIONS", Table::Align::right},
                 {"STATE"},
                 {"OPTIONS"},
                 {"ALLOWED"},
                 {"BACKEND"}});
    std::vector<ExportSettings> asleep;
    for (const auto &stored : configured->good) {
        asleep.push_back(stored.settings);
    }
    for (const ExportInfo &info : *exports) {
        const ExportSettings &settings = info.settings;
        const auto known =
            std::find_if(asleep.begin(), asleep.end(),
                         [&](const ExportSettings &other) { return other.name == settings.name; });
        const bool persistent = known != asleep.end();
        if (persistent) {
            asleep.erase(known);
        }
        answer.json["exports"].push_back(export_json(info, persistent));
        table.row({settings.name, size_text(settings.size), fmt::format("{}", info.block_size),
                   fmt::format("{}", info.sessions), state_phrase(info, persistent),
                   options_phrase(settings, info.has_key), allow_phrase(settings),
                   backend_column(settings)});
    }
    for (const ExportSettings &settings : asleep) {
        answer.json["not_running"].push_back(settings.name);
        table.row({settings.name, settings.size == 0 ? "" : size_text(settings.size), "", "",
                   "not running", options_phrase(settings, !settings.key_file.empty()),
                   allow_phrase(settings), backend_column(settings)});
    }
    if (!asleep.empty()) {
        answer.warnings.emplace_back(
            "some exports are configured and not running; causeway restore starts them");
    }
    answer.text = table.text(world.terminal);
    if (auto listed = list_stock_exports(world, answer); !listed) {
        return listed.error();
    }
    return answer;
}

} // namespace causeway
