// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the output of infiniband-diags, recorded on a fabric of ibsim with opensm, and tests the
// verbs that use it.
#include "fabric/topology.h"
#include "fixture.h"

#include <algorithm>
#include <cstring>

namespace causeway {
namespace {

constexpr const char *topology = R"(#
# Topology file: generated on Sun Nov 22 08:13:05 2026
#
# Initiated from node 0000000000200000 port 0000000000200000

vendid=0x0
devid=0x0
sysimgguid=0x200001
switchguid=0x200001(200001)
Switch	8 "S-0000000000200001"		# "SW2" base port 0 lid 4 lmc 0
[1]	"H-0000000000100005"[1](100006) 		# "host-3" lid 5 4xSDR
[3]	"S-0000000000200000"[3]		# "SW1" lid 2 4xSDR

switchguid=0x200000(200000)
Switch	8 "S-0000000000200000"		# "SW1" base port 0 lid 2 lmc 0
[1]	"H-0000000000100000"[1](100001) 		# "host-1" lid 1 4xSDR
[3]	"S-0000000000200001"[3]		# "SW2" lid 4 4xSDR

caguid=0x100005
Ca	1 "H-0000000000100005"		# "host-3"
[1](100006) 	"S-0000000000200001"[1]		# lid 5 lmc 0 "SW2" lid 4 4xSDR

caguid=0x100000
Ca	1 "H-0000000000100000"		# "host-1"
[1](100001) 	"S-0000000000200000"[1]		# lid 1 lmc 0 "SW1" lid 2 4xSDR
)";

constexpr const char *link_info =
    "0x0000000000100006 \"                        host-3\"      5    1[  ] ==( 4X           2.5 "
    "Gbps Active/  LinkUp)==>  0x0000000000200001      4    1[  ] \"SW2\" (Could be 12X Could be "
    "10.0 Gbps)\n"
    "0x0000000000200001 \"                           SW2\"      4    1[  ] ==( 4X           2.5 "
    "Gbps Active/  LinkUp)==>  0x0000000000100006      5    1[  ] \"host-3\" (Could be 12X Could "
    "be 10.0 Gbps)\n"
    "0x0000000000200001 \"                           SW2\"      4    2[  ] ==(                "
    "Down/ Polling)==>             [  ] \"\" ( )\n"
    "0x0000000000200001 \"                           SW2\"      4    3[  ] ==( 4X          "
    "25.78125 "
    "Gbps Active/  LinkUp)==>  0x0000000000200000      2    3[  ] \"SW1\" ( )\n";

constexpr const char *tables = R"(PKeyTableRecord dump:
		LID........................2
		Port.......................1
		Block......................0
		PKey Table:
		0xffff 0x8001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000

PKeyTableRecord dump:
		LID........................5
		Port.......................1
		Block......................0
		PKey Table:
		0xffff 0x0001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000
)";

constexpr const char *group_dump = R"(MCMemberRecord group dump:
		MGID....................ff12:401b:ffff::ffff:ffff
		Mlid....................0xC000
		Mtu.....................0x84
		pkey....................0xFFFF
		Rate....................0x83
		SL......................0x0
)";

class FabricTest : public CommandTest {
  protected:
    void infiniband() {
        files.content["/sys/class/infiniband/mlx4_0/ports/1/link_layer"] = "InfiniBand\n";
    }

    void says(const std::string &words, const std::string &text, int code = 0) {
        processes.acts[words] = [=] {
            ProcessEnd end;
            end.status = code;
            (code == 0 ? end.out : end.err) = text;
            return end;
        };
    }
};

