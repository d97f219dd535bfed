// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs "pfc", on a host in memory.
#include "port_host.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class FlowControlVerb : public PortHost {};

TEST_F(FlowControlVerb, flow_control_is_shown_as_dcb_reports_it) {
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

TEST_F(FlowControlVerb, flow_control_of_mlx4_is_an_option_of_its_module) {
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
class FlowControlByDcb : public PortHost {
  protected:
    void SetUp() override {
        PortHost::SetUp();
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
    dscp = "26:3";
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

TEST_F(FlowControlByDcb, gives_up_all_priorities_of_dscps_when_told) {
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=3", "--no-persist"}), 0) << err();
    pfc = "0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off";
    dscp = "26:3 26:4 48:6";
    processes.log.clear();
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=4", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("del dev eth1 dscp-prio 26:3"), std::string::npos) << out();
    EXPECT_EQ(out().find("26:4"), std::string::npos) << out();
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "none"}), 0) << err();
    EXPECT_EQ(changes(),
              (Lines{"dcb app del dev eth1 dscp-prio 26:3", "dcb app del dev eth1 dscp-prio 26:4",
                     "dcb app del dev eth1 dscp-prio 48:6"}));
}

// A reboot takes the entries away.
TEST_F(FlowControlByDcb, that_is_gone_already_is_no_error_for_undo) {
    EXPECT_EQ(run({"pfc", "set", "3", "--dscp", "26=3", "--no-persist"}), 0) << err();
    dscp = "48:6";
    processes.acts["dcb app del"] = [] { return FakeProcesses::failure("Attribute not found", 1); };
    processes.log.clear();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(changes(), Lines{"dcb pfc set dev eth1 prio-pfc all:off"});
    EXPECT_EQ(run({"undo", "--last"}), 0);
    EXPECT_NE(out().find("nothing to undo"), std::string::npos) << out();
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

/* ---- pfc list, pfc unset ---- */

TEST_F(FlowControlByDcb, is_listed_and_given_back) {
    EXPECT_EQ(run({"pfc", "unset"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: no flow control is kept for the next boot\n");
    ASSERT_EQ(run({"pfc", "set", "3", "--dscp", "26=3"}), 0) << err();
    pfc = "0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off";
    dscp = "26:3";
    EXPECT_EQ(json({"pfc", "list"}), json({"pfc", "show"}));
    auto told = json({"pfc", "list"})["interfaces"][0];
    EXPECT_EQ(told["priorities"], std::vector<int>{3});
    EXPECT_EQ(told["at_boot"]["priorities"], std::vector<int>{3});
    processes.log.clear();
    EXPECT_EQ(run({"pfc", "unset", "eth1", "--dry-run"}), 0) << err();
    EXPECT_TRUE(fs::exists(unit()));
    EXPECT_EQ(run({"pfc", "unset", "eth1"}), 0) << err();
    EXPECT_NE(out().find("eth1 keeps its present flow control until the next boot\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(changes(), Lines{});
    EXPECT_FALSE(fs::exists(unit()));
    EXPECT_EQ(rule("65-causeway-pfc-eth1"), "");
    told = json({"pfc", "list"})["interfaces"][0];
    EXPECT_EQ(told["priorities"], std::vector<int>{3});
    EXPECT_EQ(told["at_boot"], nullptr);
    EXPECT_EQ(run({"pfc", "unset", "eth1"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: no flow control of eth1 is kept for the next boot\n");
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(fs::exists(unit()));
    // The interface disappears, and its unit stays.
    ASSERT_TRUE(rdma.remove("mlx5_0"));
    EXPECT_EQ(run({"pfc", "unset", "eth9"}), 69);
    EXPECT_TRUE(says("eth9 carries no RoCE, and nothing of it is kept\n  see which interfaces do: "
                     "causeway pfc list"))
        << err();
    EXPECT_EQ(run({"pfc", "unset"}), 0) << err();
    EXPECT_FALSE(fs::exists(unit()));
    ASSERT_TRUE(rdma.remove("rxe0"));
    EXPECT_EQ(run({"pfc", "list"}), 0) << err();
    EXPECT_EQ(out(), "there is no interface that carries RoCE\n");
}

TEST_F(FlowControlVerb, of_mlx4_is_given_back_by_removing_the_option) {
    files.content["/sys/class/net/eth1/device/uevent"] = "DRIVER=mlx4_core\n";
    files.content["/sys/module/mlx4_en/parameters/pfctx"] = "0\n";
    files.content["/sys/module/mlx4_en/parameters/pfcrx"] = "0\n";
    const fs::path options = root / "etc/modprobe.d/causeway-mlx4.conf";
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"pfc", "unset"}, {"pfc", "unset", "eth1"}}) {
        ASSERT_EQ(run({"pfc", "set", "3"}), 0) << err();
        ASSERT_TRUE(fs::exists(options));
        EXPECT_EQ(run(words), 0) << err();
        EXPECT_NE(out().find("all ports of mlx4 keep their present flow control until the next "
                             "boot\n"),
                  std::string::npos)
            << out();
        EXPECT_FALSE(fs::exists(options));
        EXPECT_EQ(processes.log.back(), "update-initramfs -u");
    }
    ASSERT_EQ(run({"pfc", "set", "3", "--no-initramfs"}), 0) << err();
    // The option is shown although the module is not loaded.
    files.content.erase("/sys/module/mlx4_en/parameters/pfctx");
    ASSERT_TRUE(rdma.remove("mlx5_0"));
    ASSERT_TRUE(rdma.remove("rxe0"));
    const auto told = json({"pfc", "list"})["interfaces"];
    ASSERT_EQ(told.size(), 1U) << told;
    EXPECT_EQ(told[0]["interface"], nullptr);
    EXPECT_EQ(told[0]["at_boot"]["priorities"], std::vector<int>{3});
    processes.log.clear();
    EXPECT_EQ(run({"pfc", "unset", "--no-initramfs"}), 0) << err();
    EXPECT_FALSE(processes.ran("update-initramfs"));
}

} // namespace
} // namespace causeway
