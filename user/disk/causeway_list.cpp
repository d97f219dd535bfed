// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of exports, attachments and connections by Causeway's own transport.
#include "base/units.h"
#include "command/connection_source.h"
#include "config/dropins.h"
#include "disk/attaching.h"
#include "disk/causeway.h"
#include "disk/path_report.h"
#include "host/fstab.h"
#include "show/table.h"
#include "show/words.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

using Owners = std::vector<OwnerInfo>;

// Returns no owners if the module is of a version without them, or if the caller is not root.
Result<Owners> owners_known(World &world) {
    auto owners = world.kernel.owners();
    if (!owners &&
        (owners.error().system_error == EOPNOTSUPP || owners.error().system_error == EPERM)) {
        return Owners();
    }
    return owners;
}

Json uuid_json(const Uuid &uuid) {
    return uuid.is_nil() ? Json(nullptr) : Json(uuid.text());
}

Json owner_json(const OwnerInfo &info) {
    return {{"host", uuid_json(info.host)},
            {"host_name", or_null(info.host_name)},
            {"address", info.address.empty() ? Json(nullptr) : Json(info.address.host_text())},
            {"owner", info.owner},
            {"live", info.state == CW_STATE_LIVE},
            {"evicted", info.evicted},
            {"seen", info.seen == 0 ? Json(nullptr) : Json(info.seen)},
            {"session", uuid_json(info.session)},
            {"boot", uuid_json(info.boot)},
            {"serial", info.serial},
            {"epoch", info.epoch}};
}

Json owners_json(const Owners &owners, const std::string &name) {
    Json all = Json::array();
    for (const OwnerInfo &info : owners) {
        if (info.name == name) {
            all.push_back(owner_json(info));
        }
    }
    return all;
}

// "node7 (5cbe11f0-...)"
std::string host_phrase(const OwnerInfo &info) {
    if (info.host.is_nil()) {
        return info.host_name.empty() ? "a host" : info.host_name;
    }
    return info.host_name.empty() ? info.host.text()
                                  : fmt::format("{} ({})", info.host_name, info.host.text());
}

std::string seen_phrase(const OwnerInfo &info, std::uint64_t now) {
    if (info.seen == 0 || info.seen > now) {
        return {};
    }
    constexpr std::uint64_t second = 1000000000;
    return fmt::format(", seen {} ago", duration_text((now - info.seen) * second));
}

// Adds a line for each owner and each evicted host, up to 16.
void add_owner_notes(Table &table, const Owners &owners, const std::string &name) {
    constexpr std::size_t most = 16;
    const auto now = static_cast<std::uint64_t>(std::time(nullptr));
    std::size_t count = 0;
    for (const OwnerInfo &info : owners) {
        if (info.name != name || !(info.owner || info.evicted) || ++count > most) {
            continue;
        }
        const std::string from =
            info.address.empty() ? "" : fmt::format(" from {}", info.address.host_text());
        if (info.evicted) {
            table.note(fmt::format("evicted: {}{}", host_phrase(info), from));
        } else if (info.state == CW_STATE_LIVE) {
            table.note(fmt::format("owner: {}{}, live", host_phrase(info), from));
        } else {
            table.note(fmt::format("owner: {}{}, away{}", host_phrase(info), from,
                                   seen_phrase(info, now)));
        }
    }
    if (count > most) {
        table.note(fmt::format("and {} hosts more: causeway export list --json", count - most));
    }
}

void add_ledger_notes(Table &table, const ExportInfo &info) {
    if (info.outdated) {
        table.note("an older copy of the ledger was put back: no host may log in until the owners "
                   "are discarded (export add --forget-owners)");
    }
    if (!info.reason.empty()) {
        table.note(fmt::format("{}: no owner changes until it can", info.reason));
    }
}

std::string owners_column(const Owners &owners, const ExportInfo &info) {
    if (info.settings.read_only) {
        return {};
    }
    const auto count = std::count_if(owners.begin(), owners.end(), [&](const OwnerInfo &owner) {
        return owner.name == info.settings.name && owner.owner;
    });
    return fmt::format("{}", count);
}

Json export_json(const ExportInfo &info, const Owners &owners, bool persistent) {
    const ExportSettings &settings = info.settings;
    Json allow = Json::array();
    for (const Prefix &prefix : settings.allow) {
        allow.push_back(prefix.text());
    }
    Json addresses = Json::array();
    for (const SocketAddress &address : settings.addresses) {
        addresses.push_back(address.host_text());
    }
    return {{"name", settings.name},
            {"backend", backend_text(settings.backend)},
            {"path", settings.path},
            {"size", settings.size},
            {"block_size", info.block_size},
            {"read_only", settings.read_only},
            {"exclusive", settings.exclusive},
            {"write_through", settings.write_through},
            {"tcp", settings.tcp},
            {"volatile_cache", info.volatile_cache},
            {"allow", allow},
            {"addresses", addresses},
            {"has_key", info.has_key},
            {"identity", settings.identity ? Json(settings.identity->text()) : Json(nullptr)},
            {"sessions", info.sessions},
            {"ending", info.ending},
            {"takeover_after", settings.takeover_after},
            {"ledger", settings.ledger ? Json(settings.ledger->text()) : Json(nullptr)},
            {"state_folder", or_null(settings.state_folder)},
            {"outdated", info.outdated},
            {"hosts", info.hosts},
            {"hosts_max", info.hosts_max},
            {"reason", or_null(info.reason)},
            {"owners", owners_json(owners, settings.name)},
            {"persistent", persistent}};
}

