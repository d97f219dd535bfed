// SPDX-License-Identifier: GPL-2.0-or-later
// Messages between the kernel modules and the command, by attribute.
// Made by abi/generate from abi/causeway.yaml: edit that file, and run abi/generate.
#pragma once

#include "base/secret.h"
#include "base/socket_address.h"
#include "base/uuid.h"

#include <array>
#include <causeway.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

using Histogram = std::array<std::uint64_t, CW_HISTOGRAM>;
// By enum cw_limit.
using Limits = std::array<std::uint64_t, __CW_LIMIT_MAX>;
// By enum cw_counter.
using Counters = std::array<std::uint64_t, __CW_N_MAX>;
// By enum cw_nfs_counter.
using NfsCounters = std::array<std::uint64_t, __CW_NFS_MAX>;

// The server of this host.
struct ServerInfo {
    // UUID of the server's unbroken life
    Uuid instance;
    std::uint16_t port = 0;
    Limits limits{};
};

// What to attach, and how. The kernel decides what is not given.
struct AttachRequest {
    // the server as the user wrote it; names the device link
    std::string server;
    // the export
    std::string name;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress address;
    // data links; in an attach without the polled ones
    std::optional<std::uint16_t> queues;
    // polled data links
    std::optional<std::uint16_t> poll_queues;
    // commands per data link
    std::optional<std::uint16_t> depth;
    // seconds that I/O is held without a path; 0 for ever
    std::optional<std::uint32_t> io_timeout;
    // at least 16 bytes, not all zero; no answer has it
    Secret key;
    // UUID of a machine
    Uuid host;
    // attach returns at once and keeps trying
    bool background = false;
    // seconds after which I/O that must fail fast fails without a path, or CW_FAST_FAIL_OFF
    std::optional<std::uint32_t> fast_fail;
};

// An attached disk.
struct AttachmentInfo {
    // the server as the user wrote it; names the device link
    std::string server;
    // the export
    std::string name;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress address;
    // causewayN; empty before the first connection
    std::string disk;
    std::uint8_t state = 0;
    // UUID of the export's disk
    Uuid identity;
    // bytes
    std::uint64_t size = 0;
    // logical
    std::uint32_t block_size = 0;
    bool read_only = false;
    bool has_key = false;
    // the disk has a cache to flush
    bool volatile_cache = false;
    // unflushed writes were lost and not acknowledged
    bool loss = false;
    // data links; in an attach without the polled ones
    std::uint16_t queues = 0;
    // polled data links
    std::uint16_t poll_queues = 0;
    // commands per data link
    std::uint16_t depth = 0;
    // seconds that I/O is held without a path; 0 for ever
    std::uint32_t io_timeout = 0;
    // seconds after which I/O that must fail fast fails without a path, or CW_FAST_FAIL_OFF
    std::uint32_t fast_fail = CW_FAST_FAIL_DEFAULT;
    // openers of the disk
    std::uint32_t openers = 0;
    // why the last connection or attempt ended
    std::string reason;
    // why the server refused a revoked attachment for good
    std::uint16_t refusal = 0;
    // UUID of a machine
    Uuid host;
};

// A connection of a client or of the server.
struct SessionInfo {
    std::uint8_t role = 0;
    // number of a server session, or of an NFS connection
    std::uint32_t id = 0;
    // the server as the user wrote it; names the device link
    std::string server;
    // the export
    std::string name;
    // what the peer calls itself
    std::string host_name;
    // UUID of a machine
    Uuid host;
    // UUID of the session
    Uuid session;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress peer;
    // of this host: struct sockaddr_in or sockaddr_in6
    SocketAddress local;
    std::uint8_t state = 0;
    std::uint8_t transport = 0;
    // RDMA device
    std::string device;
    std::uint8_t device_port = 0;
    // data links; in an attach without the polled ones
    std::uint16_t queues = 0;
    // connection attempts since it last was live
    std::uint32_t attempts = 0;
    // times it came back
    std::uint32_t reconnects = 0;
    // nanoseconds since the state was entered
    std::uint64_t since = 0;
    // ms until the next attempt
    std::optional<std::uint32_t> retry_in;
    // why the last connection or attempt ended
    std::string reason;
    // -errno of the same
    std::int32_t error = 0;
    // unflushed writes were lost and not acknowledged
    bool loss = false;
};

