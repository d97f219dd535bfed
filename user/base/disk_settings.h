// SPDX-License-Identifier: GPL-2.0-or-later
// What an administrator says about an export or an attachment: on the command line, in a drop-in,
// and as the kernel tells it back.
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

// "device", "file", "ram".
std::string backend_text(Backend backend);

struct ExportSettings {
    std::string name;
    Backend backend = Backend::device;
    std::string path;       // device and file: absolute
    std::uint64_t size = 0; // ram: bytes
    bool read_only = false;
    bool exclusive = false;
    bool write_through = false;
    std::vector<Prefix> allow; // empty: every address
    bool allow_any = false;    // an administrator said that every address may attach
    std::string key_file;      // empty: no key
    std::optional<Uuid> identity;
    std::optional<Uuid> ledger; // of owners: made when the disk is exported first
    std::string state_folder;   // with the ledger's files; empty: where they are, or the default
    std::uint32_t takeover_after = 0; // seconds, of an exclusive export; 0: never

    // The export has a ledger of owners in files: it may be written, and its content lasts.
    bool keeps_ledger() const { return backend != Backend::ram && !read_only; }
};

struct AttachmentSettings {
    DiskName disk;
    std::optional<std::uint16_t> queues;
    std::optional<std::uint16_t> poll_queues;
    std::optional<std::uint16_t> depth;
    std::optional<std::uint32_t> io_timeout; // seconds, 0 for ever
    std::optional<std::uint32_t> fast_fail;  // seconds, or CW_FAST_FAIL_OFF
    std::string key_file;
    std::optional<Uuid> host; // of this machine, where it is not the one of its machine ID
};

// NFS mounts of servers in a network connect from these local addresses.
struct NfsRule {
    Prefix network;
    std::vector<SocketAddress> from; // of the network's family, port 0

    bool operator==(const NfsRule &) const = default;
};

inline constexpr std::size_t most_rule_addresses = CW_NFS_SOURCES;
inline constexpr std::uint64_t most_queues = 256;
inline constexpr std::uint64_t most_depth = 1024;
inline constexpr std::uint64_t longest_io_timeout = 86400;
inline constexpr std::uint64_t longest_fast_fail = 86400;
inline constexpr std::uint64_t longest_takeover = 31536000; // a year

// The path of a folder as it is compared and kept: without "." and "..", and without a slash at its
// end.
std::string plain_folder(const std::string &path);

// --takeover-after fits the other settings; @subject is how the setting was given.
Result<void> check_takeover(const ExportSettings &settings, std::string_view subject);

// "off" or seconds; @subject is what the text was given for.
Result<std::uint32_t> parse_fast_fail(std::string_view subject, std::string_view text);
std::string fast_fail_text(std::uint32_t fast_fail);

// The UUID of a host, which is not nil; @subject is what the text was given for.
Result<Uuid> parse_host_uuid(std::string_view subject, std::string_view text);

// The rule has 1 to most_rule_addresses addresses of its network's family, each once.
Result<void> check_rule(const NfsRule &rule);

// One phrase for each setting in which there and wanted are not the same: "size is 512M, not 1G".
// An identity or a link count that is not asked for never differs; the order of allowed networks
// does not matter.
std::vector<std::string> differences(const ExportSettings &there, const ExportSettings &wanted);
std::vector<std::string> differences(const AttachmentSettings &there,
                                     const AttachmentSettings &wanted);

} // namespace causeway
