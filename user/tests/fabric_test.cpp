// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the output of infiniband-diags, recorded on a fabric of ibsim with opensm, and tests the
// verbs that use it.
#include "fabric/checks.h"
#include "fixture.h"
#include "real_programs.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

constexpr const char *error_report = R"(Errors for "host-2"
   GUID 0x100003 port 1: [PortRcvErrors == 500] [PortXmitWait == 4000]
Errors for 0x200000 "SW1"
   GUID 0x200000 port ALL: [SymbolErrorCounter == 12] [LinkDownedCounter == 3]
   GUID 0x200000 port 2: [SymbolErrorCounter == 12] [LinkDownedCounter == 3]

## Summary: 5 nodes checked, 2 bad nodes found
##          19 ports checked, 2 ports have errors beyond threshold
## Thresholds: 
## Suppressed:)";

constexpr const char *no_errors = R"(
## Summary: 5 nodes checked, 0 bad nodes found
##          19 ports checked, 0 ports have errors beyond threshold
## Thresholds: 
## Suppressed:)";

// Of the records, the lines that matter, and one of each other kind.
constexpr const char *port_records = R"(PortInfoRecord dump:
	RID
		EndPortLid..............1
		PortNum.................1
		Options.................0x0
	PortInfo dump:
		Mkey:............................<not displayed>
		CapMask:.........................0x50c04a
				IsSM
		LinkWidthSupported:..............1X or 4X or 8X or 12X or 2X
		NeighborMTU:.....................4096
PortInfoRecord dump:
	RID
		EndPortLid..............5
		PortNum.................1
		Options.................0x0
	PortInfo dump:
		NeighborMTU:.....................4096
)";

std::vector<std::string> ids_of(const std::vector<FabricFinding> &found) {
    std::vector<std::string> ids;
    for (const FabricFinding &each : found) {
        ids.emplace_back(each.id);
    }
    return ids;
}

using Ids = std::vector<std::string>;

std::vector<LinkPort> links_in(const std::string &text) {
    Unread unread;
    auto ports = parse_links(text, unread);
    EXPECT_EQ(unread.sentence("iblinkinfo"), "");
    return ports;
}

// A line of iblinkinfo about a link between a host and a switch.
std::string link_line(const std::string &state, const std::string &could = " ",
                      const std::string &lid = "5") {
    return "0x0000000000100006 \"host-3\" " + lid + "    1[  ] ==( 4X 25.78125 Gbps " + state +
           ")==>  0x0000000000200001      4    1[  ] \"SW2\" (" + could + ")\n";
}

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
    Unread unread;
    const auto nodes = parse_topology(topology, unread);
    EXPECT_EQ(unread.sentence("ibnetdiscover"), "");
    ASSERT_EQ(nodes.size(), 4U);
    EXPECT_EQ(nodes[0].kind, FabricNode::Kind::node_switch);
    EXPECT_EQ(nodes[0].name, "SW2");
    EXPECT_EQ(nodes[0].guid, "0x0000000000200001");
    EXPECT_EQ(nodes[0].ports, 8U);
    EXPECT_EQ(nodes[0].lid, 4U);
    ASSERT_EQ(nodes[0].links.size(), 2U);
    EXPECT_EQ(nodes[0].links[1].far.name, "SW1");
    EXPECT_EQ(nodes[0].links[1].far.lid, 2U);
    EXPECT_EQ(nodes[2].kind, FabricNode::Kind::host);
    ASSERT_EQ(nodes[2].links.size(), 1U);
    EXPECT_EQ(nodes[2].links[0].near.lid, 5U);
    EXPECT_EQ(nodes[2].links[0].far.lid, 4U);
    EXPECT_EQ(nodes[2].links[0].rate, "4X SDR");
    EXPECT_EQ(nodes[2].links[0].guid, "0x0000000000100006");
}

