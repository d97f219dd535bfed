// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/target.h"

#include "base/units.h"
#include "host/rdma_devices.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace causeway {

namespace {

// This machine's name in the characters that IQN and NQN allow.
std::string machine_name(KernelFiles &files) {
    std::string name = sysfs_text(files, "/proc/sys/kernel/hostname");
    for (char &c : name) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
        c = upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '-';
    }
    return name.empty() ? "localhost" : name;
}

// Returns "0000:...:ffff:0a00:0001" for 10.0.0.1: the address as a GID of RoCE.
std::string gid_of(const SocketAddress &address) {
    const auto bytes = address.bytes();
    std::string digits;
    if (address.family() == AF_INET) {
        digits = "00000000000000000000ffff";
        for (std::size_t i = 4; i < 8; i++) {
            digits += fmt::format("{:02x}", bytes[i]);
        }
        return digits;
    }
    for (std::size_t i = 8; i < 24; i++) {
        digits += fmt::format("{:02x}", bytes[i]);
    }
    return digits;
}

std::string without_colons(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ':'), text.end());
    return text;
}

bool has_address(const RdmaPort &port, const SocketAddress &address) {
    return std::any_of(port.gids.begin(), port.gids.end(), [&](const RdmaGid &gid) {
        return without_colons(gid.gid) == gid_of(address);
    });
}

bool is_any(const SocketAddress &address) {
    const std::string text = address.host_text();
    return text == "0.0.0.0" || text == "::";
}

// The WWN of the first active port. If no port is active, that of the first port, which may become
// active later.
Result<std::string> port_wwn(KernelFiles &files, const SocketAddress &portal) {
    std::string idle;
    for (const RdmaDevice &device : rdma_devices(files)) {
        for (const RdmaPort &port : device.ports) {
            if (!is_any(portal) && !has_address(port, portal)) {
                continue;
            }
            const std::string gid =
                sysfs_text(files, fmt::format("/sys/class/infiniband/{}/ports/{}/gids/0",
                                              device.name, port.number));
            if (!gid.empty() && port.state == "ACTIVE") {
                return "0x" + without_colons(gid);
            }
            if (idle.empty()) {
                idle = gid;
            }
        }
    }
    if (!idle.empty()) {
        return "0x" + without_colons(idle);
    }
    return Error{ExitCode::unavailable,
                 is_any(portal)
                     ? "there is no RDMA device that SRP could use"
                     : fmt::format("no RDMA device has the address {}", portal.host_text()),
                 "see which there are with \"causeway show\", or make one with --soft NETDEV"};
}

Error bad_backend(const StockExport &settings, std::string_view why, std::string fix) {
    return Error{
        ExitCode::unavailable,
        fmt::format("the {} {} {}", stock_backend_text(settings.backend), settings.path, why),
        std::move(fix)};
}

Result<void> check_kind(const StockExport &settings, unsigned int mode, bool empty) {
    if (settings.backend == StockBackend::device && !S_ISBLK(mode)) {
        return bad_backend(settings, "is not a block device",
                           S_ISREG(mode) ? fmt::format("give --file {}", settings.path)
                                         : "see which devices there are: lsblk --paths");
    }
    if (settings.backend == StockBackend::file && !S_ISREG(mode)) {
        return bad_backend(settings, "is not a regular file",
                           S_ISBLK(mode) ? fmt::format("give --device {}", settings.path) : "");
    }
    if (settings.backend == StockBackend::file && empty) {
        return bad_backend(
            settings, "is empty",
            fmt::format("give it a size, such as: truncate -s 10G {}", settings.path));
    }
    return {};
}

