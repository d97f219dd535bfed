// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel, its modules and its log; services and limits.
#include "doctor/gather.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *secure_boot_variable =
    "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
constexpr std::uint64_t kibibyte = 1024;
constexpr std::uint64_t much = std::uint64_t{1} << 30U;

// Services of others that register memory with an RDMA device.
constexpr std::array memory_services = {"slurmd",      "nfs-ganesha",    "glusterd",
                                        "beegfs-meta", "beegfs-storage", "beegfs-mgmtd"};

// The value behind "name:" as modinfo prints it.
std::string value_after(const std::string &line, std::string_view name) {
    if (line.compare(0, name.size(), name) != 0 || line.size() <= name.size() ||
        line[name.size()] != ':') {
        return {};
    }
    const std::size_t start = line.find_first_not_of(" \t", name.size() + 1);
    return start == std::string::npos ? "" : line.substr(start);
}

// "[   12.345678] text" as dmesg prints it.
std::string without_time(const std::string &line) {
    if (line.empty() || line.front() != '[') {
        return line;
    }
    const std::size_t end = line.find("] ");
    return end == std::string::npos ? line : line.substr(end + 2);
}

bool systemctl_says(World &world, const std::string &question, const std::string &unit,
                    std::string_view answer) {
    const auto end = world.processes.run({"systemctl", question, unit}, std::chrono::seconds(10));
    return end && end->out == answer;
}

void gather_services(World &world, Facts &facts) {
    facts.systemd = systemd_runs(world);
    if (!facts.systemd) {
        return;
    }
    facts.service_enabled = systemctl_says(world, "is-enabled", "causeway.service", "enabled");
    facts.service_failed = systemctl_says(world, "is-failed", "causeway.service", "failed") ||
                           systemctl_says(world, "is-failed", "causeway-stock.service", "failed");
    if (!facts.ipoib.empty() || !facts.partition_files.empty()) {
        facts.manager_runs = systemctl_says(world, "is-active", "opensm.service", "active");
        facts.manager_enabled = systemctl_says(world, "is-enabled", "opensm.service", "enabled");
    }
    for (const std::string service : memory_services) {
        std::error_code error;
        const std::string unit = service + ".service";
        if (!std::filesystem::exists(world.places.vendor_units() / unit, error)) {
            continue;
        }
        if (const auto limit =
                said_by(world, {"systemctl", "show", "--property=LimitMEMLOCK", "--value", unit})) {
            facts.service_memlock[service] = *limit;
        }
    }
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

std::uint64_t parse_memlock(std::string_view limits) {
    constexpr std::string_view name = "Max locked memory";
    for (const std::string &line : lines_of(limits)) {
        if (line.compare(0, name.size(), name) != 0) {
            continue;
        }
        const auto words = words_of_line(line.substr(name.size()));
        if (!words.empty()) {
            return words.front() == "unlimited" ? no_limit
                                                : std::strtoull(words.front().c_str(), nullptr, 10);
        }
    }
    return no_limit;
}

bool raises_memlock(std::string_view text) {
    const auto lines = lines_of(text);
    return std::any_of(lines.begin(), lines.end(), [](const std::string &line) {
        const auto words = words_of_line(line.substr(0, line.find('#')));
        return words.size() == 4 && words[2] == "memlock" && words[1] != "hard" &&
               (words[3] == "unlimited" || words[3] == "infinity" || words[3] == "-1" ||
                std::strtoull(words[3].c_str(), nullptr, 10) * kibibyte >= much);
    });
}

void gather_system(World &world, Facts &facts) {
    facts.kernel = sysfs_text(world.files, "/proc/sys/kernel/osrelease");
    for (const std::string name : {module_core, module_disk, module_target, module_rpcrdma}) {
        ModuleFacts module = parse_modinfo(said_by(world, {"modinfo", name}).value_or(""));
        module.loaded = world.modules.loaded(name);
        facts.modules[name] = module;
    }
    for (const std::string name : {"ib_uverbs", "rdma_ucm", "ib_umad", "ib_ipoib"}) {
        if (world.modules.loaded(name)) {
            facts.loaded.insert(name);
        }
    }
    if (world.processes.there("dkms")) {
        facts.programs.insert("dkms");
    }
    // Four bytes of attributes, then the value.
    const auto variable = world.files.read(secure_boot_variable);
    facts.secure_boot = variable && *variable && (**variable).size() == 5 && (**variable)[4] == 1;
    facts.keyring = sysfs_text(world.files, "/proc/keys");
    if (const auto log = said_by(world, {"dmesg"})) {
        for (const std::string &line : lines_of(*log)) {
            facts.log.push_back(without_time(line));
        }
    } else {
        facts.unseen.emplace_back("the kernel's log: \"dmesg\" failed, which needs root");
    }
    facts.memlock = parse_memlock(sysfs_text(world.files, "/proc/self/limits"));
    facts.memlock_configured =
        raises_memlock(text_of(world.places.of_others("etc/security/limits.conf")).value_or(""));
    for (const auto &file : files_in(world.places.of_others("etc/security/limits.d"), ".conf")) {
        facts.memlock_configured |= raises_memlock(text_of(file).value_or(""));
    }
    // "rdma:x:107:alice,bob"; Debian's libibverbs1 makes the group without members.
    const std::string group = said_by(world, {"getent", "group", "rdma"}).value_or("");
    const std::size_t members = group.rfind(':');
    facts.rdma_users = members != std::string::npos && !lines_of(group.substr(members + 1)).empty();
    gather_services(world, facts);
}

} // namespace causeway
