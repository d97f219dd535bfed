// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs "firewall open" and "run".
#include "firewall_host.h"
#include "host/nftables.h"
#include "host/rdma_devices.h"
#include "nfs/server.h"
#include "stock/exporting.h"

#include <fmt/format.h>

namespace causeway {
namespace {

TEST_F(Firewalls, that_are_not_there_need_nothing) {
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: no firewall closes these ports here\n");
    processes.missing.erase("nft");
    processes.acts["nft -j list ruleset"] = [] {
        return exited_with(R"({"nftables":[{"metainfo":{}}]})");
    };
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: no firewall closes these ports here\n");
}

TEST_F(Firewalls, are_opened_for_named_services_and_named_networks_only) {
    run_firewalld();
    EXPECT_EQ(run({"firewall", "open", "--from", "any"}), 64);
    EXPECT_NE(err().find("--disks, --nfs, --stock, --soft"), std::string::npos) << err();
    EXPECT_EQ(run({"firewall", "open", "--nfs"}), 64);
    EXPECT_NE(err().find("--from any"), std::string::npos) << err();
    EXPECT_EQ(run({"firewall", "open", "--nfs", "--from", "any,10.0.0.0/24"}), 64);
    EXPECT_EQ(run({"firewall", "open", "--nfs", "--from", "everyone"}), 64);
    EXPECT_EQ(run({"firewall", "open", "--nfs", "--from", "10.0.0.1/24"}), 64);
    EXPECT_EQ(run({"firewall", "open", "--stock", "--from", "any"}), 64);
    EXPECT_NE(err().find("export add NAME --via"), std::string::npos) << err();
    EXPECT_TRUE(open.empty());
}

TEST_F(Firewalls, are_left_alone_where_adapters_do_rdma) {
    run_firewalld();
    ASSERT_TRUE(rdma.remove("rxe0"));
    files.content["/sys/class/infiniband/mlx5_0/node_type"] = "1: CA\n";
    for (const char *service : {"--disks", "--soft"}) {
        EXPECT_EQ(run({"firewall", "open", service, "--from", "any"}), 0) << err();
        EXPECT_NE(out().find("does not pass the firewall"), std::string::npos) << out();
    }
    EXPECT_EQ(json({"firewall", "open", "--nfs", "--from", "any"})["ports"],
              nlohmann::json({"2049/tcp from any"}));
    EXPECT_EQ(open, (std::vector<std::string>{"lasting 2049/tcp", "2049/tcp"}));
}

TEST_F(Firewalls, are_opened_at_the_ports_that_are_configured) {
    run_firewalld();
    add_siw();
    EXPECT_EQ(json({"firewall", "open", "--disks", "--from", "any", "--dry-run"})["ports"],
              nlohmann::json({"4793/tcp from any", "4791/udp from any"}));
    EXPECT_EQ(json({"firewall", "open", "--nfs", "--from", "any", "--dry-run"})["ports"],
              nlohmann::json({"20049/tcp from any", "4791/udp from any", "2049/tcp from any"}));
    write_file(root / "etc/nfs.conf.d/causeway.conf", nfs_conf_text(20050));
    EXPECT_EQ(json({"firewall", "open", "--nfs", "--from", "any", "--dry-run"})["ports"],
              nlohmann::json({"20050/tcp from any", "4791/udp from any", "2049/tcp from any"}));
    EXPECT_EQ(json({"firewall", "open", "--soft", "--from", "any", "--dry-run"})["ports"],
              nlohmann::json({"4791/udp from any"}));
}

TEST_F(Firewalls, are_opened_for_disks_over_tcp_if_one_is_exported_so) {
    run_firewalld();
    const nlohmann::json rdma_alone = {"4791/udp from any"};
    const nlohmann::json both = {"4791/udp from any", "4794/tcp from any"};
    const auto ports = [this] {
        return json({"firewall", "open", "--disks", "--from", "any", "--dry-run"})["ports"];
    };
    const auto add = [this](const std::string &name, std::vector<std::string> more) {
        std::vector<std::string> words = {"export", "add", name, "--ram", "1M", "--allow", "any"};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_EQ(run(words), 0) << err();
    };
    add("slow", {});
    EXPECT_EQ(ports(), rdma_alone);
    add("now", {"--tcp", "--no-persist"}); // only the kernel knows it
    EXPECT_EQ(ports(), both);
    EXPECT_EQ(run({"export", "remove", "now"}), 0) << err();
    EXPECT_EQ(ports(), rdma_alone);
    add("kept", {"--tcp"});
    kernel.reload_target(); // only its file is left
    EXPECT_EQ(ports(), both);
    EXPECT_EQ(run({"firewall", "open", "--disks", "--from", "any"}), 0) << err();
    EXPECT_EQ(open, (std::vector<std::string>{"lasting 4791/udp", "4791/udp", "lasting 4794/tcp",
                                              "4794/tcp"}));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(open.empty());
}

TEST_F(Firewalls, of_ufw_and_nftables_are_opened_for_disks_over_tcp) {
    EXPECT_EQ(run({"export", "add", "fast", "--ram", "1M", "--allow", "any", "--tcp"}), 0) << err();
    run_nft();
    EXPECT_EQ(run({"firewall", "open", "--disks", "--from", "any"}), 0) << err();
    EXPECT_EQ(open, (std::vector<std::string>{"4791/udp", "4794/tcp"}));
    run_ufw("Added user rules (see 'ufw status' for running firewall):\nufw allow 4791/udp\n");
    EXPECT_EQ(run({"firewall", "open", "--disks", "--from", "any"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "ufw allow 4794/tcp comment causeway");
}

// Disks can go over TCP alone there, and the exports may be added later.
TEST_F(Firewalls, are_opened_for_disks_over_tcp_on_a_machine_without_rdma) {
    run_firewalld();
    ASSERT_TRUE(rdma.remove("rxe0"));
    EXPECT_EQ(json({"firewall", "open", "--disks", "--from", "10.0.0.0/24", "--dry-run"})["ports"],
              nlohmann::json({"4794/tcp from 10.0.0.0/24"}));
}

TEST_F(Firewalls, are_opened_for_the_portals_of_the_kernels_own_targets) {
    const std::vector<RdmaDevice> rxe = rdma_devices(files);
    StockExport disk;
    disk.name = "d";
    disk.portal = address_of("10.0.0.1", 4421);
    EXPECT_EQ(ports_of(disk, rxe), (std::vector<OpenPort>{{"udp", 4791}}));
    disk.via = Via::iser;
    disk.portal = address_of("10.0.0.1", 3261);
    EXPECT_EQ(ports_of(disk, rxe), (std::vector<OpenPort>{{"udp", 4791}, {"tcp", 3261}}));
    EXPECT_EQ(ports_of(disk, {}), (std::vector<OpenPort>{{"tcp", 3261}}));
    disk.via = Via::iscsi;
    EXPECT_EQ(ports_of(disk, rxe), (std::vector<OpenPort>{{"tcp", 3261}}));
    add_siw();
    disk.via = Via::nvme;
    EXPECT_EQ(ports_of(disk, rdma_devices(files)),
              (std::vector<OpenPort>{{"tcp", 3261}, {"udp", 4791}}));

    run_firewalld();
    disk.via = Via::iscsi;
    disk.backend = StockBackend::ram;
    disk.size = 1U << 20U;
    disk.target = "iqn.2003-01.org.example:d";
    disk.identity = Uuid::random();
    write_file(stock_place(Places(root.path()), disk), *stock_text(disk));
    EXPECT_EQ(run({"firewall", "open", "--stock", "--from", "any"}), 0) << err();
    EXPECT_EQ(open, (std::vector<std::string>{"lasting 3261/tcp", "3261/tcp"}));
}

TEST_F(Firewalls, of_firewalld_are_opened_now_and_for_good_and_closed_again) {
    run_firewalld();
    EXPECT_EQ(run({"firewall", "open", "--disks", "--from", "any", "--dry-run"}), 0) << err();
    EXPECT_EQ(out().rfind("run firewall-cmd --zone=public --permanent --add-port=4791/udp\n"
                          "run firewall-cmd --zone=public --add-port=4791/udp\n",
                          0),
              0U)
        << out();
    EXPECT_TRUE(open.empty());
    const auto told = json({"firewall", "open", "--disks", "--from", "any"});
    EXPECT_EQ(told["firewall"], "firewalld");
    EXPECT_EQ(told["ports"], nlohmann::json({"4791/udp from any"}));
    EXPECT_EQ(open, (std::vector<std::string>{"lasting 4791/udp", "4791/udp"}));
    EXPECT_EQ(run({"firewall", "open", "--disks", "--from", "any"}), 0);
    EXPECT_EQ(out(), "nothing to do: the ports are open in firewalld already\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any", "--zone", "nosuch"}), 64);
    EXPECT_NE(err().find("INVALID_ZONE"), std::string::npos) << err();
}

TEST_F(Firewalls, of_firewalld_have_rich_rules_for_networks) {
    run_firewalld();
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "10.0.0.0/24,fd00::/64", "--dry-run"}),
              0)
        << err();
    for (const char *network : {"family=\"ipv4\" source address=\"10.0.0.0/24\"",
                                "family=\"ipv6\" source address=\"fd00::/64\""}) {
        for (const char *kept : {"", "--permanent "}) {
            const std::string line =
                fmt::format("run firewall-cmd --zone=public {}--add-rich-rule=rule {} port "
                            "port=\"4791\" protocol=\"udp\" accept\n",
                            kept, network);
            EXPECT_NE(out().find(line), std::string::npos) << out();
        }
    }
}

