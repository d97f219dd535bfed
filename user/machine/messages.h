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
    // UUID of the server; it changes when acknowledged writes may have been lost
    Uuid instance;
    // port that the server listens on
    std::uint16_t port = 0;
    // how often each limit of the server was met
    Limits limits{};
    // TCP port of the server while it has an export that is served over TCP
    std::uint16_t tcp_port = 0;
};

// The addresses of a path. The kernel chooses a local address that is not given, and the number.
struct DiskPathAddresses {
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress address;
    // of this host: struct sockaddr_in or sockaddr_in6
    SocketAddress local;
    // number of a server session, of an NFS connection, or of a path in its session
    std::optional<std::uint32_t> number;
    // of a live connection, of a disk-path or of an address in export-address, otherwise none; in
    // attach, path-add and discover: by which to connect, rdma if it is left out
    std::optional<std::uint8_t> transport;
};

// The disk to attach, and its settings. The kernel chooses each setting that is not given.
struct AttachRequest {
    // the server as the user wrote it; a part of the name of the disk's device link. NFS: the
    // server in the source of the mount
    std::string server;
    // name of the export
    std::string name;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress address;
    // data links, with the polled ones except in attach. NFS: queue pairs of the connection
    std::optional<std::uint16_t> queues;
    // data links whose completions are polled
    std::optional<std::uint16_t> poll_queues;
    // commands per data link
    std::optional<std::uint16_t> depth;
    // seconds that I/O is held without a path; 0: for ever
    std::optional<std::uint32_t> io_timeout;
    // at least 16 bytes, not all zero; no answer has it
    Secret key;
    // UUID of a machine
    Uuid host;
    // attach returns at once, and the connection is attempted until it succeeds or the disk is
    // detached
    bool background = false;
    // seconds after which I/O that must fail fast fails without a path, or CW_FAST_FAIL_OFF
    std::optional<std::uint32_t> fast_fail;
    // a path of a disk's session, in the order of their numbers. In attach and path-add: address,
    // local-address, transport
    std::vector<DiskPathAddresses> paths;
    // how the disk chooses among its live paths
    std::optional<std::uint8_t> path_policy;
    // UUID of the export's disk
    std::optional<Uuid> identity;
};

// A path to add to a disk.
struct PathRequest {
    // the server as the user wrote it; a part of the name of the disk's device link. NFS: the
    // server in the source of the mount
    std::string server;
    // name of the export
    std::string name;
    // a path of a disk's session, in the order of their numbers. In attach and path-add: address,
    // local-address, transport
    std::vector<DiskPathAddresses> paths;
};

// New settings of an attached disk. change has a bit of CW_CHANGE_* for each setting to replace.
struct AttachmentUpdate {
    // the server as the user wrote it; a part of the name of the disk's device link. NFS: the
    // server in the source of the mount
    std::string server;
    // name of the export
    std::string name;
    // bits of CW_CHANGE_*: the settings that the request replaces
    std::optional<std::uint32_t> change;
    // at least 16 bytes, not all zero; no answer has it
    Secret key;
    // seconds that I/O is held without a path; 0: for ever
    std::optional<std::uint32_t> io_timeout;
    // seconds after which I/O that must fail fast fails without a path, or CW_FAST_FAIL_OFF
    std::optional<std::uint32_t> fast_fail;
    // how the disk chooses among its live paths
    std::optional<std::uint8_t> path_policy;
};

