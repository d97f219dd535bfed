// SPDX-License-Identifier: GPL-2.0-or-later
// The NFS connections of both ends in "causeway net".
//
// Three sources make one list. Netlink has each connection of Causeway's transport at both ends.
// /proc/self/mountinfo has each mount of any transport; a mount by RDMA belongs to the connection
// with the address of its server. nfsd reports its clients of version 4 and its listeners.
#include "base/units.h"
#include "command/connection_source.h"
#include "nfs/mounts.h"
#include "nfs/record.h"
#include "nfs/server.h"
#include "nfs/transport.h"
#include "show/table.h"
#include "show/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

struct Sources {
    std::vector<NfsConnection> connections;
    std::vector<NfsMount> mounts;
    std::vector<NfsdClient> clients;
    std::vector<NfsdPort> ports;
    std::string carrier; // module that carries RDMA: "causeway", "in-tree"; empty: none is loaded
};

Result<Sources> read_nfs_sources(World &world) {
    Sources sources;
    auto connections = TRY(world.kernel.nfs_connections());
    sources.connections = std::move(connections);
    auto mounts = TRY(nfs_mounts(world.files));
    sources.mounts = std::move(mounts);
    // Only root can read these files.
    if (auto clients = nfsd_clients(world.files)) {
        sources.clients = *std::move(clients);
    }
    if (auto ports = nfsd_ports(world.files)) {
        sources.ports = *std::move(ports);
    }
    for (const NfsTransport one : {NfsTransport::in_tree, NfsTransport::causeway}) {
        if (world.modules.loaded(transport_module(one))) {
            sources.carrier = transport_name(one);
        }
    }
    return sources;
}

bool carries(const NfsConnection &connection, const NfsMount &mount) {
    return connection.role == CW_ROLE_CLIENT && mount.transport == CW_TRANSPORT_RDMA &&
           connection.peer.host_text() == mount.address &&
           (mount.port == 0 || connection.peer.port() == mount.port);
}

bool serves(const NfsConnection &connection, const NfsdClient &client) {
    return connection.role == CW_ROLE_SERVER && client.rdma &&
           connection.peer.host_text() == client.address;
}

std::vector<std::string> directories_of(const Sources &sources, const NfsConnection &connection) {
    std::vector<std::string> names;
    for (const NfsMount &mount : sources.mounts) {
        if (carries(connection, mount)) {
            names.push_back(mount.directory);
        }
    }
    return names;
}

Json connection_json(const Sources &sources, const NfsConnection &connection) {
    Json json = {{"role", role_word(connection.role)},
                 {"id", connection.id},
                 {"carrier", "causeway"},
                 {"server", or_null(connection.server)},
                 {"peer", or_null(connection.peer.text())},
                 {"local", or_null(connection.local.text())},
                 {"transport", transport_word(connection.transport)},
                 {"device", or_null(connection.device)},
                 {"device_port", connection.device_port},
                 {"queues", connection.queues},
                 {"state", state_word(connection.state)},
                 {"since_ns", connection.since},
                 {"send_inline", connection.send_inline},
                 {"receive_inline", connection.receive_inline},
                 {"credits", connection.credits},
                 {"calls", connection.calls},
                 {"remote_invalidate", connection.remote_invalidate},
                 {"backchannel", connection.backchannel},
                 {"attempts", connection.attempts},
                 {"reconnects", connection.reconnects},
                 {"retry_in_ms", connection.retry_in ? Json(*connection.retry_in) : Json(nullptr)},
                 {"reason", or_null(connection.reason)},
                 {"errno", -connection.error},
                 {"mounts", directories_of(sources, connection)},
                 {"rails", Json::array()},
                 {"counters", Json::object()}};
    for (const NfsRail &rail : connection.rails) {
        json["rails"].push_back({{"local", or_null(rail.local.host_text())},
                                 {"device", or_null(rail.device)},
                                 {"device_port", rail.device_port},
                                 {"state", state_word(rail.state)},
                                 {"reason", or_null(rail.reason)},
                                 {"retry_in_ms", rail.retry_in ? Json(*rail.retry_in) : Json()}});
    }
    for (const NetlinkName &name : nfs_counter_names) {
        std::string key(name.name);
        std::replace(key.begin(), key.end(), '-', '_');
        json["counters"][key] = connection.counters.at(static_cast<std::size_t>(name.number));
    }
    return json;
}

std::string carrier_of(const Sources &sources, std::uint8_t transport) {
    return transport == CW_TRANSPORT_RDMA ? sources.carrier : "";
}

Json mount_json(const Sources &sources, const NfsMount &mount,
                const std::optional<MountRecord> &record) {
    return {{"source", mount.source},
            {"directory", mount.directory},
            {"version", or_null(mount.version)},
            {"transport", transport_word(mount.transport)},
            {"carrier", or_null(carrier_of(sources, mount.transport))},
            {"address", or_null(mount.address)},
            {"port", mount.port == 0 ? Json(nullptr) : Json(mount.port)},
            {"connections", mount.connections},
            {"connects", mount.connects ? Json(*mount.connects) : Json(nullptr)},
            {"calls_sent", mount.sent ? Json(*mount.sent) : Json(nullptr)},
            {"reason", record ? or_null(record->reason) : Json(nullptr)}};
}

std::string named(const std::string &name, const std::string &where) {
    if (name.empty() || where.empty() || name == where) {
        return name.empty() ? where : name;
    }
    return fmt::format("{} ({})", name, where);
}

