// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/target.h"

#include "host/rdma_devices.h"
#include "stock/transport.h"
#include "transport/backend.h"

#include <fmt/format.h>
#include <unistd.h>

namespace causeway {

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

namespace {

// The options of the backend that only some backends have.
Result<void> check_options(const StockExport &settings) {
    if (settings.buffered && settings.backend != StockBackend::file) {
        return Error{ExitCode::usage, "--buffered is of --file: a device has no page cache here",
                     "leave out --buffered"};
    }
    if (settings.block_size != 0 && settings.backend != StockBackend::file &&
        settings.backend != StockBackend::ram) {
        return Error{ExitCode::usage, "a device has a block size of its own",
                     "leave out --block-size"};
    }
    if (settings.unmap && settings.backend == StockBackend::scsi) {
        return Error{ExitCode::usage, "a device that is passed through answers UNMAP itself",
                     "leave out --unmap"};
    }
    return {};
}

} // namespace

Result<void> check_stock_backend(KernelFiles &files, const StockExport &settings) {
    TRY(stock_transport(settings.via).check(settings));
    TRY(check_options(settings));
    if (settings.backend == StockBackend::ram) {
        return check_memory(settings.size, ramdisk_page());
    }
    if (settings.path.find_first_of(",\t\n") != std::string::npos) {
        return Error{
            ExitCode::usage,
            fmt::format("the kernel takes no path with a comma or a tab: '{}'", settings.path),
            "give a link to it"};
    }
    TRY(check_path(stock_backend_text(settings.backend), settings.path));
    if (settings.backend == StockBackend::scsi) {
        TRY(plan_backstore(files, settings));
    }
    return {};
}

std::uint64_t size_of_disk(KernelFiles &files, const std::string &disk) {
    const std::string sectors = sysfs_text(files, fmt::format("/sys/class/block/{}/size", disk));
    return sectors.empty() ? 0 : std::stoull(sectors) * sysfs_sector;
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