TEST(FabricTopology, survives_what_is_cut_off) {
    const std::string text = topology;
    const std::string links = link_info;
    const std::string errors = error_report;
    for (std::size_t length = 0; length < text.size(); length++) {
        Unread unread;
        const auto nodes = parse_topology(text.substr(0, length), unread);
        EXPECT_LE(nodes.size(), 4U);
        EXPECT_LE(unread.lines.size(), 1U);
        EXPECT_LE(parse_links(links.substr(0, std::min(length, links.size())), unread).size(), 4U);
        const auto cut = errors.substr(0, std::min(length, errors.size()));
        EXPECT_EQ(parse_counters(cut, unread).has_value(),
                  cut.find("2 bad nodes found") != std::string::npos);
    }
}

TEST(FabricTopology, shows_no_control_characters) {
    Unread unread;
    const auto nodes =
        parse_topology("Ca\t1 \"H-0000000000100000\"\t\t# \"a\x1b[2Jb\"\n"
                       "[1](100001) \t\"S-0000000000200000\"[1]\t\t# lid 1 lmc 0 \"c\x07\" lid 2 "
                       "4xEDR\n[x\x1b]\n",
                       unread);
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].name, "a?[2Jb");
    ASSERT_EQ(nodes[0].links.size(), 1U);
    EXPECT_EQ(nodes[0].links[0].far.name, "c?");
    EXPECT_EQ(unread.lines, (std::vector<std::string>{"[x?]"}));
}

TEST(FabricTopology, reads_no_line_of_another_form) {
    for (const std::string line :
         {"Switch\t8 \"   \"\t\t# \"SW1\" base port 0 lid 2 lmc 0",
          "Switch\t256 \"S-0000000000200000\"\t\t# \"SW1\" base port 0 lid 2 lmc 0",
          "Switch\t8 \"S-0000000000200000\"\t\t# \"SW1\" base port 0 lid 65536 lmc 0",
          "Switch\t8 \"S-0000000000200000\"\t\t# \"SW1\" base port 0 lid 2 lmc 8",
          "Ca\t1 \"H-000000000010000\"\t\t# \"host-1\"", "Ca\t1 \"H-0000000000100000\"\t\t# host-1",
          "[1]\t\"S-0000000000200000\"[1]\t\t# \"SW1\" lid 2 4xSDR", "something else"}) {
        Unread unread;
        EXPECT_TRUE(parse_topology(line, unread).empty()) << line;
        EXPECT_EQ(unread.lines.size(), 1U) << line;
    }
    Unread unread;
    EXPECT_TRUE(
        parse_links("0x0000000000100006 \"host-3\" 5 1[  ] ==( 4X Active)==> ?", unread).empty());
    EXPECT_TRUE(parse_links(std::string(600, 'x'), unread).empty());
    EXPECT_FALSE(parse_counters("   GUID 0x100003 port 1: [PortRcvErrors == -5]", unread));
    EXPECT_FALSE(parse_counters("   GUID 0x100003 port 1: [PortRcvErrors == 5", unread));
    EXPECT_TRUE(parse_groups("\t\tMGID....................ff12::1\n", unread).empty());
    EXPECT_EQ(unread.lines.size(), 5U);
    EXPECT_EQ(unread.sentence("iblinkinfo"),
              "iblinkinfo printed 5 lines that Causeway does not understand, the first is: "
              "0x0000000000100006 \"host-3\" 5 1[  ] ==( 4X Active)==> ?");
}

TEST(FabricTopology, reads_states_of_links) {
    const auto ports = links_in(link_info);
    ASSERT_EQ(ports.size(), 4U);
    EXPECT_EQ(ports[0].near.text(), "host-3/1");
    EXPECT_EQ(ports[0].far.text(), "SW2/1");
    EXPECT_EQ(ports[0].width, "4X");
    EXPECT_EQ(speed_name(ports[0].speed), "SDR");
    EXPECT_EQ(ports[0].state, "Active");
    EXPECT_EQ(ports[0].physical, "LinkUp");
    EXPECT_EQ(ports[0].could_width, "12X");
    EXPECT_EQ(ports[0].could_speed, "10.0 Gbps");
    EXPECT_FALSE(ports[2].connected);
    EXPECT_EQ(ports[2].state, "Down");
    EXPECT_EQ(ports[2].physical, "Polling");
    EXPECT_EQ(speed_name(ports[3].speed), "EDR");
    EXPECT_EQ(links_once(ports).size(), 2U);
    EXPECT_EQ(speed_name("10.0 Gbps"), "QDR");
    EXPECT_EQ(speed_name("10.0 Gbps (FDR10)"), "FDR10");
    EXPECT_EQ(speed_name("3.0 Gbps"), "3.0 Gbps");
}

