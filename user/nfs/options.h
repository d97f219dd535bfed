// SPDX-License-Identifier: GPL-2.0-or-later
// Options of an NFS mount that may go by RDMA or by TCP: which are ours, which are mount.nfs's.
#pragma once

#include "base/result.h"
#include "nfs/mounts.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

inline constexpr std::uint16_t nfs_rdma_port = 20049;
inline constexpr std::uint16_t nfs_tcp_port = 2049;
inline constexpr std::chrono::seconds default_rdma_limit{60};

struct NfsOptions {
    std::vector<std::string> passed; // to mount.nfs as they are
    std::uint16_t rdma_port = nfs_rdma_port;
    std::optional<std::uint16_t> tcp_port; // none: as mount.nfs finds it
    bool require_rdma = false;
    bool ipv6_only = false;                               // proto=rdma6
    std::chrono::seconds rdma_limit = default_rdma_limit; // of the attempt by RDMA
    // As in nfs(5). We retry ourselves: mount.nfs is told to try once, and never goes to the
    // background, where its failure would not be seen.
    std::optional<std::chrono::minutes> retry;
    bool background = false;
    bool remount = false; // "mount -o remount": of what is mounted, nothing is mounted anew

    // As they were typed: what parse_nfs_options() reads back.
    std::string text() const;
    bool has(std::string_view name) const; // among those passed on
};

// "ro,vers=4.2,port=20050,tcp-port=2049,require=rdma,rdma-timeout=30". A transport that is chosen
// by hand is refused unless it is RDMA, which comes first anyway. Of the two netids of RDMA "rdma6"
// takes IPv6 addresses only; "rdma" takes what the server has, IPv4 first.
Result<NfsOptions> parse_nfs_options(std::string_view text);

// The options by which a mount could be made again: what the kernel added is left out.
NfsOptions options_of_mount(const NfsMount &mount);

// How long to retry where "retry" is not given.
inline constexpr std::chrono::minutes foreground_patience{2};
inline constexpr std::chrono::minutes background_patience{10000};

// What mount.nfs is given. netid: rdma, rdma6, tcp, tcp6.
std::string attempt_options(const NfsOptions &options, std::string_view netid);

// The same for "mount -o remount", which must name the transport and the port that are there.
std::string remount_options(const NfsOptions &options, const NfsMount &mount);

// SERVER:PATH.
struct NfsSource {
    std::string server; // without brackets
    std::string path;   // absolute

    std::string text() const; // with brackets where they are needed
};
Result<NfsSource> parse_nfs_source(std::string_view text);

} // namespace causeway