std::string options_phrase(const ExportSettings &settings, bool has_key) {
    std::vector<std::string> words;
    const auto add = [&](bool on, const char *word) {
        if (on) {
            words.emplace_back(word);
        }
    };
    add(settings.read_only, "read-only");
    add(settings.exclusive, "exclusive");
    add(settings.write_through, "write-through");
    add(settings.tcp, "tcp");
    add(has_key, "key");
    if (settings.takeover_after != 0) {
        words.push_back(fmt::format("takeover-after={}", settings.takeover_after));
    }
    return fmt::format("{}", fmt::join(words, " "));
}

std::string state_phrase(const ExportInfo &info, bool persistent) {
    if (info.ending) {
        return fmt::format("ending for {} s", info.ending_for.count());
    }
    return persistent ? "running" : "until reboot";
}

std::string backend_column(const ExportSettings &settings) {
    return settings.backend == Backend::ram ? "memory" : settings.path;
}

std::string allow_phrase(const ExportSettings &settings) {
    std::vector<std::string> words;
    for (const Prefix &prefix : settings.allow) {
        words.push_back(prefix.text());
    }
    return words.empty() ? "everyone" : fmt::format("{}", fmt::join(words, " "));
}

std::string attachment_notes(const AttachmentInfo &info) {
    std::vector<std::string> words;
    if (info.read_only) {
        words.emplace_back("read-only");
    }
    if (info.has_key) {
        words.emplace_back("key");
    }
    if (info.loss) {
        words.emplace_back("LOSS");
    }
    if (info.refusal != 0) {
        words.emplace_back(refusal_word(info.refusal));
    }
    return fmt::format("{}", fmt::join(words, " "));
}

Json attachment_json(const AttachmentInfo &info, const std::string &node, const Json &link) {
    Json json = {{"server", info.server},
                 {"name", info.name},
                 {"address", info.address.text()},
                 {"disk", or_null(info.disk)},
                 {"device", info.disk.empty() ? Json(nullptr) : Json(node)},
                 {"link", link},
                 {"fstab", link.is_string() ? Json(fstab_line(link.get<std::string>(), info.name))
                                            : Json(nullptr)},
                 {"state", state_word(info.state)},
                 {"identity", uuid_json(info.identity)},
                 {"size", info.size},
                 {"block_size", info.block_size},
                 {"read_only", info.read_only},
                 {"has_key", info.has_key},
                 {"volatile_cache", info.volatile_cache},
                 {"loss", info.loss}};
    const AttachNumbers numbers = numbers_of(info);
    for (const AttachOption &option : attach_options) {
        const auto number = numbers.*option.value;
        json[option.key()] = !number || number == option.off ? Json(nullptr)
                             : option.named                  ? Json(option.text(*number))
                                                             : Json(*number);
    }
    json["openers"] = info.openers;
    json["host"] = uuid_json(info.host);
    json["refusal"] = info.refusal == 0 ? Json(nullptr) : Json(refusal_word(info.refusal));
    json["reason"] = info.reason;
    return json;
}

std::string size_or_nothing(std::uint64_t size) {
    return size == 0 ? "" : size_text(size);
}

// Adds lines below the table: the problem of a disk, and the command that solves it.
void add_notes(Table &table, const AttachmentInfo &info) {
    if (info.loss) {
        table.note(
            fmt::format("acknowledged writes were lost with the server; every flush fails until: "
                        "causeway acknowledge {}/{}",
                        info.server, info.name));
    }
    if (info.state != CW_STATE_LIVE && !info.reason.empty()) {
        table.note(info.reason);
    }
    if (info.state == CW_STATE_REVOKED) {
        table.note(fmt::format("to get the disk again: {}", way_back(info)));
    }
}

// Returns null for a session of the server, which does not list its paths.
Json session_paths_json(const SessionInfo &session) {
    if (session.role != CW_ROLE_CLIENT) {
        return nullptr;
    }
    Json all = Json::array();
    for (const DiskPath &path : session.paths) {
        all.push_back(path_json(path));
    }
    return all;
}

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
            {"failovers", session.failovers},
            {"fallbacks", session.fallbacks},
            {"returns", session.returns},
            {"fallback_reason", or_null(session.fallback_reason)},
            {"retry_in_ms", session.retry_in ? Json(*session.retry_in) : Json(nullptr)},
            {"reason", or_null(session.reason)},
            {"errno", -session.error},
            {"loss", session.loss},
            {"policy", or_null(policy_word(session.path_policy))},
            {"paths", session_paths_json(session)}};
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

} // namespace