TEST(FabricTopology, knows_partitions_and_groups) {
    Unread unread;
    const auto partitions = parse_pkey_tables(tables, unread);
    ASSERT_EQ(partitions.size(), 2U);
    EXPECT_EQ(partitions[0].pkey, 1U);
    ASSERT_EQ(partitions[0].members.size(), 2U);
    EXPECT_TRUE(partitions[0].members[0].full);
    EXPECT_FALSE(partitions[0].members[1].full);
    EXPECT_EQ(partitions[1].pkey, 0x7fffU);
    const auto groups = parse_groups(group_dump, unread);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].mtu, 2048U);
    EXPECT_EQ(groups[0].rate, 10);
    EXPECT_EQ(groups[0].lid, 0xc000U);
    EXPECT_EQ(groups[0].pkey, 0x7fffU);
    EXPECT_EQ(unread.sentence("saquery"), "");
}

TEST(FabricTopology, knows_no_partition_whose_number_is_none) {
    Unread unread;
    const auto partitions =
        parse_pkey_tables("PKeyTableRecord dump:\n\t\tLID........................2\n"
                          "\t\t0x8000 0x8001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000\n",
                          unread);
    ASSERT_EQ(partitions.size(), 1U);
    EXPECT_EQ(partitions[0].pkey, 1U);
    EXPECT_TRUE(unread.lines.empty());
    const auto groups =
        parse_groups("MCMemberRecord group dump:\n\t\tMGID....................ff12:401b:ffff::1\n"
                     "\t\tpkey....................0x1ffff\n",
                     unread);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].pkey, 0U);
    EXPECT_EQ(unread.lines.size(), 1U);
}

TEST(FabricTopology, knows_members_and_the_mtu_of_links) {
    Unread unread;
    const auto members = parse_members("MCMemberRecord member dump:\n"
                                       "\t\tMGID....................ff12:401b:ffff::ffff:ffff\n"
                                       "\t\tMlid....................0xC000\n"
                                       "\t\tPortGid.................fe80::10:1\n"
                                       "\t\tScopeState..............0x20\n"
                                       "\t\tProxyJoin...............0x0\n"
                                       "\t\tNodeDescription.........host-1\n"
                                       "MCMemberRecord member dump:\n"
                                       "\t\tPortGid.................::\n",
                                       unread);
    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(members[0].guid, "0x0000000000100001");
    EXPECT_EQ(members[0].name, "host-1");
    EXPECT_EQ(members[1].guid, "");
    const auto mtus = parse_link_mtus(port_records, unread);
    EXPECT_EQ(mtus, (LinkMtus{{{1, 1}, 4096}, {{5, 1}, 4096}}));
    EXPECT_EQ(unread.sentence("saquery"), "");
    EXPECT_TRUE(parse_link_mtus("\t\tNeighborMTU:.....................4096", unread).empty());
    EXPECT_EQ(unread.lines.size(), 1U);
}

