// SPDX-License-Identifier: GPL-2.0-or-later
// The options of an NFS mount by RDMA or TCP: those that Causeway handles and those for mount.nfs.
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
    std::vector<std::string> passed; // passed to mount.nfs unchanged
    std::uint16_t rdma_port = nfs_rdma_port;
    std::optional<std::uint16_t> tcp_port; // none: mount.nfs finds it
    bool require_rdma = false;
    bool ipv6_only = false;                               // proto=rdma6
    std::chrono::seconds rdma_limit = default_rdma_limit; // for an attempt by RDMA
    // The options retry and bg of nfs(5). Causeway itself retries: it makes mount.nfs try once and
    // stay in the foreground, because a failure in the background would not be noticed.
    std::optional<std::chrono::minutes> retry;
    bool background = false;
    bool remount = false; // "mount -o remount": changes a mount and mounts nothing

    // The options as they were typed, in the form that parse_nfs_options() reads.
    std::string text() const;
    bool has(std::string_view name) const; // among the passed options
};

// Parses options such as "ro,vers=4.2,port=20050,tcp-port=2049,require=rdma,rdma-timeout=30".
// Refuses an explicit transport unless it is RDMA, which is tried first anyway. The netid "rdma6"
// uses only IPv6 addresses; "rdma" uses the addresses that the server has, IPv4 first.
Result<NfsOptions> parse_nfs_options(std::string_view text);

// The options with which the mount could be made again, without those that the kernel added.
NfsOptions options_of_mount(const NfsMount &mount);

// Returns true if a mount whose options the kernel shows as @shown was not made with these options.
// An option that the kernel does not show, or adds itself, contradicts nothing.
bool contradicts(const NfsOptions &typed, const NfsOptions &shown);

// Returns true if both have the same options, in whatever order.
bool same_options(NfsOptions one, NfsOptions other);

// How long to retry if "retry" is not given.
inline constexpr std::chrono::minutes foreground_patience{2};
inline constexpr std::chrono::minutes background_patience{10000};

// The options for mount.nfs. @netid: rdma, rdma6, tcp, tcp6.
std::string attempt_options(const NfsOptions &options, std::string_view netid);

// The options for "mount -o remount", which must name the present transport and port.
std::string remount_options(const NfsOptions &options, const NfsMount &mount);

// The source of a mount: SERVER:PATH.
struct NfsSource {
    std::string server; // without brackets
    std::string path;   // absolute

    std::string text() const; // with brackets around an IPv6 address
};
Result<NfsSource> parse_nfs_source(std::string_view text);

} // namespace causeway
