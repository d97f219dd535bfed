// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/codec.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>

namespace causeway {

namespace {

Error unreadable(const std::string &fault) {
    return Error{ExitCode::failed, fmt::format("the kernel's answer cannot be read: {}", fault),
                 "the module and this command are probably of different versions: compare "
                 "\"modinfo -F version causeway\" with \"causeway version\""};
}

template <typename T> Result<T> unless_faulty(const Attributes &from, T value) {
    if (!from.fault().empty()) {
        return unreadable(from.fault());
    }
    return value;
}

Uuid uuid_of(const Attributes &from, int type) {
    const auto bytes = from.bytes(type);
    if (!bytes) {
        return {};
    }
    if (bytes->size() != Uuid::size) {
        from.report(type, fmt::format("has {} bytes, not {}", bytes->size(), Uuid::size));
        return {};
    }
    std::array<std::uint8_t, Uuid::size> copy{};
    std::copy(bytes->begin(), bytes->end(), copy.begin());
    return Uuid(copy);
}

SocketAddress address_of(const Attributes &from, int type) {
    const auto bytes = from.bytes(type);
    if (!bytes) {
        return {};
    }
    const auto address = SocketAddress::from_bytes(*bytes);
    if (!address) {
        from.report(type, "is no IP address");
    }
    return address.value_or(SocketAddress());
}

std::optional<Histogram> histogram_of(const Attributes &from, int type) {
    const auto bytes = from.bytes(type);
    if (!bytes) {
        return std::nullopt;
    }
    Histogram histogram{};
    if (bytes->size() != sizeof(histogram)) {
        from.report(type, fmt::format("has {} bytes, not {}", bytes->size(), sizeof(histogram)));
        return std::nullopt;
    }
    std::memcpy(histogram.data(), bytes->data(), sizeof(histogram));
    return histogram;
}

std::optional<Prefix> prefix_of(const Attributes &from) {
    Prefix prefix;
    prefix.family = from.u8(CW_A_FAMILY).value_or(0);
    const auto length = from.u8(CW_A_PREFIX_LEN);
    prefix.length = length.value_or(0);
    const auto bytes = from.bytes(CW_A_PREFIX);
    // Without a length it would be a network of all addresses.
    if ((prefix.family != AF_INET && prefix.family != AF_INET6) || !length || !bytes ||
        !from.fault().empty() || bytes->size() != prefix.address_size() ||
        prefix.length > prefix.address_size() * 8) {
        return std::nullopt;
    }
    std::copy(bytes->begin(), bytes->end(), prefix.bytes.begin());
    return prefix;
}

template <typename Number>
void put_if(AttributeWriter &to, void (AttributeWriter::*put)(int, Number), int type,
            const std::optional<Number> &value) {
    if (value) {
        (to.*put)(type, *value);
    }
}

} // namespace

void encode_network(AttributeWriter &to, const Prefix &network) {
    to.u8(CW_A_FAMILY, static_cast<std::uint8_t>(network.family));
    to.bytes(CW_A_PREFIX, network.address());
    to.u8(CW_A_PREFIX_LEN, network.length);
}

AttributeWriter encode(const ExportRequest &request) {
    const ExportSettings &settings = request.settings;
    AttributeWriter to;
    to.text(CW_A_NAME, settings.name);
    to.u8(CW_A_BACKEND, static_cast<std::uint8_t>(settings.backend));
    if (settings.backend == Backend::ram) {
        to.u64(CW_A_SIZE, settings.size);
    } else {
        to.text(CW_A_PATH, settings.path);
    }
    if (settings.read_only) {
        to.flag(CW_A_READ_ONLY);
    }
    if (settings.exclusive) {
        to.flag(CW_A_EXCLUSIVE);
    }
    if (settings.write_through) {
        to.flag(CW_A_WRITE_THROUGH);
    }
    for (const Prefix &prefix : settings.allow) {
        AttributeWriter inner;
        encode_network(inner, prefix);
        to.nest(CW_A_ALLOW, inner);
    }
    if (!request.key.empty()) {
        to.bytes(CW_A_KEY, request.key.bytes());
    }
    if (settings.identity) {
        to.bytes(CW_A_IDENTITY, settings.identity->bytes());
    }
    if (settings.ledger) {
        to.bytes(CW_A_LEDGER, settings.ledger->bytes());
    }
    if (!request.ledger_folder.empty()) {
        to.text(CW_A_LEDGER_FOLDER, request.ledger_folder);
    }
    if (settings.takeover_after != 0) {
        to.u32(CW_A_TAKEOVER_AFTER, settings.takeover_after);
    }
    return to;
}

AttributeWriter encode(const std::string &name, const Uuid &host) {
    AttributeWriter to;
    to.text(CW_A_NAME, name);
    to.bytes(CW_A_HOST, host.bytes());
    return to;
}

AttributeWriter encode(const NfsRule &rule) {
    AttributeWriter to;
    encode_network(to, rule.network);
    for (const SocketAddress &from : rule.from) {
        to.bytes(CW_A_SOURCE, from.bytes());
    }
    return to;
}

AttributeWriter encode(const AttachRequest &request) {
    AttributeWriter to;
    to.text(CW_A_SERVER, request.server);
    to.text(CW_A_NAME, request.name);
    to.bytes(CW_A_ADDRESS, request.address.bytes());
    put_if(to, &AttributeWriter::u16, CW_A_QUEUES, request.queues);
    put_if(to, &AttributeWriter::u16, CW_A_POLL_QUEUES, request.poll_queues);
    put_if(to, &AttributeWriter::u16, CW_A_DEPTH, request.depth);
    put_if(to, &AttributeWriter::u32, CW_A_IO_TIMEOUT, request.io_timeout);
    put_if(to, &AttributeWriter::u32, CW_A_FAST_FAIL, request.fast_fail);
    if (!request.key.empty()) {
        to.bytes(CW_A_KEY, request.key.bytes());
    }
    to.bytes(CW_A_HOST, request.host.bytes());
    if (request.background) {
        to.flag(CW_A_BACKGROUND);
    }
    return to;
}

Result<ExportInfo> decode_export(const Attributes &from) {
    ExportInfo info;
    ExportSettings &settings = info.settings;
    settings.name = from.text(CW_A_NAME);
    settings.backend = static_cast<Backend>(from.u8(CW_A_BACKEND).value_or(0));
    settings.path = from.text(CW_A_PATH);
    settings.size = from.u64(CW_A_SIZE).value_or(0);
    settings.read_only = from.has(CW_A_READ_ONLY);
    settings.exclusive = from.has(CW_A_EXCLUSIVE);
    settings.write_through = from.has(CW_A_WRITE_THROUGH);
    for (const auto &nest : from.all(CW_A_ALLOW)) {
        if (const auto prefix = prefix_of(Attributes(nest))) {
            settings.allow.push_back(*prefix);
        } else {
            from.report(CW_A_ALLOW, "is no network");
        }
    }
    if (const Uuid identity = uuid_of(from, CW_A_IDENTITY); !identity.is_nil()) {
        settings.identity = identity;
    }
    info.has_key = from.has(CW_A_HAS_KEY);
    info.block_size = from.u32(CW_A_BLOCK_SIZE).value_or(0);
    info.volatile_cache = from.has(CW_A_VOLATILE);
    info.discard = from.has(CW_A_DISCARD);
    info.write_zeroes = from.has(CW_A_WRITE_ZEROES);
    info.sessions = from.u32(CW_A_SESSIONS).value_or(0);
    info.ending = from.u8(CW_A_STATE).value_or(0) == CW_STATE_CLOSING;
    info.ending_for = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::nanoseconds(from.u64(CW_A_SINCE).value_or(0)));
    if (const Uuid ledger = uuid_of(from, CW_A_LEDGER); !ledger.is_nil()) {
        settings.ledger = ledger;
    }
    settings.state_folder = from.text(CW_A_LEDGER_FOLDER);
    settings.takeover_after = from.u32(CW_A_TAKEOVER_AFTER).value_or(0);
    info.outdated = from.has(CW_A_OUTDATED);
    info.hosts = from.u32(CW_A_HOSTS).value_or(0);
    info.hosts_max = from.u32(CW_A_HOSTS_MAX).value_or(0);
    info.reason = from.text(CW_A_REASON);
    return unless_faulty(from, std::move(info));
}

