// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/target.h"

#include "base/units.h"
#include "host/rdma_devices.h"
#include "stock/transport.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace causeway {

namespace {

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

} // namespace

std::string machine_name(KernelFiles &files) {
    std::string name = sysfs_text(files, "/proc/sys/kernel/hostname");
    for (char &c : name) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
        c = upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '-';
    }
    return name.empty() ? "localhost" : name;
}

std::vector<std::string> target_modules(const StockExport &settings) {
    const StockTransport &transport = stock_transport(settings.via);
    std::vector<std::string> modules;
    if (transport.has_backstore()) {
        modules.emplace_back("target_core_mod");
        if (settings.backend != StockBackend::ram) {
            modules.emplace_back(settings.backend == StockBackend::device ? "target_core_iblock"
                                 : settings.backend == StockBackend::file ? "target_core_file"
                                                                          : "target_core_pscsi");
        }
    }
    for (std::string &module : transport.target_modules()) {
        modules.push_back(std::move(module));
    }
    return modules;
}

std::uint64_t ramdisk_page() {
    return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Result<void> check_stock_backend(KernelFiles &files, const StockExport &settings) {
    if (auto good = stock_transport(settings.via).check(settings); !good) {
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
    const StockTransport &transport = stock_transport(settings.via);
    TargetPlan store;
    if (transport.has_backstore()) {
        store = TRY(plan_backstore(files, settings));
    }
    return transport.plan_target(files, settings, store);
}

} // namespace causeway
