// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs "port" and "fix", on a host in memory.
#include "port_host.h"

#include <algorithm>
#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class PortVerb : public PortHost {};

/* ---- port ---- */

TEST_F(PortVerb, a_port_that_sleeps_is_woken_now_and_at_boot) {
    rdma.put("mlx4_0", "ports/1/phys_state", "3: Disabled");
    EXPECT_EQ(run({"port", "enable", "mlx4_0"}), 0) << err();
    EXPECT_TRUE(processes.ran("ibportstate -C mlx4_0 -P 1 -D 0 1 enable"));
    EXPECT_NE(rule("65-causeway-port-enable-mlx4_0-1").find("ATTR{ibdev}==\"mlx4_0\""),
              std::string::npos);
    rdma.put("mlx4_0", "ports/1/phys_state", "5: LinkUp");
    EXPECT_EQ(run({"port", "enable", "mlx4_0/1"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: mlx4_0/1 is awake: LinkUp\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(processes.ran("ibportstate -C mlx4_0 -P 1 -D 0 1 disable"));
    EXPECT_EQ(rule("65-causeway-port-enable-mlx4_0-1"), "");
}

TEST_F(PortVerb, a_port_that_slept_stays_awake_after_undo) {
    rdma.put("mlx4_0", "ports/1/phys_state", "1: Sleep");
    EXPECT_EQ(run({"port", "enable", "mlx4_0"}), 0) << err();
    EXPECT_TRUE(processes.ran("ibportstate -C mlx4_0 -P 1 -D 0 1 enable"));
    rdma.put("mlx4_0", "ports/1/phys_state", "5: LinkUp");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(says("mlx4_0/1 stays awake, because no program puts a port to sleep")) << err();
    EXPECT_FALSE(processes.ran("ibportstate -C mlx4_0 -P 1 -D 0 1 disable"));
    EXPECT_EQ(rule("65-causeway-port-enable-mlx4_0-1"), "");
}

TEST_F(PortVerb, a_port_that_is_none_of_infiniband_is_not_woken) {
    EXPECT_EQ(run({"port", "enable", "mlx5_0"}), 69);
    EXPECT_EQ(run({"port", "enable", "mlx4_0/2"}), 69);
    EXPECT_EQ(run({"port", "enable", "mlx4_1"}), 69);
    processes.missing.insert("ibportstate");
    EXPECT_EQ(run({"port", "enable", "mlx4_0"}), 69);
    EXPECT_TRUE(says("apt install infiniband-diags")) << err();
    rdma.put("mlx4_0", "ports/2/link_layer", "InfiniBand");
    EXPECT_EQ(run({"port", "enable", "mlx4_0"}), 64);
    EXPECT_TRUE(says("mlx4_0 has 2 ports\n  name the port: mlx4_0/1")) << err();
}

TEST_F(PortVerb, the_type_of_an_mlx4_port_is_set_by_sysfs) {
    const std::string file = "/sys/class/infiniband/mlx4_0/device/mlx4_port1";
    files.content[file] = "ib\n";
    EXPECT_EQ(run({"port", "type", "mlx4_0", "eth"}), 0) << err();
    EXPECT_EQ(files.content[file], "eth\n");
    EXPECT_NE(rule("65-causeway-port-type-mlx4_0-1")
                  .find("ACTION==\"bind\", SUBSYSTEM==\"pci\", DRIVER==\"mlx4_core\", "
                        "KERNEL==\"0000:03:00.0\", ATTR{mlx4_port1}=\"eth\"\n"),
              std::string::npos);
    EXPECT_EQ(run({"port", "type", "mlx4_0", "eth"}), 0);
    EXPECT_EQ(out(), "nothing to do: mlx4_0/1 is of type eth already, now and at boot\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(files.content[file], "ib\n");
}

TEST_F(PortVerb, a_port_is_disabled_now_and_at_boot) {
    EXPECT_EQ(run({"port", "disable", "mlx4_0", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("run ibportstate -C mlx4_0 -P 1 -D 0 1 disable\n"), std::string::npos)
        << out();
    EXPECT_FALSE(processes.ran("ibportstate"));
    EXPECT_EQ(run({"port", "disable", "mlx4_0"}), 0) << err();
    EXPECT_TRUE(processes.ran("ibportstate -C mlx4_0 -P 1 -D 0 1 disable"));
    const fs::path unit = root / "etc/systemd/system/causeway-port@mlx4_0\\x2d1.service";
    EXPECT_NE(
        read_file(unit).find("ExecStart=/usr/sbin/causeway port disable mlx4_0/1 --at-boot\n"),
        std::string::npos)
        << read_file(unit);
    rdma.put("mlx4_0", "ports/1/phys_state", "3: Disabled");
    EXPECT_EQ(run({"port", "disable", "mlx4_0"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: mlx4_0/1 is disabled already\n");
    EXPECT_EQ(json({"port", "list"})["ports"][0]["state_at_boot"], "disabled");
    // The unit that disables the port becomes the unit that enables it.
    EXPECT_EQ(run({"port", "enable", "mlx4_0"}), 0) << err();
    EXPECT_NE(read_file(unit).find("port enable mlx4_0/1 --at-boot\n"), std::string::npos);
    EXPECT_EQ(json({"port", "list"})["ports"][0]["state_at_boot"], "enabled");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_NE(read_file(unit).find("port disable mlx4_0/1 --at-boot\n"), std::string::npos);
    EXPECT_EQ(run({"port", "unset", "mlx4_0"}), 0) << err();
    EXPECT_NE(out().find("keeps its present state until the next boot"), std::string::npos)
        << out();
    EXPECT_FALSE(fs::exists(unit));
    EXPECT_EQ(rule("65-causeway-port-enable-mlx4_0-1"), "");
    EXPECT_EQ(json({"port", "list"})["ports"][0]["state_at_boot"], nullptr);
    EXPECT_EQ(run({"port", "unset", "mlx4_0"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: nothing of mlx4_0/1 is kept for the next boot\n");
}

TEST_F(PortVerb, a_port_that_carries_a_disk_is_not_disabled) {
    SessionInfo session;
    session.name = "scratch";
    session.device = "mlx4_0";
    session.device_port = 1;
    kernel.running_sessions = {session};
    EXPECT_EQ(run({"port", "disable", "mlx4_0"}), 75);
    EXPECT_TRUE(says("the disk 'scratch' is connected by mlx4_0/1")) << err();
    EXPECT_FALSE(processes.ran("ibportstate"));
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_EQ(run({"port", "disable", "mlx4_0", "--force", "--no-persist"}), 0) << err();
    EXPECT_TRUE(processes.ran("ibportstate -C mlx4_0 -P 1 -D 0 1 disable"));
    EXPECT_FALSE(fs::exists(root / "etc"));
    kernel.running_sessions.front().device_port = 2;
    EXPECT_EQ(run({"port", "disable", "mlx4_0"}), 0) << err();
}

TEST_F(PortVerb, a_type_goes_back_to_that_before_the_first_change) {
    const std::string file = "/sys/class/infiniband/mlx4_0/device/mlx4_port1";
    files.content[file] = "auto (ib)\n";
    ASSERT_EQ(run({"port", "type", "mlx4_0", "eth"}), 0) << err();
    ASSERT_EQ(run({"port", "type", "mlx4_0", "ib"}), 0) << err();
    const auto told = json({"port", "list"})["ports"][0];
    EXPECT_EQ(told["type"], "ib");
    EXPECT_EQ(told["type_at_boot"], "ib");
    EXPECT_EQ(run({"port", "type", "mlx4_0", "unset"}), 64);
    EXPECT_TRUE(says("causeway port unset mlx4_0")) << err();
    EXPECT_EQ(run({"port", "unset", "mlx4_0", "--dry-run"}), 0) << err();
    EXPECT_EQ(files.content[file], "ib\n");
    EXPECT_EQ(run({"port", "unset", "mlx4_0"}), 0) << err();
    EXPECT_EQ(files.content[file], "auto\n");
    EXPECT_EQ(rule("65-causeway-port-type-mlx4_0-1"), "");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(files.content[file], "ib\n");
    // The port disappears, and its rule stays.
    ASSERT_TRUE(rdma.remove("mlx4_0"));
    const auto gone = json({"port", "list"})["ports"];
    ASSERT_EQ(gone.size(), 2U) << gone;
    EXPECT_EQ(gone[1]["device"], "mlx4_0");
    EXPECT_EQ(gone[1]["there"], false);
    EXPECT_EQ(run({"port", "unset", "mlx4_0/1"}), 0) << err();
    EXPECT_EQ(rule("65-causeway-port-type-mlx4_0-1"), "");
    EXPECT_EQ(run({"port", "unset", "mlx4_0/1"}), 69);
}

TEST_F(PortVerb, the_type_of_an_mlx4_port_is_set_by_devlink_where_sysfs_has_none) {
    processes.acts["devlink port show pci/0000:03:00.0/1"] = [] {
        ProcessEnd end;
        end.out = "pci/0000:03:00.0/1: type ib ibdev mlx4_0";
        return end;
    };
    EXPECT_EQ(run({"port", "type", "mlx4_0", "eth", "--no-persist"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "devlink port set pci/0000:03:00.0/1 type eth");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "devlink port set pci/0000:03:00.0/1 type ib");
}

TEST_F(PortVerb, the_type_of_another_port_is_in_its_firmware) {
    EXPECT_EQ(run({"port", "type", "mlx5_0", "ib"}), 69);
    EXPECT_TRUE(says("mstconfig -d 0000:03:00.0 set LINK_TYPE_P1=1")) << err();
    EXPECT_EQ(run({"port", "type", "mlx4_0", "fc"}), 64);
    EXPECT_FALSE(fs::exists(root / "etc"));
}

/* ---- fix ---- */

class FirstConnectX : public PortVerb {
  protected:
    void SetUp() override {
        PortVerb::SetUp();
        files.content["/sys/class/net/ib0/type"] = "32\n";
        files.content["/sys/class/net/ib0/device/vendor"] = "0x15b3\n";
        files.content["/sys/class/net/ib0/device/device"] = "0x634a\n";
        files.content["/sys/class/net/ib0/device/revision"] = "0xa0\n";
        processes.acts["ethtool -k ib0"] = [this] {
            ProcessEnd end;
            end.out = std::string("tcp-segmentation-offload: ") + (tso ? "on" : "off");
            return end;
        };
        processes.acts["ethtool -K ib0 tso off"] = [this] {
            tso = false;
            return ProcessEnd();
        };
        processes.acts["ethtool -K ib0 tso on"] = [this] {
            tso = true;
            return ProcessEnd();
        };
    }

    bool tso = true;
};

TEST_F(FirstConnectX, has_its_offload_turned_off) {
    EXPECT_EQ(run({"fix", "tso"}), 0) << err();
    EXPECT_FALSE(tso);
    EXPECT_NE(rule("75-causeway-tso")
                  .find("ATTRS{revision}==\"0xa0\", "
                        "RUN+=\"/usr/sbin/ethtool -K $name tso off\"\n"),
              std::string::npos);
    EXPECT_EQ(run({"fix", "tso", "ib0"}), 0);
    EXPECT_EQ(out(), "nothing to do: TSO is off on ib0, now and at boot\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(tso);
    EXPECT_EQ(rule("75-causeway-tso"), "");
}

TEST_F(FirstConnectX, has_its_offload_back_if_an_administrator_wants_it) {
    EXPECT_EQ(json({"fix", "tso", "--list"})["interfaces"],
              nlohmann::json::array({{{"name", "ib0"}, {"tso", true}}}));
    EXPECT_EQ(run({"fix", "tso", "--unset"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: \"causeway fix tso\" keeps nothing for the next boot\n");
    ASSERT_EQ(run({"fix", "tso"}), 0) << err();
    const auto told = json({"fix", "tso", "--list"});
    EXPECT_EQ(told["at_boot"], true);
    EXPECT_EQ(told["interfaces"][0]["tso"], false);
    EXPECT_EQ(run({"fix", "tso", "--unset", "--list"}), 64);
    EXPECT_EQ(run({"fix", "tso", "--unset", "ib0"}), 64);
    EXPECT_EQ(run({"fix", "tso", "--unset", "--dry-run"}), 0) << err();
    EXPECT_FALSE(tso);
    EXPECT_EQ(run({"fix", "tso", "--unset"}), 0) << err();
    EXPECT_TRUE(says("ib0 damages data while TSO is on")) << err();
    EXPECT_TRUE(tso);
    EXPECT_EQ(rule("75-causeway-tso"), "");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_FALSE(tso);
    EXPECT_NE(rule("75-causeway-tso"), "");
}

TEST_F(FirstConnectX, alone_needs_it) {
    files.content["/sys/class/net/ib0/device/revision"] = "0xb0\n";
    EXPECT_EQ(run({"fix", "tso"}), 0) << err();
    EXPECT_EQ(out(),
              "nothing to do: there is no ConnectX of revision a0 here, which alone needs it\n");
    EXPECT_TRUE(tso);
    EXPECT_EQ(run({"fix", "tso", "eth0"}), 69);
    files.content["/sys/class/net/ib0/device/revision"] = "0xa0\n";
    processes.missing.insert("ethtool");
    EXPECT_EQ(run({"fix", "tso"}), 69);
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(FirstConnectX, has_children_that_need_it_too) {
    files.content["/sys/class/net/ib0.8001/type"] = "32\n";
    files.content["/sys/class/net/ib0.8001/parent"] = "ib0\n";
    processes.acts["ethtool -k ib0.8001"] = [] {
        ProcessEnd end;
        end.out = "tcp-segmentation-offload: on";
        return end;
    };
    EXPECT_EQ(run({"fix", "tso", "ib0.8001"}), 0) << err();
    EXPECT_TRUE(processes.ran("ethtool -K ib0.8001 tso off"));
    EXPECT_EQ(json({"fix", "tso", "--list"})["interfaces"].size(), 2U);
    // A child has no PCI device in sysfs.
    EXPECT_NE(rule("75-causeway-tso")
                  .find("ATTR{type}==\"32\", TEST!=\"device\", "
                        "RUN+=\"/usr/sbin/ethtool -K $name tso off\"\n"),
              std::string::npos)
        << rule("75-causeway-tso");
}

} // namespace
} // namespace causeway
