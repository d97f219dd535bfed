// SPDX-License-Identifier: GPL-2.0-or-later
// modules enable, disable, list: the kernel modules that are loaded at boot.
#include "base/durable_file.h"
#include "boot/module_names.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/file_header.h"
#include "host/rdma_modules.h"
#include "show/table.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> modprobe_words(const std::string &name) {
    return {"modprobe", "--dry-run", "--quiet", "--", name};
}

Result<std::vector<std::string>> enabled_now(const BootModules &boot) {
    auto content = TRY(read_small_file(boot.file));
    return parse_modules(content.value_or(""));
}

Result<void> plan_file(const BootModules &boot, const std::vector<std::string> &names,
                       ChangeSet &set) {
    if (names.empty()) {
        if (auto good = set.remove(boot.file); !good || !boot.by_rdma_core) {
            return good;
        }
        return set.unlink(boot.want, boot.target.string());
    }
    std::string text = our_header("modules enable");
    for (const std::string &name : names) {
        text += name + "\n";
    }
    if (auto good = set.write(boot.file, text); !good || !boot.by_rdma_core) {
        return good;
    }
    return set.link(boot.want, boot.target.string());
}

Result<std::vector<std::string>> parse_names(const Arguments &arguments) {
    std::vector<std::string> names;
    for (const std::string &typed : arguments.operands()) {
        auto name = TRY(parse_module_name(typed));
        names.push_back(name);
    }
    return names;
}

Result<Answer> run_modules_enable(World &world, const Arguments &arguments) {
    auto names = TRY(parse_names(arguments));
    const BootModules boot = boot_modules(world.places);
    auto enabled = TRY(enabled_now(boot));
    ChangeSet set(fmt::format("modules enable {}", fmt::join(names, " ")));
    for (const std::string &name : names) {
        TRY(check_module_exists(world, name));
        if (std::find(enabled.begin(), enabled.end(), name) == enabled.end()) {
            enabled.push_back(name);
        }
    }
    TRY(plan_file(boot, enabled, set));
    if (boot.by_rdma_core) {
        set.reload_systemd(world);
    }
    for (const std::string &name : names) {
        set.load(world, name);
    }
    return carry_out(world, {arguments.dry_run()}, set, "they are loaded, now and at boot");
}

Result<Answer> run_modules_disable(World &world, const Arguments &arguments) {
    auto names = TRY(parse_names(arguments));
    const BootModules boot = boot_modules(world.places);
    auto enabled = TRY(enabled_now(boot));
    ChangeSet set(fmt::format("modules disable {}", fmt::join(names, " ")));
    std::vector<std::string> left;
    std::copy_if(enabled.begin(), enabled.end(), std::back_inserter(left),
                 [&](const std::string &name) {
                     return std::find(names.begin(), names.end(), name) == names.end();
                 });
    if (left.size() != enabled.size()) {
        TRY(plan_file(boot, left, set));
        if (boot.by_rdma_core) {
            set.reload_systemd(world);
        }
    }
    return carry_out(world, {arguments.dry_run()}, set,
                     "\"causeway modules enable\" has enabled none of them");
}

struct ListedModule {
    std::string name;
    std::string purpose;
    bool loaded = false;
    std::optional<bool> here{}; // whether this kernel has the module; none: modprobe did not run
};

// Asks modprobe about all modules that are not loaded, at the same time.
void look_for_modules(World &world, std::vector<ListedModule> &listed) {
    std::vector<std::vector<std::string>> lines;
    for (ListedModule &each : listed) {
        each.loaded = world.modules.loaded(each.name);
        if (each.loaded) {
            each.here = true;
        } else {
            lines.push_back(modprobe_words(each.name));
        }
    }
    if (lines.empty() || !world.processes.there("modprobe")) {
        return;
    }
    const auto ends = world.processes.run_together(lines, std::chrono::seconds(10));
    auto end = ends.begin();
    for (ListedModule &each : listed) {
        if (!each.loaded && end != ends.end()) {
            if (*end && !(*end)->timed_out) {
                each.here = (*end)->good();
            }
            ++end;
        }
    }
}

Result<Answer> run_modules_list(World &world, const Arguments & /*arguments*/) {
    const BootModules boot = boot_modules(world.places);
    auto enabled = TRY(enabled_now(boot));
    std::vector<ListedModule> listed;
    for (const KnownModule &module : known_rdma_modules()) {
        listed.push_back({std::string(module.name), std::string(module.purpose)});
    }
    for (const std::string &name : enabled) {
        if (std::none_of(listed.begin(), listed.end(),
                         [&](const ListedModule &each) { return each.name == name; })) {
            listed.push_back({name, ""});
        }
    }
    look_for_modules(world, listed);
    Answer answer;
    answer.json["file"] = boot.file.string();
    answer.json["modules"] = Json::array();
    Table table({{"MODULE"}, {"LOADED"}, {"AT BOOT"}, {"PURPOSE"}});
    for (const ListedModule &each : listed) {
        const bool at_boot = std::find(enabled.begin(), enabled.end(), each.name) != enabled.end();
        answer.json["modules"].push_back(
            {{"name", each.name},
             {"loaded", each.loaded},
             {"enabled", at_boot},
             {"available", each.here ? Json(*each.here) : Json(nullptr)},
             {"purpose", each.purpose}});
        const bool lacks = each.here && !*each.here;
        table.row({each.name,
                   each.loaded ? "yes"
                   : lacks     ? "this kernel lacks it"
                               : "",
                   at_boot ? "yes" : "", each.purpose});
    }
    answer.text = table.text(world.terminal);
    return answer;
}

const VerbRows modules_rows(Section::host, 8, [] {
    return std::vector<Verb>{
        {
            .words = "modules enable",
            .operands = "MODULE...",
            .summary = "load kernel modules now and at boot",
            .least_operands = 1,
            .most_operands = 64,
            .changes = true,
            .run = run_modules_enable,
        },
        {
            .words = "modules disable",
            .operands = "MODULE...",
            .summary = "do not load kernel modules at boot any more; unload nothing now",
            .least_operands = 1,
            .most_operands = 64,
            .changes = true,
            .run = run_modules_disable,
        },
        {
            .words = "modules list",
            .summary = "show the kernel modules that RDMA may need, and which this kernel lacks",
            .run = run_modules_list,
        },
    };
});

} // namespace

} // namespace causeway
