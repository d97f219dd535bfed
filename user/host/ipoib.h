// SPDX-License-Identifier: GPL-2.0-or-later
// The IP over InfiniBand interfaces of this machine, as /sys/class/net shows them. Of a child that
// was made by netlink it keeps mode, P_Key and parent to itself: ip(8) tells them.
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
    std::string mode;    // "datagram", "connected"; empty where nobody says
    unsigned int mtu = 0;
    std::string pkey; // "0xffff"
    bool up = false;
    // What the kernel writes into the first byte where the device can do connected mode.
    bool can_connect = false;
    std::string parent; // of a child
    // sysfs has no place to set its mode; "ip link set ... type ipoib mode" does it.
    bool mode_by_netlink = false;
};

std::string net_folder(const std::string &interface);

std::vector<IpoibInterface> ipoib_interfaces(KernelFiles &files, Processes &processes);

// An error that says which there are where it is none.
Result<IpoibInterface> find_ipoib(KernelFiles &files, Processes &processes,
                                  const std::string &name);

// The port of an RDMA device that an interface sits on, found by its port GUID.
struct IpoibPort {
    std::string device;
    unsigned int port = 0;

    std::string folder() const; // in /sys
};
std::optional<IpoibPort> ipoib_port(KernelFiles &files, const IpoibInterface &interface);

// The P_Keys that the subnet manager gave to a port, in the order of its table, without empty ones.
std::vector<std::uint16_t> port_pkeys(KernelFiles &files, const IpoibPort &port);

// The last eight bytes of the address, which alone stay the same: "00:02:c9:03:00:10:12:34".
std::string port_guid_of(const std::string &address);

} // namespace causeway
