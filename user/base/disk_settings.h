// SPDX-License-Identifier: GPL-2.0-or-later
// The settings of an export or an attachment: from the command line, from a configuration file, or
// as the kernel reports them.
#pragma once

#include "base/disk_name.h"
#include "base/prefix.h"
#include "base/result.h"
#include "base/socket_address.h"
#include "base/uuid.h"

#include <array>
#include <causeway.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

enum class Backend : std::uint8_t {
    device = CW_BACKEND_DEVICE,
    file = CW_BACKEND_FILE,
    ram = CW_BACKEND_RAM,
};

// Returns "device", "file" or "ram".
std::string backend_text(Backend backend);

struct ExportSettings {
    std::string name;
    Backend backend = Backend::device;
    std::string path;       // device and file: the absolute path
    std::uint64_t size = 0; // ram: bytes
    bool read_only = false;
    bool exclusive = false;
    bool write_through = false;
    bool tcp = false;          // served over TCP too
    std::vector<Prefix> allow; // empty: every address
    bool allow_any = false;    // an administrator has allowed every address
    std::string key_file;      // empty: no key
    std::optional<Uuid> identity;
    std::optional<Uuid> ledger; // UUID of the ledger of owners, which the first export makes
    // Folder of the ledger's files; empty: where they are now, or the default.
    std::string state_folder;
    std::uint32_t takeover_after = 0; // seconds, for an exclusive export; 0: never
    // Addresses of this machine at which clients can reach the export, the preferred one first,
    // with port 0. Empty: found each time the export starts (disk/served_addresses.h). A file may
    // have addresses that may_be_listed() does not allow; they are left out then.
    std::vector<SocketAddress> addresses;
    bool no_addresses = false; // clients get no addresses; then the list is empty

    // Returns false if no host owns the disk, because nothing is ever written.
    bool has_owners() const { return !read_only || ledger; }
    // Returns true if the export has a ledger of owners in files: its content survives a reboot,
    // and it can be written, or could be before "export set --read-only".
    bool keeps_ledger() const { return backend != Backend::ram && (!read_only || ledger); }
};

// The options of attach that are numbers for the kernel. Only this struct and the table below name
// them: help, parsers, configuration file, request, journal and list are made from the table. The
// kernel decides about an option without a value.
struct AttachNumbers {
    std::optional<std::uint32_t> queues;
    std::optional<std::uint32_t> poll_queues;
    std::optional<std::uint32_t> depth;
    std::optional<std::uint32_t> io_timeout; // seconds; 0: no limit
    std::optional<std::uint32_t> fast_fail;  // seconds, or CW_FAST_FAIL_OFF
    std::optional<std::uint32_t> policy;     // CW_PATH_POLICY_*
};

struct AttachOption {
    std::string_view word; // on the command line and in the configuration file
    std::optional<std::uint32_t> AttachNumbers::*value;
    int attribute; // of AttachRequest and AttachmentInfo
    std::uint32_t least, most;
    std::string_view operand;
    std::string_view help;
    bool granted = false;               // the server may grant less
    std::optional<std::uint32_t> off{}; // an option in seconds: the value that "off" stands for
    bool named = false; // the words of the operand stand for the numbers from @least on

    // Returns the key in JSON: the word with underscores.
    std::string key() const;
    // @subject names the option in errors.
    Result<std::uint32_t> parse(std::string_view subject, std::string_view text) const;
    // Returns what parse() takes.
    std::string text(std::uint32_t number) const;
    // Returns true unless a module that does not know the option has reported @number.
    bool is_known(std::uint32_t number) const { return !named || number != 0; }
};

// In the order of help and files.
inline constexpr std::array attach_options{
    AttachOption{"queues", &AttachNumbers::queues, CW_A_QUEUES, 1, 256, "N",
                 "connections for data, 1 to 256; by default one per CPU, at most 8", true},
    AttachOption{"poll-queues", &AttachNumbers::poll_queues, CW_A_POLL_QUEUES, 0, 256, "N",
                 "more connections for data, which are polled for hipri I/O; by default 0", true},
    AttachOption{"depth", &AttachNumbers::depth, CW_A_DEPTH, 1, 1024, "N",
                 "commands in flight on each connection, 1 to 1024; by default 128", true},
    AttachOption{
        "io-timeout", &AttachNumbers::io_timeout, CW_A_IO_TIMEOUT, 0, 86400, "SECONDS",
        "time to hold I/O without a server before the I/O fails; 0, the default: for ever"},
    AttachOption{"fast-fail", &AttachNumbers::fast_fail, CW_A_FAST_FAIL, 0, 86400, "SECONDS|off",
                 "time without a server after which I/O fails that is marked to fail fast, as by "
                 "dm-multipath; by default 1",
                 false, CW_FAST_FAIL_OFF},
    AttachOption{"policy", &AttachNumbers::policy, CW_A_PATH_POLICY, CW_PATH_POLICY_AUTO,
                 CW_PATH_POLICY_SINGLE, "auto|round-robin|single",
                 "how commands are given to the paths: auto, the default, prefers the fastest; "
                 "round-robin uses them in turn; single uses one until it is lost",
                 false, std::nullopt, true},
};