TEST_F(Firewalls, of_firewalld_are_opened_in_the_zones_of_devices_and_senders) {
    run_firewalld();
    zones = "inner\n  interfaces: eth0\nstorage\n  sources: 10.0.0.0/16 ipset:hosts\n"
            "drop\n  sources: 10.0.0.66/32\npublic (default)\n  interfaces: eth9\n";
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any"}), 0) << err();
    EXPECT_EQ(open, (std::vector<std::string>{"inner lasting 4791/udp", "inner 4791/udp"}));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "10.0.0.0/24", "--dry-run"}), 0)
        << err();
    EXPECT_NE(out().find("--zone=inner --permanent --add-rich"), std::string::npos) << out();
    EXPECT_NE(out().find("--zone=storage --permanent --add-rich"), std::string::npos) << out();
    EXPECT_EQ(out().find("--zone=drop"), std::string::npos) << out();
    EXPECT_EQ(out().find("--zone=public"), std::string::npos) << out();
    // An interface without a zone is in the default zone.
    zones = "inner\n  interfaces: eth5\n";
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("--zone=public"), std::string::npos) << out();
    // It is not known by which interface TCP arrives.
    ASSERT_TRUE(rdma.remove("rxe0"));
    zones = "inner\n  interfaces: eth0\npublic\n  interfaces: eth9\n";
    EXPECT_EQ(run({"firewall", "open", "--nfs", "--from", "any"}), 64);
    EXPECT_NE(err().find("several active zones: inner, public"), std::string::npos) << err();
    EXPECT_EQ(run({"firewall", "open", "--nfs", "--from", "any", "--zone", "inner"}), 0) << err();
    EXPECT_EQ(open, (std::vector<std::string>{"inner lasting 2049/tcp", "inner 2049/tcp"}));
}

