// SPDX-License-Identifier: GPL-2.0-or-later
// The IP over InfiniBand interfaces of this machine, from /sys/class/net. For a child made by
// netlink, sysfs does not show mode, P_Key and parent; ip(8) reports them.
#pragma once

#include "machine/kernel_files.h"
#include "machine/processes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// RFC 4391: flags and queue pair (4 bytes), subnet prefix (8), port GUID (8).
inline constexpr std::size_t ipoib_address_text = 20 * 3 - 1;

struct IpoibInterface {
    std::string name;
    std::string address; // "80:00:02:08:fe:80:..."
    std::string mode;    // "datagram", "connected"; empty: unknown
    unsigned int mtu = 0;
    std::string pkey; // "0xffff"
    bool up = false;
    // The first byte of the address shows whether the device supports connected mode.
    bool can_connect = false;
    std::string parent; // for a child
    // The mode cannot be set in sysfs, only by "ip link set ... type ipoib mode".
    bool mode_by_netlink = false;
};

// Returns the folder of an interface in /sys.
std::string net_folder(const std::string &interface);

std::vector<IpoibInterface> ipoib_interfaces(KernelFiles &files, Processes &processes);

// Returns an error that lists the IPoIB interfaces if the named one is not an IPoIB interface.
Result<IpoibInterface> find_ipoib(KernelFiles &files, Processes &processes,
                                  const std::string &name);

// The RDMA device and port under an interface, identified by the port GUID.
struct IpoibPort {
    std::string device;
    unsigned int port = 0;

    std::string folder() const; // the port's folder in /sys
};
std::optional<IpoibPort> ipoib_port(KernelFiles &files, const IpoibInterface &interface);

// Returns the P_Keys that the subnet manager gave to a port, in the order of its table, without
// empty entries.
std::vector<std::uint16_t> port_pkeys(KernelFiles &files, const IpoibPort &port);

// Returns the last eight bytes of the address, the only ones that never change:
// "00:02:c9:03:00:10:12:34".
std::string port_guid_of(const std::string &address);

} // namespace causeway
