// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the subnet manager: its partitions as text, and the verbs of "sm" on a host in memory.
#include "fixture.h"
#include "real_programs.h"
#include "subnet/partitions.h"

#include <algorithm>
#include <chrono>

namespace causeway {
namespace {

namespace fs = std::filesystem;

constexpr const char *subnet_header =
    "# Written by \"causeway sm\"; \"causeway undo\" takes it back.\n";

TEST(Partitions, are_read_as_opensm_reads_them) {
    auto rules = parse_partitions("f", "# all\nDefault=0x7fff, ipoib:ALL=full;\n"
                                       "Net = 0x8001 , rate=7\n, mtu=5 :\n"
                                       "  0x0002c90300101234 = full, ALL ; # ; :\n"
                                       "named:\nmgid=ff12:401b::1,sl=1\nSELF=full;\n"
                                       "=12,indx0:;;\n");
    ASSERT_TRUE(rules) << rules.error().what;
    ASSERT_EQ(rules->size(), 4U);
    EXPECT_EQ((*rules)[0], (PartitionRule{"Default", 0x7fff, {"ipoib"}, {"ALL=full"}}));
    EXPECT_EQ((*rules)[1],
              (PartitionRule{"Net", 1, {"rate=7", "mtu=5"}, {"0x0002c90300101234=full", "ALL"}}));
    EXPECT_EQ((*rules)[2],
              (PartitionRule{"named", std::nullopt, {}, {"mgid=ff12:401b::1,sl=1", "SELF=full"}}));
    EXPECT_EQ((*rules)[3], (PartitionRule{"", 12, {"indx0"}, {}}));
    EXPECT_EQ(*parse_partitions("f", partitions_text(*rules)), *rules);
    EXPECT_EQ(partitions_text({(*rules)[0], (*rules)[1]}),
              std::string(subnet_header) + "Default=0x7fff, ipoib :\n    ALL=full ;\n"
                                           "Net=0x0001, rate=7, mtu=5 :\n"
                                           "    0x0002c90300101234=full,\n    ALL ;\n");
}

TEST(Partitions, that_opensm_would_not_read_are_refused_with_their_line) {
    for (const auto &[text, said] : std::vector<std::pair<std::string, std::string>>{
             {"\n\nDefault=0x7fff:ALL\n", "f:3: a rule does not end with ';'"},
             {"a=0x1:ALL;\n:ALL;", "f:2: a rule has no partition before ':'"},
             {"a=0x0:ALL;", "f:1: 'a=0x0' has no P_Key from 0x0001 to 0x7fff"},
             {"a=0x8000:ALL;", "f:1: 'a=0x8000' has no P_Key from 0x0001 to 0x7fff"},
             {"a=1z:ALL;", "f:1: 'a=1z' has no P_Key from 0x0001 to 0x7fff"},
             {"a=0x12345:ALL;", "f:1: 'a=0x12345' has no P_Key from 0x0001 to 0x7fff"}}) {
        auto rules = parse_partitions("f", text);
        ASSERT_FALSE(rules) << text;
        EXPECT_EQ(rules.error().what, said);
        EXPECT_EQ(rules.error().code, ExitCode::bad_config);
    }
}

TEST(Partitions, of_a_long_file_are_read_in_time_that_grows_with_its_length) {
    const std::string blanks(32768, ' ');
    const auto began = std::chrono::steady_clock::now();
    const auto rules = parse_partitions("f", std::string(32768, ';') + blanks);
    ASSERT_TRUE(rules);
    EXPECT_TRUE(rules->empty());
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
}

TEST(Partitions, always_have_the_default_one) {
    const PartitionRule rule{"a", 1, {}, {"ALL=full"}};
    auto rules = with_partition({{"x", 1, {}, {}}, {"y", 2, {}, {}}, {"z", 1, {}, {}}}, rule);
    ASSERT_EQ(rules.size(), 3U);
    EXPECT_EQ(rules[0].pkey, default_partition);
    EXPECT_EQ(rules[1], rule);
    EXPECT_EQ(rules[2].name, "y");
    EXPECT_EQ(without_partition(rules, 1).size(), 2U);
    EXPECT_EQ(without_partition({}, 1).size(), 1U);
    EXPECT_EQ(with_default({{"Default", std::nullopt, {}, {"ALL"}}}).size(), 1U);
}

TEST(PartitionCodes, are_those_of_infiniband) {
    EXPECT_EQ(*partition_rate_code("2.5"), 2U);
    EXPECT_EQ(*partition_rate_code("10"), 3U);
    EXPECT_EQ(*partition_rate_code("40"), 7U);
    EXPECT_EQ(*partition_rate_code("120"), 10U);
    EXPECT_EQ(*partition_rate_code("100"), 16U);
    EXPECT_EQ(*partition_mtu_code("256"), 1U);
    EXPECT_EQ(*partition_mtu_code("4096"), 5U);
    EXPECT_EQ(partition_rate_text(4), "30");
    EXPECT_EQ(partition_mtu_text(4), "2048");
    EXPECT_EQ(partition_rate_text(1), "");
    EXPECT_FALSE(partition_rate_code("11"));
    EXPECT_FALSE(partition_mtu_code("1500"));
}

TEST(PortGuid, is_read_in_every_common_form) {
    for (const char *text : {"0x0002c90300101234", "0002:c903:0010:1234", "00:02:c9:03:00:10:12:34",
                             "0002C90300101234"}) {
        auto guid = canonical_guid(text);
        ASSERT_TRUE(guid) << text;
        EXPECT_EQ(*guid, "0x0002c90300101234");
    }
    for (const char *text : {"", "0x2c9", "0x0002c9030010123g", "0x0002c903001012345",
                             "0000:0000:0000:0000", "0x0002:c903:0010:1234"}) {
        EXPECT_FALSE(canonical_guid(text)) << text;
    }
}

class SubnetManager : public CommandTest {
  protected:
    void SetUp() override {
        port("1", "1234", "4: ACTIVE", "0x1", "0x1");
        port("2", "1235", "2: INIT", "0x0", "0x0");
        rdma.put("mlx4_0", "node_type", "1: CA");
        fs::create_directories(root / "run/systemd/system");
        write_file(root / "lib/systemd/system/opensm.service", "");
        write_file(root / "lib/systemd/system/opensm@.service", "");
        runs(false);
    }

