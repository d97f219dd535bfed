// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs "roce", on a host in memory.
#include "port_host.h"

#include <fmt/format.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class RoceVerb : public PortHost {
  protected:
    static std::string ecn_place(const char *role, int priority) {
        return fmt::format("/sys/class/net/eth1/ecn/{}/enable/{}", role, priority);
    }
    // Sets all that the verbs set of mlx5_0 and its interface eth1.
    void set_all() {
        serve_configfs("mlx5_0", "RoCE v2");
        files.content[tos_place] = "0\n";
        for (int priority = 0; priority < 8; priority++) {
            files.content[ecn_place("roce_np", priority)] = "0\n";
            files.content[ecn_place("roce_rp", priority)] = "0\n";
        }
        ASSERT_EQ(run({"roce", "mode", "mlx5_0", "v1"}), 0) << err();
        ASSERT_EQ(run({"roce", "tos", "mlx5_0", "104"}), 0) << err();
        ASSERT_EQ(run({"roce", "ecn", "eth1", "3"}), 0) << err();
    }
    fs::path unit(const std::string &name) const {
        return root / ("etc/systemd/system/causeway-" + name + ".service");
    }
    // Says which of the three units exist.
    std::string kept() const {
        return std::string(fs::exists(unit("roce@mlx5_0")) ? "mode " : "") +
               (fs::exists(unit("tos@mlx5_0")) ? "tos " : "") +
               (fs::exists(unit("ecn@eth1")) ? "ecn" : "");
    }

    const std::string tos_place = "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos";
};

/* ---- roce mode ---- */

TEST_F(RoceVerb, roce_mode_is_set_lasts_and_is_taken_back) {
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

TEST_F(RoceVerb, roce_mode_at_boot_is_not_journalled) {
    serve_configfs("mlx5_0", "RoCE v2");
    EXPECT_EQ(run({"roce", "mode", "mlx5_0", "v1", "--at-boot"}), 0) << err();
    EXPECT_EQ(roce_mode("mlx5_0"), "IB/RoCE v1\n");
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_FALSE(fs::exists(root / "var/lib/causeway/journal/000001.json"));
}

TEST_F(RoceVerb, roce_mode_refuses_what_a_device_does_not_speak) {
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

TEST_F(RoceVerb, roce_mode_is_given_back_to_the_kernel) {
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
    EXPECT_EQ(out(), "nothing to do: the kernel chooses the version of RoCE, now and at boot; "
                     "connections have the kernel's type of service; nothing sets ECN at boot\n");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(roce_mode("mlx5_0"), "IB/RoCE v1\n");
    EXPECT_EQ(json({"roce", "list", "mlx5_0"})["ports"][0]["at_boot"], "v1");
}

TEST_F(RoceVerb, roce_unset_knows_devices_that_are_gone) {
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

/* ---- roce tos, roce ecn ---- */

TEST_F(RoceVerb, roce_tos_is_set_lasts_and_is_unset) {
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

TEST_F(RoceVerb, roce_ecn_is_set_where_the_driver_has_a_switch) {
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

/* ---- all of roce ---- */

TEST_F(RoceVerb, list_shows_all_settings) {
    set_all();
    const auto told = json({"roce", "list"});
    EXPECT_EQ(told["ports"][0], (nlohmann::json{{"device", "mlx5_0"},
                                                {"port", 1},
                                                {"mode", "IB/RoCE v1"},
                                                {"at_boot", "v1"},
                                                {"tos", 104},
                                                {"tos_at_boot", "104"}}));
    EXPECT_EQ(told["ports"][1]["tos"], 0);
    EXPECT_EQ(told["ports"][1]["tos_at_boot"], nullptr);
    ASSERT_EQ(told["interfaces"].size(), 1U) << told;
    EXPECT_EQ(told["interfaces"][0]["interface"], "eth1");
    EXPECT_EQ(told["interfaces"][0]["priorities"], std::vector<int>{3});
    EXPECT_EQ(told["interfaces"][0]["at_boot"], std::vector<int>{3});
    EXPECT_EQ(run({"roce", "list"}), 0) << err();
    EXPECT_NE(out().find("TOS"), std::string::npos) << out();
    EXPECT_NE(out().find("ECN ON PRIORITIES"), std::string::npos) << out();
    EXPECT_EQ(json({"roce", "list", "mlx5_0"})["interfaces"].size(), 1U);
    EXPECT_EQ(json({"roce", "list", "rxe0"})["interfaces"].size(), 0U);
    const auto interface = json({"roce", "list", "eth1"});
    EXPECT_EQ(interface["ports"].size(), 0U);
    EXPECT_EQ(interface["interfaces"], told["interfaces"]);
    EXPECT_EQ(run({"roce", "list", "eth0"}), 69);
    // The list also has settings that are kept for devices that are gone.
    ASSERT_TRUE(rdma.remove("mlx5_0"));
    const auto gone = json({"roce", "list"});
    EXPECT_EQ(gone["ports"][1]["port"], nullptr);
    EXPECT_EQ(gone["ports"][1]["tos"], nullptr);
    EXPECT_EQ(gone["ports"][1]["tos_at_boot"], "104");
    EXPECT_EQ(gone["interfaces"][0]["device"], nullptr);
    ASSERT_EQ(run({"roce", "unset"}), 0) << err();
    EXPECT_EQ(kept(), "");
    ASSERT_TRUE(rdma.remove("rxe0"));
    EXPECT_EQ(run({"roce", "list"}), 0) << err();
    EXPECT_EQ(out(), "there is no device of RoCE\n");
}

TEST_F(RoceVerb, unset_removes_all_settings_or_one) {
    set_all();
    EXPECT_EQ(run({"roce", "unset", "mlx5_0", "--dry-run"}), 0) << err();
    EXPECT_EQ(kept(), "mode tos ecn");
    EXPECT_EQ(run({"roce", "unset", "mlx5_0", "--tos"}), 0) << err();
    EXPECT_EQ(kept(), "mode ecn");
    EXPECT_EQ(files.content[tos_place], "0\n");
    EXPECT_EQ(run({"roce", "unset", "mlx5_0", "--tos"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: connections have the kernel's type of service\n");
    EXPECT_EQ(run({"roce", "unset", "eth1", "--mode"}), 64);
    EXPECT_TRUE(says("eth1 is a network interface, which has no version")) << err();
    EXPECT_EQ(run({"roce", "unset", "eth1"}), 0) << err();
    EXPECT_NE(out().find("eth1 keeps its present ECN until the next boot\n"), std::string::npos)
        << out();
    EXPECT_EQ(kept(), "mode ");
    EXPECT_EQ(files.content[ecn_place("roce_np", 3)], "1\n");
    EXPECT_EQ(roce_mode("mlx5_0"), "IB/RoCE v1\n");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(kept(), "mode tos ecn");
    EXPECT_EQ(files.content[tos_place], "104\n");
    EXPECT_EQ(run({"roce", "unset", "mlx5_0", "--mode", "--ecn"}), 0) << err();
    EXPECT_EQ(kept(), "tos ");
    EXPECT_EQ(roce_mode("mlx5_0"), "RoCE v2\n");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(run({"roce", "unset", "mlx5_0"}), 0) << err();
    EXPECT_EQ(kept(), "");
    EXPECT_EQ(processes.log.back(), "systemctl daemon-reload");
}

} // namespace
} // namespace causeway
