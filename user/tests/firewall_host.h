// SPDX-License-Identifier: GPL-2.0-or-later
// A host in memory with a Soft-RoCE device and one of three firewalls.
#pragma once

#include "fixture.h"

#include <algorithm>
#include <string>
#include <vector>

namespace causeway {

inline ProcessEnd exited_with(const std::string &text, int status = 0) {
    ProcessEnd end;
    end.status = status;
    end.out = text;
    return end;
}

class Firewalls : public CommandTest {
  protected:
    void SetUp() override {
        processes.missing = {"firewall-cmd", "ufw", "nft"};
        ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    }

    // Adds Soft-iWARP to Soft-RoCE.
    void add_siw() { ASSERT_TRUE(rdma.add("siw", "siw0", "eth1")); }

    // A firewalld that remembers what is open, now and permanently.
    void run_firewalld() {
        processes.missing.erase("firewall-cmd");
        processes.acts["firewall-cmd --"] = [this] { return firewalld(); };
    }

    void run_ufw(const std::string &added) {
        processes.missing.erase("ufw");
        processes.acts["ufw status"] = [] { return exited_with("Status: active"); };
        processes.acts["ufw show added"] = [added] { return exited_with(added); };
    }

    // One chain that drops packets. Our rule for a port is in it while the port is in `open`.
    void run_nft() {
        processes.missing.erase("nft");
        processes.acts["nft -j list ruleset"] = [this] { return exited_with(with_ours()); };
        processes.acts["nft -j -a list ruleset"] = [this] { return exited_with(with_ours()); };
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
    std::string zones = "public (default)\n  interfaces: eth0 eth1\n";

  private:
    ProcessEnd firewalld() {
        const std::string &line = processes.log.back();
        if (line == "firewall-cmd --state") {
            return exited_with("running");
        }
        const bool lasting = line.find("--permanent") != std::string::npos;
        const std::size_t zone = line.find("--zone=") + 7;
        const std::string in = line.substr(zone, line.find(' ', zone) - zone);
        const std::string port = (in == "public" ? "" : in + " ") +
                                 std::string(lasting ? "lasting " : "") +
                                 line.substr(line.rfind('=') + 1);
        const auto found = std::find(open.begin(), open.end(), port);
        if (line == "firewall-cmd --get-active-zones") {
            return exited_with(zones);
        }
        if (line == "firewall-cmd --get-default-zone") {
            return exited_with("public");
        }
        if (line.find("--zone=nosuch") != std::string::npos) {
            return FakeProcesses::failure("Error: INVALID_ZONE: nosuch", 112);
        }
        if (line.find("--query-") != std::string::npos) {
            return found == open.end() ? exited_with("no", 1) : exited_with("yes");
        }
        if (line.find("--add-") != std::string::npos) {
            open.push_back(port);
        } else if (found != open.end()) {
            open.erase(found);
        }
        return exited_with("success");
    }

    // The ruleset together with our rules.
    std::string with_ours() const {
        nlohmann::json all = nlohmann::json::parse(ruleset, nullptr, false);
        if (all.is_discarded()) {
            return ruleset;
        }
        const nlohmann::json ours = nlohmann::json::parse(chain());
        for (const auto &rule : ours.at("nftables")) {
            all["nftables"].push_back(rule);
        }
        return all.dump();
    }

    std::string chain() const {
        nlohmann::json rules = nlohmann::json::array();
        for (std::size_t i = 0; i < open.size(); i++) {
            rules.push_back({{"rule",
                              {{"family", "inet"},
                               {"table", "filter"},
                               {"chain", "input"},
                               {"handle", 10 + i},
                               {"comment", "causeway:" + open[i]}}}});
        }
        rules.push_back({{"rule", {{"handle", 3}, {"comment", "somebody else's"}}}});
        return nlohmann::json{{"nftables", rules}}.dump();
    }
};

} // namespace causeway
