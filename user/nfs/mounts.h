// SPDX-License-Identifier: GPL-2.0-or-later
// The NFS mounts of this machine, as the kernel reports them.
#pragma once

#include "base/result.h"
#include "machine/kernel_files.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct NfsMount {
    std::string source;    // "server:/srv/home"
    std::string directory; // where it is mounted
    std::string flags;     // of the mount: "rw,relatime"
    std::string options;   // of the file system: "rw,vers=4.2,proto=rdma,port=20049,..."

    std::string id;     // of the mount
    std::string device; // of the file system, "0:41"; both are reused after umount

    // From the options:
    std::string version;        // "3", "4.2"
    std::string address;        // of the server
    std::uint8_t transport = 0; // enum cw_transport
    std::uint16_t port = 0;     // 0: unknown

    // From /proc/self/mountstats; none if it has no such value:
    std::uint32_t connections = 0;
    std::optional<std::uint64_t> connects;   // times that the connections were made
    std::optional<std::uint64_t> sent;       // calls that were sent
    std::optional<std::chrono::seconds> age; // since the mount was made

    std::string server() const; // "server"
};

// The value of "name=..." in a list of options; empty if the name is not there.
std::string option_value(std::string_view options, std::string_view name);

// @mountinfo: see proc(5). Of several mounts on one folder, returns the visible one.
std::vector<NfsMount> parse_mountinfo(std::string_view mountinfo);
// Adds the values of mountstats to the mounts.
void add_mountstats(std::string_view mountstats, std::vector<NfsMount> &mounts);

Result<std::vector<NfsMount>> nfs_mounts(KernelFiles &files);

// The file system that is mounted on a folder: NFS or another one.
struct MountedOn {
    std::optional<NfsMount> nfs;
    std::string other; // the source of another file system; empty if nothing is mounted
};
Result<MountedOn> mounted_on(KernelFiles &files, const std::string &directory);

} // namespace causeway
