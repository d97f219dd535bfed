// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's NFS server: its ports, its clients, and the drop-ins that configure exportfs and
// rpc.nfsd.
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

// Returns each port once, although nfsd has a listener for IPv4 and one for IPv6. Returns none if
// nfsd does not run.
Result<std::vector<NfsdPort>> nfsd_ports(KernelFiles &files);
// Returns true if nfsd has threads.
Result<bool> nfsd_runs(KernelFiles &files);

// A client of NFS version 4, as nfsd reports it.
struct NfsdClient {
    std::string address; // "10.0.0.2"
    bool rdma = false;   // nfsd reports port 0, as it does for RDMA but not for TCP
    std::string name;    // that the client gave itself
    std::string version; // "4.2"
};
Result<std::vector<NfsdClient>> nfsd_clients(KernelFiles &files);

struct ServeSettings {
    std::string path;       // absolute
    std::vector<Prefix> to; // empty: everyone
    bool read_only = false;
    std::string options; // more export options, as exports(5) has them
    std::string fsid;    // added to the options; empty: not needed
};

// A comment in the drop-in of a folder that every host may mount because "--allow any" was given.
inline constexpr std::string_view allow_any_comment = "# allow any";

// Returns the drop-in of exports(5): comments and one line.
std::string exports_text(const ServeSettings &settings);
// Returns the drop-in @text with allow_any_comment below its first comment.
std::string with_allow_any(std::string_view text);
// Returns the drop-in @text with the fsid in the options of each host; unchanged if @fsid is empty.
std::string with_fsid(std::string_view text, const std::string &fsid);
// Returns the fsid in the drop-in that is a UUID, as Causeway adds it; empty if there is none.
std::string fsid_of_exports(std::string_view text);
// Returns the drop-in's line without that fsid, to compare and to show.
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
// Returns all lines of a file of exports(5), or of the table that exportfs keeps. Default options
// such as "-rw,sync" are put before the options of each following host, because the last of two
// contradicting options counts. A line without hosts is for every host.
std::vector<ExportedFolder> exported_folders(std::string_view text);

// Returns the value of fsid= in options of exports(5), of the last one if there are several: "0",
// "root", "0x11", a UUID. Empty if there is none.
std::string fsid_of_options(std::string_view options);
// Returns true if exportfs treats both as the same fsid, or both are empty. To exportfs "root" is
// 0, and the base of a number and the spelling of a UUID do not matter.
bool same_fsid(const std::string &left, const std::string &right);
// Returns true for "root" or a number. Such an fsid alone identifies a folder to a client. To a
// UUID nfsd adds the inode of the folder, unless it is the root of its file system.
bool is_fsid_number(const std::string &fsid);

// Returns true if the drop-in exports a folder to every host and has no allow_any_comment.
bool is_open_unmarked(std::string_view text);

// Returns the drop-in of nfs.conf(5) with which rpc.nfsd listens by RDMA on this port.
std::string nfs_conf_text(std::uint16_t port);
std::optional<std::uint16_t> port_of_nfs_conf(std::string_view text);

} // namespace causeway
