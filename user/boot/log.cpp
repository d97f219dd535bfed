// SPDX-License-Identifier: GPL-2.0-or-later
// log set, unset, list: which messages the kernel modules write to the kernel's log.
#include "base/durable_file.h"
#include "boot/debug_messages.h"
#include "boot/module_names.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "show/table.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace causeway {

namespace {

constexpr std::array own_modules = {module_core, module_disk, module_target, module_rpcrdma};
constexpr const char *level_debug = "debug";

// The options with which modprobe(8) loads the modules.
std::filesystem::path log_options(const Places &places) {
    return places.modprobe().parent_path() / "causeway-log.conf";
}

bool is_in(const std::vector<std::string> &names, const std::string &name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string option_line(const std::string &module) {
    return fmt::format("options {} dyndbg=+p\n", module);
}

// Returns the modules whose messages are turned on when they are loaded.
Result<std::vector<std::string>> kept_modules(const World &world) {
    std::vector<std::string> kept;
    const auto content = TRY(read_small_file(log_options(world.places)));
    std::istringstream lines(content.value_or(""));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string first;
        std::string module;
        if (words >> first >> module && first == "options") {
            kept.push_back(module);
        }
    }
    return kept;
}

Result<void> plan_kept(const World &world, std::vector<std::string> modules, ChangeSet &set) {
    if (modules.empty()) {
        return set.remove(log_options(world.places));
    }
    std::sort(modules.begin(), modules.end());
    modules.erase(std::unique(modules.begin(), modules.end()), modules.end());
    std::string text = our_header("log set");
    for (const std::string &module : modules) {
        text += option_line(module);
    }
    return set.write(log_options(world.places), text);
}

// Returns the modules that --module names, or Causeway's own.
Result<std::vector<std::string>> chosen_modules(const Arguments &arguments) {
    if (!arguments.has("module")) {
        return std::vector<std::string>(own_modules.begin(), own_modules.end());
    }
    std::vector<std::string> modules;
    for (const std::string &typed : arguments.list("module")) {
        auto name = TRY(parse_module_name(typed));
        modules.push_back(std::move(name));
    }
    if (modules.empty()) {
        return Error{ExitCode::usage, "--module names no module",
                     "give the name of a kernel module, such as rdma_cm"};
    }
    return modules;
}

// Checks a module that has no messages in the kernel's list.
Result<void> check_without_messages(World &world, const std::string &module, bool persist) {
    if (world.modules.loaded(module)) {
        return Error{ExitCode::unavailable,
                     fmt::format("the module {} has no messages for debugging", module),
                     "see modules that have some: causeway log list --all"};
    }
    TRY(check_module_exists(world, module));
    if (!persist) {
        return Error{ExitCode::unavailable, fmt::format("the module {} is not loaded", module),
                     fmt::format("load it: modprobe {}; or leave --no-persist out", module)};
    }
    return {};
}

Result<Answer> run_log_set(World &world, const Arguments &arguments) {
    const std::string &level = arguments.operands().front();
    if (level != level_debug) {
        return Error{ExitCode::usage, fmt::format("there is no level '{}'", level),
                     "give debug; causeway log unset ends it"};
    }
    const bool persist = !arguments.has("no-persist");
    const bool named = arguments.has("module");
    auto modules = TRY(chosen_modules(arguments));
    const auto list = TRY(debug_messages(world));
    ChangeSet set(fmt::format("log set {}", level));
    bool any = false;
    for (const std::string &module : modules) {
        const DebugMessages *messages = messages_of(list, module);
        any = any || messages != nullptr;
        if (messages == nullptr && named) {
            TRY(check_without_messages(world, module, persist));
        } else if (messages != nullptr && !messages->all()) {
            set.add(change_debug_messages(*messages, true));
        }
    }
    if (!any && !persist) {
        return Error{ExitCode::unavailable, "no module of Causeway is loaded",
                     "attach or export a disk first; or leave --no-persist out"};
    }
    if (persist) {
        auto kept = TRY(kept_modules(world));
        kept.insert(kept.end(), modules.begin(), modules.end());
        TRY(plan_kept(world, std::move(kept), set));
    }
    return carry_out(world, {arguments.dry_run()}, set, "these messages are in the log already");
}

Result<Answer> run_log_unset(World &world, const Arguments &arguments) {
    auto modules = TRY(chosen_modules(arguments));
    auto kept = TRY(kept_modules(world));
    if (!arguments.has("module")) {
        modules.insert(modules.end(), kept.begin(), kept.end());
    }
    std::vector<std::string> left;
    std::copy_if(kept.begin(), kept.end(), std::back_inserter(left),
                 [&](const std::string &module) { return !is_in(modules, module); });
    ChangeSet set("log unset");
    // A kernel without dynamic debug prints no such messages.
    if (const auto list = debug_messages(world)) {
        for (const DebugMessages &messages : *list) {
            if (is_in(modules, messages.module) && !messages.printed.empty()) {
                set.add(change_debug_messages(messages, false));
            }
        }
    } else if (list.error().code != ExitCode::unavailable) {
        return list.error();
    }
    if (left.size() != kept.size()) {
        TRY(plan_kept(world, std::move(left), set));
    }
    return carry_out(world, {arguments.dry_run()}, set,
                     "these modules write no messages for debugging");
}

Result<Answer> run_log_list(World &world, const Arguments &arguments) {
    const auto list = TRY(debug_messages(world));
    const auto kept = TRY(kept_modules(world));
    std::vector<std::string> modules(own_modules.begin(), own_modules.end());
    for (const DebugMessages &messages : list) {
        if (!messages.printed.empty() || arguments.has("all")) {
            modules.push_back(messages.module);
        }
    }
    modules.insert(modules.end(), kept.begin(), kept.end());
    std::sort(modules.begin(), modules.end());
    modules.erase(std::unique(modules.begin(), modules.end()), modules.end());
    Answer answer;
    answer.json["modules"] = Json::array();
    Table table({{"MODULE"},
                 {"LEVEL"},
                 {"MESSAGES", Table::Align::right},
                 {"IN THE LOG", Table::Align::right},
                 {"AT LOADING"}});
    for (const std::string &module : modules) {
        const DebugMessages *messages = messages_of(list, module);
        const std::size_t count = messages == nullptr ? 0 : messages->count;
        const std::size_t printed = messages == nullptr ? 0 : messages->printed.size();
        const bool loaded = messages != nullptr || world.modules.loaded(module);
        const bool at_loading = is_in(kept, module);
        answer.json["modules"].push_back(
            {{"name", module},
             {"loaded", loaded},
             {"level", !loaded ? Json(nullptr) : Json(printed > 0 ? level_debug : "info")},
             {"messages", count},
             {"printed", printed},
             {"at_loading", at_loading ? level_debug : "info"}});
        table.row({module,
                   !loaded       ? "not loaded"
                   : printed > 0 ? level_debug
                                 : "info",
                   fmt::format("{}", count), fmt::format("{}", printed),
                   at_loading ? level_debug : "info"});
    }
    answer.text = table.text(world.terminal);
    return answer;
}

constexpr OptionSpec module_option{
    "module", "MODULE", "another kernel module than Causeway's, such as rdma_cm; may be repeated",
    true};

const VerbRows log_rows(Section::host, 9, [] {
    return std::vector<Verb>{
        {
            .words = "log set",
            .operands = "LEVEL",
            .summary = "let the kernel modules write more to the kernel's log: the level debug",
            .options = {module_option, no_persist},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_log_set,
        },
        {
            .words = "log unset",
            .summary = "let the kernel modules write only what matters to the kernel's log again",
            .options = {module_option},
            .changes = true,
            .run = run_log_unset,
        },
        {
            .words = "log list",
            .summary = "show how much each kernel module writes to the kernel's log",
            .options = {{"all", "", "show every module that has messages for debugging"}},
            .run = run_log_list,
        },
    };
});

} // namespace

} // namespace causeway