// The counters of an attachment or of a server session.
struct StatInfo {
    std::uint8_t role = 0;
    // number of a server session, or of an NFS connection
    std::uint32_t id = 0;
    // the server as the user wrote it; names the device link
    std::string server;
    // the export
    std::string name;
    // what the peer calls itself
    std::string host_name;
    // causewayN; empty before the first connection
    std::string disk;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress peer;
    Counters counters{};
    // bucket i of CW_HISTOGRAM counts [2^i, 2^(i+1)) ns
    std::optional<Histogram> read_latency;
    // the same
    std::optional<Histogram> write_latency;
    // the same
    std::optional<Histogram> flush_latency;
};

// One of several queue pairs of an NFS connection.
struct NfsRail {
    std::uint8_t state = 0;
    // of this host: struct sockaddr_in or sockaddr_in6
    SocketAddress local;
    // RDMA device
    std::string device;
    std::uint8_t device_port = 0;
    // why the last connection or attempt ended
    std::string reason;
    // ms until the next attempt
    std::optional<std::uint32_t> retry_in;
};

// An NFS connection of Causeway's transport.
struct NfsConnection {
    std::uint8_t role = 0;
    // number of a server session, or of an NFS connection
    std::uint32_t id = 0;
    // the server as the user wrote it; names the device link
    std::string server;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress peer;
    // of this host: struct sockaddr_in or sockaddr_in6
    SocketAddress local;
    std::uint8_t state = 0;
    std::uint8_t transport = 0;
    // RDMA device
    std::string device;
    std::uint8_t device_port = 0;
    // data links; in an attach without the polled ones
    std::uint16_t queues = 0;
    // bytes of the largest message without chunks that this side may send, transport header
    // included; as negotiated
    std::uint32_t send_inline = 0;
    // the same that it may receive
    std::uint32_t receive_inline = 0;
    // calls that may be under way, as granted last
    std::uint32_t credits = 0;
    // calls under way
    std::uint32_t calls = 0;
    // both ends said that they do it
    bool remote_invalidate = false;
    // calls of the server go over this connection
    bool backchannel = false;
    // connection attempts since it last was live
    std::uint32_t attempts = 0;
    // times it came back
    std::uint32_t reconnects = 0;
    // nanoseconds since the state was entered
    std::uint64_t since = 0;
    // ms until the next attempt
    std::optional<std::uint32_t> retry_in;
    // why the last connection or attempt ended
    std::string reason;
    // -errno of the same
    std::int32_t error = 0;
    // one queue pair of an NFS connection that has several: state, local-address, device,
    // device-port, reason, retry-in
    std::vector<NfsRail> rails;
    NfsCounters counters{};
};

// An export of another host.
struct DiscoveredExport {
    // the export
    std::string name;
    // UUID of the export's disk
    Uuid identity;
    // bytes
    std::uint64_t size = 0;
    // logical
    std::uint32_t block_size = 0;
    bool read_only = false;
    bool exclusive = false;
    // the disk has a cache to flush
    bool volatile_cache = false;
    bool has_key = false;
};

// A host in the ledger of an export.
struct OwnerInfo {
    // the export
    std::string name;
    // UUID of a machine
    Uuid host;
    // boot ID of the peer
    Uuid boot;
    // UUID of the session
    Uuid session;
    // of the host's newest attachment
    std::uint64_t serial = 0;
    // of the newest login of the owner
    std::uint64_t epoch = 0;
    // seconds since 1970, when the host was here last
    std::uint64_t seen = 0;
    // the host has a session that may write
    bool owner = false;
    // the host is evicted
    bool evicted = false;
    std::uint8_t state = 0;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress address;
    // what the peer calls itself
    std::string host_name;
};

// An event of the kernel modules. Where lost is not 0, it is the only member that is set.
struct Event {
    std::uint8_t kind = 0;
    // CLOCK_REALTIME nanoseconds of an event
    std::uint64_t time = 0;
    std::uint8_t role = 0;
    // the server as the user wrote it; names the device link
    std::string server;
    // the export
    std::string name;
    // causewayN; empty before the first connection
    std::string disk;
    // what the peer calls itself
    std::string host_name;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress peer;
    // a sentence about an event or an export
    std::string text;
    // why the last connection or attempt ended
    std::string reason;
    // -errno of the same
    std::int32_t error = 0;
    std::uint64_t lost = 0; // so many reads of the socket found it overrun
};

} // namespace causeway