TEST(FabricChecks, judge_the_state_of_links) {
    const auto ids = [](const std::string &line) {
        return ids_of(check_links(links_in(line), ExpectedLink()));
    };
    EXPECT_EQ(ids(link_line("Active/  LinkUp")), Ids());
    EXPECT_EQ(ids(link_line("Initialize/  LinkUp")), Ids{"link-not-managed"});
    EXPECT_EQ(ids(link_line("Armed/  LinkUp")), Ids{"link-armed"});
    EXPECT_EQ(ids(link_line("Active/  LinkUp", " ", "0")), Ids{"lid-missing"});
    EXPECT_EQ(ids(link_line("Initialize/  LinkUp", " ", "0")), Ids{"link-not-managed"});
    const std::string down = "0x0000000000200001 \"SW2\" 4    2[  ] ==(                Down/ ";
    const std::string nothing = ")==>             [  ] \"\" ( )\n";
    EXPECT_EQ(ids(down + "Polling" + nothing), Ids());
    EXPECT_EQ(ids(down + "Disabled" + nothing), Ids{"port-disabled"});
    EXPECT_EQ(ids(down + "LinkErrorRecovery" + nothing), Ids{"link-does-not-train"});
    EXPECT_EQ(ids("0x0000000000200001 \"SW2\" 4 2[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>    "
                  " \"Port not available\"\n"),
              Ids{"far-end-silent"});
}

TEST(FabricChecks, judge_width_and_speed) {
    const std::string line = link_line("Active/  LinkUp", "Could be 12X Could be 53.125 Gbps");
    EXPECT_EQ(ids_of(check_links(links_in(line), {})), (Ids{"link-width-low", "link-speed-low"}));
    EXPECT_EQ(ids_of(check_links(links_in(line), {"4X", "EDR"})), Ids());
    EXPECT_EQ(ids_of(check_links(links_in(line), {"4X", ""})), Ids{"link-speed-low"});
    const auto found = check_links(links_in(line), {"8X", "HDR"});
    ASSERT_EQ(ids_of(found), (Ids{"link-width-unexpected", "link-speed-unexpected"}));
    EXPECT_EQ(found[0].what, "the link of host-3/1 to SW2/1 has width 4X, expected is 8X");
    EXPECT_EQ(found[1].what, "the link of host-3/1 to SW2/1 has speed EDR (25.78125 Gbps a lane), "
                             "expected is HDR");
}

// ibnetdiscover takes two nodes with one GUID for one node, to which two links lead.
TEST(FabricChecks, find_addresses_that_two_ports_have) {
    Unread unread;
    const auto found = [&](const std::string &text) {
        return check_addresses(parse_topology(text, unread));
    };
    EXPECT_EQ(ids_of(found(topology)), Ids());
    std::string text = topology;
    const std::string two = "[2]\t\"H-0000000000100005\"[1](100006) \t\t# \"host-3\" lid 5 4xSDR\n";
    text.insert(text.find("[3]"), two);
    ASSERT_EQ(ids_of(found(text)), Ids{"node-guid-duplicate"});
    EXPECT_EQ(found(text)[0].what,
              "port 1 of the node with GUID 0x0000000000100005 (host-3) is at the far end of SW2/1 "
              "and of SW2/2: several nodes have this GUID");
    text = topology;
    text.replace(text.rfind("(100001)"), 8, "(100006)");
    ASSERT_EQ(ids_of(found(text)), Ids{"port-guid-duplicate"});
    EXPECT_EQ(found(text)[0].what, "host-1/1 and host-3/1 have the port GUID 0x0000000000100006");
    text = topology;
    text.replace(text.rfind("# lid 1 lmc 0"), 13, "# lid 5 lmc 0");
    ASSERT_EQ(ids_of(found(text)), Ids{"lid-duplicate"});
    EXPECT_EQ(found(text)[0].what, "host-1/1 and host-3/1 have LID 5");
    // Two LIDs from 4 on take that of the host.
    text = topology;
    text.replace(text.find("lid 4 lmc 0"), 11, "lid 4 lmc 1");
    ASSERT_EQ(ids_of(found(text)), Ids{"lid-duplicate"});
    EXPECT_EQ(found(text)[0].what, "SW2 and host-3/1 have LID 5");
    EXPECT_TRUE(unread.lines.empty());
}

