// SPDX-License-Identifier: GPL-2.0-or-later
// The backstores of LIO, which hold the data of a SCSI target
// (drivers/target/target_core_configfs.c and the show and set functions of
// target_core_{iblock,file,rd,pscsi}.c).
#include "stock/target.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace causeway {

namespace {

// targetcli numbers its own adapters from 0, so this number does not collide with them.
constexpr unsigned int our_adapter = 4793;

std::string plugin_of(StockBackend backend) {
    switch (backend) {
    case StockBackend::device:
        return "iblock";
    case StockBackend::file:
        return "fileio";
    case StockBackend::ram:
        return "rd_mcp";
    default:
        return "pscsi";
    }
}

// The SCSI address, such as "2:0:1:3", of /dev/sdb or /dev/sg1; empty if it is no SCSI device.
std::string scsi_address(KernelFiles &files, const std::string &path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    for (const char *folder : {"block", "scsi_generic"}) {
        const auto found =
            files.list(fmt::format("/sys/class/{}/{}/device/scsi_device", folder, name));
        if (!found.empty()) {
            return found.front();
        }
    }
    return {};
}

Result<std::string> scsi_control(KernelFiles &files, const std::string &path) {
    std::string rest = scsi_address(files, path);
    std::string control;
    for (const char *key : {"scsi_host_id", "scsi_channel_id", "scsi_target_id", "scsi_lun_id"}) {
        if (rest.empty()) {
            return Error{ExitCode::unavailable,
                         fmt::format("{} is no SCSI device: it cannot be passed through", path),
                         "give --device for another block device; see: lsscsi --generic"};
        }
        const std::string number = rest.substr(0, rest.find(':'));
        control += fmt::format("{}{}={}", control.empty() ? "" : ",", key, number);
        rest.erase(0, number.size() + 1);
    }
    return control;
}

Result<std::string> control_of(KernelFiles &files, const StockExport &settings) {
    switch (settings.backend) {
    case StockBackend::device:
        return fmt::format("udev_path={}{}", settings.path,
                           settings.read_only ? ",readonly=1" : "");
    case StockBackend::ram:
        return fmt::format("rd_pages={}", settings.size / ramdisk_page());
    case StockBackend::scsi:
        return scsi_control(files, settings.path);
    default:
        break;
    }
    struct stat status {};
    const std::uint64_t size = ::stat(settings.path.c_str(), &status) == 0
                                   ? static_cast<std::uint64_t>(status.st_size)
                                   : 0;
    return fmt::format("fd_dev_name={},fd_dev_size={}{}", settings.path, size,
                       settings.buffered ? ",fd_buffered_io=1" : "");
}

} // namespace

Result<TargetPlan> plan_backstore(KernelFiles &files, const StockExport &settings) {
    auto control = TRY(control_of(files, settings));
    const std::string adapter =
        fmt::format("{}/core/{}_{}", lio_folder, plugin_of(settings.backend), our_adapter);
    const std::string store = fmt::format("{}/{}", adapter, settings.name);
    TargetPlan plan{store, {}};
    auto &steps = plan.steps;
    steps.push_back(config_shared_folder(adapter));
    steps.push_back(config_folder(store));
    steps.push_back(config_value(store + "/control", control));
    if (settings.backend != StockBackend::ram) {
        steps.push_back(config_value(store + "/udev_path", settings.path));
    }
    steps.push_back(config_value(store + "/enable", "1"));
    if (settings.block_size != 0) {
        steps.push_back(
            config_value(store + "/attrib/block_size", fmt::format("{}", settings.block_size)));
    }
    if (settings.unmap) {
        steps.push_back(config_value(store + "/attrib/emulate_tpu", "1"));
    }
    // A device that is passed through has its own serial number.
    if (settings.backend != StockBackend::scsi) {
        steps.push_back(config_value(store + "/wwn/vpd_unit_serial", settings.identity->text()));
    }
    return plan;
}

} // namespace causeway
