// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs of partitions and of their multicast groups, on a host in memory.
#include "subnet_host.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class SubnetPartitions : public SubnetHost {
  protected:
    static constexpr const char *standard = "Default=0x7fff, ipoib :\n    ALL=full ;\n";
    // Two hosts at a switch; the second one has a slower link.
    static constexpr const char *two_hosts =
        "vendid=0x2c9\n"
        "switchguid=0x200000(200000)\n"
        "Switch\t4 \"S-0000000000200000\"\t\t# \"switch\" base port 0 lid 2 lmc 0\n"
        "[1]\t\"H-0000000000100000\"[1](100001) \t\t# \"one\" lid 1 4xQDR\n"
        "[2]\t\"H-0000000000100002\"[1](100003) \t\t# \"two\" lid 4 4xSDR\n"
        "\n"
        "caguid=0x100000\n"
        "Ca\t1 \"H-0000000000100000\"\t\t# \"one\"\n"
        "[1](100001) \t\"S-0000000000200000\"[1]\t\t# lid 1 lmc 0 \"switch\" lid 2 4xQDR\n"
        "\n"
        "caguid=0x100002\n"
        "Ca\t1 \"H-0000000000100002\"\t\t# \"two\"\n"
        "[1](100003) \t\"S-0000000000200000\"[2]\t\t# lid 4 lmc 0 \"switch\" lid 2 4xSDR\n";

    std::string rules() const { return read_file(partitions()); }
};

