// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the clients that are connected to an export by a target of the kernel.
#include "base/append_once.h"
#include "host/rdma_devices.h"
#include "show/progress.h"
#include "stock/target.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sstream>

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

// @probe: the folder of a LUN; on record of earlier versions that of the group, which has LUN 0.
std::vector<std::string> connected_by_iscsi(KernelFiles &files, const std::string &probe) {
    const std::size_t luns = probe.find("/lun/");
    const std::string group = probe.substr(0, luns);
    const std::string lun =
        luns == std::string::npos ? "lun_0" : probe.substr(luns + std::string_view("/lun/").size());
    std::vector<std::string> names = names_in(text_of(files, group + "/dynamic_sessions"));
    for (const std::string &acl : files.list(group + "/acls")) {
        const std::string folder = fmt::format("{}/acls/{}", group, acl);
        const std::string info = text_of(files, folder + "/info");
        if (info.find("InitiatorName:") != std::string::npos &&
            files.has_folder(fmt::format("{}/{}", folder, lun))) {
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

// The folders of the ports on which an NVMe target listens; none for other targets.
std::vector<std::string> nvme_ports(const TargetPlan &made) {
    std::vector<std::string> found;
    const std::string ports = fmt::format("{}/ports/", nvmet_folder);
    for (const ConfigStep &step : made.steps) {
        const std::size_t end = step.path.find("/subsystems/");
        if (step.kind == ConfigStep::Kind::link && starts_with(step.path, ports)) {
            found.push_back(step.path.substr(0, end));
        }
    }
    return found;
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

constexpr std::string_view established = "01"; // TCP_ESTABLISHED of include/net/tcp_states.h

// Parses "0100000A:1144": the words of the address as this machine's numbers, then the port. An
// IPv4 address that IPv6 maps is returned as an IPv4 address.
std::optional<SocketAddress> tcp_end(const std::string &text) {
    constexpr std::size_t word_digits = 8;
    const std::size_t colon = text.find(':');
    const bool v6 = colon == 4 * word_digits;
    if ((!v6 && colon != word_digits) || text.size() != colon + 5 ||
        text.find_first_not_of("0123456789ABCDEF:") != std::string::npos ||
        text.rfind(':') != colon) {
        return std::nullopt;
    }
    in6_addr bytes{};
    for (std::size_t i = 0; i * word_digits < colon; i++) {
        bytes.s6_addr32[i] = static_cast<std::uint32_t>(
            std::stoul(text.substr(i * word_digits, word_digits), nullptr, 16));
    }
    const bool mapped = v6 && IN6_IS_ADDR_V4MAPPED(&bytes);
    std::array<char, INET6_ADDRSTRLEN> host{};
    inet_ntop(v6 && !mapped ? AF_INET6 : AF_INET,
              mapped ? &bytes.s6_addr32[3] : &bytes.s6_addr32[0], host.data(), host.size());
    auto address = SocketAddress::from_text(host.data());
    if (address) {
        address->set_port(
            static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1), nullptr, 16)));
    }
    return address;
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

std::vector<std::string> parse_tcp_clients(std::string_view table, std::uint16_t port) {
    std::vector<std::string> clients;
    std::istringstream lines{std::string(table)};
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string number;
        std::string local;
        std::string remote;
        std::string state;
        words >> number >> local >> remote >> state;
        const auto from = tcp_end(local);
        const auto to = tcp_end(remote);
        if (from && to && state == established && from->port() == port) {
            append_once(clients, without_port(to->text()));
        }
    }
    return clients;
}

namespace {

Error clients_unknown(std::uint16_t port, const std::string &why, const char *fix) {
    return Error{ExitCode::try_again,
                 fmt::format("it cannot be seen who is connected to port {}: {}", port, why), fix};
}

Result<std::vector<std::string>> clients_by_tcp(World &world, std::uint16_t port) {
    std::vector<std::string> clients;
    for (const char *place : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        const auto table = world.files.read(place);
        if (!table) {
            return clients_unknown(port, table.error().what, "give --force");
        }
        for (std::string &client : parse_tcp_clients(table->value_or(""), port)) {
            append_once(clients, std::move(client));
        }
    }
    return clients;
}

Result<std::vector<std::string>> clients_at(World &world, const std::string &folder) {
    const std::string digits = sysfs_text(world.files, folder + "/addr_trsvcid");
    std::uint16_t port = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (sysfs_text(world.files, folder + "/addr_trtype") == "tcp") {
        return clients_by_tcp(world, port);
    }
    auto end = world.processes.run({"rdma", "-j", "resource", "show", "cm_id"}, rdma_limit);
    const auto clients = end && end->good() ? parse_rdma_clients(end->out, port) : std::nullopt;
    if (!clients) {
        return clients_unknown(port,
                               !end           ? end.error().what
                               : !end->good() ? end->last_words()
                                              : "rdma says nothing that can be read",
                               "see that the program rdma of iproute2 is there, or give --force");
    }
    return *clients;
}

} // namespace

Result<std::vector<std::string>> clients_of_port(World &world, const TargetPlan &made) {
    std::vector<std::string> all;
    for (const std::string &port : nvme_ports(made)) {
        for (std::string &client : TRY(clients_at(world, port))) {
            append_once(all, std::move(client));
        }
    }
    return all;
}

Result<std::vector<std::string>> clients_of(World &world, const TargetPlan &made) {
    const auto ports = nvme_ports(made);
    if (ports.empty()) {
        return connected_initiators(world.files, made);
    }
    const bool shared = std::any_of(ports.begin(), ports.end(), [&](const std::string &port) {
        return world.files.list(port + "/subsystems").size() > 1;
    });
    return shared ? std::vector<std::string>() : clients_of_port(world, made);
}

Result<void> check_no_clients(World &world, const std::string &subject, const TargetPlan &made) {
    // A client that has detached ends its connection in the background, and the target frees the
    // session after that.
    constexpr std::chrono::seconds time_to_disconnect{5};
    constexpr std::chrono::milliseconds between_looks{100};
    const Progress progress(world, fmt::format("waiting for clients of {} to detach", subject));
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