TEST_F(Firewalls, of_ufw_name_one_host_by_its_address) {
    run_ufw("ufw allow from 10.0.0.5 to any port 4791 proto udp comment 'causeway'");
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "10.0.0.5"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: the ports are open in ufw already\n");
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "fd00::5"}), 0) << err();
    EXPECT_TRUE(processes.ran("ufw allow from fd00::5 to any port 4791 proto udp comment"));
}

TEST_F(Firewalls, of_ufw_get_what_they_lack) {
    run_ufw("Added user rules (see 'ufw status' for running firewall):\n"
            "ufw allow 22/tcp\nufw allow 4791/udp comment 'x'");
    EXPECT_EQ(run({"firewall", "open", "--nfs", "--from", "any"}), 0) << err();
    EXPECT_TRUE(processes.ran("ufw allow 2049/tcp comment causeway"));
    EXPECT_EQ(processes.count("ufw allow"), 1U);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(processes.ran("ufw delete allow 2049/tcp"));
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any", "--zone", "public"}), 64);
    run_ufw("ufw allow from 10.0.0.0/24 to any port 4791 proto udp comment 'causeway'");
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: the ports are open in ufw already\n");
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "10.0.1.0/24"}), 0) << err();
    EXPECT_TRUE(
        processes.ran("ufw allow from 10.0.1.0/24 to any port 4791 proto udp comment causeway"));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(processes.ran("ufw delete allow from 10.0.1.0/24 to any port 4791 proto udp"));
}

