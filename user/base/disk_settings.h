// SPDX-License-Identifier: GPL-2.0-or-later
// The settings of an export or an attachment: from the command line, from a configuration file, or
// as the kernel reports them.
#pragma once

#include "base/disk_name.h"
#include "base/prefix.h"
#include "base/result.h"
#include "base/socket_address.h"
#include "base/uuid.h"

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
    std::vector<Prefix> allow; // empty: every address
    bool allow_any = false;    // an administrator has allowed every address
    std::string key_file;      // empty: no key
    std::optional<Uuid> identity;
    std::optional<Uuid> ledger; // UUID of the ledger of owners, which the first export makes
    // Folder of the ledger's files; empty: where they are now, or the default.
    std::string state_folder;
    std::uint32_t takeover_after = 0; // seconds, for an exclusive export; 0: never

    // Returns true if the export has a ledger of owners in files: it can be written, and its
    // content survives a reboot.
    bool keeps_ledger() const { return backend != Backend::ram && !read_only; }
};

struct AttachmentSettings {
    DiskName disk;
    std::optional<std::uint16_t> queues;
    std::optional<std::uint16_t> poll_queues;
    std::optional<std::uint16_t> depth;
    std::optional<std::uint32_t> io_timeout; // seconds; 0: no limit
    std::optional<std::uint32_t> fast_fail;  // seconds, or CW_FAST_FAIL_OFF
    std::string key_file;
    std::optional<Uuid> host; // UUID of this machine, if not the one derived from its machine ID
};

// A rule for NFS: mounts of servers in this network connect from these local addresses.
struct NfsRule {
    Prefix network;
    std::vector<SocketAddress> from; // addresses of the network's family, with port 0

    bool operator==(const NfsRule &) const = default;
};

inline constexpr std::size_t most_rule_addresses = CW_NFS_SOURCES;
inline constexpr std::uint64_t most_queues = 256;
inline constexpr std::uint64_t most_depth = 1024;
inline constexpr std::uint64_t longest_io_timeout = 86400;
inline constexpr std::uint64_t longest_fast_fail = 86400;
inline constexpr std::uint64_t longest_takeover = 31536000; // seconds: a year

// Returns the path of a folder in the form that is compared and stored: without "." and "..", and
// without a trailing slash. Does not read the file system.
std::string plain_folder(const std::string &path);

// Returns an error (usage) if --takeover-after does not fit the other settings. @subject is the
// name of the setting, for the error.
Result<void> check_takeover(const ExportSettings &settings, std::string_view subject);

// Parses "off" or a number of seconds. @subject is the name of the setting, for the error.
Result<std::uint32_t> parse_fast_fail(std::string_view subject, std::string_view text);
// Returns "off" or the number of seconds.
std::string fast_fail_text(std::uint32_t fast_fail);

// Parses the UUID of a host, which must not be nil. @subject is the name of the setting, for the
// error.
Result<Uuid> parse_host_uuid(std::string_view subject, std::string_view text);

// Returns an error (usage) unless the rule has 1 to most_rule_addresses addresses, all of its
// network's family and each once.
Result<void> check_rule(const NfsRule &rule);

// Returns one phrase for each setting that differs, such as "the size is 512M, not 1G". An optional
// setting that is missing in @wanted never differs, and neither does an empty state folder. The
// order of allowed networks does not matter.
std::vector<std::string> differences(const ExportSettings &there, const ExportSettings &wanted);
std::vector<std::string> differences(const AttachmentSettings &there,
                                     const AttachmentSettings &wanted);

} // namespace causeway
