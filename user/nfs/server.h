// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's NFS server: what it listens on, who its clients are, and the drop-ins that tell
// exportfs and rpc.nfsd what to serve.
#pragma once

#include "base/result.h"
#include "host/prefix.h"
#include "kernel/files.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

inline constexpr const char *nfsd_portlist = "/proc/fs/nfsd/portlist";

struct NfsdPort {
    std::string transport; // "rdma", "tcp", "udp"
    std::uint16_t port = 0;

    bool is_rdma() const { return transport == "rdma"; }
    bool operator==(const NfsdPort &) const = default;
};

// Each once, though nfsd has a listener for IPv4 and one for IPv6. Empty where nfsd does not run.
Result<std::vector<NfsdPort>> nfsd_ports(KernelFiles &files);
// nfsd has threads.
Result<bool> nfsd_runs(KernelFiles &files);

// A client of NFS version 4, as nfsd tells.
struct NfsdClient {
    std::string address; // "10.0.0.2"
    bool rdma = false;   // its port is 0: the transport hides it, TCP does not
    std::string name;    // what the client calls itself
    std::string version; // "4.2"
};
Result<std::vector<NfsdClient>> nfsd_clients(KernelFiles &files);

struct ServeSettings {
    std::string path;       // absolute
    std::vector<Prefix> to; // empty: everyone
    bool read_only = false;
    std::string options; // more export options, as exports(5) has them
    std::string fsid;    // empty: the file system has an identity of its own
};

// One line for exports(5) below a comment.
std::string exports_text(const ServeSettings &settings);
// The fsid that we gave to such an export, a UUID; empty where there is none.
std::string fsid_of_exports(std::string_view text);
// The line without its comment and its fsid, to compare and to show.
std::string exports_line(std::string_view text);

// The drop-in of nfs.conf(5) by which rpc.nfsd listens by RDMA.
std::string nfs_conf_text(std::uint16_t port);
std::optional<std::uint16_t> port_of_nfs_conf(std::string_view text);

} // namespace causeway