// An attached disk.
struct AttachmentInfo {
    // the server as the user wrote it; a part of the name of the disk's device link. NFS: the
    // server in the source of the mount
    std::string server;
    // name of the export
    std::string name;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress address;
    // causewayN, the name of the block device; empty or left out before the first connection
    std::string disk;
    // of a connection; closing for an export that is ending; live for an owner that is logged in
    std::uint8_t state = 0;
    // UUID of the export's disk
    Uuid identity;
    // bytes; in export-add only for memory
    std::uint64_t size = 0;
    // bytes of a logical block
    std::uint32_t block_size = 0;
    // the disk may not be written
    bool read_only = false;
    // a key is set
    bool has_key = false;
    // the disk has a cache to flush
    bool volatile_cache = false;
    // the server lost unflushed writes, and acknowledge was not sent since
    bool loss = false;
    // data links, with the polled ones except in attach. NFS: queue pairs of the connection
    std::uint16_t queues = 0;
    // data links whose completions are polled
    std::uint16_t poll_queues = 0;
    // commands per data link
    std::uint16_t depth = 0;
    // seconds that I/O is held without a path; 0: for ever
    std::uint32_t io_timeout = 0;
    // seconds after which I/O that must fail fast fails without a path, or CW_FAST_FAIL_OFF
    std::uint32_t fast_fail = CW_FAST_FAIL_DEFAULT;
    // number of openers of the disk
    std::uint32_t openers = 0;
    // why the last connection or attempt ended; in export-get that the ledger cannot be written
    std::string reason;
    // why the server refused a revoked attachment for good
    std::uint16_t refusal = 0;
    // UUID of a machine
    Uuid host;
    // a path of a disk's session, in the order of their numbers. In attach and path-add: address,
    // local-address, transport
    std::vector<DiskPathAddresses> paths;
    // how the disk chooses among its live paths
    std::uint8_t path_policy = 0;
};

// A path of a client's session.
struct DiskPath {
    // number of a server session, of an NFS connection, or of a path in its session
    std::uint32_t number = 0;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress peer;
    // of this host: struct sockaddr_in or sockaddr_in6
    SocketAddress local;
    // of a path
    std::uint8_t state = 0;
    // of a live connection, of a disk-path or of an address in export-address, otherwise none; in
    // attach, path-add and discover: by which to connect, rdma if it is left out
    std::uint8_t transport = 0;
    // RDMA device
    std::string device;
    // port of the RDMA device
    std::uint8_t device_port = 0;
    // data links, with the polled ones except in attach. NFS: queue pairs of the connection
    std::uint16_t queues = 0;
    // attempts to connect since the session or connection was last live
    std::uint32_t attempts = 0;
    // why the last connection or attempt ended; in export-get that the ledger cannot be written
    std::string reason;
    // -errno that belongs to reason
    std::int32_t error = 0;
    // ms until the next attempt
    std::optional<std::uint32_t> retry_in;
    // the disk gives commands to this path; under the policy auto, a slow path may get none all the
    // same
    bool carries_io = false;
    // writes that were sent on the last connection of this path wait until the server has fenced it
    bool fencing = false;
    // commands of the path that the server still carries out, as it said last; the fence waits for
    // them
    std::uint32_t fence_commands = 0;
    // times that this path was lost
    std::uint32_t losses = 0;
    // fences of this path that have ended, by FENCED or by a login
    std::uint32_t fences = 0;
    // ns that those fences took together, each from the loss of the path
    std::uint64_t fence_time = 0;
};

