// SPDX-License-Identifier: GPL-2.0-or-later
// Where the command keeps things. A test moves /etc, /run and /var/lib below a root of its own.
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
    // Of the kernel's own transports: what lasts, and what is there until the next reboot.
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
    std::filesystem::path nfs_rules() const { return root_ / "etc/causeway/nfs-rules.d"; }
    std::filesystem::path modprobe() const { return root_ / "etc/modprobe.d/causeway-nfs.conf"; }
    std::filesystem::path nfs_conf() const { return root_ / "etc/nfs.conf.d/causeway.conf"; }
    std::filesystem::path nfs_exports() const { return root_ / "etc/exports.d"; }
    std::filesystem::path units() const { return root_ / "etc/systemd/system"; }
    std::filesystem::path systemd() const { return root_ / "run/systemd/system"; }
    std::filesystem::path nfs_mounts() const { return root_ / "run/causeway/nfs"; }
    std::filesystem::path machine_id() const { return root_ / "etc/machine-id"; }
    std::filesystem::path instance() const { return root_ / "var/lib/causeway/instance"; }
    std::filesystem::path host() const { return root_ / "var/lib/causeway/host"; }
    std::filesystem::path journal() const { return root_ / "var/lib/causeway/journal"; }
    // Drop-ins of the verbs that set the host up: limits(5), modules, udev.
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
    std::filesystem::path nft_rules() const { return root_ / "etc/causeway/firewall.nft"; }
    // Where packages keep their units.
    std::filesystem::path vendor_units() const { return root_ / "lib/systemd/system"; }
    std::filesystem::path lock() const { return root_ / "var/lib/causeway/lock"; }

  private:
    std::filesystem::path root_ = "/";
};

} // namespace causeway
