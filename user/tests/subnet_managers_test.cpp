// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs that enable, disable and set subnet managers, on a host in memory.
#include "subnet_host.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class SubnetManager : public SubnetHost {};

TEST_F(SubnetManager, is_enabled_by_drop_ins_of_our_own) {
    EXPECT_EQ(run({"sm", "enable", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("run systemctl restart opensm.service\n"), std::string::npos) << out();
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/2", "--priority", "3"}), 0) << err();
    const fs::path units = root / "etc/systemd/system";
    EXPECT_NE(read_file(units / "opensm.service.d/causeway.conf")
                  .find("[Service]\nEnvironmentFile=/etc/causeway/opensm.env\n"),
              std::string::npos);
    EXPECT_NE(read_file(units / "opensm@.service.d/causeway.conf")
                  .find("\nExecStart=\nCacheDirectory=opensm opensm/%I\n"
                        "Environment=OSM_CACHE_DIR=/var/cache/opensm/%I\n"
                        "EnvironmentFile=-/etc/causeway/opensm.env\n"
                        "ExecStartPre=-/bin/sh -c '"),
              std::string::npos);
    EXPECT_NE(read_file(units / "opensm@.service.d/causeway.conf")
                  .find("\nExecStart=/usr/sbin/opensm --guid %I --log_file /var/log/opensm.%I.log "
                        "--config /var/cache/opensm/causeway-%I.conf\n"),
              std::string::npos);
    EXPECT_NE(read_file(root / "etc/causeway/opensm.env").find("PORTS=\"0x0002c90300101235\"\n"),
              std::string::npos);
    EXPECT_EQ(read_file(settings()), std::string(subnet_header) + shared_line);
    EXPECT_EQ(read_file(of_port("0x0002c90300101235.conf")),
              std::string(subnet_header) + "sm_priority 3\n");
    EXPECT_EQ(read_file(partitions()),
              std::string(subnet_header) + "Default=0x7fff, ipoib :\n    ALL=full ;\n");
    EXPECT_TRUE(fs::is_symlink(units / "network-online.target.wants/opensm.service"));
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm.service");
    runs(true);
    EXPECT_EQ(run({"sm", "enable", "0002:c903:0010:1235"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: opensm runs on 0x0002c90300101235 already\n");

    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(processes.ran("systemctl stop opensm.service"));
    EXPECT_EQ(processes.log.back(), "systemctl daemon-reload");
    EXPECT_FALSE(fs::exists(settings()));
    EXPECT_FALSE(fs::exists(units / "opensm@.service.d/causeway.conf"));
    EXPECT_FALSE(fs::is_symlink(units / "network-online.target.wants/opensm.service"));
}

TEST_F(SubnetManager, of_the_package_runs_again_after_undo) {
    runs(true, "opensm.service");
    EXPECT_EQ(run({"sm", "enable"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm.service");
}

TEST_F(SubnetManager, that_is_enabled_stays_when_another_one_is_enabled) {
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/1", "--priority", "7"}), 0) << err();
    runs(true);
    runs(false, "opensm@0x0002c90300101235.service");
    processes.log.clear();
    EXPECT_EQ(json({"sm", "enable", "mlx4_0/2", "--standby"})["ports"],
              (std::vector<std::string>{guid_1, guid_2}));
    EXPECT_NE(read_file(root / "etc/causeway/opensm.env")
                  .find("PORTS=\"0x0002c90300101234 0x0002c90300101235\"\n"),
              std::string::npos);
    EXPECT_EQ(read_file(of_port("0x0002c90300101234.conf")),
              std::string(subnet_header) + "sm_priority 7\n");
    EXPECT_EQ(read_file(of_port("0x0002c90300101235.conf")),
              std::string(subnet_header) + "sm_priority 0\n");
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm@0x0002c90300101235.service");
    EXPECT_FALSE(processes.ran("systemctl restart opensm.service"));
    EXPECT_FALSE(processes.ran("systemctl restart opensm@0x0002c90300101234.service"));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "systemctl stop opensm@0x0002c90300101235.service");
    EXPECT_NE(read_file(root / "etc/causeway/opensm.env").find("PORTS=\"0x0002c90300101234\"\n"),
              std::string::npos);
}

TEST_F(SubnetManager, keeps_its_priority_when_all_ports_are_to_stand_by) {
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/1", "--priority", "7"}), 0) << err();
    runs(true);
    runs(false, "opensm@0x0002c90300101235.service");
    processes.log.clear();
    EXPECT_EQ(run({"sm", "enable", "--standby"}), 0) << err();
    EXPECT_EQ(read_file(of_port("0x0002c90300101234.conf")),
              std::string(subnet_header) + "sm_priority 7\n");
    EXPECT_EQ(read_file(of_port("0x0002c90300101235.conf")),
              std::string(subnet_header) + "sm_priority 0\n");
    EXPECT_FALSE(processes.ran("systemctl restart opensm@0x0002c90300101234.service"));
    runs(true, "opensm@0x0002c90300101235.service");
    EXPECT_EQ(run({"sm", "enable", "--standby"}), 0) << err();
    EXPECT_NE(out().find("nothing to do"), std::string::npos) << out();
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/1", "--standby"}), 0) << err();
    EXPECT_EQ(read_file(of_port("0x0002c90300101234.conf")),
              std::string(subnet_header) + "sm_priority 0\n");
}

TEST_F(SubnetManager, is_disabled_on_one_port_or_on_all) {
    enable();
    ASSERT_EQ(run({"sm", "set", "mlx4_0/2", "--priority", "3"}), 0) << err();
    ASSERT_EQ(run({"sm", "partition", "add", "1", "--port", "mlx4_0/2"}), 0) << err();
    EXPECT_EQ(run({"sm", "disable", "mlx4_0/2", "--dry-run"}), 0) << err();
    EXPECT_TRUE(fs::exists(of_port("0x0002c90300101235.conf")));
    processes.log.clear();
    EXPECT_EQ(run({"sm", "disable", guid_2}), 0) << err();
    EXPECT_TRUE(processes.ran("systemctl stop opensm@0x0002c90300101235.service"));
    EXPECT_FALSE(processes.ran("systemctl restart"));
    EXPECT_FALSE(fs::exists(of_port("0x0002c90300101235.conf")));
    EXPECT_FALSE(fs::exists(of_port("0x0002c90300101235.partitions.conf")));
    EXPECT_EQ(run({"sm", "disable", "mlx4_0/2"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: causeway enabled no subnet manager on mlx4_0/2\n");
    EXPECT_EQ(run({"sm", "disable", "mlx4_0/3"}), 69);

    EXPECT_EQ(run({"sm", "disable"}), 0) << err();
    EXPECT_TRUE(processes.ran("systemctl stop opensm.service"));
    const fs::path units = root / "etc/systemd/system";
    for (const fs::path &place :
         {root / "etc/causeway/opensm.env", settings(), partitions(),
          units / "opensm.service.d/causeway.conf", units / "opensm@.service.d/causeway.conf"}) {
        EXPECT_FALSE(fs::exists(place)) << place;
    }
    // Else the package's service would start opensm on all ports.
    EXPECT_FALSE(fs::is_symlink(units / "network-online.target.wants/opensm.service"));
    runs(false);
    EXPECT_EQ(run({"sm", "disable"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: causeway enabled no subnet manager on this machine\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm.service");
    EXPECT_TRUE(fs::exists(units / "opensm@.service.d/causeway.conf"));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm@0x0002c90300101235.service");
    EXPECT_NE(read_file(of_port("0x0002c90300101235.conf"))
                  .find("partition_config_file /etc/causeway/opensm.d/"),
              std::string::npos);
}

TEST_F(SubnetManager, of_a_port_that_is_gone_can_be_disabled) {
    write_file(root / "etc/causeway/opensm.env", "# Written by \"causeway sm enable\"; \"causeway "
                                                 "undo\" takes it back.\n"
                                                 "PORTS=\"0x0002c90300109999\"\n");
    EXPECT_EQ(json({"sm", "status"})["ports"][2]["guid"], "0x0002c90300109999");
    EXPECT_EQ(run({"sm", "disable", "0x0002c90300109999"}), 0) << err();
    EXPECT_FALSE(fs::exists(root / "etc/causeway/opensm.env"));
}

TEST_F(SubnetManager, without_instances_of_the_package_has_units_of_ours) {
    fs::remove(root / "lib/systemd/system/opensm@.service");
    EXPECT_EQ(run({"sm", "enable", "mlx4_0"}), 0) << err();
    const fs::path units = root / "etc/systemd/system";
    const fs::path unit = units / "causeway-opensm@.service";
    EXPECT_NE(read_file(unit).find("Conflicts=opensm.service\n"), std::string::npos);
    EXPECT_NE(read_file(unit).find("\nExecStartPre=/bin/sh -c '"), std::string::npos);
    const fs::path wants = units / "multi-user.target.wants";
    EXPECT_TRUE(fs::is_symlink(wants / "causeway-opensm@0x0002c90300101234.service"));
    EXPECT_EQ(run({"sm", "disable", "mlx4_0/1"}), 0) << err();
    EXPECT_TRUE(processes.ran("systemctl stop causeway-opensm@0x0002c90300101234.service"));
    EXPECT_FALSE(fs::is_symlink(wants / "causeway-opensm@0x0002c90300101234.service"));
    EXPECT_TRUE(fs::is_symlink(wants / "causeway-opensm@0x0002c90300101235.service"));
    EXPECT_EQ(run({"sm", "disable"}), 0) << err();
    EXPECT_FALSE(fs::is_symlink(wants / "causeway-opensm@0x0002c90300101235.service"));
    EXPECT_FALSE(fs::exists(unit));
}

TEST_F(SubnetManager, of_a_package_that_is_gone_can_be_disabled) {
    enable();
    fs::remove(root / "lib/systemd/system/opensm@.service");
    fs::remove(root / "lib/systemd/system/opensm.service");
    EXPECT_EQ(run({"sm", "partition", "add", "1"}), 69);
    EXPECT_EQ(run({"sm", "disable", "mlx4_0/1"}), 69);
    EXPECT_EQ(run({"sm", "disable"}), 0) << err();
    EXPECT_FALSE(fs::exists(root / "etc/causeway/opensm.env"));
    EXPECT_FALSE(fs::exists(root / "etc/systemd/system/opensm@.service.d/causeway.conf"));
}

// Some adapters show this LID before a subnet manager has come.
TEST_F(SubnetManager, at_the_permissive_lid_is_none) {
    port("1", "1234", "2: INIT", "0x0", "0xffff");
    EXPECT_EQ(json({"sm", "status"})["ports"][0]["sm_lid"], 0);
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/1"}), 0) << err();
}

TEST_F(SubnetManager, is_not_put_beside_another_one) {
    port("1", "1234", "4: ACTIVE", "0x5", "0x1");
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/1"}), 1);
    EXPECT_TRUE(says("another subnet manager, at LID 1, answers on mlx4_0/1\n  one is enough"))
        << err();
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/1", "--standby"}), 0) << err();
    EXPECT_NE(read_file(of_port("0x0002c90300101234.conf")).find("sm_priority 0\n"),
              std::string::npos);
}

TEST_F(SubnetManager, refuses_what_cannot_be) {
    EXPECT_EQ(run({"sm", "enable", "0x2c9"}), 64);
    EXPECT_TRUE(says("'0x2c9' is no port GUID")) << err();
    EXPECT_EQ(run({"sm", "enable", "0x0002c90300101299"}), 69);
    EXPECT_TRUE(says("there are mlx4_0/1 (0x0002c90300101234), mlx4_0/2")) << err();
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/3"}), 69);
    EXPECT_EQ(run({"sm", "enable", "--priority", "16"}), 64);
    EXPECT_EQ(run({"sm", "enable", "--routing", "fast"}), 64);
    EXPECT_EQ(run({"sm", "enable", "--subnet-prefix", "fe80:0:0:1"}), 64);
    EXPECT_EQ(run({"sm", "set"}), 64);
    EXPECT_EQ(run({"sm", "unset"}), 64);
    EXPECT_EQ(run({"sm", "set", "--sweep", "10"}), 69);
    EXPECT_EQ(run({"sm", "qos", "set", "--level", "0=1"}), 69);
    EXPECT_EQ(run({"sm", "partition", "add", "0x8001"}), 69);
    EXPECT_TRUE(says("no subnet manager was enabled here")) << err();
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/1"}), 0) << err();
    EXPECT_EQ(run({"sm", "set", "mlx4_0/2", "--priority", "1"}), 69);
    EXPECT_TRUE(says("causeway enabled no subnet manager on mlx4_0/2")) << err();
    // A GUID is a part of the names of files.
    write_file(root / "etc/causeway/opensm.env", "PORTS=\"../../x\"\n");
    EXPECT_EQ(run({"sm", "set", "--priority", "1"}), 78);
    EXPECT_TRUE(says("opensm.env: '../../x' is no port GUID")) << err();
    fs::remove_all(root / "etc");
    fs::remove_all(root / "lib");
    EXPECT_EQ(run({"sm", "enable"}), 69);
    EXPECT_TRUE(says("opensm is not installed")) << err();
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(SubnetManager, has_settings_of_all_ports_and_of_each) {
    enable();
    EXPECT_EQ(run({"sm", "set", "--priority", "4", "--sweep", "30"}), 0) << err();
    EXPECT_EQ(read_file(settings()),
              std::string(subnet_header) + "sm_priority 4\nsweep_interval 30\n" + shared_line);
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm@0x0002c90300101234.service "
                                    "opensm@0x0002c90300101235.service");
    EXPECT_EQ(run({"sm", "set", "--priority", "4"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: opensm has these settings already\n");
    EXPECT_EQ(run({"sm", "set", "mlx4_0/2", "--priority", "9", "--subnet-prefix", "fec0:0:0:2"}), 0)
        << err();
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm@0x0002c90300101235.service");
    EXPECT_EQ(read_file(of_port("0x0002c90300101235.conf")),
              std::string(subnet_header) + "sm_priority 9\nsubnet_prefix 0xfec0000000000002\n");
    const auto told = json({"sm", "status"});
    EXPECT_EQ(told["ports"][0]["priority"], 4);
    EXPECT_EQ(told["ports"][0]["configured_prefix"], nullptr);
    EXPECT_EQ(told["ports"][0]["prefix"], "0xfe80000000000000");
    EXPECT_EQ(told["ports"][1]["priority"], 9);
    EXPECT_EQ(told["ports"][1]["configured_prefix"], "0xfec0000000000002");

    EXPECT_EQ(run({"sm", "unset", "mlx4_0/2", "--priority"}), 0) << err();
    EXPECT_EQ(json({"sm", "status"})["ports"][1]["priority"], 4);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    // The value of all ports replaces that of one.
    EXPECT_EQ(run({"sm", "set", "--priority", "5"}), 0) << err();
    EXPECT_EQ(json({"sm", "status"})["ports"][1]["priority"], 5);
    EXPECT_EQ(run({"sm", "unset", "--priority", "--sweep", "--subnet-prefix"}), 0) << err();
    EXPECT_EQ(read_file(settings()), std::string(subnet_header) + shared_line);
    EXPECT_FALSE(fs::exists(of_port("0x0002c90300101235.conf")));
    EXPECT_EQ(run({"sm", "unset", "--routing"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: these settings are as opensm and its package have them\n");
}

// Defaults of opensm's package stay in its file, so that those of a later package take effect.
TEST_F(SubnetManager, leaves_the_settings_of_the_package_in_its_file) {
    write_file(root / "etc/opensm/opensm.conf", "sm_priority 9\nlog_flags 0x03\n");
    write_file(root / "etc/opensm/partitions.conf", "Default=0x7fff:ALL=limited,SELF=full;\n");
    EXPECT_EQ(run({"sm", "enable", "--sweep", "2"}), 0) << err();
    EXPECT_EQ(read_file(settings()),
              std::string(subnet_header) + "sweep_interval 2\n" + shared_line);
    EXPECT_EQ(read_file(partitions()),
              std::string(subnet_header) + "Default=0x7fff :\n    ALL=limited,\n    SELF=full ;\n");
    EXPECT_EQ(json({"sm", "status"})["ports"][0]["priority"], 9);
}

TEST_F(SubnetManager, of_an_earlier_version_is_migrated_by_the_next_verb) {
    const std::string first_line =
        "# Written by \"causeway sm enable\"; \"causeway undo\" takes it "
        "back.\n";
    const fs::path units = root / "etc/systemd/system";
    write_file(root / "etc/causeway/opensm.env",
               first_line + "PORTS=\"0x0002c90300101234 0x0002c90300101235\"\n");
    write_file(units / "opensm.service.d/causeway.conf",
               first_line + "[Service]\nEnvironmentFile=/etc/causeway/opensm.env\n");
    write_file(units / "opensm@.service.d/causeway.conf",
               first_line +
                   "[Service]\nExecStart=\nExecStart=/usr/sbin/opensm --guid %I --log_file "
                   "/var/log/opensm.%I.log --config /etc/causeway/opensm.conf --Pconfig "
                   "/etc/causeway/partitions.conf\n");
    fs::create_directories(units / "network-online.target.wants");
    fs::create_symlink("/lib/systemd/system/opensm.service",
                       units / "network-online.target.wants/opensm.service");
    write_file(root / "etc/rdma/opensm.conf",
               "# SM priority\nsm_priority 0\nlmc 0\npartition_config_file /etc/rdma/p.conf\n");
    const std::string old = std::string(subnet_header) +
                            "# SM priority\nsm_priority 4\nlmc 0\n"
                            "partition_config_file /etc/rdma/p.conf\nlog_flags 0x07\n";
    write_file(settings(), old);
    write_file(partitions(), std::string(subnet_header) +
                                 "Default=0x7fff, ipoib :\n    ALL=full ;\n"
                                 "lab=0x0001, ipoib :\n    ALL=full\n"
                                 "    mgid=ff12:401b::fb ;\n");
    runs(true);
    EXPECT_EQ(run({"sm", "partition", "add", "2"}), 0) << err();
    EXPECT_EQ(read_file(settings()),
              std::string(subnet_header) + "sm_priority 4\nlog_flags 0x07\n" + shared_line);
    EXPECT_NE(read_file(units / "opensm@.service.d/causeway.conf").find("ExecStartPre="),
              std::string::npos);
    EXPECT_NE(read_file(partitions())
                  .find("lab=0x0001, ipoib :\n    ALL=full\n    "
                        "mgid=ff12:401b::fb ;\np0002=0x0002"),
              std::string::npos)
        << read_file(partitions());
    ASSERT_GE(processes.log.size(), 2U);
    EXPECT_EQ(processes.log.end()[-2], "systemctl daemon-reload");
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm@0x0002c90300101234.service "
                                    "opensm@0x0002c90300101235.service");
    EXPECT_EQ(run({"sm", "enable"}), 0) << err();
    EXPECT_EQ(out().rfind("nothing to do: ", 0), 0U) << out();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(read_file(settings()), old);
}

// An opensm that was started by hand still answers on port 1.
TEST_F(SubnetManager, is_not_denied_where_no_service_runs) {
    EXPECT_EQ(run({"sm", "status"}), 0) << err();
    EXPECT_EQ(out().rfind("no service of opensm runs here\n"
                          "causeway enabled no subnet manager here\n",
                          0),
              0U)
        << out();
    EXPECT_NE(out().find("this port"), std::string::npos) << out();
}

TEST_F(SubnetManager, gives_service_levels_their_weights) {
    enable();
    EXPECT_EQ(run({"sm", "qos", "show"}), 0) << err();
    EXPECT_NE(out().find("no service levels are set on 0x0002c90300101234\n"), std::string::npos);
    EXPECT_EQ(run({"sm", "qos", "set", "mlx4_0/1", "--level", "0=64", "1=192"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm@0x0002c90300101234.service");
    EXPECT_EQ(read_file(of_port("0x0002c90300101234.conf")),
              std::string(subnet_header) +
                  "qos TRUE\nqos_max_vls 2\nqos_high_limit 0\nqos_vlarb_low 0:64,1:192\n"
                  "qos_vlarb_high 0:0\nqos_sl2vl 0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n");
    const auto told = json({"sm", "qos", "show"})["qos"];
    EXPECT_EQ(told[0]["on"], true);
    EXPECT_EQ(told[0]["levels"][1],
              (nlohmann::json{{"sl", 1}, {"vl", 1}, {"weight", 192}, {"high", false}}));
    EXPECT_EQ(told[1]["on"], false);
    EXPECT_EQ(run({"sm", "qos", "set", "mlx4_0/1", "--level", "0=64,1=192"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: opensm has these service levels already\n");
    for (const auto &wrong : std::vector<std::vector<std::string>>{
             {},
             {"--level", "1=64"},
             {"--level", "0=64", "0=32"},
             {"--level", "0=0"},
             {"--level", "16=1", "0=1"},
             {"--level", "0=256"},
             {"--level", "0"},
             {"--level", "0=1", "--high", "0=1"},
             {"--level", "0=1", "--high-limit", "3"},
             {"--level", "0=1", "--high", "1=1", "--high-limit", "256"}}) {
        std::vector<std::string> words = {"sm", "qos", "set"};
        words.insert(words.end(), wrong.begin(), wrong.end());
        EXPECT_EQ(run(words), 64) << testing::PrintToString(wrong);
    }
    EXPECT_EQ(run({"sm", "qos", "unset"}), 0) << err();
    EXPECT_FALSE(fs::exists(of_port("0x0002c90300101234.conf")));
    EXPECT_EQ(run({"sm", "qos", "unset"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: no service levels are set\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(fs::exists(of_port("0x0002c90300101234.conf")));
}

} // namespace
} // namespace causeway
