// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs "firewall close" and "firewall list".
#include "firewall_host.h"

namespace causeway {
namespace {

class ClosedFirewalls : public Firewalls {
  protected:
    std::filesystem::path record() const { return root / "etc/causeway/firewalld.ports"; }
    std::filesystem::path list() const { return root / "etc/causeway/firewall.ports"; }
    std::filesystem::path dropin() const {
        return root / "etc/systemd/system/nftables.service.d/causeway-firewall.conf";
    }
    int firewall(std::vector<std::string> words) {
        words.insert(words.begin(), "firewall");
        return run(words);
    }
    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
};

TEST_F(ClosedFirewalls, need_the_name_of_a_service) {
    run_firewalld();
    EXPECT_EQ(firewall({"close"}), 64);
    EXPECT_TRUE(says("--disks, --nfs, --stock, --soft; or give --all")) << err();
    EXPECT_EQ(firewall({"close", "--all", "--nfs"}), 64);
    EXPECT_EQ(firewall({"close", "--nfs", "--backend", "iptables"}), 64);
    EXPECT_EQ(firewall({"close", "--nfs", "--from", "everyone"}), 64);
    EXPECT_EQ(firewall({"close", "--nfs"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: \"causeway firewall open\" has opened none of these ports\n");
    EXPECT_EQ(firewall({"list"}), 0);
    EXPECT_EQ(out(), "\"causeway firewall open\" has opened no port\n");
}

TEST_F(ClosedFirewalls, of_firewalld_keep_what_an_administrator_opened) {
    run_firewalld();
    open = {"lasting 2049/tcp", "2049/tcp"};
    ASSERT_EQ(firewall({"open", "--nfs", "--from", "any"}), 0) << err();
    ASSERT_EQ(open.size(), 4U);
    EXPECT_EQ(read_file(record()),
              "# Written by \"causeway firewall open\"; \"causeway undo\" takes it back.\n"
              "public 4791/udp from any\n");
    const auto told = json({"firewall", "list"})["ports"];
    ASSERT_EQ(told.size(), 1U) << told;
    EXPECT_EQ(told[0], (nlohmann::json{{"port", 4791},
                                       {"protocol", "udp"},
                                       {"from", "any"},
                                       {"firewall", "firewalld"},
                                       {"zone", "public"},
                                       {"needed_by", {"soft"}}}));
    // The Soft-RoCE device needs the port, whatever NFS does.
    EXPECT_EQ(firewall({"close", "--nfs"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: every port of these is needed\n");
    EXPECT_TRUE(says("4791/udp from any of zone public in firewalld stays open, because this "
                     "machine needs it for: soft; to close it all the same, give --soft too"))
        << err();
    EXPECT_EQ(firewall({"close", "--nfs", "--soft", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("run firewall-cmd --zone=public --permanent --remove-port=4791/udp\n"
                         "run firewall-cmd --zone=public --remove-port=4791/udp\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(open.size(), 4U);
    EXPECT_EQ(json({"firewall", "close", "--nfs", "--soft"})["ports"],
              nlohmann::json({"4791/udp from any"}));
    EXPECT_EQ(open, (std::vector<std::string>{"lasting 2049/tcp", "2049/tcp"}));
    EXPECT_FALSE(std::filesystem::exists(record()));
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(open.size(), 4U);
    EXPECT_TRUE(std::filesystem::exists(record()));
}

TEST_F(ClosedFirewalls, of_firewalld_are_closed_by_network_and_zone) {
    run_firewalld();
    ASSERT_TRUE(rdma.remove("rxe0"));
    for (const char *zone : {"public", "inner"}) {
        ASSERT_EQ(firewall({"open", "--nfs", "--from", "10.0.0.0/24,10.0.1.0/24", "--zone", zone}),
                  0)
            << err();
    }
    EXPECT_EQ(open.size(), 8U);
    EXPECT_EQ(firewall({"close", "--disks"}), 0) << err();
    EXPECT_EQ(open.size(), 8U);
    EXPECT_EQ(firewall({"close", "--nfs", "--from", "any"}), 0) << err();
    EXPECT_EQ(open.size(), 8U);
    EXPECT_EQ(firewall({"close", "--nfs", "--from", "10.0.0.0/24", "--zone", "inner"}), 0) << err();
    EXPECT_EQ(open.size(), 6U);
    EXPECT_EQ(firewall({"close", "--nfs", "--from", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(open.size(), 4U);
    EXPECT_EQ(json({"firewall", "list"})["ports"][0]["needed_by"], nlohmann::json::array());
    EXPECT_EQ(firewall({"close", "--all"}), 0) << err();
    EXPECT_TRUE(open.empty());
}

// Earlier versions wrote no record of the ports of firewalld.
TEST_F(ClosedFirewalls, of_firewalld_are_known_by_the_journal_too) {
    run_firewalld();
    ASSERT_EQ(firewall({"open", "--soft", "--from", "any"}), 0) << err();
    ASSERT_EQ(firewall({"open", "--soft", "--from", "10.0.0.0/24,fd00::/64"}), 0) << err();
    open.emplace_back("lasting 2049/tcp");
    std::filesystem::remove(record());
    EXPECT_EQ(json({"firewall", "list"})["ports"].size(), 3U);
    EXPECT_EQ(firewall({"close", "--soft", "--from", "fd00::/64"}), 0) << err();
    EXPECT_EQ(open.size(), 5U);
    EXPECT_EQ(json({"firewall", "list"})["ports"].size(), 2U);
    EXPECT_EQ(firewall({"close", "--soft"}), 0) << err();
    EXPECT_EQ(open, (std::vector<std::string>{"lasting 2049/tcp"}));
    EXPECT_EQ(json({"firewall", "list"})["ports"].size(), 0U);
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(json({"firewall", "list"})["ports"].size(), 2U);
    // undo closes the ports that the undone command opened.
    ASSERT_EQ(firewall({"close", "--all"}), 0) << err();
    ASSERT_EQ(firewall({"open", "--soft", "--from", "any"}), 0) << err();
    ASSERT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(json({"firewall", "list"})["ports"].size(), 0U);
}

TEST_F(ClosedFirewalls, of_firewalld_are_closed_only_while_it_runs) {
    run_firewalld();
    ASSERT_EQ(firewall({"open", "--soft", "--from", "any"}), 0) << err();
    processes.acts["firewall-cmd --state"] = [] {
        return FakeProcesses::failure("not running", 252);
    };
    EXPECT_EQ(firewall({"close", "--soft"}), 69);
    EXPECT_TRUE(says("systemctl start firewalld")) << err();
    EXPECT_TRUE(std::filesystem::exists(record()));
    write_file(record(), "public\n");
    EXPECT_EQ(firewall({"list"}), 78);
    EXPECT_TRUE(says("write it as in: public 4791/udp from any")) << err();
}

TEST_F(ClosedFirewalls, of_ufw_lose_rules_with_the_comment_alone) {
    run_ufw("Added user rules (see 'ufw status' for running firewall):\n"
            "ufw allow 2049/tcp\n"
            "ufw allow 4793/tcp comment 'causeway'\n"
            "ufw allow from 10.0.0.5 to any port 2049 proto tcp comment 'causeway'\n"
            "ufw allow from 10.0.0.6 to any port 22 proto tcp comment 'causeway is here'\n"
            "ufw deny from 10.0.0.6 to any port 23 proto tcp comment 'causeway'\n");
    const auto told = json({"firewall", "list"})["ports"];
    ASSERT_EQ(told.size(), 2U) << told;
    EXPECT_EQ(told[0]["firewall"], "ufw");
    EXPECT_EQ(told[1]["from"], "10.0.0.5/32");
    EXPECT_EQ(firewall({"close", "--nfs", "--backend", "firewalld"}), 0) << err();
    EXPECT_FALSE(processes.ran("ufw delete"));
    EXPECT_EQ(firewall({"close", "--nfs"}), 0) << err();
    EXPECT_EQ(processes.count("ufw delete"), 1U);
    EXPECT_TRUE(processes.ran("ufw delete allow from 10.0.0.5 to any port 2049 proto tcp"));
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_TRUE(
        processes.ran("ufw allow from 10.0.0.5 to any port 2049 proto tcp comment causeway"));
}

TEST_F(ClosedFirewalls, of_nftables_lose_rules_and_the_list_of_ports) {
    run_nft();
    ASSERT_EQ(run({"export", "add", "scratch", "--ram", "1M", "--allow", "any", "--tcp"}), 0)
        << err();
    ASSERT_EQ(firewall({"open", "--disks", "--from", "any"}), 0) << err();
    ASSERT_EQ(firewall({"open", "--soft", "--from", "10.0.0.0/24"}), 0) << err();
    ASSERT_EQ(open,
              (std::vector<std::string>{"4791/udp", "4794/tcp", "4791/udp from 10.0.0.0/24"}));
    EXPECT_EQ(json({"firewall", "list"})["ports"][1]["needed_by"], nlohmann::json({"disks"}));
    // The export needs 4791 and 4794 as long as it is there.
    EXPECT_EQ(firewall({"close", "--soft"}), 0) << err();
    EXPECT_EQ(open.size(), 3U);
    EXPECT_EQ(firewall({"close", "--soft", "--disks", "--from", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(open, (std::vector<std::string>{"4791/udp", "4794/tcp"}));
    EXPECT_TRUE(std::filesystem::exists(dropin()));
    EXPECT_EQ(firewall({"close", "--all", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("nftables chain inet filter input\n- "), std::string::npos) << out();
    EXPECT_EQ(firewall({"close", "--all"}), 0) << err();
    EXPECT_TRUE(open.empty());
    EXPECT_FALSE(std::filesystem::exists(list()));
    EXPECT_FALSE(std::filesystem::exists(dropin()));
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(open.size(), 2U);
    EXPECT_TRUE(std::filesystem::exists(list()));
    EXPECT_TRUE(std::filesystem::exists(dropin()));
}

} // namespace
} // namespace causeway