TEST(FabricChecks, judge_groups_by_their_hosts) {
    Unread unread;
    std::string text = topology;
    for (auto at = text.find("4xSDR"); at != std::string::npos; at = text.find("4xSDR")) {
        text.replace(at, 5, "4xQDR");
    }
    const auto nodes = parse_topology(text, unread);
    GroupsView view;
    view.groups = parse_groups(group_dump, unread);
    view.mtus = parse_link_mtus(port_records, unread);
    // Without tables of P_Keys, every host is in the default partition.
    auto found = check_groups(nodes, view);
    ASSERT_EQ(ids_of(found), (Ids{"group-rate-low", "group-mtu-low"}));
    EXPECT_EQ(found[0].what, "the rate of group ff12:401b:ffff::ffff:ffff of partition 0x7fff is "
                             "10 Gb/s, and its slowest host has 40");
    EXPECT_EQ(found[0].severity, Severity::notice);
    view.groups[0].rate = 100;
    view.groups[0].mtu = 4096;
    found = check_groups(nodes, view);
    ASSERT_EQ(ids_of(found), Ids{"group-rate-high"});
    EXPECT_EQ(found[0].what, "the rate of group ff12:401b:ffff::ffff:ffff of partition 0x7fff is "
                             "100 Gb/s, and host-3/1, host-1/1 cannot join with less");
    EXPECT_EQ(found[0].fix, "where the subnet manager runs: causeway sm partition set 0x7fff "
                            "--rate 40");
    view.mtus[{5, 1}] = 2048;
    EXPECT_EQ(ids_of(check_groups(nodes, view)), (Ids{"group-rate-high", "group-mtu-high"}));
    // Partition 0x0001 has the LIDs 2 and 5.
    view.partitions = parse_pkey_tables(tables, unread);
    view.groups[0].pkey = 1;
    found = check_groups(nodes, view);
    ASSERT_EQ(ids_of(found), (Ids{"group-rate-high", "group-mtu-high"}));
    EXPECT_NE(found[0].what.find("100 Gb/s, and host-3/1 cannot join"), std::string::npos)
        << found[0].what;
    view.groups[0].pkey = 2;
    EXPECT_EQ(ids_of(check_groups(nodes, view)), Ids());
    view.members.push_back({view.groups[0].gid, "0x0000000000100001", "host-1"});
    EXPECT_EQ(ids_of(check_groups(nodes, view)), Ids{"group-rate-high"});
}

TEST(FabricChecks, judge_counters_by_their_thresholds) {
    Unread unread;
    auto counters = parse_counters(error_report, unread);
    ASSERT_TRUE(counters);
    EXPECT_EQ(unread.sentence("ibqueryerrors"), "");
    EXPECT_EQ(counters->nodes_checked, 5U);
    EXPECT_EQ(counters->ports_checked, 19U);
    ASSERT_EQ(counters->ports.size(), 2U); // the sum of the switch is left out
    EXPECT_EQ(counters->ports[1].text(), "SW1/2");
    EXPECT_EQ(counters->ports[1].guid, "0x0000000000200000");
    const auto found = check_counters(*counters);
    ASSERT_EQ(ids_of(found), (Ids{"counter-high", "counter-high"}));
    EXPECT_EQ(found[0].what, "PortRcvErrors of host-2/1 is 500, above 10");
    EXPECT_EQ(found[1].what, "SymbolErrorCounter of SW1/2 is 12, above 10");
    counters->ports[1].values[0].value = 10;
    EXPECT_EQ(check_counters(*counters).size(), 1U);
    const auto longer =
        parse_counters("Errors for \"a\"\n   GUID 0x1 port 1: [VL15Dropped == 4294967296 "
                       "(4.000G)]\n## Summary: 1 nodes checked, 1 bad nodes found\n"
                       "##          2 PMA query failures\n## (null)\n",
                       unread);
    ASSERT_TRUE(longer);
    EXPECT_EQ(longer->ports[0].values[0].value, 4294967296U);
    EXPECT_EQ(longer->failed_queries, 2U);
    EXPECT_TRUE(unread.lines.empty());
}

class FabricRecorded : public FabricTest {
  protected:
    void SetUp() override {
        infiniband();
        says("ibnetdiscover", topology);
        says("iblinkinfo --line", link_info);
        says("saquery --smkey 1 PKTR", tables);
        says("saquery -g", group_dump);
        says("saquery PIR", port_records);
        processes.acts["ibqueryerrors"] = [] {
            ProcessEnd end;
            end.status = 1; // there are counters above zero
            end.out = error_report;
            return end;
        };
    }
};