Result<void> check_path(const StockExport &settings) {
    if (settings.path.find_first_of(",\t\n") != std::string::npos) {
        return Error{
            ExitCode::usage,
            fmt::format("the kernel takes no path with a comma or a tab: '{}'", settings.path),
            "give a link to it"};
    }
    struct stat status {};
    if (::stat(settings.path.c_str(), &status) != 0) {
        Error error = bad_backend(
            settings, fmt::format("cannot be used: {}", std::strerror(errno)),
            settings.backend == StockBackend::file
                ? fmt::format("make it first, such as: truncate -s 10G {}", settings.path)
                : "see which devices there are: lsblk --paths");
        return error;
    }
    return check_kind(settings, status.st_mode, status.st_size == 0);
}

Result<void> check_transport(const StockExport &settings) {
    if (settings.via == Via::nvme &&
        (settings.backend == StockBackend::ram || settings.backend == StockBackend::scsi)) {
        return Error{ExitCode::usage,
                     fmt::format("nvmet has no {} backend",
                                 settings.backend == StockBackend::ram ? "memory" : "SCSI"),
                     "give --device or --file, or --via iser"};
    }
    if (settings.via == Via::nvme && settings.read_only) {
        return Error{ExitCode::usage, "nvmet does not refuse writes",
                     "make the device itself read-only, blockdev --setro, or give --via iser"};
    }
    if (settings.via == Via::srp && settings.initiators.empty()) {
        return Error{ExitCode::usage, "SRP admits only initiators that are named, and none is",
                     "give --initiator with the GUID of the client's port, the last 16 digits of "
                     "the GID 0 that \"causeway show\" shows there"};
    }
    return {};
}

} // namespace

Result<std::string> default_target(KernelFiles &files, const StockExport &settings) {
    switch (settings.via) {
    case Via::nvme:
        return parse_target(settings.via, fmt::format("nqn.2014-08.org.nvmexpress.{}:{}",
                                                      machine_name(files), settings.name));
    case Via::srp:
        return port_wwn(files, settings.portal);
    default:
        return parse_target(settings.via, fmt::format("iqn.2003-01.org.linux-iscsi.{}:{}",
                                                      machine_name(files), settings.name));
    }
}

std::vector<std::string> target_modules(const StockExport &settings) {
    if (settings.via == Via::nvme) {
        return {"nvmet", "nvmet_rdma"};
    }
    std::vector<std::string> modules = {"target_core_mod"};
    if (settings.backend == StockBackend::device) {
        modules.emplace_back("target_core_iblock");
    } else if (settings.backend == StockBackend::file) {
        modules.emplace_back("target_core_file");
    } else if (settings.backend == StockBackend::scsi) {
        modules.emplace_back("target_core_pscsi");
    }
    if (settings.via == Via::srp) {
        modules.emplace_back("ib_srpt");
        return modules;
    }
    modules.emplace_back("iscsi_target_mod");
    if (settings.via == Via::iser) {
        modules.emplace_back("ib_isert");
    }
    return modules;
}

std::uint64_t ramdisk_page() {
    return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Result<void> check_stock_backend(KernelFiles &files, const StockExport &settings) {
    if (auto good = check_transport(settings); !good) {
        return good;
    }
    if (settings.backend == StockBackend::ram) {
        const std::uint64_t page = ramdisk_page();
        if (settings.size != 0 && settings.size % page == 0) {
            return {};
        }
        return Error{
            ExitCode::usage,
            fmt::format("--ram {} is not a multiple of {} bytes", settings.size, page),
            fmt::format("give --ram {}",
                        size_exact(std::max(page, (settings.size + page - 1) / page * page)))};
    }
    if (auto good = check_path(settings); !good || settings.backend != StockBackend::scsi) {
        return good;
    }
    auto plan = plan_backstore(files, settings);
    return plan ? Result<void>() : plan.error();
}

Result<TargetPlan> plan_target(KernelFiles &files, const StockExport &settings) {
    if (settings.via == Via::nvme) {
        return plan_nvme_target(files, settings);
    }
    auto store = TRY(plan_backstore(files, settings));
    return settings.via == Via::srp ? plan_srp_target(files, settings, store)
                                    : plan_iscsi_target(settings, store);
}

} // namespace causeway
