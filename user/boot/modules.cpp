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
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
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
    auto found = TRY(world.processes.run({"modprobe", "--dry-run", "--quiet", "--", name}));
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
                 close && !is_known ? fmt::format("did you mean {}?", *close)
                                    : "see which there are: causeway modules list"};
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

Result<Answer> run_modules_list(World &world, const Arguments & /*arguments*/) {
    const BootModules boot = boot_modules(world.places);
    auto enabled = TRY(enabled_now(boot));
    Answer answer;
    answer.json["file"] = boot.file.string();
    answer.json["modules"] = Json::array();
    Table table({{"MODULE"}, {"LOADED"}, {"AT BOOT"}, {"PURPOSE"}});
    const auto tell = [&](const std::string &name, std::string_view purpose) {
        const bool at_boot = std::find(enabled.begin(), enabled.end(), name) != enabled.end();
        const bool loaded = world.modules.loaded(name);
        answer.json["modules"].push_back({{"name", name},
                                          {"loaded", loaded},
                                          {"enabled", at_boot},
                                          {"purpose", std::string(purpose)}});
        table.row({name, loaded ? "yes" : "", at_boot ? "yes" : "", std::string(purpose)});
    };
    const auto &known = known_rdma_modules();
    for (const KnownModule &module : known) {
        tell(std::string(module.name), module.purpose);
    }
    for (const std::string &name : enabled) {
        if (std::none_of(known.begin(), known.end(),
                         [&](const KnownModule &module) { return module.name == name; })) {
            tell(name, "");
        }
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
            .summary = "show the kernel modules that RDMA may need",
            .run = run_modules_list,
        },
    };
});

} // namespace

} // namespace causeway
