// SPDX-License-Identifier: GPL-2.0-or-later
// The interface to our kernel modules. One implementation uses generic netlink, another one is in
// memory, for tests.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/socket_address.h"
#include "base/uuid.h"

#include <array>
#include <causeway.h>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct ExportRequest {
    ExportSettings settings;   // must contain an identity
    std::string ledger_folder; // for settings.ledger; empty: the ledger is in memory
    Secret key;
};

struct ExportInfo {
    // Has no key file, because the kernel does not know its name. state_folder is the folder of the
    // ledger.
    ExportSettings settings;
    bool has_key = false;
    std::uint32_t block_size = 0;
    bool volatile_cache = false;
    bool discard = false;
    bool write_zeroes = false;
    std::uint32_t sessions = 0;
    // The export was removed, or the server was stopped, but the export has not ended yet. No
    // client can attach to it.
    bool ending = false;
    std::chrono::seconds ending_for{};
    bool outdated = false;       // an older copy of the ledger was restored: no host may log in
    std::uint32_t hosts = 0;     // number of hosts in the ledger
    std::uint32_t hosts_max = 0; // the most that fit into the ledger
    std::string reason;          // why the ledger cannot be written; empty: it can
};

// A host in the ledger of an export.
struct OwnerInfo {
    std::string name; // of the export
    Uuid host;
    Uuid boot;
    Uuid session;
    std::string host_name; // the host's own name for itself; empty: unknown
    SocketAddress address;
    std::uint64_t serial = 0; // of the host's newest attachment
    std::uint64_t epoch = 0;  // of the host's newest login
    std::uint64_t seen = 0;   // seconds since 1970; 0: unknown
    bool owner = false;       // the host has a session that may write
    bool live = false;        // that session is connected
    bool evicted = false;
};

// The result of a stop of the server.
struct StopReport {
    struct Export {
        std::string name;
        std::string reason;
    };
    bool clean = true; // all acknowledged writes were flushed
    std::vector<Export> unflushed{};
};

struct ServerInfo {
    Uuid instance; // nil: the target module has none yet
    std::uint16_t port = 0;
    // Index: enum cw_limit; value: how often that limit was reached.
    std::array<std::uint64_t, CW_LIMIT_MAX + 1> limits{};
};

struct AttachRequest {
    std::string server;
    std::string name;
    SocketAddress address;
    std::optional<std::uint16_t> queues;
    std::optional<std::uint16_t> poll_queues;
    std::optional<std::uint16_t> depth;
    std::optional<std::uint32_t> io_timeout;
    std::optional<std::uint32_t> fast_fail; // seconds, or CW_FAST_FAIL_OFF
    Secret key;
    Uuid host;
    bool background = false;
};

struct AttachmentInfo {
    std::string server;
    std::string name;
    SocketAddress address;
    std::string disk; // causewayN; empty before the first connection
    std::uint8_t state = 0;
    Uuid identity;
    std::uint64_t size = 0;
    std::uint32_t block_size = 0;
    bool read_only = false;
    bool has_key = false;
    bool volatile_cache = false;
    bool loss = false;
    std::uint16_t queues = 0;
    std::uint16_t poll_queues = 0;
    std::uint16_t depth = 0;
    std::uint32_t io_timeout = 0;
    std::uint32_t fast_fail = CW_FAST_FAIL_DEFAULT;
    std::uint32_t openers = 0;
    std::string reason;
    std::uint16_t refusal = 0; // reason of the server's final refusal: enum cw_wire_refusal
    Uuid host;                 // UUID by which the server knows this machine; nil: unknown
};

struct SessionInfo {
    std::uint8_t role = 0;
    std::uint32_t id = 0;  // of a session at the server
    std::string server;    // client: the server's name as the user typed it
    std::string name;      // of the export
    std::string host_name; // server: the client's own name for itself
    Uuid host;
    Uuid session;
    SocketAddress peer;
    SocketAddress local;
    std::uint8_t state = 0;
    std::uint8_t transport = CW_TRANSPORT_NONE;
    std::string device;
    std::uint8_t device_port = 0;
    std::uint16_t queues = 0;
    std::uint32_t attempts = 0;
    std::uint32_t reconnects = 0;
    std::uint64_t since = 0;               // nanoseconds in this state so far
    std::optional<std::uint32_t> retry_in; // milliseconds until the next attempt
    std::string reason;
    std::int32_t error = 0; // negative errno; 0: none
    bool loss = false;
};

using Counters = std::array<std::uint64_t, __CW_N_MAX>; // index: enum cw_counter
using Histogram = std::array<std::uint64_t, CW_HISTOGRAM>;

struct StatInfo {
    std::uint8_t role = 0;
    std::uint32_t id = 0;
    std::string server;
    std::string name;
    std::string host_name;
    std::string disk;
    SocketAddress peer;
    Counters counters{};
    std::optional<Histogram> read_latency;
    std::optional<Histogram> write_latency;
    std::optional<Histogram> flush_latency;
};

using NfsCounters = std::array<std::uint64_t, __CW_NFS_MAX>; // index: enum cw_nfs_counter

// One of several queue pairs of an NFS connection.
struct NfsRail {
    std::uint8_t state = 0;
    SocketAddress local;
    std::string device;
    std::uint8_t device_port = 0;
    std::string reason;
    std::optional<std::uint32_t> retry_in; // milliseconds until the next attempt
};