TEST_F(Firewalls, of_nftables_have_rules_in_their_own_chain_and_a_list_of_ports) {
    run_nft();
    add_siw();
    const auto file = root / "etc/causeway/firewall.ports";
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(open, std::vector<std::string>{"4791/udp from 10.0.0.0/24"});
    EXPECT_TRUE(processes.ran("nft insert rule inet filter input ip saddr 10.0.0.0/24 udp dport "
                              "4791 accept comment \"causeway:4791/udp from 10.0.0.0/24\""));
    EXPECT_EQ(read_file(file),
              "# Written by \"causeway firewall open\"; \"causeway undo\" takes it back.\n"
              "4791/udp from 10.0.0.0/24\n");
    const std::string dropin =
        read_file(root / "etc/systemd/system/nftables.service.d/causeway-firewall.conf");
    for (const char *when : {"ExecStartPost", "ExecReload"}) {
        EXPECT_NE(
            dropin.find(fmt::format("{}=-/usr/sbin/causeway firewall open --at-boot\n", when)),
            std::string::npos);
    }
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "10.0.0.0/24"}), 0);
    EXPECT_EQ(out(), "nothing to do: the ports are open in nftables already\n");
    EXPECT_EQ(run({"firewall", "open", "--disks", "--from", "any"}), 0) << err();
    EXPECT_EQ(open,
              (std::vector<std::string>{"4791/udp from 10.0.0.0/24", "4793/tcp", "4791/udp"}));
    EXPECT_NE(read_file(file).find("4791/udp from 10.0.0.0/24\n4793/tcp from any\n4791/udp from "
                                   "any\n"),
              std::string::npos);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(open, std::vector<std::string>{"4791/udp from 10.0.0.0/24"});
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(open.empty());
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Firewalls, of_nftables_are_opened_at_boot_in_the_chains_that_are_there_then) {
    run_nft();
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any"}), 0) << err();
    // The machine reboots. The administrator has renamed the table, and another table drops
    // packets, to which nft adds no rules.
    open.clear();
    std::vector<std::string> inserted;
    ruleset =
        R"({"nftables":[)"
        R"({"chain":{"family":"ip","table":"odd","name":"in","type":"filter","hook":"input",)"
        R"("prio":0,"policy":"drop"}},)"
        R"({"chain":{"family":"inet","table":"fw","name":"in","type":"filter","hook":"input",)"
        R"("prio":0,"policy":"drop"}}]})";
    const auto empty = [] { return exited_with(R"({"nftables":[]})"); };
    processes.acts["nft -j -a list chain ip odd in"] = empty;
    processes.acts["nft -j -a list chain inet fw in"] = empty;
    processes.acts["nft insert rule ip odd in"] = [] {
        return FakeProcesses::failure("Error: Operation not permitted", 1);
    };
    processes.acts["nft insert rule inet fw in"] = [&] {
        inserted.push_back(processes.log.back());
        return exited_with("");
    };
    EXPECT_EQ(run({"firewall", "open", "--at-boot"}), 1);
    EXPECT_NE(err().find("Operation not permitted"), std::string::npos) << err();
    ASSERT_EQ(inserted.size(), 1U);
    EXPECT_EQ(inserted[0], "nft insert rule inet fw in udp dport 4791 accept comment "
                           "\"causeway:4791/udp\"");
    // A rule that was put into another chain instead is found there, even if the first chain is
    // gone.
    processes.acts["nft -j -a list ruleset"] = [] {
        return exited_with(R"({"nftables":[{"rule":{"family":"inet","table":"fw","chain":"in",)"
                           R"("handle":7,"comment":"causeway:4791/udp"}}]})");
    };
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(processes.ran("nft delete rule inet fw in handle 7"));
    EXPECT_FALSE(std::filesystem::exists(root / "etc/causeway/firewall.ports"));
    EXPECT_EQ(run({"firewall", "open", "--at-boot"}), 0) << err();
    EXPECT_EQ(inserted.size(), 1U);
}

