// SPDX-License-Identifier: GPL-2.0-or-later
// A host with the two ports of an mlx4_0 of InfiniBand, and with opensm as Debian packages it.
#pragma once

#include "fixture.h"

namespace causeway {

inline constexpr const char *subnet_header =
    "# Written by \"causeway sm\"; \"causeway undo\" takes it back.\n";

class SubnetHost : public CommandTest {
  protected:
    static constexpr const char *guid_1 = "0x0002c90300101234";
    static constexpr const char *guid_2 = "0x0002c90300101235";
    static constexpr const char *shared_line =
        "partition_config_file /etc/causeway/partitions.conf\n";

    void SetUp() override {
        port("1", "1234", "4: ACTIVE", "0x1", "0x1");
        port("2", "1235", "2: INIT", "0x0", "0x0");
        rdma.put("mlx4_0", "node_type", "1: CA");
        std::filesystem::create_directories(root / "run/systemd/system");
        write_file(root / "lib/systemd/system/opensm.service", "");
        write_file(root / "lib/systemd/system/opensm@.service", "");
        runs(false);
    }

    void port(const std::string &number, const std::string &guid, const std::string &state,
              const std::string &lid, const std::string &sm_lid) {
        const std::string folder = "ports/" + number + "/";
        rdma.put("mlx4_0", folder + "gids/0", "fe80:0000:0000:0000:0002:c903:0010:" + guid);
        rdma.put("mlx4_0", folder + "link_layer", "InfiniBand");
        rdma.put("mlx4_0", folder + "rate", "40 Gb/sec (4X QDR)");
        rdma.put("mlx4_0", folder + "state", state);
        rdma.put("mlx4_0", folder + "lid", lid);
        rdma.put("mlx4_0", folder + "sm_lid", sm_lid);
    }

    // Says whether units run: all of them, or one.
    void runs(bool does, const std::string &unit = "") {
        processes.acts["systemctl is-active --quiet " + unit] = [does] {
            return FakeProcesses::failure("", does ? 0 : 3);
        };
    }

    // Enables opensm on both ports, and forgets the programs that ran.
    void enable() {
        ASSERT_EQ(run({"sm", "enable"}), 0) << err();
        runs(true);
        processes.log.clear();
    }

    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
    std::filesystem::path partitions() const { return root / "etc/causeway/partitions.conf"; }
    std::filesystem::path settings() const { return root / "etc/causeway/opensm.conf"; }
    std::filesystem::path of_port(const std::string &name) const {
        return root / ("etc/causeway/opensm.d/" + name);
    }
};

} // namespace causeway
