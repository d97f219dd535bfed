// SPDX-License-Identifier: GPL-2.0-or-later
// A host in memory with an mlx4_0 of InfiniBand, an mlx5_0 of RoCE on eth1, and Soft-RoCE on eth0.
#pragma once

#include "fixture.h"

namespace causeway {

class PortHost : public CommandTest {
  protected:
    void SetUp() override {
        device("mlx4_0", "InfiniBand");
        device("mlx5_0", "Ethernet");
        rdma.put("mlx5_0", "ports/1/gid_attrs/types/0", "IB/RoCE v1");
        rdma.put("mlx5_0", "ports/1/gids/1", "fe80:0000:0000:0000:0002:c903:0010:1234");
        rdma.put("mlx5_0", "ports/1/gid_attrs/types/1", "RoCE v2");
        rdma.put("mlx5_0", "ports/1/gid_attrs/ndevs/0", "eth1");
        ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
        std::filesystem::create_directories(root / "run/systemd/system");
    }

    void device(const std::string &name, const std::string &link) {
        rdma.put(name, "node_type", "1: CA");
        rdma.put(name, "node_guid", "0002:c903:0010:1200");
        rdma.put(name, "ports/1/link_layer", link);
        rdma.put(name, "ports/1/phys_state", "5: LinkUp");
        rdma.put(name, "ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:0010:1234");
        rdma.put(name, "device/uevent",
                 "DRIVER=" + name.substr(0, 4) + "_core\nPCI_SLOT_NAME=0000:03:00.0");
    }

    // Behaves like configfs: a new folder has its files at once.
    void serve_configfs(const std::string &name, const std::string &mode) {
        processes.acts["mkdir -p /sys/kernel/config/rdma_cm/" + name] = [this, name, mode] {
            files.content["/sys/kernel/config/rdma_cm/" + name + "/ports/1/default_roce_mode"] =
                mode + "\n";
            return ProcessEnd();
        };
    }
    std::string roce_mode(const std::string &name) {
        return files.content["/sys/kernel/config/rdma_cm/" + name + "/ports/1/default_roce_mode"];
    }
    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
    std::string rule(const std::string &name) const {
        return read_file(root / ("etc/udev/rules.d/" + name + ".rules"));
    }
};

} // namespace causeway