std::string one_chain(const std::string &policy, const std::string &rules) {
    return R"({"nftables":[{"chain":{"family":"inet","table":"t","name":"c","type":"filter",)"
           R"("hook":"input","prio":0,"policy":")" +
           policy +
           R"("}},{"chain":{"family":"inet","table":"t","name":"banning"}},)"
           R"({"set":{"family":"inet","table":"t","name":"rdma","elem":[4791,4793]}},)"
           R"({"rule":{"family":"inet","table":"t","chain":"banning","handle":3,"expr":[)"
           R"({"match":{"op":"==","left":{"payload":{"protocol":"ip","field":"saddr"}},)"
           R"("right":"192.0.2.1"}},{"drop":null}]}})" +
           rules + "]}";
}

std::string one_rule(const std::string &expressions) {
    return R"(,{"rule":{"family":"inet","table":"t","chain":"c","handle":4,"expr":)" + expressions +
           "}}";
}

// A match of a field of a header.
std::string field(const std::string &protocol, const std::string &name, const std::string &op,
                  const std::string &right) {
    return R"({"match":{"op":")" + op + R"(","left":{"payload":{"protocol":")" + protocol +
           R"(","field":")" + name + R"("}},"right":)" + right + "}}";
}

std::string new_ones(const std::string &states) {
    return R"({"match":{"op":"in","left":{"ct":{"key":"state"}},"right":)" + states + "}}";
}

const std::string drop = R"(,{"drop":null}])";

TEST(FirewallChains, close_by_state_by_sender_and_by_the_very_port) {
    const auto closes = [](const std::string &expressions, const std::string &from = "") {
        const auto rules = Nftables::parse(one_chain("accept", one_rule(expressions)));
        const auto chains = rules ? rules->closing({"udp", 4791, from})
                                  : Result<std::vector<InputChain>>(rules.error());
        return chains && chains->size() == 1;
    };
    EXPECT_TRUE(closes("[" + new_ones("\"new\"") + drop));
    EXPECT_TRUE(closes("[" + new_ones(R"(["invalid","new"])") + drop));
    EXPECT_FALSE(closes("[" + new_ones(R"(["invalid","untracked"])") + drop));
    const std::string ten = R"({"prefix":{"addr":"10.0.0.0","len":8}})";
    EXPECT_TRUE(closes("[" + field("ip", "saddr", "!=", ten) + drop));
    EXPECT_FALSE(closes("[" + field("ip", "saddr", "!=", ten) + drop, "10.1.0.0/16"));
    EXPECT_TRUE(closes("[" + field("ip", "saddr", "!=", ten) + drop, "192.168.0.0/16"));
    EXPECT_FALSE(closes("[" + field("ip", "saddr", "==", ten) + drop));
    EXPECT_TRUE(closes("[" + field("ip", "saddr", "==", ten) + drop, "10.1.0.0/16"));
    EXPECT_TRUE(closes("[" + field("udp", "dport", "==", "4791") + drop));
    EXPECT_TRUE(closes("[" + field("udp", "dport", "==", R"({"set":[53,4791]})") + drop));
    EXPECT_TRUE(closes("[" + field("udp", "dport", "==", R"("@rdma")") + drop));
    EXPECT_FALSE(closes("[" + field("udp", "dport", "==", "53") + drop));
    EXPECT_FALSE(closes("[" + field("tcp", "dport", "==", "4791") + drop));
    EXPECT_FALSE(closes("[" + field("icmp", "type", "==", "8") + drop));
    EXPECT_FALSE(closes(R"([{"limit":{"rate":10,"per":"second","inv":true}})" + drop));
    EXPECT_FALSE(closes(R"([{"jump":{"target":"banning"}}])"));
    EXPECT_TRUE(closes(R"([{"jump":{"target":"unknown"}}])"));
    EXPECT_TRUE(closes(R"([{"vmap":{"key":{"payload":{"protocol":"udp","field":"dport"}},)"
                       R"("data":{"set":[[53,{"accept":null}],[4791,{"drop":null}]]}}}])"));
    EXPECT_FALSE(closes(R"([{"vmap":{"key":{"payload":{"protocol":"udp","field":"dport"}},)"
                        R"("data":{"set":[[4791,{"accept":null}],[53,{"drop":null}]]}}}])"));
}

