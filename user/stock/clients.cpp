// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the clients that are connected to an export by a target of the kernel.
#include "base/append_once.h"
#include "host/rdma_devices.h"
#include "stock/target.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace causeway {

namespace {

constexpr std::chrono::seconds rdma_limit{10};

bool starts_with(const std::string &text, const std::string &start) {
    return text.rfind(start, 0) == 0;
}

// The names in a text that separates them by newlines or zero bytes.
std::vector<std::string> names_in(const std::string &text) {
    std::vector<std::string> names;
    std::string name;
    for (const char c : text + "\n") {
        if (c != '\n' && c != '\0') {
            name += c;
        } else if (!name.empty()) {
            names.push_back(std::move(name));
            name.clear();
        }
    }
    return names;
}

std::vector<std::string> connected_by_iscsi(KernelFiles &files, const std::string &group) {
    std::vector<std::string> names = names_in(text_of(files, group + "/dynamic_sessions"));
    for (const std::string &acl : files.list(group + "/acls")) {
        const std::string info = text_of(files, fmt::format("{}/acls/{}/info", group, acl));
        if (info.find("InitiatorName:") != std::string::npos) {
            names.push_back(acl);
        }
    }
    return names;
}

// The kernel shows the identifier of an initiator port only while that initiator is logged in.
std::vector<std::string> connected_by_srp(KernelFiles &files, const TargetPlan &made) {
    std::vector<std::string> names;
    for (const ConfigStep &step : made.steps) {
        const std::size_t end = step.path.rfind("/lun_0");
        const std::size_t acls = step.path.rfind("/acls/");
        if (step.kind != ConfigStep::Kind::folder || acls == std::string::npos ||
            end != step.path.size() - std::string_view("/lun_0").size()) {
            continue;
        }
        const std::string place = step.path + "/statistics/scsi_att_intr_port/port_ident";
        if (!text_of(files, place).empty()) {
            const std::size_t start = acls + std::string_view("/acls/").size();
            names.push_back(step.path.substr(start, end - start));
        }
    }
    return names;
}

// The folder of the port on which an NVMe target listens; empty for other targets.
std::string nvme_port(const TargetPlan &made) {
    const std::string ports = fmt::format("{}/ports/", nvmet_folder);
    for (const ConfigStep &step : made.steps) {
        const std::size_t end = step.path.find("/subsystems/");
        if (step.kind == ConfigStep::Kind::link && starts_with(step.path, ports)) {
            return step.path.substr(0, end);
        }
    }
    return {};
}

std::string word_in(const nlohmann::json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The address has the form "10.0.0.1:4420": iproute2 has no separate key for the port.
bool is_at_port(const nlohmann::json &object, std::uint16_t port) {
    const std::string address = word_in(object, "src-addr");
    return address.substr(address.rfind(':') + 1) == fmt::format("{}", port);
}

std::string without_port(const std::string &address) {
    return address.substr(0, address.rfind(':'));
}

} // namespace

std::vector<std::string> connected_initiators(KernelFiles &files, const TargetPlan &made) {
    if (starts_with(made.probe, fmt::format("{}/iscsi/", lio_folder))) {
        return connected_by_iscsi(files, made.probe);
    }
    return starts_with(made.probe, fmt::format("{}/srpt/", lio_folder))
               ? connected_by_srp(files, made)
               : std::vector<std::string>();
}

std::optional<std::vector<std::string>> parse_rdma_clients(std::string_view json,
                                                           std::uint16_t port) {
    std::vector<std::string> clients;
    if (json.empty()) {
        return clients;
    }
    const auto told = nlohmann::json::parse(json, nullptr, false);
    if (!told.is_array()) {
        return std::nullopt;
    }
    for (const auto &one : told) {
        if (one.is_object() && word_in(one, "state") == "CONNECT" && is_at_port(one, port)) {
            append_once(clients, without_port(word_in(one, "dst-addr")));
        }
    }
    return clients;
}

Result<std::vector<std::string>> clients_of_port(World &world, const TargetPlan &made) {
    const std::string folder = nvme_port(made);
    if (folder.empty()) {
        return std::vector<std::string>();
    }
    const std::string digits = sysfs_text(world.files, folder + "/addr_trsvcid");
    std::uint16_t port = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), port);
    auto end = world.processes.run({"rdma", "-j", "resource", "show", "cm_id"}, rdma_limit);
    const auto clients = end && end->good() ? parse_rdma_clients(end->out, port) : std::nullopt;
    if (!clients) {
        return Error{ExitCode::try_again,
                     fmt::format("it cannot be seen who is connected to port {}: {}", port,
                                 !end           ? end.error().what
                                 : !end->good() ? end->last_words()
                                                : "rdma says nothing that can be read"),
                     "see that the program rdma of iproute2 is there, or give --force"};
    }
    return *clients;
}

Result<std::vector<std::string>> clients_of(World &world, const TargetPlan &made) {
    const std::string port = nvme_port(made);
    if (port.empty()) {
        return connected_initiators(world.files, made);
    }
    if (world.files.list(port + "/subsystems").size() > 1) {
        return std::vector<std::string>();
    }
    return clients_of_port(world, made);
}

Result<void> check_no_clients(World &world, const std::string &subject, const TargetPlan &made) {
    // A client that has detached ends its connection in the background, and the target frees the
    // session after that.
    constexpr std::chrono::seconds time_to_disconnect{5};
    constexpr std::chrono::milliseconds between_looks{100};
    const auto deadline = world.clock.now() + time_to_disconnect;
    for (;;) {
        auto clients = TRY(clients_of(world, made));
        if (clients.empty()) {
            return {};
        }
        if (world.clock.now() >= deadline) {
            return Error{ExitCode::try_again,
                         fmt::format("cannot remove {}: {} has it attached", subject,
                                     fmt::join(clients, ", ")),
                         "detach it there, or give --force"};
        }
        world.clock.sleep(between_looks);
    }
}

} // namespace causeway
