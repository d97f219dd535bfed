// SPDX-License-Identifier: GPL-2.0-or-later
// Connections by Causeway's own transport.
#include "disk/causeway.h"
#include "show/table.h"
#include "show/words.h"

#include <fmt/format.h>

namespace causeway {

namespace {

Json session_json(const SessionInfo &session) {
    return {{"role", role_word(session.role)},
            {"id", session.id},
            {"server", or_null(session.server)},
            {"name", session.name},
            {"host_name", or_null(session.host_name)},
            {"host", session.host.is_nil() ? Json(nullptr) : Json(session.host.text())},
            {"session", session.session.is_nil() ? Json(nullptr) : Json(session.session.text())},
            {"peer", or_null(session.peer.text())},
            {"local", or_null(session.local.text())},
            {"transport", transport_word(session.transport)},
            {"device", or_null(session.device)},
            {"device_port", session.device_port},
            {"queues", session.queues},
            {"state", state_word(session.state)},
            {"since_ns", session.since},
            {"attempts", session.attempts},
            {"reconnects", session.reconnects},
            {"retry_in_ms", session.retry_in ? Json(*session.retry_in) : Json(nullptr)},
            {"reason", or_null(session.reason)},
            {"errno", -session.error},
            {"loss", session.loss}};
}

// "storage1 (10.0.0.1:4793)": the name and the address of the peer.
std::string peer_text(const SessionInfo &session) {
    const std::string &called = session.role == CW_ROLE_CLIENT ? session.server : session.host_name;
    const std::string where =
        session.role == CW_ROLE_CLIENT ? session.peer.text() : session.peer.host_text();
    if (called.empty() || where.empty()) {
        return called.empty() ? where : called;
    }
    return fmt::format("{} ({})", called, where);
}

std::string transport_text(const SessionInfo &session) {
    switch (session.transport) {
    case CW_TRANSPORT_RDMA:
        return "RDMA";
    case CW_TRANSPORT_TCP:
        return "TCP";
    default:
        return "";
    }
}

std::string failure_text(const SessionInfo &session) {
    if (session.reason.empty()) {
        return session.error == 0 ? std::string() : errno_text(session.error);
    }
    return session.error == 0 ? session.reason
                              : fmt::format("{} ({})", session.reason, errno_text(session.error));
}

} // namespace

Result<void> CausewayFamily::list_connections(World &world, Answer &answer) const {
    auto sessions = TRY(world.kernel.sessions());
    answer.json["connections"] = Json::array();
    Table table({{"ROLE"},
                 {"PEER"},
                 {"EXPORT"},
                 {"BY"},
                 {"DEVICE"},
                 {"QUEUES", Table::Align::right},
                 {"TRIES", Table::Align::right},
                 {"RETURNS", Table::Align::right},
                 {"STATE"}});
    for (const SessionInfo &session : sessions) {
        answer.json["connections"].push_back(session_json(session));
        table.row({role_word(session.role), peer_text(session), session.name,
                   transport_text(session), device_text(session), fmt::format("{}", session.queues),
                   fmt::format("{}", session.attempts), fmt::format("{}", session.reconnects),
                   state_sentence(session)});
        table.tone(8, tone_of_state(session.state));
        if (const std::string failure = failure_text(session); !failure.empty()) {
            table.note(fmt::format("last failure: {}", failure));
        }
        if (session.loss) {
            table.note("acknowledged writes were lost with the server, flushes fail until it is "
                       "acknowledged");
        }
    }
    answer.text = table.text(world.terminal);
    return {};
}

} // namespace causeway
