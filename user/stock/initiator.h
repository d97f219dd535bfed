// SPDX-License-Identifier: GPL-2.0-or-later
// The client's side of a stock transport: nvme-cli, open-iscsi, ib_srp. For each there are
// functions to discover what a server offers, to connect, to disconnect, and to find the connection
// in /sys.
#pragma once

#include "base/result.h"
#include "machine/world.h"
#include "stock/settings.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// A connection as the kernel shows it.
struct StockConnection {
    std::string handle;               // "nvme0", "session1", "host7"
    std::string state;                // as the kernel writes it: "live", "LOGGED_IN", "running"
    std::vector<std::string> disks{}; // "nvme0n1", "sda"
};

// Returns the one offered target whose name ends in ":NAME", where NAME is the name of the export.
Result<std::string> choose_target(const StockAttachment &settings,
                                  const std::vector<std::string> &offered);

// The requirements of a transport: kernel modules in the order of loading, and programs.
std::vector<std::string> initiator_modules(Via via);
Result<void> check_initiator_tools(World &world, Via via);

// The functions below take settings whose target is known, and an address with a port.
// nvme_initiator.cpp:
Result<std::vector<std::string>> discover_nvme(World &world, const SocketAddress &portal);
Result<void> connect_nvme(World &world, const StockAttachment &settings,
                          const SocketAddress &portal);
Result<void> disconnect_nvme(World &world, const StockAttachment &settings);
std::optional<StockConnection> find_nvme(KernelFiles &files, const StockAttachment &settings);
// The names of the subsystems in the output of "nvme discover -o json".
std::vector<std::string> parse_nvme_discovery(const std::string &text);

// iscsi_initiator.cpp, for iSCSI and iSER:
Result<std::vector<std::string>> discover_iscsi(World &world, const SocketAddress &portal);
Result<void> connect_iscsi(World &world, const StockAttachment &settings,
                           const SocketAddress &portal);
Result<void> disconnect_iscsi(World &world, const StockAttachment &settings);
std::optional<StockConnection> find_iscsi(KernelFiles &files, const StockAttachment &settings);
// The targets in the output of iscsiadm, whose lines have the form "ADDRESS:PORT,GROUP NAME".
std::vector<std::string> parse_iscsi_discovery(const std::string &text);

// srp_initiator.cpp. Connecting returns the name of the SCSI host, which identifies the connection
// afterwards.
Result<std::string> connect_srp(World &world, const StockAttachment &settings,
                                const SocketAddress &portal);
// Returns once the SCSI host is removed; after 30 s an error (try_again).
Result<void> disconnect_srp(World &world, const StockAttachment &settings);
std::optional<StockConnection> find_srp(KernelFiles &files, const StockAttachment &settings);

// The disks of a SCSI target. @start is the start of their SCSI addresses: "7:0:0:".
std::vector<std::string> scsi_disks(KernelFiles &files, const std::string &start);

} // namespace causeway