TEST_F(FabricRecorded, is_shown_in_tables) {
    EXPECT_EQ(run({"fabric"}), 0) << err();
    EXPECT_EQ(out(),
              "2 hosts, 2 switches, 3 links\n"
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
              "LINK      TO     STATE   PHYSICAL  WIDTH  SPEED\n"
              "host-3/1  SW2/1  Active  LinkUp    4X     SDR\n"
              "SW2/3     SW1/3  Active  LinkUp    4X     EDR\n"
              "\n"
              "BAD LINK  TO     IS           COULD BE\n"
              "host-3/1  SW2/1  4X 2.5 Gbps  12X, 10.0 Gbps\n"
              "\n"
              "PARTITION  FULL  LIMITED\n"
              "0x0001        1        1\n"
              "0x7fff        2        0\n"
              "\n"
              "GROUP                      PARTITION   MTU  GBPS\n"
              "ff12:401b:ffff::ffff:ffff  0x7fff     2048    10\n"
              "\n"
              "warning: link-width-low\n"
              "  the link of host-3/1 to SW2/1 has width 4X, and both ends support 12X\n"
              "    plug in or replace the cable: a lane is broken\n"
              "warning: link-speed-low\n"
              "  the link of host-3/1 to SW2/1 has 2.5 Gbps a lane, and both ends support 10.0\n"
              "  Gbps\n"
              "    use a cable that is made for this speed; see which speeds are enabled\n"
              "notice: group-mtu-low\n"
              "  the MTU of group ff12:401b:ffff::ffff:ffff of partition 0x7fff is 2048 bytes,\n"
              "  and its slowest host has 4096\n"
              "    where the subnet manager runs: causeway sm partition set 0x7fff --mtu "
              "4096\n");
    EXPECT_EQ(err(), "");
    const auto told = json({"fabric", "--device", "mlx4_0"});
    EXPECT_EQ(told["nodes"].size(), 4U);
    EXPECT_EQ(told["links"].size(), 3U);
    EXPECT_EQ(told["bad_links"][0]["could_be"], "12X, 10.0 Gbps");
    EXPECT_EQ(told["ports"][3]["speed"], "EDR");
    EXPECT_EQ(told["findings"][0]["id"], "link-width-low");
    EXPECT_EQ(told["findings"][0]["severity"], "warning");
    EXPECT_EQ(told["complete"], true);
    EXPECT_EQ(told["partitions_shown"], true);
    EXPECT_FALSE(told.contains("counters"));
    EXPECT_TRUE(processes.ran("ibnetdiscover -C mlx4_0 -P 1"));
    EXPECT_FALSE(processes.ran("ibqueryerrors"));
}

TEST_F(FabricRecorded, is_checked_by_exit_status) {
    EXPECT_EQ(run({"fabric", "--check"}), 10) << err();
    says("iblinkinfo --line", link_line("Initialize/  LinkUp"));
    EXPECT_EQ(run({"fabric", "--check"}), 20);
    EXPECT_EQ(run({"fabric"}), 0);
    says("iblinkinfo --line", link_line("Active/  LinkUp"));
    EXPECT_EQ(run({"fabric", "--check"}), 0) << out();
    EXPECT_EQ(run({"fabric", "--check", "--expect-speed", "HDR"}), 10);
    EXPECT_EQ(run({"fabric", "--check", "--counters"}), 10);
    // A check that cannot look must not report that all is well.
    says("iblinkinfo --line", "not understood");
    EXPECT_EQ(run({"fabric", "--check"}), 75);
    EXPECT_NE(err().find("iblinkinfo printed a line that Causeway does not understand"),
              std::string::npos)
        << err();
}