TEST_F(SubnetPartitions, are_made_and_removed) {
    enable();
    EXPECT_EQ(run({"sm", "partition", "add", "0x8001", "--rate", "40", "--mtu", "4096", "--member",
                   "0002:c903:0010:1234", "ALL=limited"}),
              0)
        << err();
    EXPECT_EQ(rules(), std::string(subnet_header) + standard +
                           "p0001=0x0001, ipoib, rate=7, mtu=5 :\n"
                           "    ALL=limited,\n    0x0002c90300101234=full ;\n");
    EXPECT_EQ(std::count(processes.log.begin(), processes.log.end(),
                         "systemctl kill --signal=HUP opensm@0x0002c90300101234.service "
                         "opensm@0x0002c90300101235.service"),
              1);
    const auto told = json({"sm", "status"});
    EXPECT_EQ(told["partitions"][1]["pkey"], "0x0001");
    EXPECT_EQ(told["ports"][0]["enabled"], true);
    EXPECT_EQ(run({"sm", "partition", "remove", "1"}), 0) << err();
    EXPECT_EQ(run({"sm", "partition", "remove", "1"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: there is no partition 0x0001\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_NE(rules().find("p0001=0x0001"), std::string::npos);

    EXPECT_EQ(run({"sm", "partition", "remove", "0xffff"}), 64);
    for (const auto &wrong : std::vector<std::vector<std::string>>{
             {"0x8000"},
             {"2", "--rate", "41"},
             {"2", "--rate", "default"},
             {"2", "--mtu", "1500"},
             {"2", "--member", "ALL=some"},
             {"2", "--member", "0x12"},
             {"2", "--name", "a;b"},
             {"2", "--scope", "0"},
             {"2", "--scope", "15"},
             {"2", "--scope", "planet"},
             {"2", "--qkey", "0"},
             {"2", "--qkey", "0x100000000"},
             {"2", "--sl", "16"},
             {"2", "--tclass", "256"},
             {"2", "--flow-label", "0x100000"},
             {"2", "--defmember", "some"},
             {"2", "--mgid", "fe80::1"},
             {"2", "--mgid", "ff12:401b::fb", "--scope", "site"}}) {
        std::vector<std::string> words = {"sm", "partition", "add"};
        words.insert(words.end(), wrong.begin(), wrong.end());
        EXPECT_EQ(run(words), 64) << testing::PrintToString(wrong);
    }
    EXPECT_EQ(run({"sm", "partition", "add", "2", "--port", "mlx4_0/3"}), 69);
    write_file(partitions(), std::string(subnet_header) + "Default=0x7fff:ALL=full\n");
    EXPECT_EQ(run({"sm", "partition", "add", "2"}), 78);
    EXPECT_TRUE(says("partitions.conf:2: a rule does not end with ';'")) << err();
}

TEST_F(SubnetPartitions, have_all_settings_of_opensm) {
    enable();
    EXPECT_EQ(run({"sm",           "partition",
                   "add",          "1",
                   "--name",       "lab",
                   "--scope",      "link",
                   "--qkey",       "0xB1B",
                   "--sl",         "3",
                   "--tclass",     "4",
                   "--flow-label", "0x10",
                   "--defmember",  "limited",
                   "--indx0",      "--member",
                   "SELF=full",    "ALL_SWITCHES",
                   "--mgid",       "ff12:401b::FB,ff12:601b:8001::fb"}),
              0)
        << err();
    EXPECT_EQ(rules(), std::string(subnet_header) + standard +
                           "lab=0x0001, indx0, ipoib, scope=2, Q_Key=0xb1b, sl=3, TClass=4, "
                           "FlowLabel=0x10, defmember=limited :\n"
                           "    ALL_SWITCHES=limited,\n    SELF=full\n"
                           "    mgid=ff12:401b::fb,TClass=4\n    mgid=ff12:601b::fb,TClass=4 ;\n");
    EXPECT_TRUE(says("uses service level 0 for every partition until: causeway sm qos set"))
        << err();
    EXPECT_EQ(run({"sm", "partition", "set", "1", "--scope", "default", "--qkey", "default", "--sl",
                   "5", "--no-indx0", "--no-ipoib", "--defmember", "both"}),
              0)
        << err();
    EXPECT_NE(rules().find("lab=0x0001, sl=5, TClass=4, FlowLabel=0x10, defmember=both :\n"),
              std::string::npos)
        << rules();
    // opensm allows both memberships only with this setting, which it reads when it starts.
    EXPECT_NE(read_file(settings()).find("allow_both_pkeys TRUE\n"), std::string::npos);
    EXPECT_EQ(processes.log.back().rfind("systemctl restart ", 0), 0U) << processes.log.back();
    EXPECT_EQ(run({"sm", "partition", "remove", "1"}), 0) << err();
    EXPECT_EQ(read_file(settings()).find("allow_both_pkeys"), std::string::npos);
    EXPECT_EQ(run({"sm", "partition", "set", "1", "--ipoib", "--no-ipoib"}), 64);
}

TEST_F(SubnetPartitions, that_are_there_with_other_settings_are_refused) {
    enable();
    ASSERT_EQ(run({"sm", "partition", "add", "1", "--rate", "40", "--member", "ALL=limited"}), 0)
        << err();
    const std::string before = rules();
    EXPECT_EQ(run({"sm", "partition", "add", "1", "--rate", "40", "--member", "ALL=limited"}), 0);
    EXPECT_EQ(out(), "nothing to do: the partition 0x0001 is like this already\n");
    EXPECT_EQ(run({"sm", "partition", "add", "1"}), 0) << err();
    EXPECT_EQ(run({"sm", "partition", "add", "1", "--rate", "10", "--mgid", "ff12:401b::fb"}), 1);
    EXPECT_TRUE(says("the partition 0x0001 is there with other settings: group ff12:401b::fb is "
                     "absent, not present; rate is 40, not 10"))
        << err();
    EXPECT_TRUE(says("causeway sm partition set 0x0001")) << err();
    EXPECT_EQ(rules(), before);
    EXPECT_EQ(run({"sm", "partition", "set", "1", "--rate", "10", "--mgid", "ff12:401b::fb"}), 0)
        << err();
    EXPECT_NE(rules().find("p0001=0x0001, ipoib, rate=3 :\n    ALL=limited\n"
                           "    mgid=ff12:401b::fb ;\n"),
              std::string::npos)
        << rules();
    EXPECT_EQ(run({"sm", "partition", "set", "2", "--rate", "10"}), 1);
    EXPECT_TRUE(says("there is no partition 0x0002")) << err();
    EXPECT_EQ(run({"sm", "partition", "set", "1"}), 64);
}

// 0x7fff as RHEL's guides write it, in two definitions.
TEST_F(SubnetPartitions, keep_what_an_administrator_has_written) {
    write_file(root / "etc/opensm/partitions.conf",
               "Default=0x7fff, rate=3, mtu=4, scope=2, defmember=full, indx0:\n"
               "  ALL, ALL_SWITCHES=full;\n"
               "Default=0x7fff, ipoib, rate=3:\n  mgid=ff12::1,sl=1\n  ALL=full;\n");
    enable();
    const std::string before = rules();
    EXPECT_EQ(run({"sm", "partition", "add", "0x7fff"}), 0) << err();
    EXPECT_EQ(rules(), before);
    EXPECT_EQ(run({"sm", "partition", "set", "0x7fff", "--rate", "40"}), 0) << err();
    EXPECT_EQ(rules(), std::string(subnet_header) +
                           "Default=0x7fff, ipoib, rate=7, mtu=4, scope=2, indx0 :\n"
                           "    ALL=full,\n    ALL_SWITCHES=full\n    mgid=ff12::1,sl=1\n"
                           "    ALL=full ;\n");
    EXPECT_EQ(run({"sm", "partition", "set", "0x7fff", "--member", "ALL"}), 0) << err();
    EXPECT_NE(rules().find(" :\n    ALL=full\n    mgid=ff12::1,sl=1 ;\n"), std::string::npos)
        << rules();
}

TEST_F(SubnetPartitions, belong_to_one_port_if_asked) {
    enable();
    ASSERT_EQ(run({"sm", "partition", "add", "1"}), 0) << err();
    EXPECT_EQ(run({"sm", "partition", "add", "1", "--port", "mlx4_0/2"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: the partition 0x0001 is like this already\n");
    EXPECT_EQ(run({"sm", "partition", "add", "2", "--port", "mlx4_0/2"}), 0) << err();
    const fs::path own = of_port("0x0002c90300101235.partitions.conf");
    EXPECT_EQ(rules().find("0x0002"), std::string::npos);
    EXPECT_NE(read_file(own).find("p0001=0x0001"), std::string::npos);
    EXPECT_NE(read_file(own).find("p0002=0x0002"), std::string::npos);
    EXPECT_EQ(read_file(of_port("0x0002c90300101235.conf")),
              std::string(subnet_header) + "partition_config_file "
                                           "/etc/causeway/opensm.d/0x0002c90300101235."
                                           "partitions.conf\n");
    // opensm reads the name of the file when it starts, and later only the file.
    EXPECT_EQ(processes.log.back(), "systemctl restart opensm@0x0002c90300101235.service");
    EXPECT_EQ(run({"sm", "partition", "add", "3", "--port", guid_2}), 0) << err();
    EXPECT_EQ(processes.log.back(),
              "systemctl kill --signal=HUP opensm@0x0002c90300101235.service");
    // Without a port a partition is in all files.
    EXPECT_EQ(run({"sm", "partition", "add", "4"}), 0) << err();
    EXPECT_NE(rules().find("p0004"), std::string::npos);
    EXPECT_NE(read_file(own).find("p0004"), std::string::npos);
    const auto all = json({"sm", "partition", "list"})["partitions"];
    ASSERT_EQ(all.size(), 8U);
    EXPECT_EQ(all[0]["port"], nullptr);
    EXPECT_EQ(all[3]["port"], guid_2);
    EXPECT_EQ(json({"sm", "partition", "list", "--port", "mlx4_0/2"})["partitions"].size(), 5U);
    EXPECT_EQ(json({"sm", "partition", "list", "--port", "mlx4_0/1"})["partitions"].size(), 3U);

    EXPECT_EQ(run({"sm", "unset", "mlx4_0/2", "--partitions"}), 0) << err();
    EXPECT_FALSE(fs::exists(own));
    EXPECT_FALSE(fs::exists(of_port("0x0002c90300101235.conf")));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_NE(read_file(own).find("p0003"), std::string::npos);
}

TEST_F(SubnetPartitions, have_multicast_groups) {
    enable();
    ASSERT_EQ(run({"sm", "partition", "add", "1", "--rate", "40"}), 0) << err();
    EXPECT_EQ(run({"sm", "partition", "group", "add", "2", "ff12::1"}), 1);
    EXPECT_EQ(
        run({"sm", "partition", "group", "add", "1", "ff12::1", "ff12:401b::fb", "--sl", "2"}), 0)
        << err();
    EXPECT_NE(rules().find("    ALL=full\n    mgid=ff12::1,sl=2\n    mgid=ff12:401b::fb,sl=2 ;\n"),
              std::string::npos)
        << rules();
    EXPECT_EQ(run({"sm", "partition", "group", "add", "1", "ff12:0::1", "--sl", "2"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: the groups are like this already\n");
    EXPECT_EQ(run({"sm", "partition", "group", "add", "1", "ff12::1", "--sl", "3"}), 1);
    EXPECT_TRUE(says("group ff12::1 is sl=2, not sl=3")) << err();
    EXPECT_TRUE(says("causeway sm partition group set 0x0001 ff12::1")) << err();
    EXPECT_EQ(run({"sm", "partition", "group", "set", "1", "ff12::1", "--sl", "default", "--rate",
                   "10", "--qkey", "7"}),
              0)
        << err();
    EXPECT_NE(rules().find("mgid=ff12::1,rate=3,Q_Key=0x7\n"), std::string::npos) << rules();
    EXPECT_EQ(run({"sm", "partition", "group", "set", "1", "ff12::2", "--sl", "1"}), 1);
    // opensm refuses groups of IP that differ from the broadcast group.
    EXPECT_EQ(run({"sm", "partition", "group", "set", "1", "ff12:401b::fb", "--rate", "10"}), 64);
    EXPECT_TRUE(says("must have the rate of the broadcast group")) << err();
    EXPECT_EQ(run({"sm", "partition", "group", "set", "1", "ff12:401b::fb", "--rate", "40"}), 0)
        << err();
    EXPECT_EQ(run({"sm", "partition", "set", "1", "--rate", "20"}), 0) << err();
    EXPECT_NE(rules().find("mgid=ff12:401b::fb,sl=2 ;\n"), std::string::npos) << rules();
    const auto told = json({"sm", "partition", "list"})["partitions"][1];
    EXPECT_EQ(told["groups"].size(), 2U);
    EXPECT_EQ(told["members"], std::vector<std::string>{"ALL=full"});
    EXPECT_EQ(run({"sm", "partition", "group", "remove", "1", "ff12::1", "ff12:401b:8001::fb"}), 0)
        << err();
    EXPECT_EQ(rules().find("mgid="), std::string::npos);
    EXPECT_EQ(run({"sm", "partition", "group", "remove", "1", "ff12::1"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: there is no such group\n");
    EXPECT_EQ(run({"sm", "partition", "group", "remove", "9", "ff12::1"}), 0) << err();
}

TEST_F(SubnetPartitions, are_compared_with_the_slowest_host_of_the_fabric) {
    processes.acts["ibnetdiscover -C mlx4_0 -P 1"] = [] {
        ProcessEnd end;
        end.out = two_hosts;
        return end;
    };
    enable();
    EXPECT_EQ(run({"sm", "partition", "add", "1", "--rate", "40"}), 0) << err();
    EXPECT_TRUE(says("1 of the fabric's ports is slower than 40 Gb/s and cannot join the "
                     "broadcast group; the slowest is two/1 with 10 Gb/s"))
        << err();
    EXPECT_EQ(run({"sm", "partition", "set", "1", "--rate", "10"}), 0) << err();
    EXPECT_FALSE(says("slow")) << err();
    // A fabric that does not answer.
    processes.acts["ibnetdiscover -C mlx4_0 -P 1"] = [] { return FakeProcesses::failure("no"); };
    EXPECT_EQ(run({"sm", "partition", "set", "1", "--rate", "56"}), 0) << err();
    EXPECT_TRUE(says("the hosts of the fabric at mlx4_0/1 were not compared with 56 Gb/s"))
        << err();
    EXPECT_TRUE(says("the slowest is mlx4_0/1 with 40 Gb/s")) << err();
    // Port 2 is not active.
    EXPECT_FALSE(processes.ran("ibnetdiscover -C mlx4_0 -P 2"));
}

TEST_F(SubnetPartitions, are_compared_by_doctor_too) {
    unsigned int asked = 0;
    processes.acts["ibnetdiscover -C mlx4_0 -P 1"] = [&asked] {
        asked++;
        ProcessEnd end;
        end.out = two_hosts;
        return end;
    };
    const auto seen = [&] {
        std::vector<std::string> lines;
        const Json report = json({"doctor"});
        for (const auto &finding : report["findings"]) {
            if (finding["id"] == "partition-rate-too-high") {
                lines.push_back(finding["what"].get<std::string>() + "; " +
                                finding["fix"].get<std::string>());
            }
        }
        return lines;
    };
    enable();
    ASSERT_EQ(run({"sm", "partition", "add", "1", "--rate", "40"}), 0) << err();
    ASSERT_EQ(run({"sm", "partition", "add", "2", "--rate", "40"}), 0) << err();
    asked = 0;
    EXPECT_EQ(seen(), (std::vector<std::string>{
                          "partition 0x0001: 1 of the fabric's ports is slower than 40 Gb/s and "
                          "cannot join the broadcast group; the slowest is two/1 with 10 Gb/s; "
                          "causeway sm partition set 0x0001 --rate 10",
                          "partition 0x0002: 1 of the fabric's ports is slower than 40 Gb/s and "
                          "cannot join the broadcast group; the slowest is two/1 with 10 Gb/s; "
                          "causeway sm partition set 0x0002 --rate 10"}));
    EXPECT_EQ(asked, 1U);
    ASSERT_EQ(run({"sm", "partition", "set", "2", "--rate", "10"}), 0) << err();
    EXPECT_EQ(seen().size(), 1U);
    // The partitions of port 2 alone, which is not active, are on no fabric that answers.
    ASSERT_EQ(run({"sm", "partition", "set", "1", "--rate", "10"}), 0) << err();
    ASSERT_EQ(run({"sm", "partition", "add", "3", "--rate", "40", "--port", "mlx4_0/2"}), 0)
        << err();
    EXPECT_EQ(seen(), std::vector<std::string>());
    // A port of this machine is reported once, although the fabric has it too.
    std::string fabric = two_hosts;
    for (std::size_t at = fabric.find("(100001)"); at != std::string::npos;
         at = fabric.find("(100001)")) {
        fabric.replace(at, 8, "(2c90300101234)");
    }
    processes.acts["ibnetdiscover -C mlx4_0 -P 1"] = [&fabric] {
        ProcessEnd end;
        end.out = fabric;
        return end;
    };
    ASSERT_EQ(run({"sm", "partition", "set", "1", "--rate", "56", "--port", "mlx4_0/1"}), 0)
        << err();
    const auto both = seen(); // the second one is of the file of the port
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].find("partition 0x0001 wants 56 Gb/s, port 1 of mlx4_0 has 40; "), 0U);
    EXPECT_EQ(both[1].find("partition 0x0001: 1 of the fabric's ports is slower than 56"), 0U);
    EXPECT_NE(both[1].find("--rate 10 --port 0x"), std::string::npos) << both[1];
    // A host outside the partition may be slower.
    ASSERT_EQ(run({"sm", "partition", "set", "1", "--rate", "56", "--port", "mlx4_0/1", "--member",
                   "0x0002c90300101234=full"}),
              0)
        << err();
    EXPECT_EQ(seen().size(), 1U);
    // A fabric that does not answer.
    processes.acts["ibnetdiscover -C mlx4_0 -P 1"] = [] { return FakeProcesses::failure("no"); };
    EXPECT_EQ(seen().size(), 1U);
    EXPECT_NE(out().find("the rates of the fabric's ports: ibnetdiscover failed: no"),
              std::string::npos)
        << out();
    // Without a rate of a partition, and where no subnet manager is enabled, nothing asks.
    ASSERT_EQ(run({"sm", "disable"}), 0) << err();
    runs(false);
    asked = 0;
    EXPECT_EQ(seen(), std::vector<std::string>());
    EXPECT_EQ(asked, 0U);
}

TEST_F(SubnetPartitions, are_none_before_a_manager_is_enabled) {
    EXPECT_EQ(run({"sm", "partition", "list"}), 0) << err();
    EXPECT_EQ(out(), "causeway enabled no subnet manager here, so it keeps no partitions\n");
    EXPECT_EQ(run({"sm", "qos", "show"}), 0) << err();
    EXPECT_EQ(out(), "causeway enabled no subnet manager here, so no service levels are set\n");
}

} // namespace
} // namespace causeway