inline constexpr std::size_t most_paths = 8; // of an attached disk
// In a list of local addresses: the kernel chooses the one of this path.
inline constexpr std::string_view any_local = "any";
inline constexpr std::size_t most_export_addresses = 8;
// In place of the addresses of an export: clients get none.
inline constexpr std::string_view without_addresses = "none";
// In place of the addresses of paths: those that the server names.
inline constexpr std::string_view every_path = "auto";

// A path of an attached disk. IP addresses have the form of SocketAddress::host_text().
struct PathSettings {
    // IP address or name of the server, without a port. Empty for the only path of a disk: the
    // addresses of the server's own name.
    std::string address;
    std::string from{}; // IP address of this host; empty: the kernel chooses one
    bool tcp = false;   // over TCP; otherwise by RDMA

    // Returns "10.0.0.1", "10.0.0.1 from 10.0.0.2" or "10.0.0.1 over TCP".
    std::string text() const;

    bool operator==(const PathSettings &) const = default;
};

struct AttachmentSettings : AttachNumbers {
    DiskName disk;
    std::string key_file{};
    std::optional<Uuid> host{}; // UUID of this machine, if not the one derived from its machine ID
    // In the order of preference. Empty: one path, to the addresses of the server's name.
    std::vector<PathSettings> paths{};
    std::optional<Uuid> identity{}; // of the disk; none: any disk of that name

    // Returns the names and addresses of the server to which the paths lead.
    std::vector<std::string> hosts() const;
};

// A rule for NFS: mounts of servers in this network connect from these local addresses.
struct NfsRule {
    Prefix network;
    std::vector<SocketAddress> from; // addresses of the network's family, with port 0

    bool operator==(const NfsRule &) const = default;
};

inline constexpr std::size_t most_rule_addresses = CW_NFS_SOURCES;
inline constexpr std::uint64_t longest_takeover = 31536000; // seconds: a year

// Returns the path of a folder in the form that is compared and stored: without "." and "..", and
// without a trailing slash. Does not read the file system.
std::string plain_folder(const std::string &path);

// Returns an error (usage) if --takeover-after does not fit the other settings. @subject is the
// name of the setting, for the error.
Result<void> check_takeover(const ExportSettings &settings, std::string_view subject);

// Parses the addresses of an export, or the one word "none", into @settings. @subject is the name
// of the setting, for errors (usage).
Result<void> parse_export_addresses(std::string_view subject, const std::vector<std::string> &texts,
                                    ExportSettings &settings);

// Returns the words that parse_export_addresses() parses.
std::vector<std::string> export_address_words(const ExportSettings &settings);

// Parses the UUID of a host, which must not be nil. @subject is the name of the setting, for the
// error.
Result<Uuid> parse_host_uuid(std::string_view subject, std::string_view text);

inline constexpr std::string_view transport_rdma = "rdma";
inline constexpr std::string_view transport_tcp = "tcp";

// Parses "rdma", "tcp" or "rdma,tcp". Returns the single words. @subject names the option in errors
// (usage).
Result<std::vector<std::string>> parse_transports(std::string_view subject, std::string_view text);

// Returns "rdma" or "tcp".
std::string transport_word(const PathSettings &path);

// The paths of an attachment as texts. The n-th of each list belongs to the n-th of the others.
struct PathWords {
    std::vector<std::string> addresses;
    std::vector<std::string> from{};       // one may be alone, and each may be any_local
    std::vector<std::string> transports{}; // one may be alone; none: RDMA
};

// Makes the paths of an attachment. @dashes are written before the names of the settings, "path",
// "from" and "transport", in errors (usage).
Result<std::vector<PathSettings>> parse_paths(const PathWords &words, std::string_view dashes);

// Returns an error (usage) unless the rule has 1 to most_rule_addresses addresses, all of its
// network's family and each once.
Result<void> check_rule(const NfsRule &rule);

// Returns one phrase for each setting that differs, such as "the size is 512M, not 1G". An optional
// setting that is missing in @wanted never differs, and neither do an empty state folder, an empty
// list of paths, an empty list of addresses and takeover-after of an export without owners. The
// order of allowed networks does not matter.
std::vector<std::string> differences(const ExportSettings &there, const ExportSettings &wanted);
std::vector<std::string> differences(const AttachmentSettings &there,
                                     const AttachmentSettings &wanted);

} // namespace causeway
