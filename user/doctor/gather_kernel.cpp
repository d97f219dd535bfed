// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the facts of the kernel, of Causeway's modules and of the kernel's log.
#include "doctor/gather.h"

#include "change/change_set.h"
#include "machine/kernel_files.h"

namespace causeway {

namespace {

// Returns the value after "name:" in the output of modinfo.
std::string value_after(const std::string &line, std::string_view name) {
    if (line.compare(0, name.size(), name) != 0 || line.size() <= name.size() ||
        line[name.size()] != ':') {
        return {};
    }
    const std::size_t start = line.find_first_not_of(" \t", name.size() + 1);
    return start == std::string::npos ? "" : line.substr(start);
}

// Removes the time from a line of dmesg, "[   12.345678] text".
std::string without_time(const std::string &line) {
    if (line.empty() || line.front() != '[') {
        return line;
    }
    const std::size_t end = line.find("] ");
    return end == std::string::npos ? line : line.substr(end + 2);
}

} // namespace

ModuleFacts parse_modinfo(std::string_view text) {
    ModuleFacts module;
    for (const std::string &line : lines_of(text)) {
        if (const std::string magic = value_after(line, "vermagic"); !magic.empty()) {
            module.kernel = magic.substr(0, magic.find(' '));
        }
        if (const std::string signer = value_after(line, "signer"); !signer.empty()) {
            module.signer = signer;
        }
        module.installed |= !value_after(line, "filename").empty();
    }
    return module;
}

void gather_kernel(World &world, Facts &facts) {
    facts.kernel = sysfs_text(world.files, "/proc/sys/kernel/osrelease");
    for (const std::string name : {module_core, module_disk, module_target, module_rpcrdma}) {
        ModuleFacts module = parse_modinfo(said_by(world, {"modinfo", name}).value_or(""));
        module.loaded = world.modules.loaded(name);
        facts.modules[name] = module;
    }
    facts.systemd = systemd_runs(world);
    if (const auto log = said_by(world, {"dmesg"})) {
        for (const std::string &line : lines_of(*log)) {
            facts.log.push_back(without_time(line));
        }
    } else {
        facts.unseen.emplace_back("the kernel's log: \"dmesg\" failed, which needs root");
    }
}

} // namespace causeway
