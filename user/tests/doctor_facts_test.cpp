// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the parsers that gather the facts of doctor: firewalls, partitions, limits, addresses,
// files of other programs.
#include "boot/facts.h"
#include "doctor/gather.h"
#include "firewall/facts.h"
#include "ipoib/facts.h"
#include "soft/facts.h"
#include "subnet/facts.h"

#include <gtest/gtest.h>

namespace causeway {
namespace {

TEST(DoctorFirewall, of_ufw_and_firewalld) {
    const FirewallFacts ufw =
        parse_ufw("Status: active\n\nTo                         Action      From\n"
                  "22/tcp                     ALLOW       Anywhere\n"
                  "20000:20100/tcp            ALLOW       Anywhere\n"
                  "4793                       ALLOW       10.0.0.0/8\n"
                  "4791/udp                   DENY        Anywhere\n");
    EXPECT_TRUE(ufw.lets_in("tcp", 20049));
    EXPECT_TRUE(ufw.lets_in("udp", 4793));
    EXPECT_FALSE(ufw.lets_in("udp", 4791));
    EXPECT_TRUE(parse_ufw("Status: inactive\n").lets_in("udp", 4791));
    const auto rules = parse_firewalld_rules(
        "rule family=\"ipv4\" source address=\"10.0.0.0/24\" port port=\"4791\" protocol=\"udp\" "
        "accept\nrule family=\"ipv4\" port port=\"22\" protocol=\"tcp\" drop\nnonsense port\n");
    ASSERT_EQ(rules.size(), 1U);
    EXPECT_EQ(rules[0].first, 4791);
    EXPECT_EQ(rules[0].last, 4791);
    EXPECT_EQ(rules[0].protocol, "udp");
    const auto ports = parse_firewalld_ports("22/tcp 5000-6000/udp nonsense");
    ASSERT_EQ(ports.size(), 2U);
    EXPECT_EQ(ports[1].last, 6000);
    EXPECT_EQ(ports[1].protocol, "udp");
}

TEST(DoctorFacts, of_neighbours) {
    EXPECT_EQ(parse_neighbours(R"([{"dst":"10.2.0.7","lladdr":"80:00:00:49","state":["REACHABLE"]},
                                   {"dst":"10.2.0.8","state":["FAILED"]},
                                   {"dst":"10.2.0.9","state":["STALE"]},
                                   {"dst":"fe80::1","state":["REACHABLE"]},
                                   {"dst":"-f","state":["REACHABLE"]},
                                   {"dst":7,"state":["REACHABLE"]},
                                   {"dst":"10.2.0.10","state":"REACHABLE"}, 4])"),
              (std::vector<std::string>{"10.2.0.7", "10.2.0.9"}));
    EXPECT_TRUE(parse_neighbours("").empty());
    EXPECT_TRUE(parse_neighbours("{}").empty());
}

TEST(DoctorFacts, of_opensm_partitions) {
    const auto lines = partition_lines(
        "f", "# Lab=0x0001 : ALL ;\nDefault, ipoib, defmember=full : ALL, SELF=full;\n"
             "Storage=0x8001, rate=12,\n mtu=5 : 0x0002c90300101234=full ;\nlab : ALL ;");
    ASSERT_TRUE(lines) << lines.error().what;
    ASSERT_EQ(lines->size(), 2U);
    EXPECT_EQ((*lines)[0].pkey, 0x7fffU);
    EXPECT_EQ((*lines)[1].pkey, 1U);
    EXPECT_EQ((*lines)[1].rate, 12U);
    EXPECT_EQ(partition_lines("f", "\nLab=0x1 : ALL").error().what.substr(0, 4), "f:2:");
}

TEST(DoctorFacts, of_connected_mode_in_three_kinds_of_files) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(wants_connected("[connection]\ninterface-name=ib0\n[infiniband]\n"
                              "transport-mode=connected\n"),
              Names{"ib0"});
    EXPECT_EQ(wants_connected("[Match]\nName=ib1\n[IPoIB]\nMode=connected\n"), Names{"ib1"});
    EXPECT_EQ(wants_connected("iface ib0 inet static\n  mtu 2044\niface ib1 inet static\n"
                              "  pre-up echo connected > /sys/class/net/$IFACE/mode\n"),
              Names{"ib1"});
    EXPECT_EQ(wants_connected("# Mode=connected\n[Match]\nName=ib1\n"), Names{});
}

TEST(DoctorFacts, of_memlock) {
    EXPECT_TRUE(raises_memlock("@rdma - memlock unlimited\n"));
    EXPECT_TRUE(raises_memlock("* soft memlock 4194304 # 4 GiB\n"));
    EXPECT_FALSE(
        raises_memlock("# * - memlock unlimited\n* hard memlock unlimited\n* - memlock 64"));
    EXPECT_EQ(parse_memlock("Max locked memory         unlimited            unlimited   bytes"),
              no_limit);
    EXPECT_EQ(parse_memlock("Max locked memory         65536                65536       bytes"),
              65536U);
}

TEST(DoctorFacts, of_beegfs) {
    EXPECT_TRUE(beegfs_without_rdma("connUseRDMA = false\n"));
    EXPECT_TRUE(beegfs_without_rdma("connUseRDMA=false"));
    EXPECT_TRUE(beegfs_without_rdma("connUseRDMA   =\tfalse # RDMA is off\n"));
    EXPECT_TRUE(beegfs_without_rdma("connUseRDMA = true\nconnUseRDMA = false\n"));
    EXPECT_FALSE(beegfs_without_rdma("connUseRDMA = false\nconnUseRDMA=true\n"));
    EXPECT_FALSE(beegfs_without_rdma("# connUseRDMA = false\nconnUseRDMA =\n"));
    EXPECT_FALSE(beegfs_without_rdma(""));
}

TEST(DoctorFacts, of_addresses) {
    const auto interfaces = parse_ip_address(
        R"([{"ifname":"eth0","flags":["UP","LOWER_UP"],"mtu":9000,"addr_info":[)"
        R"({"family":"inet","local":"10.1.2.77","prefixlen":20,"scope":"global"},)"
        R"({"family":"inet6","local":"fd00::5","prefixlen":64,"scope":"global"},)"
        R"({"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"}]}])");
    ASSERT_EQ(interfaces.size(), 1U);
    ASSERT_EQ(interfaces[0].addresses.size(), 2U);
    EXPECT_TRUE(interfaces[0].up);
    EXPECT_EQ(interfaces[0].addresses[0].network, "10.1.0.0/20");
    EXPECT_EQ(interfaces[0].addresses[1].network, "fd00::/64");
    EXPECT_TRUE(parse_ip_address("no json").empty());
}

TEST(DoctorFacts, of_addresses_survive_another_ip) {
    for (const char *other :
         {R"([{"ifname":7}])", R"([{"ifname":"eth0","mtu":"9000"}])",
          R"([{"ifname":"eth0","flags":"UP"}])", R"([{"ifname":"eth0","addr_info":7}])",
          R"([{"ifname":"eth0","addr_info":["10.0.0.1"]}])",
          R"([{"ifname":"eth0","addr_info":[{"local":null}]}])"}) {
        const auto interfaces =
            parse_ip_address(std::string("[{\"ifname\":\"eth1\"},") + (other + 1));
        ASSERT_EQ(interfaces.size(), 1U) << other;
        EXPECT_EQ(interfaces[0].name, "eth1");
    }
}

} // namespace
} // namespace causeway
