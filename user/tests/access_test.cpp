// SPDX-License-Identifier: GPL-2.0-or-later
// firewall open, run.
#include "fixture.h"
#include "host/firewall.h"

namespace causeway {
namespace {

ProcessEnd exited_with(const std::string &text, int status = 0) {
    ProcessEnd end;
    end.status = status;
    end.out = text;
    return end;
}

class Firewalls : public CommandTest {
  protected:
    void SetUp() override { processes.missing = {"firewall-cmd", "ufw", "nft"}; }

    // firewalld that keeps in mind what is open, now and for good.
    void run_firewalld() {
        processes.missing.erase("firewall-cmd");
        processes.acts["firewall-cmd --"] = [this] { return firewalld(); };
    }

    void run_ufw(const std::string &added) {
        processes.missing.erase("ufw");
        processes.acts["ufw status"] = [] { return exited_with("Status: active"); };
        processes.acts["ufw show added"] = [added] { return exited_with(added); };
    }

    // One chain; a rule of ours is there while its port is in `open`.
    void run_nft() {
        processes.missing.erase("nft");
        processes.acts["nft -j list ruleset"] = [this] { return exited_with(ruleset); };
        processes.acts["nft -j -a list chain inet filter input"] = [this] {
            return exited_with(chain());
        };
        processes.acts["nft insert rule inet filter input "] = [this] {
            const std::string &line = processes.log.back();
            const std::size_t start = line.find("causeway:") + 9;
            open.push_back(line.substr(start, line.rfind('"') - start));
            return exited_with("");
        };
        processes.acts["nft delete rule inet filter input handle "] = [this] {
            const auto handle = std::stoul(processes.log.back().substr(41));
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(handle - 10));
            return exited_with("");
        };
    }

    std::string ruleset =
        R"({"nftables":[{"metainfo":{"version":"1.0.6"}},{"table":{"family":"inet","name":"filter"}},)"
        R"({"chain":{"family":"inet","table":"filter","name":"input","handle":1,"type":"filter",)"
        R"("hook":"input","prio":0,"policy":"drop"}},)"
        R"({"chain":{"family":"inet","table":"filter","name":"output","handle":2,"type":"filter",)"
        R"("hook":"output","prio":0,"policy":"accept"}},)"
        R"({"chain":{"family":"inet","table":"filter","name":"helper","handle":3}}]})";
    std::vector<std::string> open;

  private:
    ProcessEnd firewalld() {
        const std::string &line = processes.log.back();
        if (line == "firewall-cmd --state") {
            return exited_with("running");
        }
        const bool lasting = line.find("--permanent") != std::string::npos;
        const std::string port = (lasting ? "lasting " : "") + line.substr(line.rfind('=') + 1);
        const auto found = std::find(open.begin(), open.end(), port);
        if (line.find("--zone=nosuch") != std::string::npos) {
            return FakeProcesses::failure("Error: INVALID_ZONE: nosuch", 112);
        }
        if (line.find("--query-port") != std::string::npos) {
            return found == open.end() ? exited_with("no", 1) : exited_with("yes");
        }
        if (line.find("--add-port") != std::string::npos) {
            open.push_back(port);
        } else if (found != open.end()) {
            open.erase(found);
        }
        return exited_with("success");
    }