// A connection of a client or of the server.
struct SessionInfo {
    // of this host
    std::uint8_t role = 0;
    // number of a server session, of an NFS connection, or of a path in its session
    std::uint32_t id = 0;
    // the server as the user wrote it; a part of the name of the disk's device link. NFS: the
    // server in the source of the mount
    std::string server;
    // name of the export
    std::string name;
    // the peer's own host name
    std::string host_name;
    // UUID of a machine
    Uuid host;
    // UUID of the session; in owner-get of the owner's session
    Uuid session;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress peer;
    // of this host: struct sockaddr_in or sockaddr_in6
    SocketAddress local;
    // of a connection; closing for an export that is ending; live for an owner that is logged in
    std::uint8_t state = 0;
    // of a live connection, of a disk-path or of an address in export-address, otherwise none; in
    // attach, path-add and discover: by which to connect, rdma if it is left out
    std::uint8_t transport = 0;
    // RDMA device
    std::string device;
    // port of the RDMA device
    std::uint8_t device_port = 0;
    // data links, with the polled ones except in attach. NFS: queue pairs of the connection
    std::uint16_t queues = 0;
    // attempts to connect since the session or connection was last live
    std::uint32_t attempts = 0;
    // times that the session or connection became live again
    std::uint32_t reconnects = 0;
    // nanoseconds since the state began, in steps of a second for an export that is ending
    std::uint64_t since = 0;
    // ms until the next attempt
    std::optional<std::uint32_t> retry_in;
    // why the last connection or attempt ended; in export-get that the ledger cannot be written
    std::string reason;
    // -errno that belongs to reason
    std::int32_t error = 0;
    // the server lost unflushed writes, and acknowledge was not sent since
    bool loss = false;
    // a path of a disk's session, in the order of their numbers. In attach and path-add: address,
    // local-address, transport
    std::vector<DiskPath> paths;
    // how the disk chooses among its live paths
    std::uint8_t path_policy = 0;
    // times that a path which carried I/O was lost while another one was live
    std::uint32_t failovers = 0;
    // times that I/O moved to paths of a worse rank, by TCP, because the last one of a better rank
    // was lost or removed
    std::uint64_t fallbacks = 0;
    // times that I/O moved back to paths of a better rank, by RDMA, after a fallback
    std::uint64_t returns = 0;
    // a text for people: the reason of the newest fallback
    std::string fallback_reason;
};

// The counters of an attachment or of a server session.
struct StatInfo {
    // of this host
    std::uint8_t role = 0;
    // number of a server session, of an NFS connection, or of a path in its session
    std::uint32_t id = 0;
    // the server as the user wrote it; a part of the name of the disk's device link. NFS: the
    // server in the source of the mount
    std::string server;
    // name of the export
    std::string name;
    // the peer's own host name
    std::string host_name;
    // causewayN, the name of the block device; empty or left out before the first connection
    std::string disk;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress peer;
    // of the data links, those that have ended included
    Counters counters{};
    // CW_HISTOGRAM buckets: bucket i counts the reads that took from 2^i to 2^(i+1) ns, the last
    // bucket also all longer ones
    std::optional<Histogram> read_latency;
    // the same for writes
    std::optional<Histogram> write_latency;
    // the same for flushes
    std::optional<Histogram> flush_latency;
};

// One of several queue pairs of an NFS connection.
struct NfsRail {
    // of a connection; closing for an export that is ending; live for an owner that is logged in
    std::uint8_t state = 0;
    // of this host: struct sockaddr_in or sockaddr_in6
    SocketAddress local;
    // RDMA device
    std::string device;
    // port of the RDMA device
    std::uint8_t device_port = 0;
    // why the last connection or attempt ended; in export-get that the ledger cannot be written
    std::string reason;
    // ms until the next attempt
    std::optional<std::uint32_t> retry_in;
};