TEST(FirewallChains, are_closed_for_certain_where_no_rule_may_let_in) {
    const auto lets_in = [](const std::string &policy, const std::string &rules) {
        const auto parsed = Nftables::parse(one_chain(policy, rules));
        return !parsed || parsed->lets_in({"udp", 4791});
    };
    const std::string established =
        one_rule("[" + new_ones(R"(["established","related"])") + R"(,{"accept":null}])");
    EXPECT_FALSE(lets_in("drop", established));
    EXPECT_TRUE(lets_in("accept", established));
    EXPECT_FALSE(lets_in("accept", established + one_rule("[{\"reject\":null}]")));
    EXPECT_FALSE(lets_in("accept", one_rule("[" + field("udp", "dport", "==", "4791") + drop)));
    EXPECT_FALSE(lets_in("accept", one_rule("[" + new_ones("\"new\"") + drop)));
    // Our own rule has a comment after its verdict.
    const std::string ours =
        R"(,{"rule":{"family":"inet","table":"t","chain":"c","handle":9,"comment":)"
        R"("causeway:4791/udp","expr":[)" +
        field("udp", "dport", "==", "4791") + R"(,{"accept":null}]}})";
    EXPECT_TRUE(lets_in("drop", ours));
    const std::string some_hosts =
        one_rule("[" + field("ip", "saddr", "==", R"("10.0.0.5")") + R"(,{"accept":null}])");
    EXPECT_TRUE(lets_in("drop", some_hosts));
    EXPECT_FALSE(lets_in("drop", one_rule(R"([{"match":{"op":"==","left":{"meta":{"key":)"
                                          R"("iifname"}},"right":"lo"}},{"accept":null}])")));
    EXPECT_TRUE(lets_in("drop", one_rule(R"([{"jump":{"target":"unknown"}}])")));
    EXPECT_FALSE(lets_in("drop", one_rule(R"([{"jump":{"target":"banning"}}])")));
    EXPECT_TRUE(lets_in("accept", one_rule(R"([{"jump":{"target":"banning"}}])")));
}

TEST(FirewallChains, close_what_they_do_not_name) {
    const auto closes = [](const std::string &policy, const std::string &rule) {
        const auto rules = Nftables::parse(one_chain(policy, one_rule(rule)));
        const auto chains =
            rules ? rules->closing({"udp", 4791}) : Result<std::vector<InputChain>>(rules.error());
        return chains && chains->size() == 1;
    };
    EXPECT_TRUE(closes("drop", "[]"));
    EXPECT_FALSE(closes("accept", "[]"));
    EXPECT_TRUE(closes("accept", R"([{"counter":{"packets":0,"bytes":0}},{"drop":null}])"));
    EXPECT_TRUE(closes("accept", R"([{"reject":{"type":"icmpx"}}])"));
    EXPECT_TRUE(closes("accept", R"([{"match":{"op":"==","left":{"meta":{"key":"iifname"}},)"
                                 R"("right":"eth0"}},{"drop":null}])"));
    EXPECT_TRUE(closes("accept", R"([{"jump":{"target":"more"}}])"));
    EXPECT_TRUE(closes("accept",
                       R"([{"match":{"op":"!=","left":{"payload":{"protocol":"udp","field":)"
                       R"("dport"}},"right":22}},{"drop":null}])"));
    EXPECT_TRUE(closes("accept",
                       R"([{"match":{"op":"==","left":{"payload":{"protocol":"udp","field":)"
                       R"("dport"}},"right":{"range":[1,65535]}}},{"drop":null}])"));
    // A rule of fail2ban.
    EXPECT_FALSE(closes(
        "accept", R"([{"match":{"op":"==","left":{"payload":{"protocol":"tcp","field":"dport"}},)"
                  R"("right":22}},{"match":{"op":"==","left":{"payload":{"protocol":"ip","field":)"
                  R"("saddr"}},"right":"@banned"}},{"reject":null}])"));
    EXPECT_FALSE(closes("accept", R"([{"match":{"op":"in","left":{"ct":{"key":"state"}},"right":)"
                                  R"("invalid"}},{"drop":null}])"));
    EXPECT_FALSE(
        closes("accept", R"([{"vmap":{"key":{"ct":{"key":"state"}},"data":{"set":[]}}}])"));
}