Result<OwnerInfo> decode_owner(const Attributes &from) {
    OwnerInfo info;
    info.name = from.text(CW_A_NAME);
    info.host = uuid_of(from, CW_A_HOST);
    info.boot = uuid_of(from, CW_A_BOOT);
    info.session = uuid_of(from, CW_A_SESSION);
    info.host_name = from.text(CW_A_HOST_NAME);
    info.address = address_of(from, CW_A_ADDRESS);
    info.serial = from.u64(CW_A_SERIAL).value_or(0);
    info.epoch = from.u64(CW_A_EPOCH).value_or(0);
    info.seen = from.u64(CW_A_SEEN).value_or(0);
    info.owner = from.has(CW_A_OWNER);
    info.live = from.u8(CW_A_STATE).value_or(0) == CW_STATE_LIVE;
    info.evicted = from.has(CW_A_EVICTED);
    return unless_faulty(from, std::move(info));
}

Result<Uuid> decode_host(const Attributes &from) {
    if (!from.has(CW_A_HOST)) {
        from.report(CW_A_HOST, "is missing");
    }
    return unless_faulty(from, uuid_of(from, CW_A_HOST));
}

Result<ServerInfo> decode_server(const Attributes &from) {
    ServerInfo info;
    info.instance = uuid_of(from, CW_A_INSTANCE);
    info.port = from.u16(CW_A_PORT).value_or(0);
    if (const auto nest = from.bytes(CW_A_LIMITS)) {
        const Attributes limits(*nest);
        for (int i = CW_LIMIT_PAD + 1; i <= CW_LIMIT_MAX; i++) {
            info.limits.at(static_cast<std::size_t>(i)) = limits.u64(i).value_or(0);
        }
        if (!limits.fault().empty()) {
            from.report(CW_A_LIMITS, limits.fault());
        }
    }
    return unless_faulty(from, info);
}