Table new_table() {
    return Table({{"ROLE"},
                  {"PEER"},
                  {"NFS"},
                  {"BY"},
                  {"CARRIER"},
                  {"DEVICE"},
                  {"QUEUES", Table::Align::right},
                  {"INLINE"},
                  {"CREDITS", Table::Align::right},
                  {"STATE"}});
}

void add_rails(Table &table, const NfsConnection &connection) {
    for (const NfsRail &rail : connection.rails) {
        std::string line =
            fmt::format("rail {} {}: {}{}{}", rail.local.host_text(),
                        device_text(rail.device, rail.device_port), state_word(rail.state),
                        rail.reason.empty() ? "" : ": ", rail.reason);
        if (rail.retry_in) {
            line += fmt::format(", connects again in {} s", (*rail.retry_in + 999) / 1000);
        }
        table.note(line);
    }
}

void add_connection(Table &table, const Sources &sources, const NfsConnection &connection) {
    std::string what = fmt::format("{}", fmt::join(directories_of(sources, connection), ", "));
    std::string who = connection.server;
    for (const NfsdClient &client : sources.clients) {
        if (serves(connection, client)) {
            who = client.name;
            what = "v" + client.version;
        }
    }
    const bool live = connection.state == CW_STATE_LIVE;
    table.row({role_word(connection.role), named(who, connection.peer.host_text()), what,
               transport_title(connection.transport), "causeway",
               device_text(connection.device, connection.device_port),
               live ? fmt::format("{}", connection.queues) : "",
               live ? fmt::format("{}/{}", size_exact(connection.send_inline),
                                  size_exact(connection.receive_inline))
                    : "",
               live ? fmt::format("{}", connection.credits) : "", state_sentence(connection)});
    table.tone(9, tone_of_state(connection.state));
    if (!connection.reason.empty()) {
        table.note(fmt::format("last failure: {}", connection.reason));
    }
    add_rails(table, connection);
}

// Adds a mount that no connection of Causeway's transport carries.
void add_mount(Table &table, const Sources &sources, const NfsMount &mount,
               const std::optional<MountRecord> &record) {
    std::string state = "mounted";
    if (mount.connects && *mount.connects > mount.connections) {
        state += fmt::format(", connected {} times", *mount.connects);
    }
    table.row({"client", named(mount.server(), mount.address), mount.directory,
               transport_title(mount.transport), carrier_of(sources, mount.transport), "",
               mount.connections == 0 ? "" : fmt::format("{}", mount.connections), "", "", state});
    if (mount.transport == CW_TRANSPORT_TCP && record && !record->reason.empty()) {
        table.note(fmt::format("RDMA failed: {}; to try again: causeway nfs remount {}",
                               record->reason, mount.directory));
    }
}

std::string ports_text(const Sources &sources) {
    std::vector<std::string> words;
    for (const NfsdPort &port : sources.ports) {
        words.push_back(fmt::format("{} {}{}",
                                    port.is_rdma()            ? "RDMA"
                                    : port.transport == "tcp" ? "TCP"
                                                              : "UDP",
                                    port.port,
                                    port.is_rdma() && !sources.carrier.empty()
                                        ? fmt::format(" ({})", sources.carrier)
                                        : ""));
    }
    return words.empty() ? "" : fmt::format("nfsd listens by {}\n", fmt::join(words, ", by "));
}

void add_clients(Table &table, const Sources &sources, Answer &answer) {
    for (const NfsdClient &client : sources.clients) {
        const std::uint8_t transport = client.rdma ? CW_TRANSPORT_RDMA : CW_TRANSPORT_TCP;
        const bool ours =
            std::any_of(sources.connections.begin(), sources.connections.end(),
                        [&](const NfsConnection &one) { return serves(one, client); });
        answer.json["nfs"]["clients"].push_back(
            {{"address", client.address},
             {"name", or_null(client.name)},
             {"version", or_null(client.version)},
             {"transport", transport_word(transport)},
             {"carrier", or_null(carrier_of(sources, transport))}});
        if (!ours) {
            table.row({"server", named(client.name, client.address), "v" + client.version,
                       transport_title(transport), carrier_of(sources, transport), "", "", "", "",
                       "known"});
        }
    }
}

Result<void> add_connections(World &world, Answer &answer) {
    auto sources = TRY(read_nfs_sources(world));
    answer.json["nfs"] = {{"connections", Json::array()},
                          {"mounts", Json::array()},
                          {"clients", Json::array()},
                          {"listening", Json::array()}};
    Table table = new_table();
    for (const NfsConnection &connection : sources.connections) {
        answer.json["nfs"]["connections"].push_back(connection_json(sources, connection));
        add_connection(table, sources, connection);
    }
    for (const NfsMount &mount : sources.mounts) {
        const auto record = record_of(world.places, mount, world.clock.now());
        answer.json["nfs"]["mounts"].push_back(mount_json(sources, mount, record));
        const bool ours =
            std::any_of(sources.connections.begin(), sources.connections.end(),
                        [&](const NfsConnection &one) { return carries(one, mount); });
        if (!ours) {
            add_mount(table, sources, mount, record);
        }
    }
    add_clients(table, sources, answer);
    for (const NfsdPort &port : sources.ports) {
        answer.json["nfs"]["listening"].push_back(
            {{"transport", port.transport},
             {"port", port.port},
             {"carrier", port.is_rdma() ? or_null(sources.carrier) : Json(nullptr)}});
    }
    const std::string text = table.text(world.terminal) + ports_text(sources);
    answer.text += answer.text.empty() || text.empty() ? text : "\n" + text;
    return {};
}

const ConnectionSource nfs_connections(3, add_connections);

} // namespace

} // namespace causeway