TEST_F(FabricRecorded, shows_counters_of_all_ports) {
    EXPECT_EQ(run({"fabric", "--counters"}), 0) << err();
    EXPECT_NE(out().find("PORT      COUNTER             VALUE\n"
                         "host-2/1  PortRcvErrors         500\n"
                         "host-2/1  PortXmitWait         4000\n"
                         "SW1/2     SymbolErrorCounter     12\n"
                         "SW1/2     LinkDownedCounter       3\n"),
              std::string::npos)
        << out();
    EXPECT_TRUE(processes.ran("ibqueryerrors --threshold-file /dev/null"));
    const auto told = json({"fabric", "--counters"});
    EXPECT_EQ(told["counters"][1]["values"]["SymbolErrorCounter"], 12);
    says("ibqueryerrors", no_errors);
    EXPECT_EQ(run({"fabric", "--counters"}), 0);
    EXPECT_NE(out().find("the error counters of 19 ports are 0\n"), std::string::npos) << out();
    // Without a subnet manager ibqueryerrors prints this, and exits with 0.
    processes.acts["ibqueryerrors"] = [] {
        ProcessEnd end;
        end.err = "Query SA failed: Connection timed out; sa call path_query failed";
        return end;
    };
    EXPECT_EQ(json({"fabric", "--counters"})["counters"], nullptr);
    EXPECT_EQ(run({"fabric", "--counters"}), 0);
    EXPECT_NE(err().find("no counters: ibqueryerrors did not read the fabric: Query SA failed"),
              std::string::npos)
        << err();
}

