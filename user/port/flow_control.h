// SPDX-License-Identifier: GPL-2.0-or-later
// Priority flow control (IEEE 802.1Qbb) of the interfaces that carry RoCE, and the priorities that
// they give to DSCPs.
#pragma once

#include "base/result.h"
#include "machine/world.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace causeway {

inline constexpr unsigned int priority_count = 8;
inline constexpr unsigned int dscp_count = 64;

using Priorities = std::vector<unsigned int>; // ascending
// DSCP and priority. dcb may have several entries of one DSCP.
using DscpEntries = std::set<std::pair<unsigned int, unsigned int>>;

struct FlowControl {
    std::string netdev;
    std::string device;
    std::string node_guid; // of the RDMA device
    std::string driver;    // of the network interface: "mlx5_core"
    std::string source;    // "dcb", "mlx4_en"; empty: unknown
    Priorities on;
    DscpEntries dscp; // from dcb only
    std::string why_not;
    bool software = false; // of Soft-RoCE or Soft-iWARP

    bool is_mlx4() const { return driver.compare(0, 4, "mlx4") == 0; }
};

// Parses words from the command line: numbers from 0 to 7, or "none" alone.
Result<Priorities> parse_priorities(const std::vector<std::string> &typed);

// Returns one entry for each interface that carries RoCE.
std::vector<FlowControl> flow_controls(World &world);

// Returns the entries of one interface; none if dcb does not report them.
std::optional<DscpEntries> dscp_entries(World &world, const std::string &netdev);

// Returns the priorities whose bits are set.
Priorities bits_of(unsigned long mask);

// The options of mlx4_en, as the running module has them. Empty: it is not loaded.
std::string mlx4_sent(KernelFiles &files);
std::string mlx4_received(KernelFiles &files);

// Pure parsers of the output of "dcb pfc show" and "dcb -N app show dscp-prio".
Priorities parse_dcb_pfc(const std::string &text);
DscpEntries parse_dcb_dscp(const std::string &text);

} // namespace causeway
