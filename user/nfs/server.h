// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's NFS server: what it listens on, who its clients are, and the drop-ins that tell
// exportfs and rpc.nfsd what to serve.
#pragma once

#include "base/prefix.h"
#include "base/result.h"
#include "machine/kernel_files.h"

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

// A comment in the drop-in of a folder that every host may mount because "--allow any" was given.
inline constexpr std::string_view allow_any_comment = "# allow any";

// One line for exports(5) below comments.
std::string exports_text(const ServeSettings &settings);
// The same drop-in with that comment, below the line that says who wrote it.
std::string with_allow_any(std::string_view text);
// The same drop-in with an fsid in all its options; with none as it is.
std::string with_fsid(std::string_view text, const std::string &fsid);
// The fsid that we gave to such an export, a UUID; empty where there is none.
std::string fsid_of_exports(std::string_view text);
// The line without the comments and without its fsid, to compare and to show.
std::string exports_line(std::string_view text);

struct ExportedTo {
    std::string hosts;   // "10.0.0.0/24", "fd00::/64", "*"
    std::string options; // "rw,sync,no_subtree_check"
};
// A line of exports(5), its path without quotes and escapes.
struct ExportedFolder {
    std::string path;
    std::vector<ExportedTo> to;
};
// All lines of a file of exports(5), or of the table that exportfs keeps. The options of "-rw,sync"
// stand in front of those of each host behind it: of two that exclude each other the last counts.
// A line without hosts is for all of them.
std::vector<ExportedFolder> exported_folders(std::string_view text);

// What fsid= says in options of exports(5), the last one where there are several: "0", "root",
// "0x11", a UUID. Empty where there is none.
std::string fsid_of_options(std::string_view options);
// Both are the same to exportfs, which takes "root" for 0 and reads numbers of any base and UUIDs
// of any spelling; or both are empty.
bool same_fsid(const std::string &left, const std::string &right);
// "root" or a number, which alone names a folder to a client. With a UUID nfsd also says which
// inode of the file system is meant.
bool is_fsid_number(const std::string &fsid);

// Every host may mount it, and the comment that says that this is meant is missing.
bool is_open_unmarked(std::string_view text);

// The drop-in of nfs.conf(5) by which rpc.nfsd listens by RDMA.
std::string nfs_conf_text(std::uint16_t port);
std::optional<std::uint16_t> port_of_nfs_conf(std::string_view text);

} // namespace causeway