Result<AttachmentInfo> decode_attachment(const Attributes &from) {
    AttachmentInfo info;
    info.server = from.text(CW_A_SERVER);
    info.name = from.text(CW_A_NAME);
    info.address = address_of(from, CW_A_ADDRESS);
    info.disk = from.text(CW_A_DISK);
    info.state = from.u8(CW_A_STATE).value_or(0);
    info.identity = uuid_of(from, CW_A_IDENTITY);
    info.size = from.u64(CW_A_SIZE).value_or(0);
    info.block_size = from.u32(CW_A_BLOCK_SIZE).value_or(0);
    info.read_only = from.has(CW_A_READ_ONLY);
    info.has_key = from.has(CW_A_HAS_KEY);
    info.volatile_cache = from.has(CW_A_VOLATILE);
    info.loss = from.has(CW_A_LOSS);
    info.queues = from.u16(CW_A_QUEUES).value_or(0);
    info.poll_queues = from.u16(CW_A_POLL_QUEUES).value_or(0);
    info.depth = from.u16(CW_A_DEPTH).value_or(0);
    info.io_timeout = from.u32(CW_A_IO_TIMEOUT).value_or(0);
    info.fast_fail = from.u32(CW_A_FAST_FAIL).value_or(CW_FAST_FAIL_OFF);
    info.openers = from.u32(CW_A_OPENERS).value_or(0);
    info.reason = from.text(CW_A_REASON);
    info.refusal = from.u16(CW_A_REFUSAL).value_or(0);
    info.host = uuid_of(from, CW_A_HOST);
    return unless_faulty(from, std::move(info));
}

