// SPDX-License-Identifier: GPL-2.0-or-later
// initiator: the names by which targets of the kernel's own transports know this machine.
#include "base/durable_file.h"
#include "command/verb.h"
#include "host/rdma_devices.h"
#include "show/table.h"
#include "stock/transport.h"

#include <fmt/format.h>

namespace causeway {

namespace {

// Returns the name in the file: the text after @key in the first line that starts with it.
Result<std::string> name_in_file(const std::filesystem::path &place, std::string_view key,
                                 Result<std::string> (*parse)(std::string_view), const char *fix) {
    const auto text = TRY(read_small_file(place));
    if (!text) {
        return Error{ExitCode::unavailable, fmt::format("there is no {}", place.string()), fix};
    }
    std::string_view rest = *text;
    while (!rest.empty()) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        if (line.empty() || line.front() == '#' || line.substr(0, key.size()) != key) {
            continue;
        }
        auto name = parse(line.substr(key.size()));
        return name ? name
                    : Error{ExitCode::bad_config,
                            fmt::format("{}: {}", place.string(), name.error().what), fix};
    }
    return Error{ExitCode::bad_config, fmt::format("{} has no name", place.string()), fix};
}

// A port by which this machine can log in to an SRP target.
struct SrpPort {
    std::string name; // "mlx4_0 port 1"
    std::string device;
    unsigned int number = 0;
    std::string guid; // as --initiator takes it
};

std::vector<SrpPort> srp_ports(KernelFiles &files) {
    std::vector<SrpPort> ports;
    for (const RdmaDevice &device : rdma_devices(files)) {
        for (const RdmaPort &port : device.ports) {
            std::string gid =
                sysfs_text(files, fmt::format("/sys/class/infiniband/{}/ports/{}/gids/0",
                                              device.name, port.number));
            constexpr std::size_t guid_text = 19; // the last four groups
            const auto guid = gid.size() < guid_text
                                  ? Result<std::string>(Error())
                                  : parse_srp_initiator(gid.substr(gid.size() - guid_text));
            if (guid) {
                ports.push_back({fmt::format("{} port {}", device.name, port.number), device.name,
                                 port.number, *guid});
            }
        }
    }
    return ports;
}

Result<Answer> run_initiator(World &world, const Arguments & /*arguments*/) {
    const auto iqn = name_in_file(world.places.of_others("etc/iscsi/initiatorname.iscsi"),
                                  "InitiatorName=", parse_iscsi_name, "apt install open-iscsi");
    const auto nqn = name_in_file(world.places.of_others("etc/nvme/hostnqn"), "", parse_nqn,
                                  "apt install nvme-cli; it makes the name with: nvme gen-hostnqn "
                                  "> /etc/nvme/hostnqn");
    const auto ports = srp_ports(world.files);
    Answer answer;
    answer.json["iqn"] = iqn ? Json(*iqn) : Json(nullptr);
    answer.json["host_nqn"] = nqn ? Json(*nqn) : Json(nullptr);
    answer.json["srp"] = Json::array();
    Table table({{"--via"}, {"--initiator"}, {"FROM"}});
    if (iqn) {
        table.row({"iser, iscsi", *iqn,
                   world.places.of_others("etc/iscsi/initiatorname.iscsi").string()});
    }
    if (nqn) {
        table.row({"nvme, nvme-tcp", *nqn, world.places.of_others("etc/nvme/hostnqn").string()});
    }
    for (const SrpPort &port : ports) {
        answer.json["srp"].push_back(
            {{"device", port.device}, {"port", port.number}, {"guid", port.guid}});
        table.row({"srp", port.guid, port.name});
    }
    answer.text = table.text(world.terminal);
    for (const auto *name : {&iqn, &nqn}) {
        if (!*name) {
            answer.warnings.push_back(fmt::format("{}: {}", name->error().what, name->error().fix));
        }
    }
    if (ports.empty()) {
        answer.text += "srp: this machine has no RDMA device with a GID\n";
    }
    return answer;
}

const VerbRows initiator_rows(Section::disks, 11, [] {
    return std::vector<Verb>{
        {
            .words = "initiator",
            .summary = "show the names of this machine for --initiator of a server",
            .run = run_initiator,
        },
    };
});

} // namespace

} // namespace causeway
