// SPDX-License-Identifier: GPL-2.0-or-later
#include "boot/facts.h"

#include "change/change_set.h"
#include "doctor/gather.h"
#include "machine/kernel_files.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace causeway {

namespace {

constexpr const char *secure_boot_variable =
    "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
constexpr std::uint64_t kibibyte = 1024;
constexpr std::uint64_t much = std::uint64_t{1} << 30U;

// Services of other projects that register memory with an RDMA device.
constexpr std::array memory_services = {"slurmd",      "nfs-ganesha",    "glusterd",
                                        "beegfs-meta", "beegfs-storage", "beegfs-mgmtd"};

void gather_modules(World &world, BootFacts &boot) {
    for (const std::string name : {"ib_uverbs", "rdma_ucm", "ib_umad", "ib_ipoib"}) {
        if (world.modules.loaded(name)) {
            boot.loaded.insert(name);
        }
    }
    if (world.processes.there("dkms")) {
        boot.programs.insert("dkms");
    }
    // An EFI variable has four bytes of attributes before its value.
    const auto variable = world.files.read(secure_boot_variable);
    boot.secure_boot = variable && *variable && (**variable).size() == 5 && (**variable)[4] == 1;
    boot.keyring = sysfs_text(world.files, "/proc/keys");
}

void gather_memlock(World &world, BootFacts &boot) {
    boot.memlock = parse_memlock(sysfs_text(world.files, "/proc/self/limits"));
    boot.memlock_configured =
        raises_memlock(text_of(world.places.of_others("etc/security/limits.conf")).value_or(""));
    for (const auto &file : files_in(world.places.of_others("etc/security/limits.d"), ".conf")) {
        boot.memlock_configured |= raises_memlock(text_of(file).value_or(""));
    }
    // The line is "rdma:x:107:alice,bob". Debian's libibverbs1 makes the group without members.
    const std::string group = said_by(world, {"getent", "group", "rdma"}).value_or("");
    const std::size_t members = group.rfind(':');
    boot.rdma_users = members != std::string::npos && !lines_of(group.substr(members + 1)).empty();
    if (!systemd_runs(world)) {
        return;
    }
    for (const std::string service : memory_services) {
        std::error_code error;
        const std::string unit = service + ".service";
        if (!std::filesystem::exists(world.places.vendor_units() / unit, error)) {
            continue;
        }
        if (const auto limit =
                said_by(world, {"systemctl", "show", "--property=LimitMEMLOCK", "--value", unit})) {
            boot.service_memlock[service] = *limit;
        }
    }
}

void gather_beegfs(World &world, BootFacts &boot) {
    if (const auto beegfs = text_of(world.places.of_others("etc/beegfs/beegfs-client.conf"))) {
        boot.beegfs = true;
        boot.beegfs_rdma_off = beegfs_without_rdma(*beegfs);
    }
    std::error_code error;
    boot.beegfs_library =
        std::filesystem::exists(world.places.of_others("opt/beegfs/lib/libbeegfs_ib.so"), error);
}

const FactSource boot_facts([](World &world, Facts &facts) {
    auto &boot = facts.of<BootFacts>();
    gather_modules(world, boot);
    gather_memlock(world, boot);
    gather_beegfs(world, boot);
});

} // namespace

bool beegfs_without_rdma(std::string_view text) {
    static const std::set<std::string> words_for_off = {"0", "n", "no", "off", "false"};
    bool off = false;
    for (const std::string &line : lines_of(text)) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos) {
            continue;
        }
        const auto key = words_of_line(std::string_view(line).substr(0, equals));
        const auto value = words_of_line(std::string_view(line).substr(equals + 1));
        if (key.size() == 1 && key[0] == "connUseRDMA" && !value.empty()) {
            off = words_for_off.count(value[0]) > 0;
        }
    }
    return off;
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

} // namespace causeway