Result<SessionInfo> decode_session(const Attributes &from) {
    SessionInfo info;
    info.role = from.u8(CW_A_ROLE).value_or(0);
    info.id = from.u32(CW_A_ID).value_or(0);
    info.server = from.text(CW_A_SERVER);
    info.name = from.text(CW_A_NAME);
    info.host_name = from.text(CW_A_HOST_NAME);
    info.host = uuid_of(from, CW_A_HOST);
    info.session = uuid_of(from, CW_A_SESSION);
    info.peer = address_of(from, CW_A_ADDRESS);
    info.local = address_of(from, CW_A_LOCAL_ADDRESS);
    info.state = from.u8(CW_A_STATE).value_or(0);
    info.transport = from.u8(CW_A_TRANSPORT).value_or(CW_TRANSPORT_NONE);
    info.device = from.text(CW_A_DEVICE);
    info.device_port = from.u8(CW_A_DEVICE_PORT).value_or(0);
    info.queues = from.u16(CW_A_QUEUES).value_or(0);
    info.attempts = from.u32(CW_A_ATTEMPTS).value_or(0);
    info.reconnects = from.u32(CW_A_RECONNECTS).value_or(0);
    info.since = from.u64(CW_A_SINCE).value_or(0);
    info.retry_in = from.u32(CW_A_RETRY_IN);
    info.reason = from.text(CW_A_REASON);
    info.error = from.s32(CW_A_ERROR).value_or(0);
    info.loss = from.has(CW_A_LOSS);
    return unless_faulty(from, std::move(info));
}

Result<StatInfo> decode_stat(const Attributes &from) {
    StatInfo info;
    info.role = from.u8(CW_A_ROLE).value_or(0);
    info.id = from.u32(CW_A_ID).value_or(0);
    info.server = from.text(CW_A_SERVER);
    info.name = from.text(CW_A_NAME);
    info.host_name = from.text(CW_A_HOST_NAME);
    info.disk = from.text(CW_A_DISK);
    info.peer = address_of(from, CW_A_ADDRESS);
    if (const auto nest = from.bytes(CW_A_COUNTERS)) {
        const Attributes counters(*nest);
        for (int i = CW_N_PAD + 1; i <= CW_N_MAX; i++) {
            info.counters.at(static_cast<std::size_t>(i)) = counters.u64(i).value_or(0);
        }
        if (!counters.fault().empty()) {
            from.report(CW_A_COUNTERS, counters.fault());
        }
    }
    info.read_latency = histogram_of(from, CW_A_READ_LATENCY);
    info.write_latency = histogram_of(from, CW_A_WRITE_LATENCY);
    info.flush_latency = histogram_of(from, CW_A_FLUSH_LATENCY);
    return unless_faulty(from, std::move(info));
}

Result<NfsConnection> decode_nfs_connection(const Attributes &from) {
    NfsConnection info;
    info.role = from.u8(CW_A_ROLE).value_or(0);
    info.id = from.u32(CW_A_ID).value_or(0);
    info.server = from.text(CW_A_SERVER);
    info.peer = address_of(from, CW_A_ADDRESS);
    info.local = address_of(from, CW_A_LOCAL_ADDRESS);
    info.state = from.u8(CW_A_STATE).value_or(0);
    info.transport = from.u8(CW_A_TRANSPORT).value_or(CW_TRANSPORT_NONE);
    info.device = from.text(CW_A_DEVICE);
    info.device_port = from.u8(CW_A_DEVICE_PORT).value_or(0);
    info.queues = from.u16(CW_A_QUEUES).value_or(0);
    info.send_inline = from.u32(CW_A_SEND_INLINE).value_or(0);
    info.receive_inline = from.u32(CW_A_RECEIVE_INLINE).value_or(0);
    info.credits = from.u32(CW_A_CREDITS).value_or(0);
    info.calls = from.u32(CW_A_CALLS).value_or(0);
    info.remote_invalidate = from.has(CW_A_REMOTE_INVALIDATE);
    info.backchannel = from.has(CW_A_BACKCHANNEL);
    info.attempts = from.u32(CW_A_ATTEMPTS).value_or(0);
    info.reconnects = from.u32(CW_A_RECONNECTS).value_or(0);
    info.since = from.u64(CW_A_SINCE).value_or(0);
    info.retry_in = from.u32(CW_A_RETRY_IN);
    info.reason = from.text(CW_A_REASON);
    info.error = from.s32(CW_A_ERROR).value_or(0);
    for (const auto &nest : from.all(CW_A_RAIL)) {
        const Attributes inner(nest);
        info.rails.push_back({inner.u8(CW_A_STATE).value_or(0),
                              address_of(inner, CW_A_LOCAL_ADDRESS), inner.text(CW_A_DEVICE),
                              inner.u8(CW_A_DEVICE_PORT).value_or(0), inner.text(CW_A_REASON),
                              inner.u32(CW_A_RETRY_IN)});
        if (!inner.fault().empty()) {
            from.report(CW_A_RAIL, inner.fault());
        }
    }
    if (const auto nest = from.bytes(CW_A_NFS_COUNTERS)) {
        const Attributes counters(*nest);
        for (int i = CW_NFS_PAD + 1; i <= CW_NFS_MAX; i++) {
            info.counters.at(static_cast<std::size_t>(i)) = counters.u64(i).value_or(0);
        }
        if (!counters.fault().empty()) {
            from.report(CW_A_NFS_COUNTERS, counters.fault());
        }
    }
    return unless_faulty(from, std::move(info));
}

