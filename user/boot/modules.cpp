// SPDX-License-Identifier: GPL-2.0-or-later
// modules enable, disable, list: the kernel modules that are loaded at boot.
#include "base/durable_file.h"
#include "base/nearest.h"
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

bool is_module_word(std::string_view text) {
    return !text.empty() && text.front() != '_' &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_';
           });
}

Result<std::string> parse_module_name(const std::string &typed) {
    const std::string name = module_name(typed);
    if (!is_module_word(name)) {
        return Error{ExitCode::usage, fmt::format("'{}' is no name of a kernel module", typed),
                     "see those that RDMA may want: causeway modules list"};
    }
    return name;
}

// Returns where a module that this kernel lacks may come from.
std::string package_of_module(const std::string &name) {
    if (name.rfind("causeway", 0) == 0) {
        return "build Causeway's modules for this kernel: apt install causeway-dkms, or: dnf "
               "install "
               "causeway-kmod";
    }
    if (name == "siw") {
        return "Debian's kernels have no siw: use rdma_rxe; or: dnf install kernel-modules-extra";
    }
    return "another package may have it: apt install linux-image-amd64 (Debian's cloud kernels "
           "lack "
           "modules), or: dnf install kernel-modules-extra";
}

std::vector<std::string> modprobe_words(const std::string &name) {
    return {"modprobe", "--dry-run", "--quiet", "--", name};
}

// Asks modprobe(8), not the list of known modules, because a machine may have others.
Result<void> exists(World &world, const std::string &name) {
    if (world.modules.loaded(name)) {
        return {};
    }
    std::error_code failure;
    if (name == module_in_tree_rpcrdma && fs::exists(world.places.modprobe(), failure)) {
        return Error{
            ExitCode::usage,
            fmt::format("Causeway's module carries NFS over RDMA here, {} is not loaded", name),
            fmt::format("causeway modules enable {}, or: causeway nfs transport in-tree",
                        module_rpcrdma)};
    }
    auto found = TRY(world.processes.run(modprobe_words(name)));
    if (found.good()) {
        return {};
    }
    std::vector<std::string> known;
    for (const KnownModule &each : known_rdma_modules()) {
        known.emplace_back(each.name);
    }
    const auto close = nearest(name, known);
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    return Error{ExitCode::unavailable, fmt::format("this kernel has no module {}", name),
                 is_known ? package_of_module(name)
                 : close  ? fmt::format("did you mean {}?", *close)
                          : "see those that RDMA may need: causeway modules list"};
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
        TRY(exists(world, name));
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