TEST(FabricTopology, is_read_from_ibnetdiscover) {
    const auto nodes = parse_topology(topology);
    ASSERT_EQ(nodes.size(), 4U);
    EXPECT_EQ(nodes[0].kind, FabricNode::Kind::node_switch);
    EXPECT_EQ(nodes[0].name, "SW2");
    EXPECT_EQ(nodes[0].guid, "0x0000000000200001");
    EXPECT_EQ(nodes[0].ports, 8U);
    ASSERT_EQ(nodes[0].links.size(), 2U);
    EXPECT_EQ(nodes[0].links[1].far.name, "SW1");
    EXPECT_EQ(nodes[0].links[1].far.lid, 2U);
    EXPECT_EQ(nodes[2].kind, FabricNode::Kind::host);
    ASSERT_EQ(nodes[2].links.size(), 1U);
    EXPECT_EQ(nodes[2].links[0].near.lid, 5U);
    EXPECT_EQ(nodes[2].links[0].far.lid, 4U);
    EXPECT_EQ(nodes[2].links[0].rate, "4X SDR");
}

TEST(FabricTopology, survives_what_is_cut_off_or_hostile) {
    const std::string text = topology;
    for (std::size_t length = 0; length < text.size(); length++) {
        parse_topology(text.substr(0, length));
        parse_bad_links(std::string(link_info).substr(0, std::min(length, std::strlen(link_info))));
    }
    const auto nodes = parse_topology("Ca\t1 \"H-1\"\t# \"a\x1b[2Jb\"\n[1](2) \"S-1\"[1] # lid 1 "
                                      "lmc 0 \"c\x07\" lid 2 4xEDR\n[x\n[1] \"\n");
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].name, "a?[2Jb");
    ASSERT_EQ(nodes[0].links.size(), 1U);
    EXPECT_EQ(nodes[0].links[0].far.name, "c?");
}

TEST(FabricTopology, has_no_node_without_an_id) {
    const auto nodes = parse_topology("Switch\t8 \"   \"\t\t# \"SW1\" base port 0 lid 2 lmc 0\n"
                                      "Ca\t1 \"H-1\"\t\t# \"host-1\"\n");
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].name, "host-1");
}

TEST(FabricTopology, finds_bad_links_once) {
    const auto bad = parse_bad_links(link_info);
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].near, "host-3/1");
    EXPECT_EQ(bad[0].far, "SW2/1");
    EXPECT_EQ(bad[0].now, "4X 2.5 Gbps");
    EXPECT_EQ(bad[0].could, "12X, 10.0 Gbps");
}

TEST(FabricTopology, knows_partitions_and_groups) {
    const auto partitions = parse_pkey_tables(tables);
    ASSERT_EQ(partitions.size(), 2U);
    EXPECT_EQ(partitions[0].pkey, 1U);
    ASSERT_EQ(partitions[0].members.size(), 2U);
    EXPECT_TRUE(partitions[0].members[0].full);
    EXPECT_FALSE(partitions[0].members[1].full);
    EXPECT_EQ(partitions[1].pkey, 0x7fffU);
    const auto groups = parse_groups(group_dump);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].mtu, 2048U);
    EXPECT_EQ(groups[0].rate, 10);
    EXPECT_EQ(groups[0].lid, 0xc000U);
    EXPECT_EQ(groups[0].pkey, 0x7fffU);
}

TEST(FabricTopology, knows_no_partition_whose_number_is_none) {
    const auto partitions =
        parse_pkey_tables("\t\tLID........................2\n"
                          "\t\t0x8000 0x8001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000\n");
    ASSERT_EQ(partitions.size(), 1U);
    EXPECT_EQ(partitions[0].pkey, 1U);
    const auto groups = parse_groups("\t\tMGID....................ff12:401b:ffff::1\n"
                                     "\t\tpkey....................0x1ffff\n");
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].pkey, 0x7fffU);
}