Result<NfsRule> decode_nfs_rule(const Attributes &from) {
    NfsRule rule;
    if (const auto network = prefix_of(from)) {
        rule.network = *network;
    } else {
        from.report(CW_A_PREFIX, "is no network");
    }
    for (const auto &bytes : from.all(CW_A_SOURCE)) {
        if (const auto address = SocketAddress::from_bytes(bytes)) {
            rule.from.push_back(*address);
        } else {
            from.report(CW_A_SOURCE, "is no IP address");
        }
    }
    return unless_faulty(from, std::move(rule));
}

Result<std::vector<StopReport::Export>> decode_unflushed(const Attributes &from) {
    std::vector<StopReport::Export> found;
    for (const auto &nest : from.all(CW_A_EXPORT)) {
        const Attributes inner(nest);
        found.push_back({inner.text(CW_A_NAME), inner.text(CW_A_TEXT)});
        if (!inner.fault().empty()) {
            from.report(CW_A_EXPORT, inner.fault());
        }
    }
    return unless_faulty(from, std::move(found));
}

Result<std::vector<DiscoveredExport>> decode_discovery(const Attributes &from) {
    std::vector<DiscoveredExport> found;
    for (const auto &nest : from.all(CW_A_EXPORT)) {
        const Attributes inner(nest);
        DiscoveredExport entry;
        entry.name = inner.text(CW_A_NAME);
        entry.identity = uuid_of(inner, CW_A_IDENTITY);
        entry.size = inner.u64(CW_A_SIZE).value_or(0);
        entry.block_size = inner.u32(CW_A_BLOCK_SIZE).value_or(0);
        entry.read_only = inner.has(CW_A_READ_ONLY);
        entry.exclusive = inner.has(CW_A_EXCLUSIVE);
        entry.volatile_cache = inner.has(CW_A_VOLATILE);
        entry.has_key = inner.has(CW_A_HAS_KEY);
        if (!inner.fault().empty()) {
            from.report(CW_A_EXPORT, inner.fault());
        }
        found.push_back(std::move(entry));
    }
    return unless_faulty(from, std::move(found));
}

Result<Event> decode_event(const Attributes &from) {
    Event event;
    event.kind = from.u8(CW_A_EVENT).value_or(0);
    event.time = from.u64(CW_A_TIME).value_or(0);
    event.role = from.u8(CW_A_ROLE).value_or(0);
    event.server = from.text(CW_A_SERVER);
    event.name = from.text(CW_A_NAME);
    event.disk = from.text(CW_A_DISK);
    event.host_name = from.text(CW_A_HOST_NAME);
    event.peer = address_of(from, CW_A_ADDRESS);
    event.text = from.text(CW_A_TEXT);
    event.reason = from.text(CW_A_REASON);
    event.error = from.s32(CW_A_ERROR).value_or(0);
    return unless_faulty(from, std::move(event));
}

} // namespace causeway