TEST_F(FabricRecorded, clears_counters_and_lists_them) {
    EXPECT_EQ(run({"fabric", "--clear-counters", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("would clear SW1/2: SymbolErrorCounter 12, LinkDownedCounter 3\n"),
              std::string::npos)
        << out();
    EXPECT_FALSE(processes.ran("ibqueryerrors --clear-errors"));
    bool cleared = false;
    processes.acts["ibqueryerrors --threshold-file"] = [&] {
        ProcessEnd end;
        end.status = cleared ? 0 : 1;
        end.out = cleared ? no_errors : error_report;
        return end;
    };
    processes.acts["ibqueryerrors --clear-errors"] = [&] {
        cleared = true;
        return ProcessEnd{};
    };
    const auto told = json({"fabric", "--clear-counters", "--device", "mlx4_0/1"});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(told["changed"], true);
    EXPECT_EQ(told["journal"], nullptr);
    EXPECT_EQ(told["cleared"].size(), 2U);
    EXPECT_EQ(told["cleared"][0]["values"]["PortRcvErrors"], 500);
    EXPECT_EQ(told["left"].size(), 0U);
    EXPECT_TRUE(processes.ran("ibqueryerrors --clear-errors --suppress PortXmitWait,"
                              "SymbolErrorCounter,"));
    EXPECT_TRUE(processes.ran("ibqueryerrors --threshold-file /dev/null -C mlx4_0 -P 1"));
    EXPECT_EQ(run({"fabric", "--clear-counters"}), 0) << err();
    EXPECT_NE(out().find("the error counters of 19 ports are 0"), std::string::npos) << out();
    EXPECT_EQ(processes.count("ibqueryerrors --clear-errors"), 1U);
    cleared = false;
    processes.acts["ibqueryerrors --clear-errors"] = [] { return ProcessEnd{}; };
    EXPECT_EQ(run({"fabric", "--clear-counters"}), 0);
    EXPECT_NE(err().find("SW1/2 still has, or has again: SymbolErrorCounter 12"), std::string::npos)
        << err();
}

TEST_F(FabricRecorded, says_that_partitions_need_the_key_of_the_subnet_manager) {
    says("saquery --smkey 1 PKTR", "Query SA failed: Connection timed out", 110);
    const auto told = json({"fabric"});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(told["partitions_shown"], false);
    EXPECT_EQ(told["groups"].size(), 1U);
    EXPECT_EQ(told["complete"], false);
    EXPECT_EQ(run({"fabric"}), 0);
    EXPECT_NE(err().find("only to those who have its SM key (sm_key in the settings of opensm); 1, "
                         "its default, is not the key here: give it by --sm-key"),
              std::string::npos)
        << err();
    says("saquery --smkey 0x77 PKTR", tables);
    EXPECT_EQ(json({"fabric", "--sm-key", "0x77"})["partitions_shown"], true);
}

TEST_F(FabricRecorded, refuses_options_that_make_no_sense) {
    EXPECT_EQ(run({"fabric", "--dry-run"}), 64);
    EXPECT_EQ(run({"fabric", "--expect-width", "3X"}), 64);
    EXPECT_NE(err().find("give one of 1X, 2X, 4X, 8X, 12X"), std::string::npos) << err();
    EXPECT_EQ(run({"fabric", "--expect-speed", "edr"}), 64);
    EXPECT_EQ(run({"fabric", "--sm-key", "x"}), 64);
    EXPECT_EQ(run({"fabric", "--clear-counters", "--check"}), 64);
    EXPECT_EQ(run({"fabric", "--device", "mlx4_0/9"}), 69);
    EXPECT_NE(err().find("mlx4_0 has no port '9'"), std::string::npos) << err();
    EXPECT_TRUE(processes.log.empty());
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
    EXPECT_NE(err().find("no partitions and groups: saquery failed: Query SA failed"),
              std::string::npos)
        << err();
    says("ibnetdiscover", "# Topology file");
    EXPECT_EQ(run({"fabric"}), 75);
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

// The parsers understand every line that the real programs print on a fabric of ibsim.
TEST_F(FabricTest, understands_the_real_programs) {
    if (!real_programs_there({"ibsim", "opensm", "ibnetdiscover", "ibqueryerrors"})) {
        GTEST_SKIP() << "needs opensm, ibsim-utils and infiniband-diags: make deps";
    }
    const TemporaryFolder folder;
    write_file(folder / "clear", fmt::format("{}\n", fmt::join(clear_command(), " ")));
    const ProcessEnd end = run_real_program(
        {"bash", (std::filesystem::path(__FILE__).parent_path() / "fabric_on_ibsim").string(),
         folder.path().string()});
    ASSERT_TRUE(end.good()) << end.out << end.err;
    infiniband();
    const auto repeats = [&](const std::string &words, const std::string &file) {
        says(words, read_file(folder / file));
    };
    repeats("ibnetdiscover", "topology");
    repeats("iblinkinfo --line", "links");
    repeats("saquery -g", "groups");
    repeats("saquery --smkey 1 PKTR", "tables");
    repeats("saquery --smkey 1 -m", "members");
    repeats("saquery PIR", "ports");
    repeats("ibqueryerrors", "counters");
    auto told = json({"fabric", "--counters"});
    EXPECT_EQ(told["warnings"].size(), 0U) << told["warnings"];
    EXPECT_EQ(told["complete"], true);
    EXPECT_EQ(told["nodes"].size(), 5U);
    EXPECT_EQ(told["links"].size(), 4U);
    EXPECT_EQ(told["ports"].size(), 19U);
    EXPECT_EQ(told["counters"].size(), 2U);
    const auto count = [&](const std::string &id) {
        return std::count_if(told["findings"].begin(), told["findings"].end(),
                             [&](const auto &each) { return each["id"] == id; });
    };
    EXPECT_EQ(count("counter-high"), 1);
    EXPECT_EQ(count("link-width-low"), 4); // ibsim makes links of 4X that support 12X
    EXPECT_EQ(count("link-not-managed"), 0);
    EXPECT_EQ(count("lid-duplicate"), 0);
    repeats("ibqueryerrors", "counters.cleared");
    repeats("iblinkinfo --line", "links.unmanaged");
    repeats("ibnetdiscover", "topology.duplicate");
    told = json({"fabric", "--counters"});
    EXPECT_EQ(told["warnings"].size(), 0U) << told["warnings"];
    EXPECT_EQ(told["counters"].size(), 0U);
    EXPECT_EQ(count("link-not-managed"), 4);
    EXPECT_EQ(count("lid-duplicate"), 1);
    // The key is needed: opensm refuses without it.
    EXPECT_NE(read_file(folder / "tables.refused").find("SA_ERR_REQ_INVALID"), std::string::npos);
}

} // namespace
} // namespace causeway
