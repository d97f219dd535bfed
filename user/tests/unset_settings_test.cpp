// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of settings that are kept for the next boot, of ports and devices that have got another
// name or are gone.
#include "fixture.h"

#include <fmt/format.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class KeptOfDevices : public CommandTest {
  protected:
    void SetUp() override {
        device("mlx4_0", "InfiniBand", "0002:c903:0010:1200");
        device("mlx5_0", "Ethernet", "b8ce:f603:0012:3456");
        rdma.put("mlx5_0", "ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:0010:1234");
        rdma.put("mlx5_0", "ports/1/gid_attrs/types/0", "RoCE v2");
        rdma.put("mlx5_0", "ports/1/gid_attrs/ndevs/0", "eth1");
        files.content["/sys/class/net/eth1/device/uevent"] = "DRIVER=mlx5_core\n";
        fs::create_directories(root / "run/systemd/system");
        for (const char *setting : {"roce_mode", "roce_tos"}) {
            const std::string text = setting == std::string("roce_tos") ? "0\n" : "RoCE v2\n";
            files.content[std::string("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_") +
                          setting] = text;
        }
        processes.acts["dcb pfc show dev eth1"] = [] {
            ProcessEnd end;
            end.out = "prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off\n";
            return end;
        };
    }

    void device(const std::string &name, const std::string &link, const std::string &guid) {
        rdma.put(name, "node_type", "1: CA");
        rdma.put(name, "node_guid", guid);
        rdma.put(name, "ports/1/link_layer", link);
        rdma.put(name, "ports/1/phys_state", "5: LinkUp");
        rdma.put(name, "device/vendor", "0x15b3");
        rdma.put(name, "device/uevent",
                 "DRIVER=" + name.substr(0, 4) + "_core\nPCI_SLOT_NAME=0000:03:00.0");
    }
    void ecn_switch() {
        for (const char *role : {"roce_np", "roce_rp"}) {
            for (int priority = 0; priority < 8; priority++) {
                files.content[fmt::format("/sys/class/net/eth1/ecn/{}/enable/{}", role, priority)] =
                    "0\n";
            }
        }
    }
    fs::path units(const std::string &name) const { return root / ("etc/systemd/system/" + name); }
    fs::path rules(const std::string &name) const { return root / ("etc/udev/rules.d/" + name); }
    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
    bool shows(const std::string &text) const { return out().find(text) != std::string::npos; }
};

/* ---- another name ---- */

TEST_F(KeptOfDevices, follow_a_new_name_of_the_device) {
    ASSERT_EQ(run({"roce", "mode", "mlx5_0", "v2"}), 0) << err();
    ASSERT_EQ(run({"roce", "tos", "mlx5_0", "104"}), 0) << err();
    ASSERT_EQ(run({"name", "set", "mlx5_0", "store-0", "--rdma"}), 0) << err();
    for (const auto &[kind, command] : {std::pair("roce", "roce mode store-0 v2 --at-boot\n"),
                                        std::pair("tos", "roce tos store-0 104 --at-boot\n")}) {
        const std::string old_unit = fmt::format("causeway-{}@mlx5_0.service", kind);
        const std::string unit = fmt::format("causeway-{}@store\\x2d0.service", kind);
        EXPECT_FALSE(fs::exists(units(old_unit)));
        EXPECT_NE(read_file(units(unit)).find(command), std::string::npos)
            << read_file(units(unit));
        EXPECT_EQ(read_file(units(unit)).find("mlx5_0"), std::string::npos);
        EXPECT_FALSE(fs::exists(rules(fmt::format("65-causeway-{}-mlx5_0.rules", kind))));
        const std::string rule =
            read_file(rules(fmt::format("65-causeway-{}-store-0.rules", kind)));
        EXPECT_NE(rule.find("b8ce:f603:0012:3456"), std::string::npos) << rule;
        EXPECT_NE(rule.find("+=\"" + unit + "\""), std::string::npos) << rule;
    }
    EXPECT_EQ(processes.log.back(), "systemctl daemon-reload");
    EXPECT_EQ(json({"roce", "list", "store-0"})["ports"][0]["at_boot"], "v2");
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(fs::exists(units("causeway-tos@mlx5_0.service")));
    EXPECT_FALSE(fs::exists(units("causeway-tos@store\\x2d0.service")));
}

