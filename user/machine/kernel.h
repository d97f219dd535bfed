// SPDX-License-Identifier: GPL-2.0-or-later
// The interface to Causeway's kernel modules. One implementation uses generic netlink. Another one,
// for tests, is in memory.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/socket_address.h"
#include "base/uuid.h"
#include "machine/messages.h"

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
    // Those of settings.addresses that clients reach over TCP only.
    std::vector<SocketAddress> over_tcp{};
};

// New settings of an export that runs.
struct ExportUpdate {
    std::uint32_t change = 0; // bits of CW_CHANGE_*: the settings that are replaced
    // Of these, the name counts, and the settings that change names: allow, addresses, tcp,
    // read_only, takeover_after.
    ExportSettings settings;
    Secret key; // for CW_CHANGE_KEY; empty: none
    // Those of settings.addresses that clients reach over TCP only.
    std::vector<SocketAddress> over_tcp{};
    bool force = false; // ends connections that the new settings do not admit
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
    std::chrono::seconds ending_for{}; // time since then
    bool outdated = false;       // an older copy of the ledger was restored: no host may log in
    std::uint32_t hosts = 0;     // number of hosts in the ledger
    std::uint32_t hosts_max = 0; // the most that fit into the ledger
    std::string reason;          // why the ledger cannot be written; empty: it can
    // settings.read_only says whether clients may write. This is 1 if an administrator has made the
    // export read-only, and 0 if at most its device is write-protected. Older modules do not
    // report it.
    std::optional<std::uint8_t> read_only_set{};

    // Returns the settings as an administrator has chosen them.
    ExportSettings chosen() const {
        ExportSettings all = settings;
        all.read_only = read_only_set ? *read_only_set != 0 : settings.read_only;
        return all;
    }
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

    // Makes an export. If the kernel refuses a request, the error of any function of this class
    // contains the kernel's errno.
    virtual Result<void> add_export(const ExportRequest &request) = 0;
    // Changes all of these settings or none. Returns the number of connections of clients that were
    // ended. Without force, returns an error (EBUSY) if a connection would have to end.
    virtual Result<std::uint32_t> set_export(const ExportUpdate &update) = 0;
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
    // Sets the port of the server, before its first export. Returns an error (EBUSY) if the server
    // has an export or listens on another port.
    virtual Result<void> set_port(std::uint16_t port) = 0;
    // Waits for a bounded time until all exports are gone.
    virtual Result<StopReport> stop_server() = 0;

    // Returns the disk's name, or "" if the kernel goes on connecting in the background.
    virtual Result<std::string> attach(const AttachRequest &request) = 0;
    // Returns a sentence if the server may still keep the disk for this host, else "".
    virtual Result<std::string> detach(const std::string &server, const std::string &name,
                                       bool force) = 0;
    virtual Result<void> set_attachment(const AttachmentUpdate &change) = 0;
    // Returns the number of the path.
    virtual Result<std::uint32_t> add_path(const std::string &server, const std::string &name,
                                           const DiskPathAddresses &path) = 0;
    // Waits for a bounded time until the commands that the path has are answered.
    virtual Result<void> remove_path(const std::string &server, const std::string &name,
                                     std::uint32_t number) = 0;
    // Acknowledges that unflushed writes were lost, so that flushes of the disk succeed again.
    virtual Result<void> acknowledge(const std::string &server, const std::string &name) = 0;
    virtual Result<std::vector<AttachmentInfo>> attachments() = 0;

    virtual Result<std::vector<SessionInfo>> sessions() = 0;
    virtual Result<std::vector<StatInfo>> stats() = 0;
    // Asks the server for the exports that this machine may attach.
    virtual Result<std::vector<DiscoveredExport>>
    discover(const std::string &server, const DiskPathAddresses &end, const std::string &name) = 0;

    virtual Result<std::vector<NfsConnection>> nfs_connections() = 0;
    virtual Result<std::vector<NfsRule>> nfs_rules() = 0;
    // Replaces an existing rule for the same network.
    virtual Result<void> set_nfs_rule(const NfsRule &rule) = 0;
    virtual Result<void> remove_nfs_rule(const Prefix &network) = 0;

    // Returns a stream of the events from now on, or an error if the core module is not loaded.
    virtual Result<std::unique_ptr<EventStream>> subscribe() = 0;
};

} // namespace causeway