// An NFS connection of Causeway's transport.
struct NfsConnection {
    // of this host
    std::uint8_t role = 0;
    // number of a server session, of an NFS connection, or of a path in its session
    std::uint32_t id = 0;
    // the server as the user wrote it; a part of the name of the disk's device link. NFS: the
    // server in the source of the mount
    std::string server;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress peer;
    // of this host: struct sockaddr_in or sockaddr_in6
    SocketAddress local;
    // of a connection; closing for an export that is ending; live for an owner that is logged in
    std::uint8_t state = 0;
    // of a live connection, of a disk-path or of an address in export-address, otherwise none; in
    // attach, path-add and discover: by which to connect, rdma if it is left out
    std::uint8_t transport = 0;
    // RDMA device
    std::string device;
    // port of the RDMA device
    std::uint8_t device_port = 0;
    // data links, with the polled ones except in attach. NFS: queue pairs of the connection
    std::uint16_t queues = 0;
    // bytes of the largest message without chunks that this side may send, transport header
    // included; as negotiated
    std::uint32_t send_inline = 0;
    // the same for a message that this side may receive
    std::uint32_t receive_inline = 0;
    // calls that may be under way at once, as the server granted last
    std::uint32_t credits = 0;
    // calls that are under way now
    std::uint32_t calls = 0;
    // both ends support remote invalidation
    bool remote_invalidate = false;
    // calls of the server to the client go over this connection
    bool backchannel = false;
    // attempts to connect since the session or connection was last live
    std::uint32_t attempts = 0;
    // times that the session or connection became live again
    std::uint32_t reconnects = 0;
    // nanoseconds since the state began, in steps of a second for an export that is ending
    std::uint64_t since = 0;
    // ms until the next attempt
    std::optional<std::uint32_t> retry_in;
    // why the last connection or attempt ended; in export-get that the ledger cannot be written
    std::string reason;
    // -errno that belongs to reason
    std::int32_t error = 0;
    // one queue pair of an NFS connection that has several: state, local-address, device,
    // device-port, reason, retry-in
    std::vector<NfsRail> rails;
    // of one connection
    NfsCounters counters{};
};

// An address by which an export can be reached.
struct ExportAddress {
    // of a live connection, of a disk-path or of an address in export-address, otherwise none; in
    // attach, path-add and discover: by which to connect, rdma if it is left out
    std::uint8_t transport = 0;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress address;
};

// An export of another host.
struct DiscoveredExport {
    // name of the export
    std::string name;
    // UUID of the export's disk
    Uuid identity;
    // bytes; in export-add only for memory
    std::uint64_t size = 0;
    // bytes of a logical block
    std::uint32_t block_size = 0;
    // the disk may not be written
    bool read_only = false;
    // the disk has at most one owner
    bool exclusive = false;
    // the disk has a cache to flush
    bool volatile_cache = false;
    // a key is set
    bool has_key = false;
    // an address of the server by which an export can be reached, the preferred one first. In
    // export-add and export-get: address, with port 0, and transport if it is not for RDMA. In the
    // reply of discover: transport (of the address) and address
    std::vector<ExportAddress> addresses;
};

// A host in the ledger of an export.
struct OwnerInfo {
    // name of the export
    std::string name;
    // UUID of a machine
    Uuid host;
    // the host's boot in the ledger: UUID of one load of its module
    Uuid boot;
    // UUID of the session; in owner-get of the owner's session
    Uuid session;
    // number of the newest attachment of the host's boot
    std::uint64_t serial = 0;
    // of the newest login of the host that was admitted
    std::uint64_t epoch = 0;
    // seconds from 1970 to the time when the host was last connected
    std::uint64_t seen = 0;
    // the host has a session that may write
    bool owner = false;
    // the host is evicted
    bool evicted = false;
    // of a connection; closing for an export that is ending; live for an owner that is logged in
    std::uint8_t state = 0;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress address;
    // the peer's own host name
    std::string host_name;
};

// An event of the kernel modules. Where lost is not 0, it is the only member that is set.
struct Event {
    // kind of the event
    std::uint8_t kind = 0;
    // when the event happened: nanoseconds of CLOCK_REALTIME
    std::uint64_t time = 0;
    // of this host
    std::uint8_t role = 0;
    // the server as the user wrote it; a part of the name of the disk's device link. NFS: the
    // server in the source of the mount
    std::string server;
    // name of the export
    std::string name;
    // causewayN, the name of the block device; empty or left out before the first connection
    std::string disk;
    // the peer's own host name
    std::string host_name;
    // of the peer: struct sockaddr_in or sockaddr_in6
    SocketAddress peer;
    // a text for people: about an event, an export or a detached disk
    std::string text;
    // why the last connection or attempt ended; in export-get that the ledger cannot be written
    std::string reason;
    // -errno that belongs to reason
    std::int32_t error = 0;
    std::uint64_t lost = 0; // so many reads of the socket found it overrun
};

} // namespace causeway