TEST_F(FabricTest, is_shown_in_tables) {
    infiniband();
    says("ibnetdiscover", topology);
    says("iblinkinfo --line", link_info);
    says("saquery --smkey 1 PKTR", tables);
    says("saquery -g", group_dump);
    EXPECT_EQ(run({"fabric"}), 0) << err();
    EXPECT_EQ(out(), "2 hosts, 2 switches, 3 links\n"
                     "\n"
                     "HOST    PORT  LID  RATE    AT\n"
                     "host-3     1    5  4X SDR  SW2/1\n"
                     "host-1     1    1  4X SDR  SW1/1\n"
                     "\n"
                     "SWITCH  GUID                PORTS  USED\n"
                     "SW2     0x0000000000200001      8     2\n"
                     "SW1     0x0000000000200000      8     2\n"
                     "\n"
                     "BETWEEN SWITCHES  AND    RATE\n"
                     "SW1/3             SW2/3  4X SDR\n"
                     "\n"
                     "BAD LINK  TO     IS           COULD BE\n"
                     "host-3/1  SW2/1  4X 2.5 Gbps  12X, 10.0 Gbps\n"
                     "\n"
                     "PARTITION  FULL  LIMITED\n"
                     "0x0001        1        1\n"
                     "0x7fff        2        0\n"
                     "\n"
                     "GROUP                      PARTITION   MTU  GBPS\n"
                     "ff12:401b:ffff::ffff:ffff  0x7fff     2048    10\n");
    const auto told = json({"fabric", "--device", "mlx4_0"});
    EXPECT_EQ(told["nodes"].size(), 4U);
    EXPECT_EQ(told["links"].size(), 3U);
    EXPECT_EQ(told["bad_links"][0]["could_be"], "12X, 10.0 Gbps");
    EXPECT_TRUE(processes.ran("ibnetdiscover -C mlx4_0"));
}

// One cable joins the two ports of an HCA.
TEST_F(FabricTest, counts_a_link_between_ports_of_one_host) {
    infiniband();
    says("ibnetdiscover",
         "Ca\t2 \"H-b8cef60300000000\"\t\t# \"host-1\"\n"
         "[1](b8cef60300000001) \t\"H-b8cef60300000000\"[2] (b8cef60300000002) \t\t"
         "# lid 1 lmc 0 \"host-1\" lid 2 4xHDR\n"
         "[2](b8cef60300000002) \t\"H-b8cef60300000000\"[1] (b8cef60300000001) \t\t"
         "# lid 2 lmc 0 \"host-1\" lid 1 4xHDR\n");
    const auto told = json({"fabric"});
    ASSERT_EQ(told["links"].size(), 1U);
    EXPECT_EQ(told["links"][0]["from"]["lid"], 1);
    EXPECT_EQ(told["links"][0]["to"]["lid"], 2);
}

TEST_F(FabricTest, without_a_subnet_manager_shows_what_there_is) {
    infiniband();
    says("ibnetdiscover", topology);
    says("saquery", "Query SA failed: Connection timed out", 1);
    EXPECT_EQ(run({"fabric"}), 0);
    EXPECT_NE(err().find("no partitions: saquery failed: Query SA failed"), std::string::npos);
    says("ibnetdiscover", "can't open UMAD port", 1);
    EXPECT_EQ(run({"fabric"}), 75);
    processes.missing.insert("ibnetdiscover");
    EXPECT_EQ(run({"fabric"}), 69);
    EXPECT_NE(err().find("apt install infiniband-diags"), std::string::npos);
}

TEST_F(FabricTest, is_none_of_roce) {
    EXPECT_EQ(run({"fabric"}), 69);
    EXPECT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    EXPECT_EQ(run({"fabric"}), 69);
    EXPECT_NE(err().find("rxe0 is no device of InfiniBand: RoCE and iWARP go over Ethernet"),
              std::string::npos)
        << err();
    infiniband();
    EXPECT_EQ(run({"fabric", "--device", "rxe0"}), 69);
    EXPECT_EQ(run({"fabric", "--device", "mlx4_1"}), 69);
    EXPECT_NE(err().find("did you mean mlx4_0?"), std::string::npos) << err();
    EXPECT_TRUE(processes.log.empty());
}

} // namespace
} // namespace causeway