Result<void> CausewayFamily::list_exports(World &world, Answer &answer) const {
    auto exports = TRY(world.kernel.exports());
    auto owners = TRY(owners_known(world));
    auto configured = TRY(load_exports(world.places));
    for (const Error &broken : configured.broken) {
        answer.warnings.push_back(broken.what);
    }
    answer.json["exports"] = Json::array();
    answer.json["not_running"] = Json::array();
    Table table({{"EXPORT"},
                 {"SIZE", Table::Align::right},
                 {"BLOCK", Table::Align::right},
                 {"SESSIONS", Table::Align::right},
                 {"OWNERS", Table::Align::right},
                 {"STATE"},
                 {"OPTIONS"},
                 {"ALLOWED"},
                 {"BACKEND"}});
    std::vector<ExportSettings> asleep;
    for (const auto &stored : configured.good) {
        asleep.push_back(stored.settings);
    }
    for (const ExportInfo &info : exports) {
        const ExportSettings &settings = info.settings;
        const auto known =
            std::find_if(asleep.begin(), asleep.end(),
                         [&](const ExportSettings &other) { return other.name == settings.name; });
        const bool persistent = known != asleep.end();
        if (persistent) {
            asleep.erase(known);
        }
        answer.json["exports"].push_back(export_json(info, owners, persistent));
        table.row({settings.name, size_text(settings.size), fmt::format("{}", info.block_size),
                   fmt::format("{}", info.sessions), owners_column(owners, info),
                   state_phrase(info, persistent), options_phrase(settings, info.has_key),
                   allow_phrase(settings), backend_column(settings)});
        add_owner_notes(table, owners, settings.name);
        add_ledger_notes(table, info);
    }
    for (const ExportSettings &settings : asleep) {
        answer.json["not_running"].push_back(settings.name);
        table.row({settings.name, settings.size == 0 ? "" : size_text(settings.size), "", "", "",
                   "not running", options_phrase(settings, !settings.key_file.empty()),
                   allow_phrase(settings), backend_column(settings)});
    }
    if (!asleep.empty()) {
        answer.warnings.emplace_back(
            "some exports are configured and not running; causeway restore starts them");
    }
    answer.text = table.text(world.terminal);
    return {};
}

Result<void> CausewayFamily::list_attachments(World &world, Answer &answer) const {
    auto attachments = TRY(world.kernel.attachments());
    answer.json["attachments"] = Json::array();
    Table table({{"DISK"},
                 {"SIZE", Table::Align::right},
                 {"BLOCK", Table::Align::right},
                 {"QUEUES", Table::Align::right},
                 {"STATE"},
                 {"NOTES"},
                 {"DEVICE"},
                 {"LINK"}});
    for (const AttachmentInfo &info : attachments) {
        const auto node = world.links.node(info.disk);
        const auto link = world.links.link(info.server, info.name);
        const bool linked = !info.disk.empty() && world.links.ready(link, node);
        answer.json["attachments"].push_back(
            attachment_json(info, node.string(), linked ? Json(link.string()) : Json(nullptr)));
        table.row({info.server + "/" + info.name, size_or_nothing(info.size),
                   info.block_size == 0 ? "" : fmt::format("{}", info.block_size),
                   fmt::format("{}", info.queues), state_word(info.state), attachment_notes(info),
                   info.disk.empty() ? "" : node.string(), linked ? link.string() : ""});
        table.tone(4, tone_of_state(info.state));
        add_notes(table, info);
    }
    answer.text = table.text(world.terminal);
    return {};
}

namespace {

Result<void> add_connections(World &world, Answer &answer) {
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
                   transport_title(session.transport), device_text(session),
                   fmt::format("{}", session.queues), fmt::format("{}", session.attempts),
                   fmt::format("{}", session.reconnects), state_sentence(session)});
        table.tone(8, tone_of_state(session.state));
        if (const std::string failure = failure_text(session.reason, session.error);
            !failure.empty()) {
            table.note(fmt::format("last failure: {}", failure));
        }
        if (session.paths.size() > 1) {
            for (const DiskPath &path : session.paths) {
                table.note(path_line(path));
            }
            if (const std::string policy = policy_word(session.path_policy); !policy.empty()) {
                table.note("policy: " + policy);
            }
        }
        if (session.loss) {
            table.note("acknowledged writes were lost with the server, flushes fail until it is "
                       "acknowledged");
        }
    }
    answer.text = table.text(world.terminal);
    return {};
}

const ConnectionSource session_connections(1, add_connections);

} // namespace

} // namespace causeway