TEST_F(KeptOfDevices, follow_a_new_name_of_the_device_of_a_port) {
    rdma.put("mlx4_0", "ports/1/phys_state", "3: Disabled");
    rdma.put("mlx4_0", "device/mlx4_port1", "ib");
    ASSERT_EQ(run({"port", "enable", "mlx4_0"}), 0) << err();
    ASSERT_EQ(run({"port", "type", "mlx4_0", "auto"}), 0) << err();
    ASSERT_EQ(run({"name", "set", "mlx4_0", "hca0", "--rdma"}), 0) << err();
    const std::string unit = read_file(units("causeway-port@hca0\\x2d1.service"));
    EXPECT_NE(unit.find("causeway port enable hca0/1 --at-boot\n"), std::string::npos) << unit;
    const std::string rule = read_file(rules("65-causeway-port-enable-hca0-1.rules"));
    EXPECT_NE(rule.find("ATTR{ibdev}==\"hca0\""), std::string::npos) << rule;
    EXPECT_NE(rule.find("causeway-port@hca0\\x2d1.service"), std::string::npos) << rule;
    EXPECT_TRUE(fs::exists(rules("65-causeway-port-type-hca0-1.rules")));
    for (const auto &entry : fs::directory_iterator(root / "etc/udev/rules.d")) {
        EXPECT_EQ(entry.path().string().find("mlx4_0"), std::string::npos) << entry.path();
    }
    const auto told = json({"port", "list"})["ports"];
    EXPECT_EQ(told[0]["device"], "hca0");
    EXPECT_EQ(told[0]["state_at_boot"], "enabled");
    EXPECT_EQ(told[0]["type_at_boot"], "auto");
}

TEST_F(KeptOfDevices, a_name_belongs_to_one_device) {
    ASSERT_EQ(run({"name", "set", "mlx4_0", "hca0", "--rdma"}), 0) << err();
    ASSERT_TRUE(rdma.remove("hca0"));
    EXPECT_EQ(run({"name", "set", "mlx5_0", "hca0", "--rdma"}), 64);
    EXPECT_TRUE(says("keeps the name hca0 for 0002:c903:0010:1200")) << err();
    EXPECT_TRUE(says("causeway name unset hca0 --rdma")) << err();
    files.add_ipoib("ib0", "0xffff");
    files.content["/sys/class/net/ib0/flags"] = "0x1002\n";
    write_file(rules("70-causeway-ipoib.rules"),
               "# Written by \"causeway name set\"; \"causeway undo\" takes it back.\n"
               "ACTION==\"add\", SUBSYSTEM==\"net\", DRIVERS==\"?*\", ATTR{type}==\"32\", "
               "ATTR{address}==\"?*00:02:c9:03:00:10:99:99\", NAME=\"store0\"\n");
    EXPECT_EQ(run({"name", "set", "ib0", "store0"}), 64);
    EXPECT_TRUE(says("keeps the name store0 for 00:02:c9:03:00:10:99:99")) << err();
    EXPECT_EQ(run({"name", "set", "ib0", "store1"}), 0) << err();
    EXPECT_EQ(run({"name", "set", "ib0", "store1"}), 0) << err();
}

/* ---- the state at boot ---- */

TEST_F(KeptOfDevices, are_shown_by_pfc_and_ecn) {
    ASSERT_EQ(run({"pfc", "set", "3", "--dscp", "26=3"}), 0) << err();
    EXPECT_EQ(run({"pfc", "show"}), 0) << err();
    EXPECT_TRUE(shows("3; 26=3")) << out();
    ecn_switch();
    ASSERT_EQ(run({"roce", "ecn", "eth1", "3", "5"}), 0) << err();
    EXPECT_EQ(json({"roce", "ecn"})["interfaces"][0]["at_boot"], (std::vector<int>{3, 5}));
    EXPECT_EQ(run({"roce", "ecn"}), 0) << err();
    EXPECT_TRUE(shows("AT BOOT")) << out();
    ASSERT_EQ(run({"roce", "ecn", "eth1", "none"}), 0) << err();
    EXPECT_EQ(json({"roce", "ecn"})["interfaces"][0]["at_boot"], nlohmann::json::array());
    ASSERT_EQ(run({"roce", "ecn", "eth1", "unset"}), 0) << err();
    EXPECT_EQ(json({"roce", "ecn"})["interfaces"][0]["at_boot"], nullptr);
}

TEST_F(KeptOfDevices, of_mlx4_are_shown_by_pfc) {
    files.content["/sys/class/net/eth1/device/uevent"] = "DRIVER=mlx4_core\n";
    files.content["/sys/module/mlx4_en/parameters/pfctx"] = "0\n";
    files.content["/sys/module/mlx4_en/parameters/pfcrx"] = "0\n";
    EXPECT_EQ(json({"pfc", "show"})["interfaces"][0]["at_boot"], nullptr);
    ASSERT_EQ(run({"pfc", "set", "3", "4"}), 0) << err();
    const auto told = json({"pfc", "show"})["interfaces"][0];
    EXPECT_TRUE(told["priorities"].empty());
    EXPECT_EQ(told["at_boot"]["priorities"], (std::vector<int>{3, 4}));
    EXPECT_EQ(run({"pfc", "show"}), 0) << err();
    EXPECT_TRUE(shows("3, 4")) << out();
}

