// SPDX-License-Identifier: GPL-2.0-or-later
// The InfiniBand ports of this machine, on which a subnet manager can run.
#pragma once

#include "base/result.h"
#include "machine/kernel_files.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// The operands of verbs that take ports.
inline constexpr std::string_view manager_operands = "[DEVICE[/PORT]|GUID...]";

struct SubnetPort {
    std::string device;
    unsigned int port = 0;
    std::string guid;   // "0x0002c90300101234"
    std::string prefix; // of the subnet: "0xfe80000000000000"
    std::string state;  // "ACTIVE", "INIT", "DOWN"
    std::string rate;   // "40 Gb/sec (4X QDR)"
    unsigned int lid = 0;
    unsigned int sm_lid = 0; // 0: no subnet manager has been seen

    std::string text() const; // "mlx4_0/1"
    bool managed_elsewhere() const { return sm_lid != 0 && sm_lid != lid; }
};
std::vector<SubnetPort> subnet_ports(KernelFiles &files);

// Returns the ports that "mlx4_0", "mlx4_0/1" or a GUID name; without words all ports.
Result<std::vector<SubnetPort>> choose_ports(const std::vector<SubnetPort> &ports,
                                             const std::vector<std::string> &typed);

// Returns the GUIDs of @enabled that the words name. A GUID need not be of a port that is there.
// Returns an error for a word that names no port, and for a port that is not in @enabled, unless
// @others_too: then the port is left out.
Result<std::vector<std::string>> choose_enabled(const std::vector<SubnetPort> &ports,
                                                const std::vector<std::string> &enabled,
                                                const std::vector<std::string> &typed,
                                                bool others_too = false);

} // namespace causeway