    void port(const std::string &number, const std::string &guid, const std::string &state,
              const std::string &lid, const std::string &sm_lid) {
        const std::string folder = "ports/" + number + "/";
        rdma.put("mlx4_0", folder + "gids/0", "fe80:0000:0000:0000:0002:c903:0010:" + guid);
        rdma.put("mlx4_0", folder + "link_layer", "InfiniBand");
        rdma.put("mlx4_0", folder + "state", state);
        rdma.put("mlx4_0", folder + "lid", lid);
        rdma.put("mlx4_0", folder + "sm_lid", sm_lid);
    }
    void runs(bool does) {
        processes.acts["systemctl is-active --quiet "] = [does] {
            return FakeProcesses::failure("", does ? 0 : 3);
        };
    }
    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
    fs::path partitions() const { return root / "etc/causeway/partitions.conf"; }
    fs::path settings() const { return root / "etc/causeway/opensm.conf"; }
};

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
                  .find("[Service]\nExecStart=\nExecStart=/usr/sbin/opensm --guid %I --log_file "
                        "/var/log/opensm.%I.log --config /etc/causeway/opensm.conf --Pconfig "
                        "/etc/causeway/partitions.conf\n"),
              std::string::npos);
    EXPECT_NE(read_file(root / "etc/causeway/opensm.env").find("PORTS=\"0x0002c90300101235\"\n"),
              std::string::npos);
    EXPECT_EQ(read_file(settings()), std::string(subnet_header) + "sm_priority 3\n");
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

TEST_F(SubnetManager, without_instances_of_the_package_has_units_of_ours) {
    fs::remove(root / "lib/systemd/system/opensm@.service");
    EXPECT_EQ(run({"sm", "enable", "mlx4_0"}), 0) << err();
    const fs::path units = root / "etc/systemd/system";
    EXPECT_NE(read_file(units / "causeway-opensm@.service").find("Conflicts=opensm.service\n"),
              std::string::npos);
    const fs::path wants = units / "multi-user.target.wants";
    EXPECT_TRUE(fs::is_symlink(wants / "causeway-opensm@0x0002c90300101234.service"));
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/2"}), 0) << err();
    EXPECT_FALSE(fs::is_symlink(wants / "causeway-opensm@0x0002c90300101234.service"));
    EXPECT_TRUE(fs::is_symlink(wants / "causeway-opensm@0x0002c90300101235.service"));
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
    EXPECT_NE(read_file(settings()).find("sm_priority 0\n"), std::string::npos);
}

TEST_F(SubnetManager, refuses_what_cannot_be) {
    EXPECT_EQ(run({"sm", "enable", "0x2c9"}), 64);
    EXPECT_TRUE(says("'0x2c9' is no port GUID")) << err();
    EXPECT_EQ(run({"sm", "enable", "0x0002c90300101299"}), 69);
    EXPECT_TRUE(says("there are mlx4_0/1 (0x0002c90300101234), mlx4_0/2")) << err();
    EXPECT_EQ(run({"sm", "enable", "mlx4_0/3"}), 69);
    EXPECT_EQ(run({"sm", "enable", "--priority", "16"}), 64);
    EXPECT_EQ(run({"sm", "enable", "--routing", "fast"}), 64);
    EXPECT_EQ(run({"sm", "set"}), 64);
    EXPECT_EQ(run({"sm", "set", "--sweep", "10"}), 69);
    EXPECT_EQ(run({"sm", "partition", "add", "0x8001"}), 69);
    EXPECT_TRUE(says("no subnet manager was enabled here")) << err();
    fs::remove_all(root / "lib");
    EXPECT_EQ(run({"sm", "enable"}), 69);
    EXPECT_TRUE(says("opensm is not installed")) << err();
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(SubnetManager, keeps_what_an_administrator_has_set_before) {
    write_file(root / "etc/opensm/opensm.conf", "sm_priority 9\nlog_flags 0x03\n");
    write_file(root / "etc/opensm/partitions.conf", "Default=0x7fff:ALL=limited,SELF=full;\n");
    EXPECT_EQ(run({"sm", "enable", "--priority", "2"}), 0) << err();
    EXPECT_EQ(read_file(settings()),
              std::string(subnet_header) + "sm_priority 2\nlog_flags 0x03\n");
    EXPECT_EQ(read_file(partitions()),
              std::string(subnet_header) + "Default=0x7fff :\n    ALL=limited,\n    SELF=full ;\n");
    EXPECT_EQ(run({"sm", "set", "--priority", "4"}), 0) << err();
    EXPECT_EQ(read_file(settings()),
              std::string(subnet_header) + "sm_priority 4\nlog_flags 0x03\n");
    EXPECT_EQ(run({"sm", "set", "--sweep", "30"}), 0) << err();
    EXPECT_EQ(run({"sm", "set", "--priority", "4"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: opensm has these settings already\n");
}

TEST_F(SubnetManager, makes_and_removes_partitions) {
    ASSERT_EQ(run({"sm", "enable"}), 0) << err();
    EXPECT_EQ(run({"sm", "partition", "add", "0x8001", "--rate", "40", "--mtu", "4096", "--member",
                   "0002:c903:0010:1234", "ALL=limited"}),
              0)
        << err();
    EXPECT_EQ(read_file(partitions()), std::string(subnet_header) +
                                           "Default=0x7fff, ipoib :\n    ALL=full ;\n"
                                           "p0001=0x0001, ipoib, rate=7, mtu=5 :\n"
                                           "    ALL=limited,\n    0x0002c90300101234=full ;\n");
    EXPECT_EQ(processes.log.back(), "systemctl kill --signal=HUP opensm@*.service");
    const auto told = json({"sm", "status"});
    EXPECT_EQ(told["partitions"][1]["pkey"], "0x0001");
    EXPECT_EQ(told["ports"][0]["enabled"], true);
    EXPECT_EQ(run({"sm", "partition", "remove", "1"}), 0) << err();
    EXPECT_EQ(run({"sm", "partition", "remove", "1"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: there is no partition 0x0001\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_NE(read_file(partitions()).find("p0001=0x0001"), std::string::npos);

    EXPECT_EQ(run({"sm", "partition", "remove", "0xffff"}), 64);
    EXPECT_EQ(run({"sm", "partition", "add", "0x8000"}), 64);
    EXPECT_EQ(run({"sm", "partition", "add", "2", "--rate", "41"}), 64);
    EXPECT_EQ(run({"sm", "partition", "add", "2", "--mtu", "1500"}), 64);
    EXPECT_EQ(run({"sm", "partition", "add", "2", "--member", "ALL=some"}), 64);
    EXPECT_EQ(run({"sm", "partition", "add", "2", "--member", "0x12"}), 64);
    EXPECT_EQ(run({"sm", "partition", "add", "2", "--name", "a;b"}), 64);
    write_file(partitions(), std::string(subnet_header) + "Default=0x7fff:ALL=full\n");
    EXPECT_EQ(run({"sm", "partition", "add", "2"}), 78);
    EXPECT_TRUE(says("partitions.conf:2: a rule does not end with ';'")) << err();
}

// The real opensm reads the same file, on a fabric that ibsim simulates.
TEST(Opensm, makes_the_partitions_that_were_written) {
    if (!real_programs_there({"ibsim", "opensm", "smpquery"})) {
        GTEST_SKIP() << "needs opensm, ibsim-utils and infiniband-diags: make deps";
    }
    const TemporaryFolder folder;
    write_file(folder / "partitions.conf",
               partitions_text(with_partition({}, {"p0001",
                                                   1,
                                                   {"ipoib", "rate=2", "mtu=4"},
                                                   {"ALL=limited", "0x0000000000100001=full"}})));
    const ProcessEnd end =
        run_real_program({"bash", (fs::path(__FILE__).parent_path() / "opensm_on_ibsim").string(),
                          folder.path().string()});
    ASSERT_TRUE(end.good()) << end.out << end.err;
    EXPECT_EQ(end.out, "Initialize Active\nInitialize Active\n0xffff 0x8001\n0xffff 0x0001");
}

// An opensm that was started by hand still answers on port 1.
TEST_F(SubnetManager, is_not_denied_where_no_service_runs) {
    EXPECT_EQ(run({"sm", "status"}), 0) << err();
    EXPECT_EQ(out().rfind("no service of opensm runs here\n", 0), 0U) << out();
    EXPECT_NE(out().find("this port"), std::string::npos) << out();
}

} // namespace
} // namespace causeway
