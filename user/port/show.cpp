// SPDX-License-Identifier: GPL-2.0-or-later
// show: the RDMA devices of this machine, their ports and addresses, and adapters that have no RDMA
// device.
#include "command/verb.h"
#include "port/device_report.h"

#include <fmt/format.h>

namespace causeway {

namespace {

Result<Answer> run_show(World &world, const Arguments &arguments) {
    const std::string wanted = arguments.operands().empty() ? "" : arguments.operands().front();
    const bool is_long = !wanted.empty() || arguments.has("long");
    const FirmwareTable table = load_firmware_table(world.places);
    const auto devices = rdma_devices(world.files);
    Answer answer;
    answer.json["devices"] = Json::array();
    for (const RdmaDevice &device : devices) {
        if (!wanted.empty() && wanted != device.name) {
            continue;
        }
        const DeviceReport report = report_of(world, device, table, is_long || world.json);
        answer.json["devices"].push_back(report_json(report));
        answer.text +=
            (answer.text.empty() ? "" : "\n") + report_text(report, is_long, world.terminal);
    }
    if (!wanted.empty() && answer.text.empty()) {
        return no_such_rdma_device(devices, wanted);
    }
    if (answer.text.empty()) {
        answer.text = "this machine has no RDMA device; software makes one of a network device: "
                      "causeway soft add rxe DEV\n";
    }
    if (wanted.empty()) {
        answer.json["adapters_without_rdma"] = Json::array();
        std::string lines;
        for (const PciAdapter &adapter : adapters_without_rdma(
                 world.files, sysfs_text(world.files, "/proc/sys/kernel/osrelease"))) {
            answer.json["adapters_without_rdma"].push_back(adapter_json(adapter));
            lines += fmt::format("{}\n  {}\n", adapter_text(adapter), adapter_fix(adapter));
        }
        answer.text += lines.empty() ? "" : "\n" + lines;
    }
    for (const Error &error : table.broken) {
        answer.warnings.push_back(error.what);
    }
    return answer;
}

const VerbRows show_rows(Section::seeing, 1, [] {
    return std::vector<Verb>{
        {
            .words = "show",
            .operands = "[DEVICE]",
            .summary = "show RDMA devices: ports, state, rate, addresses, firmware; of DEVICE all "
                       "that is known",
            .options = {{"long", "", "show all that is known of every device"}},
            .most_operands = 1,
            .run = run_show,
        },
    };
});

} // namespace

} // namespace causeway