TEST(FirewallPorts, are_kept_as_lines) {
    for (const char *line :
         {"4791/udp from any", "4793/tcp from 10.0.0.0/24", "20049/tcp from fd00::/64"}) {
        const auto port = parse_open_port(line);
        ASSERT_TRUE(port) << line;
        EXPECT_EQ(port->phrase(), line);
    }
    for (const char *line : {"", "4791", "4791/udp", "4791/sctp from any", "0/tcp from any",
                             "70000/tcp from any", "4791/udp from nowhere", " from any"}) {
        EXPECT_FALSE(parse_open_port(line)) << line;
    }
}

TEST_F(Firewalls, of_iptables_are_left_alone) {
    run_nft();
    ruleset = R"({"nftables":[{"chain":{"family":"ip","table":"filter","name":"INPUT","handle":1,)"
              R"("type":"filter","hook":"input","prio":0,"policy":"drop"}}]})";
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "10.0.0.0/24"}), 69);
    EXPECT_NE(err().find("belongs to iptables"), std::string::npos) << err();
    EXPECT_NE(err().find("iptables -I INPUT -s 10.0.0.0/24 -p udp --dport 4791 -j ACCEPT"),
              std::string::npos)
        << err();
    EXPECT_FALSE(processes.ran("nft insert"));
    // If there is also a chain that does not belong to iptables, the administrator has to open the
    // port in the chains of iptables.
    const std::string both =
        R"({"nftables":[{"chain":{"family":"inet","table":"filter","name":"input","type":"filter",)"
        R"("hook":"input","prio":0,"policy":"drop"}},{"chain":{"family":"ip","table":"mangle",)"
        R"("name":"INPUT","type":"filter","hook":"input","prio":0,"policy":"accept"}},)"
        R"({"chain":{"family":"ip","table":"mangle","name":"LIBVIRT_INP"}},{"rule":{"family":"ip",)"
        R"("table":"mangle","chain":"INPUT","handle":4,"expr":[{"counter":{}},)"
        R"({"jump":{"target":"LIBVIRT_INP"}}]}})";
    ruleset = both + R"(,{"rule":{"family":"ip","table":"mangle","chain":"LIBVIRT_INP",)"
                     R"("handle":5,"expr":[{"drop":null}]}}]})";
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any"}), 0) << err();
    EXPECT_NE(err().find("\"ip mangle INPUT\" belongs to iptables"), std::string::npos) << err();
    EXPECT_EQ(open, std::vector<std::string>{"4791/udp"});
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(open.empty());
    // A chain closes nothing if the chains to which it jumps drop nothing.
    ruleset = both + "]}";
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any"}), 0) << err();
    EXPECT_EQ(err(), "");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    ruleset = "not JSON";
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any"}), 1);
    ruleset = R"({"nftables":[{"chain":{"hook":"input","type":"filter"}}]})";
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any"}), 1);
    EXPECT_EQ(run({"firewall", "open", "--soft", "--from", "any", "--backend", "pf"}), 64);
}

class Preloading : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so"] = "";
        ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
        unsetenv("LD_PRELOAD");
    }
};

TEST_F(Preloading, leaves_the_programs_own_options_alone) {
    EXPECT_EQ(run({"run", "--preload", "iperf3", "--json", "--help", "-c", "x"}), 0) << err();
    EXPECT_TRUE(processes.ran(
        "become LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so iperf3 --json "
        "--help -c x"));
    EXPECT_EQ(run({"run", "--preload", "--", "iperf3"}), 0) << err();
    EXPECT_TRUE(processes.ran(
        "become LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so iperf3"));
    EXPECT_EQ(run({"run", "--help"}), 0);
    EXPECT_NE(out().find("--preload"), std::string::npos);
}

TEST_F(Preloading, says_what_is_missing) {
    EXPECT_EQ(run({"run", "iperf3", "-s"}), 64);
    EXPECT_NE(err().find("causeway run --preload iperf3 -s"), std::string::npos) << err();
    EXPECT_EQ(run({"run", "--preload"}), 64);
    ASSERT_TRUE(rdma.remove("rxe0"));
    EXPECT_EQ(run({"run", "--preload", "iperf3"}), 69);
    EXPECT_NE(err().find("soft add"), std::string::npos);
    files.content.clear();
    EXPECT_EQ(run({"run", "--preload", "iperf3"}), 69);
    EXPECT_NE(err().find("librdmacm1"), std::string::npos);
    EXPECT_FALSE(processes.ran("become"));
}

} // namespace
} // namespace causeway