TEST_F(KeptOfDevices, without_systemd_are_warned_of) {
    fs::remove_all(root / "run/systemd");
    const std::string warning = "systemd does not run here: nothing sets this again after a reboot";
    ecn_switch();
    EXPECT_EQ(run({"roce", "ecn", "eth1", "3"}), 0) << err();
    EXPECT_TRUE(says(warning)) << err();
    EXPECT_EQ(run({"roce", "ecn", "eth1", "3", "--no-persist"}), 0) << err();
    EXPECT_FALSE(says(warning)) << err();
    for (const char *verb : {"enable", "disable"}) {
        EXPECT_EQ(run({"port", verb, "mlx4_0"}), 0) << err();
        EXPECT_TRUE(says(warning)) << err();
        EXPECT_EQ(run({"port", verb, "mlx4_0", "--at-boot"}), 0) << err();
        EXPECT_FALSE(says(warning)) << err();
    }
}

/* ---- devices that are gone ---- */

TEST_F(KeptOfDevices, of_a_device_that_is_gone_are_listed_and_removed) {
    ecn_switch();
    ASSERT_EQ(run({"pfc", "set", "3", "--dscp", "26=3"}), 0) << err();
    ASSERT_EQ(run({"roce", "tos", "mlx5_0", "104"}), 0) << err();
    ASSERT_EQ(run({"roce", "ecn", "eth1", "3"}), 0) << err();
    ASSERT_TRUE(rdma.remove("mlx5_0"));

    auto told = json({"roce", "tos"})["ports"];
    ASSERT_EQ(told.size(), 1U) << told;
    EXPECT_EQ(told[0]["device"], "mlx5_0");
    EXPECT_EQ(told[0]["port"], nullptr);
    EXPECT_EQ(told[0]["at_boot"], "104");
    told = json({"roce", "ecn"})["interfaces"];
    ASSERT_EQ(told.size(), 1U) << told;
    EXPECT_EQ(told[0]["interface"], "eth1");
    EXPECT_EQ(told[0]["device"], nullptr);
    EXPECT_EQ(told[0]["at_boot"], std::vector<int>{3});
    told = json({"pfc", "show"})["interfaces"];
    ASSERT_EQ(told.size(), 1U) << told;
    EXPECT_EQ(told[0]["interface"], "eth1");
    EXPECT_EQ(told[0]["device"], nullptr);
    EXPECT_EQ(told[0]["at_boot"]["priorities"], std::vector<int>{3});
    EXPECT_EQ(run({"pfc", "show"}), 0) << err();
    EXPECT_TRUE(shows("not there")) << out();

    EXPECT_EQ(run({"roce", "tos", "mlx5_0", "104"}), 69);
    EXPECT_EQ(run({"roce", "ecn", "eth1", "3"}), 69);
    EXPECT_EQ(run({"pfc", "set", "3", "--interface", "eth1"}), 69);
    EXPECT_EQ(run({"roce", "tos", "mlx5_0", "unset"}), 0) << err();
    EXPECT_EQ(run({"roce", "ecn", "eth1", "unset"}), 0) << err();
    EXPECT_EQ(run({"pfc", "set", "none", "--interface", "eth1"}), 0) << err();
    EXPECT_TRUE(json({"roce", "tos"})["ports"].empty());
    EXPECT_TRUE(json({"pfc", "show"})["interfaces"].empty());
    for (const char *folder : {"etc/systemd/system", "etc/udev/rules.d"}) {
        EXPECT_TRUE(!fs::exists(root / folder) || fs::is_empty(root / folder)) << folder;
    }
}

TEST_F(KeptOfDevices, of_an_interface_that_is_gone_are_removed_with_those_of_all) {
    ASSERT_EQ(run({"pfc", "set", "3"}), 0) << err();
    ASSERT_TRUE(rdma.remove("mlx5_0"));
    EXPECT_EQ(run({"pfc", "set", "none"}), 0) << err();
    EXPECT_FALSE(fs::exists(units("causeway-pfc@eth1.service")));
    EXPECT_EQ(run({"pfc", "set", "none"}), 69);
}

} // namespace
} // namespace causeway
