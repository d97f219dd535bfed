// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs of ports and links, on a host in memory.
#include "fixture.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class PortVerb : public CommandTest {
  protected:
    void SetUp() override {
        device("mlx4_0", "InfiniBand");
        device("mlx5_0", "Ethernet");
        rdma.put("mlx5_0", "ports/1/gid_attrs/types/0", "IB/RoCE v1");
        rdma.put("mlx5_0", "ports/1/gids/1", "fe80:0000:0000:0000:0002:c903:0010:1234");
        rdma.put("mlx5_0", "ports/1/gid_attrs/types/1", "RoCE v2");
        rdma.put("mlx5_0", "ports/1/gid_attrs/ndevs/0", "eth1");
        ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
        fs::create_directories(root / "run/systemd/system");
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

/* ---- roce mode ---- */

TEST_F(PortVerb, roce_mode_is_set_lasts_and_is_taken_back) {
    serve_configfs("mlx5_0", "RoCE v2");
    EXPECT_EQ(run({"roce", "mode", "mlx5_0", "v1", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("value /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode\n"
                         "-RoCE v2\n+IB/RoCE v1\n"),
              std::string::npos)
        << out();
    EXPECT_TRUE(processes.log.empty());
    EXPECT_EQ(run({"roce", "mode", "mlx5_0", "v1"}), 0) << err();
    EXPECT_EQ(roce_mode("mlx5_0"), "IB/RoCE v1\n");
    const fs::path unit = root / "etc/systemd/system/causeway-roce@mlx5_0.service";
    EXPECT_NE(read_file(unit).find("ExecStart=/usr/sbin/causeway roce mode mlx5_0 v1 --at-boot\n"),
              std::string::npos);
    EXPECT_NE(read_file(unit).find("ConditionFileIsExecutable=/usr/sbin/causeway\n"),
              std::string::npos);
    EXPECT_NE(rule("65-causeway-roce-mlx5_0")
                  .find("ATTR{node_guid}==\"0002:c903:0010:1200\", TAG+=\"systemd\", "
                        "ENV{SYSTEMD_WANTS}+=\"causeway-roce@mlx5_0.service\"\n"),
              std::string::npos);
    EXPECT_EQ(run({"roce", "mode", "mlx5_0", "v1"}), 0);
    EXPECT_EQ(out(), "nothing to do: mlx5_0 has RoCE v1 already\n");
    EXPECT_EQ(json({"roce", "mode", "mlx5_0"})["ports"][0]["mode"], "IB/RoCE v1");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(roce_mode("mlx5_0"), "RoCE v2\n");
    EXPECT_FALSE(fs::exists(unit));
}

TEST_F(PortVerb, roce_mode_at_boot_is_not_journalled) {
    serve_configfs("mlx5_0", "RoCE v2");
    EXPECT_EQ(run({"roce", "mode", "mlx5_0", "v1", "--at-boot"}), 0) << err();
    EXPECT_EQ(roce_mode("mlx5_0"), "IB/RoCE v1\n");
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_FALSE(fs::exists(root / "var/lib/causeway/journal/000001.json"));
}

TEST_F(PortVerb, roce_mode_refuses_what_a_device_does_not_speak) {
    EXPECT_EQ(run({"roce", "mode", "rxe0", "v1"}), 69);
    EXPECT_TRUE(says("rxe0 is Soft-RoCE, which speaks version 2 alone")) << err();
    EXPECT_EQ(run({"roce", "mode", "mlx4_0", "v2"}), 69);
    EXPECT_TRUE(says("it speaks InfiniBand")) << err();
    EXPECT_EQ(run({"roce", "mode", "mlx5_1", "v2"}), 69);
    EXPECT_EQ(run({"roce", "mode", "mlx5_0", "v3"}), 64);
    rdma.put("mlx5_0", "ports/1/gid_attrs/types/0", "RoCE v2");
    EXPECT_EQ(run({"roce", "mode", "mlx5_0", "v1"}), 69);
    EXPECT_TRUE(says("port 1 of mlx5_0 has no GID of RoCE version 1")) << err();
    EXPECT_TRUE(processes.log.empty());
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(PortVerb, roce_mode_is_given_back_to_the_kernel) {
    serve_configfs("mlx5_0", "RoCE v2");
    ASSERT_EQ(run({"roce", "mode", "mlx5_0", "v1"}), 0) << err();
    const auto told = json({"roce", "list"})["ports"];
    ASSERT_EQ(told.size(), 2U) << told;
    EXPECT_EQ(told[0]["device"], "mlx5_0");
    EXPECT_EQ(told[0]["mode"], "IB/RoCE v1");
    EXPECT_EQ(told[0]["at_boot"], "v1");
    EXPECT_EQ(told[1]["at_boot"], nullptr);
    EXPECT_EQ(json({"roce", "mode"})["ports"], told);
    EXPECT_EQ(run({"roce", "unset", "mlx5_0", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("-IB/RoCE v1\n+RoCE v2\n"), std::string::npos) << out();
    EXPECT_EQ(roce_mode("mlx5_0"), "IB/RoCE v1\n");
    EXPECT_EQ(run({"roce", "unset", "mlx5_0"}), 0) << err();
    EXPECT_EQ(roce_mode("mlx5_0"), "RoCE v2\n");
    EXPECT_EQ(rule("65-causeway-roce-mlx5_0"), "");
    EXPECT_FALSE(fs::exists(root / "etc/systemd/system/causeway-roce@mlx5_0.service"));
    EXPECT_EQ(processes.log.back(), "systemctl daemon-reload");
    EXPECT_EQ(run({"roce", "unset"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: the kernel chooses the version of RoCE, now and at boot\n");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(roce_mode("mlx5_0"), "IB/RoCE v1\n");
    EXPECT_EQ(json({"roce", "list", "mlx5_0"})["ports"][0]["at_boot"], "v1");
}

TEST_F(PortVerb, roce_unset_knows_devices_that_are_gone) {
    serve_configfs("mlx5_0", "RoCE v2");
    ASSERT_EQ(run({"roce", "mode", "mlx5_0", "v1"}), 0) << err();
    ASSERT_TRUE(rdma.remove("mlx5_0"));
    const auto told = json({"roce", "list"})["ports"];
    ASSERT_EQ(told.size(), 2U) << told;
    EXPECT_EQ(told[1]["device"], "mlx5_0");
    EXPECT_EQ(told[1]["port"], nullptr);
    EXPECT_EQ(told[1]["at_boot"], "v1");
    EXPECT_EQ(run({"roce", "unset", "mlx5_1"}), 69);
    EXPECT_EQ(run({"roce", "unset", "mlx4_0"}), 69);
    EXPECT_EQ(run({"roce", "unset"}), 0) << err();
    EXPECT_EQ(rule("65-causeway-roce-mlx5_0"), "");
    EXPECT_EQ(json({"roce", "list"})["ports"].size(), 1U);
}

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

/* ---- pfc ---- */

TEST_F(PortVerb, flow_control_is_shown_as_dcb_reports_it) {
    processes.acts["dcb pfc show dev eth1"] = [] {
        ProcessEnd end;
        end.out = "pfc-cap 8 macsec-bypass off delay 0\n"
                  "prio-pfc 0:off 1:off 2:off 3:on 4:on 5:off 6:off 7:off";
        return end;
    };
    processes.acts["dcb pfc show dev eth0"] = [] {
        return FakeProcesses::failure("Operation not supported", 1);
    };
    const auto told = json({"pfc", "show"})["interfaces"];
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0]["priorities"], (std::vector<int>{3, 4}));
    EXPECT_EQ(told[1]["priorities"], nullptr);
    EXPECT_EQ(told[1]["why_not"], "Operation not supported");
    EXPECT_EQ(run({"pfc", "show", "ib9"}), 69);
}

TEST_F(PortVerb, flow_control_of_mlx4_is_an_option_of_its_module) {
    processes.acts["dcb pfc show dev eth1"] = [] {
        return FakeProcesses::failure("Operation not supported", 1);
    };
    EXPECT_EQ(run({"pfc", "set", "3"}), 69);
    EXPECT_TRUE(says("mlx4_en is not loaded")) << err();
    files.content["/sys/module/mlx4_en/parameters/pfctx"] = "0\n";
    files.content["/sys/module/mlx4_en/parameters/pfcrx"] = "0\n";
    EXPECT_EQ(run({"pfc", "set", "8"}), 64);
    EXPECT_EQ(run({"pfc", "set", "3", "4"}), 0) << err();
    const fs::path options = root / "etc/modprobe.d/causeway-mlx4.conf";
    EXPECT_NE(read_file(options).find("options mlx4_en pfctx=0x18 pfcrx=0x18\n"),
              std::string::npos);
    EXPECT_TRUE(says("mlx4_en takes this when it is loaded: reboot")) << err();
    EXPECT_EQ(processes.log.back(), "update-initramfs -u");
    EXPECT_EQ(run({"pfc", "set", "3", "4"}), 0);
    EXPECT_EQ(out(), "nothing to do: mlx4_en gets these priorities at boot already\n");
    EXPECT_EQ(run({"pfc", "set", "none", "--no-initramfs"}), 0) << err();
    EXPECT_FALSE(fs::exists(options));
    EXPECT_EQ(processes.count("update-initramfs"), 1U);
}

/* ---- pfc by dcb ---- */

// A ConnectX-5 whose dcb keeps flow control and the priorities of DSCPs.
class FlowControlByDcb : public PortVerb {
  protected:
    void SetUp() override {
        PortVerb::SetUp();
        files.content["/sys/class/net/eth1/device/uevent"] = "DRIVER=mlx5_core\n";
        processes.acts["dcb pfc show dev eth1"] = [this] {
            ProcessEnd end;
            end.out = "pfc-cap 8 macsec-bypass off delay 0\nprio-pfc " + pfc + "\n";
            return end;
        };
        processes.acts["dcb -N app show dev eth1 dscp-prio"] = [this] {
            ProcessEnd end;
            end.out = dscp.empty() ? "" : "dscp-prio " + dscp + "\n";
            return end;
        };
        processes.acts["dcb pfc show dev eth0"] = [] {
            return FakeProcesses::failure("Operation not supported", 1);
        };
    }

    std::vector<std::string> changes() const {
        std::vector<std::string> lines;
        for (const std::string &line : processes.log) {
            if (line.substr(0, 12) == "dcb pfc set " || line.substr(0, 12) == "dcb app add " ||
                line.substr(0, 12) == "dcb app del ") {
                lines.push_back(line);
            }
        }
        return lines;
    }
    fs::path unit() const { return root / "etc/systemd/system/causeway-pfc@eth1.service"; }

    using Lines = std::vector<std::string>;
    std::string pfc = "0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off";
    std::string dscp;
};

TEST_F(FlowControlByDcb, a_value_is_not_taken_for_an_operand) {
    // The name of an interface has not the form of a priority.
    EXPECT_EQ(run({"pfc", "set", "3", "--interface", "eth1", "ehh1"}), 69);
    EXPECT_TRUE(says("ehh1 carries no RoCE")) << err();
    EXPECT_FALSE(says("was taken as")) << err();
    EXPECT_EQ(run({"pfc", "set", "3", "--interface", "eth1", "4"}), 69);
    EXPECT_TRUE(says("4 was taken as a value of --interface")) << err();
    EXPECT_EQ(run({"pfc", "set", "--interface", "eth1", "3"}), 64);
    EXPECT_TRUE(says("3 was taken as a value of --interface")) << err();
}

TEST_F(FlowControlByDcb, is_set_now_and_at_boot_and_taken_back) {
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=3", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("run dcb pfc set dev eth1 prio-pfc all:off 3:on\n"), std::string::npos)
        << out();
    EXPECT_EQ(changes(), Lines{});
    EXPECT_FALSE(fs::exists(unit()));
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=3"}), 0) << err();
    EXPECT_EQ(changes(), (Lines{"dcb pfc set dev eth1 prio-pfc all:off 3:on",
                                "dcb app add dev eth1 dscp-prio 26:3"}));
    EXPECT_NE(read_file(unit()).find("BindsTo=sys-subsystem-net-devices-eth1.device\n"),
              std::string::npos);
    EXPECT_NE(read_file(unit()).find("ExecStart=/usr/sbin/causeway pfc set 3 --interface eth1 "
                                     "--dscp 26=3 --at-boot\n"),
              std::string::npos)
        << read_file(unit());
    EXPECT_NE(rule("65-causeway-pfc-eth1")
                  .find("ATTR{node_guid}==\"0002:c903:0010:1200\", TAG+=\"systemd\", "
                        "ENV{SYSTEMD_WANTS}+=\"causeway-pfc@eth1.service\"\n"),
              std::string::npos);
    processes.log.clear();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(changes(), (Lines{"dcb app del dev eth1 dscp-prio 26:3",
                                "dcb pfc set dev eth1 prio-pfc all:off"}));
    EXPECT_FALSE(fs::exists(unit()));
    EXPECT_EQ(rule("65-causeway-pfc-eth1"), "");
}

TEST_F(FlowControlByDcb, that_is_there_already_changes_nothing) {
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=3"}), 0) << err();
    pfc = "0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off";
    dscp = "26:3";
    EXPECT_EQ(run({"pfc", "set", "3"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: the interfaces have this flow control already\n");
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=3", "--at-boot"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: the interfaces have this flow control already\n");
    const auto shown = json({"pfc", "show"})["interfaces"][1];
    EXPECT_EQ(shown["interface"], "eth0");
    const auto told = json({"pfc", "show", "mlx5_0"})["interfaces"][0];
    EXPECT_EQ(told["priorities"], std::vector<int>{3});
    EXPECT_EQ(told["dscp"][0]["dscp"], 26);
    EXPECT_EQ(told["dscp"][0]["priority"], 3);
    EXPECT_EQ(told["at_boot"]["priorities"], std::vector<int>{3});
    EXPECT_EQ(told["at_boot"]["dscp"][0]["dscp"], 26);
}

TEST_F(FlowControlByDcb, of_a_dscp_is_replaced_by_deleting_the_old_entry_first) {
    dscp = "26:5 48:6";
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=3", "--no-persist"}), 0) << err();
    EXPECT_EQ(changes(), (Lines{"dcb pfc set dev eth1 prio-pfc all:off 3:on",
                                "dcb app del dev eth1 dscp-prio 26:5",
                                "dcb app add dev eth1 dscp-prio 26:3"}));
    EXPECT_FALSE(fs::exists(unit()));
}

TEST_F(FlowControlByDcb, is_unset_with_the_entries_that_the_verb_made) {
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=3"}), 0) << err();
    pfc = "0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off";
    dscp = "26:3 48:6";
    processes.log.clear();
    EXPECT_EQ(run({"pfc", "set", "none"}), 0) << err();
    EXPECT_EQ(changes(), (Lines{"dcb pfc set dev eth1 prio-pfc all:off",
                                "dcb app del dev eth1 dscp-prio 26:3"}));
    EXPECT_FALSE(fs::exists(unit()));
    EXPECT_EQ(json({"pfc", "show", "eth1"})["interfaces"][0]["at_boot"], nullptr);
}

TEST_F(FlowControlByDcb, refuses_what_cannot_be) {
    EXPECT_EQ(run({"pfc", "set", "3", "--interface", "eth0"}), 69);
    EXPECT_TRUE(says("eth0 is below rxe0, an RDMA device by software")) << err();
    EXPECT_EQ(run({"pfc", "set", "3", "--interface", "eth9"}), 69);
    EXPECT_TRUE(says("eth9 carries no RoCE")) << err();
    for (const char *wrong : {"64=3", "26=8", "26", "=3", "26=", "x=3", "none,26=3"}) {
        EXPECT_EQ(run({"pfc", "set", "3", "--dscp", wrong}), 64) << wrong;
        EXPECT_TRUE(says("gives no priority to a DSCP")) << wrong << err();
    }
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=3,26=4"}), 64);
    EXPECT_TRUE(says("the DSCP 26 is there twice")) << err();
    files.content["/sys/module/mlx4_en/parameters/pfctx"] = "0\n";
    EXPECT_EQ(run({"pfc", "set", "3", "--no-persist"}), 64);
    EXPECT_EQ(changes(), Lines{});
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(FlowControlByDcb, that_the_driver_refuses_is_an_error_and_leaves_nothing) {
    processes.acts["dcb app add"] = [] {
        return FakeProcesses::failure("RTNETLINK answers: Operation not supported", 1);
    };
    EXPECT_NE(run({"pfc", "set", "3", "--dscp", "26=3"}), 0);
    EXPECT_TRUE(says("Operation not supported")) << err();
    EXPECT_EQ(changes().back(), "dcb pfc set dev eth1 prio-pfc all:off");
    EXPECT_FALSE(fs::exists(unit()));
}

/* ---- roce tos, roce ecn ---- */

TEST_F(PortVerb, roce_tos_is_set_lasts_and_is_unset) {
    const std::string place = "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos";
    processes.acts["mkdir -p /sys/kernel/config/rdma_cm/mlx5_0"] = [this, place] {
        files.content[place] = "0\n";
        return ProcessEnd();
    };
    EXPECT_EQ(json({"roce", "tos"})["ports"][0]["tos"], 0);
    EXPECT_EQ(run({"roce", "tos", "mlx5_0", "104", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("value " + place + "\n-0\n+104\n"), std::string::npos) << out();
    EXPECT_EQ(files.content.count(place), 0U);
    EXPECT_EQ(run({"roce", "tos", "mlx5_0", "104"}), 0) << err();
    EXPECT_EQ(files.content[place], "104\n");
    const fs::path unit = root / "etc/systemd/system/causeway-tos@mlx5_0.service";
    EXPECT_NE(read_file(unit).find("ExecStart=/usr/sbin/causeway roce tos mlx5_0 104 --at-boot\n"),
              std::string::npos);
    const auto told = json({"roce", "tos", "mlx5_0"})["ports"][0];
    EXPECT_EQ(told["tos"], 104);
    EXPECT_EQ(told["dscp"], 26);
    EXPECT_EQ(told["at_boot"], "104");
    EXPECT_EQ(run({"roce", "tos", "mlx5_0", "104"}), 0);
    EXPECT_EQ(out(), "nothing to do: connections from mlx5_0 have the type of service 104 "
                     "already\n");
    EXPECT_EQ(run({"roce", "tos", "mlx5_0", "unset"}), 0) << err();
    EXPECT_EQ(files.content[place], "0\n");
    EXPECT_FALSE(fs::exists(unit));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(files.content[place], "104\n");
    EXPECT_TRUE(fs::exists(unit));
    for (const char *wrong : {"256", "x", "-1"}) {
        EXPECT_EQ(run({"roce", "tos", "mlx5_0", wrong}), 64) << wrong;
    }
    EXPECT_EQ(run({"roce", "tos", "mlx4_0", "104"}), 69);
    EXPECT_TRUE(says("mlx4_0 has no port of RoCE")) << err();
}

TEST_F(PortVerb, roce_ecn_is_set_where_the_driver_has_a_switch) {
    const auto place = [](const char *role, int priority) {
        return fmt::format("/sys/class/net/eth1/ecn/{}/enable/{}", role, priority);
    };
    files.content["/sys/kernel/debug/mlx5/0000:03:00.0/cc_params/np_cnp_dscp"] = "48\n";
    EXPECT_EQ(run({"roce", "ecn", "eth1", "3"}), 69);
    EXPECT_TRUE(says("the mlx5 driver of the Linux kernel has no switch for it")) << err();
    EXPECT_TRUE(says("mstconfig -d 0000:03:00.0 set ROCE_CC_PRIO_MASK_P1=0x08")) << err();
    EXPECT_FALSE(fs::exists(root / "etc"));
    auto told = json({"roce", "ecn"})["interfaces"][0];
    EXPECT_EQ(told["priorities"], nullptr);
    EXPECT_EQ(told["parameters"]["np_cnp_dscp"], "48");

    for (int priority = 0; priority < 8; priority++) {
        files.content[place("roce_np", priority)] = "0\n";
        files.content[place("roce_rp", priority)] = priority == 5 ? "1\n" : "0\n";
    }
    EXPECT_EQ(run({"roce", "ecn", "eth1", "3"}), 0) << err();
    EXPECT_EQ(files.content[place("roce_np", 3)], "1\n");
    EXPECT_EQ(files.content[place("roce_rp", 3)], "1\n");
    EXPECT_EQ(files.content[place("roce_rp", 5)], "0\n");
    EXPECT_EQ(json({"roce", "ecn", "eth1"})["interfaces"][0]["priorities"], std::vector<int>{3});
    const fs::path unit = root / "etc/systemd/system/causeway-ecn@eth1.service";
    EXPECT_NE(read_file(unit).find("ExecStart=/usr/sbin/causeway roce ecn eth1 3 --at-boot\n"),
              std::string::npos);
    EXPECT_EQ(run({"roce", "ecn", "eth1", "unset"}), 0) << err();
    EXPECT_FALSE(fs::exists(unit));
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(files.content[place("roce_rp", 5)], "1\n");
    EXPECT_EQ(files.content[place("roce_np", 3)], "0\n");
    EXPECT_EQ(run({"roce", "ecn", "eth1", "8"}), 64);
    EXPECT_EQ(run({"roce", "ecn", "eth0", "3"}), 69);
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