    std::string chain() const {
        nlohmann::json rules = nlohmann::json::array();
        for (std::size_t i = 0; i < open.size(); i++) {
            rules.push_back({{"rule", {{"handle", 10 + i}, {"comment", "causeway:" + open[i]}}}});
        }
        rules.push_back({{"rule", {{"handle", 3}, {"comment", "somebody else's"}}}});
        return nlohmann::json{{"nftables", rules}}.dump();
    }
};

TEST_F(Firewalls, that_are_not_there_need_nothing) {
    EXPECT_EQ(run({"firewall", "open"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: no firewall runs here\n");
    processes.missing.erase("nft");
    processes.acts["nft -j list ruleset"] = [] {
        return exited_with(R"({"nftables":[{"metainfo":{}}]})");
    };
    EXPECT_EQ(run({"firewall", "open"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: no firewall runs here\n");
}

TEST_F(Firewalls, of_firewalld_are_opened_now_and_for_good_and_closed_again) {
    run_firewalld();
    EXPECT_EQ(run({"firewall", "open", "--disks", "--dry-run"}), 0) << err();
    EXPECT_EQ(out(), "run firewall-cmd --permanent --add-port=4793/tcp\n"
                     "run firewall-cmd --add-port=4793/tcp\n");
    EXPECT_TRUE(open.empty());
    const auto told = json({"firewall", "open", "--disks"});
    EXPECT_EQ(told["firewall"], "firewalld");
    EXPECT_EQ(told["ports"], nlohmann::json({"4793/tcp"}));
    EXPECT_EQ(open, (std::vector<std::string>{"lasting 4793/tcp", "4793/tcp"}));
    EXPECT_EQ(run({"firewall", "open", "--disks"}), 0);
    EXPECT_EQ(out(), "nothing to do: the ports are open in firewalld already\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(run({"firewall", "open", "--zone", "nosuch"}), 64);
    EXPECT_NE(err().find("INVALID_ZONE"), std::string::npos) << err();
}

TEST_F(Firewalls, of_ufw_get_what_they_lack) {
    run_ufw("Added user rules (see 'ufw status' for running firewall):\n"
            "ufw allow 22/tcp\nufw allow 20049/tcp comment 'x'\nufw allow 2049/tcp");
    EXPECT_EQ(run({"firewall", "open", "--nfs"}), 0) << err();
    EXPECT_TRUE(processes.ran("ufw allow 20049/udp comment causeway"));
    EXPECT_EQ(processes.count("ufw allow"), 1U);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(processes.ran("ufw delete allow 20049/udp"));
    EXPECT_EQ(run({"firewall", "open", "--zone", "public"}), 64);
}

TEST_F(Firewalls, of_nftables_have_rules_in_their_own_chain_and_a_file) {
    run_nft();
    const auto file = root / "etc/causeway/firewall.nft";
    EXPECT_EQ(run({"firewall", "open", "--soft"}), 0) << err();
    EXPECT_EQ(open, std::vector<std::string>{"4791/udp"});
    EXPECT_EQ(read_file(file),
              "# Written by \"causeway firewall open\"; \"causeway undo\" takes it back.\n"
              "insert rule inet filter input udp dport 4791 accept comment "
              "\"causeway:4791/udp\"\n");
    const std::string dropin =
        read_file(root / "etc/systemd/system/nftables.service.d/causeway-firewall.conf");
    EXPECT_NE(dropin.find("ExecStartPost=-/usr/sbin/nft -f /etc/causeway/firewall.nft\n"),
              std::string::npos);
    EXPECT_EQ(run({"firewall", "open", "--soft"}), 0);
    EXPECT_EQ(out(), "nothing to do: the ports are open in nftables already\n");
    EXPECT_EQ(run({"firewall", "open", "--disks"}), 0) << err();
    EXPECT_EQ(open, (std::vector<std::string>{"4791/udp", "4793/tcp"}));
    EXPECT_NE(read_file(file).find("udp dport 4791"), std::string::npos);
    EXPECT_NE(read_file(file).find("tcp dport 4793"), std::string::npos);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(open, std::vector<std::string>{"4791/udp"});
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(open.empty());
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Firewalls, of_iptables_are_left_alone) {
    run_nft();
    ruleset = R"({"nftables":[{"chain":{"family":"ip","table":"filter","name":"INPUT","handle":1,)"
              R"("type":"filter","hook":"input","prio":0,"policy":"drop"}}]})";
    EXPECT_EQ(run({"firewall", "open"}), 69);
    EXPECT_NE(err().find("belongs to iptables"), std::string::npos) << err();
    EXPECT_FALSE(processes.ran("nft insert"));
    ruleset = "not JSON";
    EXPECT_EQ(run({"firewall", "open"}), 1);
    ruleset = R"({"nftables":[{"chain":{"hook":"input","type":"filter"}}]})";
    EXPECT_EQ(run({"firewall", "open"}), 1);
    EXPECT_EQ(run({"firewall", "open", "--backend", "pf"}), 64);
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
