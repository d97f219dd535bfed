// SPDX-License-Identifier: GPL-2.0-or-later
// The client's side of a stock transport: nvme-cli, open-iscsi, ib_srp. Each says how to find what
// a server offers, how to connect and how to end it, and what /sys shows of it.
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
    std::string state;                // in the kernel's word: "live", "LOGGED_IN", "running"
    std::vector<std::string> disks{}; // "nvme0n1", "sda"
};

// The name of the target that discovery shows for this export: the one that ends in ":NAME".
Result<std::string> choose_target(const StockAttachment &settings,
                                  const std::vector<std::string> &offered);

// What a transport needs to be there: kernel modules in the order to load them, programs.
std::vector<std::string> initiator_modules(Via via);
Result<void> check_initiator_tools(World &world, Via via);

// Each takes settings whose target is known; the address has the port.
// nvme_initiator.cpp
Result<std::vector<std::string>> discover_nvme(World &world, const SocketAddress &portal);
Result<void> connect_nvme(World &world, const StockAttachment &settings,
                          const SocketAddress &portal);
Result<void> disconnect_nvme(World &world, const StockAttachment &settings);
std::optional<StockConnection> find_nvme(KernelFiles &files, const StockAttachment &settings);
// The names of subsystems in what "nvme discover -o json" prints.
std::vector<std::string> parse_nvme_discovery(const std::string &text);

// iscsi_initiator.cpp: iSCSI and iSER
Result<std::vector<std::string>> discover_iscsi(World &world, const SocketAddress &portal);
Result<void> connect_iscsi(World &world, const StockAttachment &settings,
                           const SocketAddress &portal);
Result<void> disconnect_iscsi(World &world, const StockAttachment &settings);
std::optional<StockConnection> find_iscsi(KernelFiles &files, const StockAttachment &settings);
// The targets in the lines "ADDRESS:PORT,GROUP NAME" that iscsiadm prints.
std::vector<std::string> parse_iscsi_discovery(const std::string &text);

// srp_initiator.cpp. Connecting gives the SCSI host, which stands for the connection from then on.
Result<std::string> connect_srp(World &world, const StockAttachment &settings,
                                const SocketAddress &portal);
Result<void> disconnect_srp(World &world, const StockAttachment &settings);
std::optional<StockConnection> find_srp(KernelFiles &files, const StockAttachment &settings);

// Disks of a SCSI target, by the start of their addresses: "7:0:0:".
std::vector<std::string> scsi_disks(KernelFiles &files, const std::string &start);

} // namespace causeway
