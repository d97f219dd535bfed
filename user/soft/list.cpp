// SPDX-License-Identifier: GPL-2.0-or-later
// soft list: RDMA devices by software, those that are there and those that a unit adds at boot.
#include "command/verb.h"
#include "config/file_header.h"
#include "doctor/gather.h"
#include "host/rdma_devices.h"
#include "show/table.h"
#include "soft/facts.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

struct ListedDevice {
    SoftUnit device;
    bool there = false;
    bool at_boot = false;
};

bool same_device(const SoftUnit &one, const SoftUnit &other) {
    return one.type == other.type && one.netdev == other.netdev && one.name == other.name;
}

std::vector<ListedDevice> listed_devices(World &world) {
    std::vector<ListedDevice> listed;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        if (!device.soft.empty()) {
            listed.push_back({{device.netdev, device.soft, device.name}, true, false});
        }
    }
    for (const std::filesystem::path &file : files_in(world.places.units(), ".service")) {
        const std::string text = text_of(file).value_or("");
        const auto unit = file.filename().string().rfind("causeway-soft@", 0) == 0 && is_ours(text)
                              ? parse_soft_unit(text)
                              : std::nullopt;
        if (!unit) {
            continue;
        }
        const auto device =
            std::find_if(listed.begin(), listed.end(),
                         [&](const ListedDevice &each) { return same_device(each.device, *unit); });
        if (device == listed.end()) {
            listed.push_back({*unit, false, true});
        } else {
            device->at_boot = true;
        }
    }
    return listed;
}

Result<Answer> run_soft_list(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    answer.json["devices"] = Json::array();
    Table table({{"DEVICE"}, {"TYPE"}, {"NETDEV"}, {"NOW"}, {"AT BOOT"}});
    for (const ListedDevice &each : listed_devices(world)) {
        answer.json["devices"].push_back({{"name", each.device.name},
                                          {"type", each.device.type},
                                          {"netdev", each.device.netdev},
                                          {"there", each.there},
                                          {"at_boot", each.at_boot}});
        table.row({each.device.name, each.device.type, each.device.netdev,
                   each.there ? "there" : "not there", each.at_boot ? "yes" : "no"});
    }
    answer.text = answer.json["devices"].empty() ? "there is no RDMA device by software\n"
                                                 : table.text(world.terminal);
    return answer;
}

const VerbRows soft_list_rows(Section::host, 1, [] {
    return std::vector<Verb>{
        {
            .words = "soft list",
            .summary = "show the RDMA devices by software, and those that are made at boot",
            .run = run_soft_list,
        },
    };
});

} // namespace

} // namespace causeway
