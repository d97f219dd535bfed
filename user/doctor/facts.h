// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor knows of this machine: gathered once through World, then only read. A finding is a
// function of these facts alone.
#pragma once

#include "change/journal.h"
#include "config/dropins.h"
#include "doctor/firewall.h"
#include "doctor/nfs_facts.h"
#include "host/ipoib.h"
#include "host/rdma_devices.h"
#include "machine/world.h"
#include "nfs/transport.h"
#include "stock/settings.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace causeway {

// The PCI function behind an RDMA device, from its uevent and the link's files; empty where the
// device is software.
struct PciFunction {
    std::string slot;     // "0000:03:00.0"
    std::string driver;   // "mlx5_core"
    std::string id;       // "15B3:1017"
    std::string revision; // "0xa0"
    std::string speed;    // "8.0 GT/s PCIe"
    std::string max_speed;
    unsigned int width = 0; // lanes
    unsigned int max_width = 0;
};

struct PortFacts {
    RdmaPort port;
    std::vector<std::string> pkeys; // "0xffff", those that are set
    std::uint64_t symbol_errors = 0;
    std::uint64_t recoveries = 0;
    std::string roce_mode; // of configfs: "IB/RoCE v1"; empty where nobody has asked

    bool infiniband() const { return port.link_layer == "InfiniBand"; }
    bool roce() const { return port.link_layer == "Ethernet"; }
};

struct DeviceFacts {
    RdmaDevice device;
    PciFunction pci;
    std::vector<PortFacts> ports;
    // The address of this machine at which its connection manager does not answer; Soft-RoCE alone
    // is asked.
    std::string deaf_at;

    bool iwarp() const { return device.node_type == "RNIC"; }
};

struct LocalAddress {
    std::string text;    // "10.0.0.1"
    std::string network; // "10.0.0.0/24"
    bool ipv4 = true;
};

struct NetInterface {
    std::string name;
    unsigned int mtu = 0;
    bool up = false;
    std::vector<LocalAddress> addresses; // of global scope
    unsigned int rp_filter = 0;          // the stricter of "all" and its own
    unsigned int arp_ignore = 0;
    bool tso = false;             // asked of IPoIB only
    std::optional<bool> lossless; // pause frames or PFC; asked where hardware does RoCE
};

// One of Causeway's kernel modules.
struct ModuleFacts {
    bool loaded = false;
    bool installed = false; // modinfo finds it for the running kernel
    std::string kernel;     // for which it was built
    std::string signer;
};

struct SoftUnit {
    std::string netdev;
    std::string type;
    std::string name;
};

// A partition with a number, of a partitions file of opensm.
struct PartitionLine {
    std::string file;
    unsigned int pkey = 0; // without the membership bit
    unsigned int rate = 0; // opensm's code; 0: not said
};

// A peer that answers small packets by IP but none as large as the interface's MTU.
struct LostLargePackets {
    std::string peer;
    std::string interface;
    unsigned int mtu = 0;
};

struct Facts {
    std::string kernel; // release
    bool systemd = false;

    std::vector<DeviceFacts> devices;
    std::vector<IpoibInterface> ipoib;
    std::vector<NetInterface> interfaces;
    std::vector<LostLargePackets> lost_large;
    bool ibacm = false; // holds the group of netlink that path queries are sent to

    std::map<std::string, ModuleFacts> modules; // Causeway's
    std::set<std::string> loaded;               // of the others that are asked about
    std::set<std::string> programs;             // of those that fixes name
    bool secure_boot = false;
    std::string keyring; // /proc/keys
    std::vector<std::string> log;

    std::vector<SoftUnit> soft_units;
    bool service_enabled = true; // causeway.service
    bool service_failed = false;
    bool manager_runs = false; // opensm on this machine
    bool manager_enabled = false;
    bool manager_ours = false;                          // causeway sm enable has set it up
    std::map<std::string, std::string> service_memlock; // of services that register memory
    bool memlock_configured = false;
    std::uint64_t memlock = 0; // bytes, of this process; all bits: unlimited
    bool rdma_users = false;   // the group rdma has members
    FirewallSight firewall;
    std::vector<PartitionLine> partitions;
    std::vector<std::string> partition_files;
    std::vector<std::string> full_address_rules;         // udev rules that match all 20 bytes
    std::map<std::string, std::string> connected_config; // interface: file that wants that mode
    bool beegfs = false;
    bool beegfs_rdma_off = false;
    bool beegfs_library = false;
    std::vector<JournalEntry> journal;

    Folder<ExportSettings> exports;
    Folder<AttachmentSettings> attachments;
    Folder<StockExport> stock_files;
    std::map<std::string, std::string> bad_backends; // export: why
    std::map<std::string, Error> bad_ledgers;        // of exports that do not run
    std::map<std::string, std::string> bad_keys;     // drop-in: why
    std::vector<ExportInfo> running_exports;
    std::vector<StockExport> stock_exports; // running or configured
    std::vector<AttachmentInfo> running_attachments;
    std::vector<SessionInfo> sessions;
    std::set<std::string> unlinked; // disks that udev made no link for: "server/name"
    std::map<std::string, std::string> unresolved; // server: why
    NfsFacts nfs;

    std::vector<std::string> unseen; // what could not be asked, and why
};

// Asks the machine; changes nothing. What cannot be asked is in unseen.
Facts gather_facts(World &world);

// The bits of memlock that mean no limit.
inline constexpr std::uint64_t no_limit = ~std::uint64_t{0};

} // namespace causeway
