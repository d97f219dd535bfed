// SPDX-License-Identifier: GPL-2.0-or-later
// The paths of the command's files. A test moves /etc, /run and /var/lib below a root of its own.
#pragma once

#include <filesystem>
#include <string>

namespace causeway {

class Places {
  public:
    Places() = default;
    explicit Places(std::filesystem::path root) : root_(std::move(root)) {}

    std::filesystem::path exports() const { return root_ / "etc/causeway/exports.d"; }
    std::filesystem::path attachments() const { return root_ / "etc/causeway/attachments.d"; }
    // Exports and attachments of stock transports: the persistent ones in /etc, those that end with
    // the next reboot in /run.
    std::filesystem::path stock_exports() const { return root_ / "etc/causeway/stock-exports.d"; }
    std::filesystem::path stock_attachments() const {
        return root_ / "etc/causeway/stock-attachments.d";
    }
    std::filesystem::path stock_running_exports() const {
        return root_ / "run/causeway/stock-exports";
    }
    std::filesystem::path stock_running_attachments() const {
        return root_ / "run/causeway/stock-attachments";
    }
    // The locks under which disks of stock transports are attached and detached.
    std::filesystem::path stock_locks() const { return root_ / "run/causeway/attaching"; }
    // A file for each record in the database of open-iscsi that Causeway made. The database
    // outlives a reboot, and so do these files.
    std::filesystem::path iscsi_records() const { return root_ / "var/lib/causeway/iscsi-records"; }
    std::filesystem::path nfs_rules() const { return root_ / "etc/causeway/nfs-rules.d"; }
    std::filesystem::path modprobe() const { return root_ / "etc/modprobe.d/causeway-nfs.conf"; }
    std::filesystem::path nfs_conf() const { return root_ / "etc/nfs.conf.d/causeway.conf"; }
    std::filesystem::path nfs_exports() const { return root_ / "etc/exports.d"; }
    std::filesystem::path units() const { return root_ / "etc/systemd/system"; }
    std::filesystem::path systemd() const { return root_ / "run/systemd/system"; }
    std::filesystem::path nfs_mounts() const { return root_ / "run/causeway/nfs"; }
    std::filesystem::path machine_id() const { return root_ / "etc/machine-id"; }
    // The addresses of this machine at which clients can reach its exports.
    std::filesystem::path addresses() const { return root_ / "etc/causeway/addresses"; }
    std::filesystem::path server_settings() const { return root_ / "etc/causeway/server.conf"; }
    std::filesystem::path instance() const { return root_ / "var/lib/causeway/instance"; }
    std::filesystem::path host() const { return root_ / "var/lib/causeway/host"; }
    // The ledgers of exported disks, and the records of those that are in other folders.
    std::filesystem::path owners() const { return root_ / "var/lib/causeway/owners"; }
    std::filesystem::path journal() const { return root_ / "var/lib/causeway/journal"; }
    // Drop-ins of the verbs that set up the host: limits(5), modules, udev.
    std::filesystem::path memlock() const {
        return root_ / "etc/security/limits.d/causeway-memlock.conf";
    }
    std::filesystem::path modules_load() const {
        return root_ / "etc/modules-load.d/causeway.conf";
    }
    std::filesystem::path rdma_modules() const { return root_ / "etc/rdma/modules/causeway.conf"; }
    std::filesystem::path ipoib_names() const {
        return root_ / "etc/udev/rules.d/70-causeway-ipoib.rules";
    }
    std::filesystem::path rdma_names() const {
        return root_ / "etc/udev/rules.d/59-causeway-rdma-names.rules";
    }
    // The ports that must be open in nftables.
    std::filesystem::path firewall_ports() const { return root_ / "etc/causeway/firewall.ports"; }
    // The requested settings of network interfaces, and the folders of the network managers.
    std::filesystem::path interfaces() const { return root_ / "etc/causeway/interfaces.d"; }
    std::filesystem::path network_manager() const {
        return root_ / "etc/NetworkManager/system-connections";
    }
    std::filesystem::path network_scripts() const {
        return root_ / "etc/sysconfig/network-scripts";
    }
    std::filesystem::path networkd() const { return root_ / "etc/systemd/network"; }
    std::filesystem::path ifupdown() const { return root_ / "etc/network"; }
    // Settings of opensm, and the folders that its packages read by default.
    std::filesystem::path opensm_environment() const { return root_ / "etc/causeway/opensm.env"; }
    std::filesystem::path opensm_settings() const { return root_ / "etc/causeway/opensm.conf"; }
    std::filesystem::path partitions() const { return root_ / "etc/causeway/partitions.conf"; }
    std::filesystem::path opensm() const { return root_ / "etc/opensm"; }
    std::filesystem::path rdma() const { return root_ / "etc/rdma"; }
    std::filesystem::path udev_rules() const { return root_ / "etc/udev/rules.d"; }
    std::filesystem::path mlx4_options() const {
        return root_ / "etc/modprobe.d/causeway-mlx4.conf";
    }
    std::filesystem::path sysctl(const std::string &name) const {
        return root_ / ("etc/sysctl.d/90-causeway-" + name + ".conf");
    }
    // Files of other programs, which Causeway only reads.
    std::filesystem::path of_others(const std::string &path) const { return root_ / path; }
    // The folder of the units of packages.
    std::filesystem::path vendor_units() const { return root_ / "lib/systemd/system"; }
    std::filesystem::path lock() const { return root_ / "var/lib/causeway/lock"; }
    // The locks of attached disks (attachment_lock()).
    std::filesystem::path attachment_locks() const { return root_ / "run/causeway/attachments"; }
    // The lock of the exports of NFS.
    std::filesystem::path nfs_exports_lock() const {
        return root_ / "run/causeway/nfs-exports.lock";
    }

  private:
    std::filesystem::path root_ = "/";
};

} // namespace causeway