// An NFS connection of Causeway's transport.
struct NfsConnection {
    std::uint8_t role = 0;
    std::uint32_t id = 0;
    std::string server; // client: the server's name in the mount
    SocketAddress peer;
    SocketAddress local;
    std::uint8_t state = 0;
    std::uint8_t transport = CW_TRANSPORT_NONE;
    std::string device;
    std::uint8_t device_port = 0;
    std::uint16_t queues = 0;
    std::uint32_t send_inline = 0; // bytes, as negotiated
    std::uint32_t receive_inline = 0;
    std::uint32_t credits = 0;
    std::uint32_t calls = 0; // calls without a reply so far
    bool remote_invalidate = false;
    bool backchannel = false;
    std::uint32_t attempts = 0;
    std::uint32_t reconnects = 0;
    std::uint64_t since = 0;               // nanoseconds in this state so far
    std::optional<std::uint32_t> retry_in; // milliseconds until the next attempt
    std::string reason;
    std::int32_t error = 0; // negative errno; 0: none
    std::vector<NfsRail> rails;
    NfsCounters counters{};
};

struct DiscoveredExport {
    std::string name;
    Uuid identity;
    std::uint64_t size = 0;
    std::uint32_t block_size = 0;
    bool read_only = false;
    bool exclusive = false;
    bool volatile_cache = false;
    bool has_key = false;
};

struct Event {
    std::uint8_t kind = 0;  // enum cw_event
    std::uint64_t time = 0; // CLOCK_REALTIME nanoseconds
    std::uint8_t role = 0;
    std::string server;
    std::string name;
    std::string disk;
    std::string host_name;
    SocketAddress peer;
    std::string text;
    std::string reason;
    std::int32_t error = 0;
    // If not 0, all else is unset: the number of reads that reported an overrun of the socket.
    std::uint64_t lost = 0;
};

class EventStream {
  public:
    EventStream() = default;
    EventStream(const EventStream &) = delete;
    EventStream &operator=(const EventStream &) = delete;
    virtual ~EventStream() = default;

    // Returns none at the end of the time limit. Without a limit, waits until there is an event.
    virtual Result<std::optional<Event>> next(std::optional<std::chrono::milliseconds> limit) = 0;
};

class Kernel {
  public:
    Kernel() = default;
    Kernel(const Kernel &) = delete;
    Kernel &operator=(const Kernel &) = delete;
    virtual ~Kernel() = default;

    // Makes an export. If the kernel refuses, the error of any function here contains its errno.
    virtual Result<void> add_export(const ExportRequest &request) = 0;
    // Waits for a bounded time until the export is gone. Returns the reason why its writes could
    // not be flushed, or "" if they were.
    virtual Result<std::string> remove_export(const std::string &name, bool force) = 0;
    // Returns an empty list if the module is not loaded, and loads no module. All functions here
    // that return a list do the same.
    virtual Result<std::vector<ExportInfo>> exports() = 0;

    // Returns none if the host is not fenced yet because commands of it are still running; the
    // caller has to ask again.
    virtual Result<std::optional<Uuid>> evict_host(const std::string &name, const Uuid &host) = 0;
    // Lets a host that was evicted or replaced log in again. Returns its UUID.
    virtual Result<Uuid> readmit_host(const std::string &name, const Uuid &host) = 0;
    virtual Result<std::vector<OwnerInfo>> owners() = 0;

    // Returns none if the target module is not loaded.
    virtual Result<std::optional<ServerInfo>> server() = 0;
    // Sets the instance of the server, before its first export.
    virtual Result<void> set_instance(const Uuid &instance) = 0;
    // Waits for a bounded time until all exports are gone.
    virtual Result<StopReport> stop_server() = 0;

    // Returns the disk's name, or "" if the kernel goes on connecting in the background.
    virtual Result<std::string> attach(const AttachRequest &request) = 0;
    // Returns a sentence if the server may still keep the disk for this host, else "".
    virtual Result<std::string> detach(const std::string &server, const std::string &name,
                                       bool force) = 0;
    // Acknowledges that unflushed writes were lost, so that flushes of the disk succeed again.
    virtual Result<void> acknowledge(const std::string &server, const std::string &name) = 0;
    virtual Result<std::vector<AttachmentInfo>> attachments() = 0;

    virtual Result<std::vector<SessionInfo>> sessions() = 0;
    virtual Result<std::vector<StatInfo>> stats() = 0;
    // Asks the server for the exports that this machine may attach.
    virtual Result<std::vector<DiscoveredExport>> discover(const std::string &server,
                                                           const SocketAddress &address) = 0;

    virtual Result<std::vector<NfsConnection>> nfs_connections() = 0;
    virtual Result<std::vector<NfsRule>> nfs_rules() = 0;
    // Replaces an existing rule for the same network.
    virtual Result<void> set_nfs_rule(const NfsRule &rule) = 0;
    virtual Result<void> remove_nfs_rule(const Prefix &network) = 0;

    // Returns a stream of the events from now on, or an error if the core module is not loaded.
    virtual Result<std::unique_ptr<EventStream>> subscribe() = 0;
};

} // namespace causeway
