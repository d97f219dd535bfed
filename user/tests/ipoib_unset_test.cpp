// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs that list and remove the settings of ipoib, and of addresses that are not kept
// or come by DHCP.
#include "ipoib_host.h"

#include <algorithm>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class KeptInterfaces : public IpoibHost {};

TEST_F(KeptInterfaces, are_listed) {
    EXPECT_EQ(run({"ipoib", "list"}), 0);
    EXPECT_EQ(out(), "causeway keeps no settings of an interface for the next boot\n");
    boot_ifupdown();
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24"}), 0) << err();
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    const auto told = json({"ipoib", "list"})["interfaces"];
    ASSERT_EQ(told.size(), 1U) << told;
    EXPECT_EQ(told[0]["name"], "ib0");
    EXPECT_EQ(told[0]["backend"], "ifupdown");
    EXPECT_EQ(told[0]["mtu"], 1500);
    EXPECT_EQ(told[0]["mode"], "datagram");
    EXPECT_EQ(told[0]["addresses"], nlohmann::json({"10.0.0.1/24"}));
    EXPECT_EQ(told[0]["parent"], nullptr);
}

TEST_F(KeptInterfaces, lose_their_files_and_keep_what_they_have_now) {
    for (const char *service : {"NetworkManager.service", "systemd-networkd.service"}) {
        boot(service);
        ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24"}), 0) << err();
        ASSERT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected"}), 0) << err();
        EXPECT_EQ(run({"ipoib", "unset", "ib0", "--dry-run"}), 0) << err();
        EXPECT_TRUE(fs::exists(record("ib0")));
        processes.log.clear();
        files.writes.clear();
        EXPECT_EQ(run({"ipoib", "unset", "ib0"}), 0) << err();
        EXPECT_NE(out().find("ib0 keeps its addresses, mode and MTU until the next boot"),
                  std::string::npos)
            << out();
        EXPECT_FALSE(fs::exists(record("ib0")));
        EXPECT_FALSE(fs::exists(keyfile("ib0")));
        EXPECT_FALSE(fs::exists(network("ib0.network")));
        EXPECT_FALSE(fs::exists(mode_rule()));
        // A manager that reads its files again would take the addresses away.
        EXPECT_FALSE(processes.ran("nmcli"));
        EXPECT_FALSE(processes.ran("networkctl"));
        EXPECT_TRUE(files.writes.empty());
        EXPECT_EQ(run({"undo"}), 0) << err();
        EXPECT_TRUE(fs::exists(record("ib0")));
        EXPECT_EQ(run({"ipoib", "unset", "ib0"}), 0) << err();
        EXPECT_EQ(run({"ipoib", "unset", "ib0"}), 0) << err();
        EXPECT_EQ(out(), "nothing to do: causeway keeps no settings of ib0\n");
    }
}

TEST_F(KeptInterfaces, that_are_gone_can_be_unset) {
    boot_ifupdown();
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24"}), 0) << err();
    const std::string folder = "/sys/class/net/ib0/";
    for (auto each = files.content.begin(); each != files.content.end();) {
        each = each->first.rfind(folder, 0) == 0 ? files.content.erase(each) : std::next(each);
    }
    EXPECT_EQ(run({"ipoib", "unset", "ib1"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: causeway keeps no settings of ib1\n");
    EXPECT_EQ(run({"ipoib", "unset", "ib0"}), 0) << err();
    EXPECT_FALSE(fs::exists(record("ib0")));
    EXPECT_FALSE(fs::exists(stanzas("ib0")));
}

TEST_F(KeptInterfaces, in_other_partitions_are_listed_and_bind_their_parents) {
    EXPECT_EQ(run({"ipoib", "child", "list"}), 0);
    EXPECT_EQ(out(), "there is no interface in another partition\n");
    boot("systemd-networkd.service");
    ASSERT_EQ(run({"ipoib", "child", "add", "ib0", "0x8001"}), 0) << err();
    auto told = json({"ipoib", "child", "list"})["children"];
    ASSERT_EQ(told.size(), 1U) << told;
    EXPECT_EQ(told[0], (nlohmann::json{{"name", "ib0.8001"},
                                       {"parent", "ib0"},
                                       {"pkey", "0x8001"},
                                       {"there", true},
                                       {"at_boot", true}}));
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_EQ(run({"ipoib", "unset", "ib0"}), 69);
    EXPECT_TRUE(says("ib0.8001 is a child of ib0")) << err();
    EXPECT_EQ(run({"ipoib", "unset", "ib0.8001"}), 0) << err();
    told = json({"ipoib", "child", "list"})["children"];
    EXPECT_EQ(told[0]["at_boot"], false);
    EXPECT_EQ(read_file(network("ib0.network")).find("IPoIB="), std::string::npos);
    EXPECT_EQ(run({"ipoib", "unset", "ib0"}), 0) << err();
}

/* ---- ipoib addr ---- */

TEST_F(KeptInterfaces, get_addresses_until_the_next_reboot) {
    boot("NetworkManager.service");
    answers("ip -json address show dev ib0",
            R"([{"ifname":"ib0","addr_info":[
                {"family":"inet","local":"10.0.0.1","prefixlen":24,"scope":"global"},
                {"family":"inet","local":"10.0.0.77","prefixlen":24,"scope":"global","dynamic":true},
                {"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"}]}])");
    const auto set = [this](std::vector<std::string> more) {
        std::vector<std::string> words = {"ipoib", "addr", "ib0", "--no-persist"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    EXPECT_EQ(set({"10.0.0.2/24", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("run ip address delete 10.0.0.1/24 dev ib0\n"
                         "run ip address replace 10.0.0.2/24 dev ib0\n"),
              std::string::npos)
        << out();
    EXPECT_FALSE(processes.ran("ip address"));
    processes.log.clear();
    EXPECT_EQ(set({"10.0.0.2/24", "--gateway", "10.0.0.254"}), 0) << err();
    EXPECT_TRUE(says("this holds until the next reboot")) << err();
    const auto at = [this](const std::string &line) {
        return std::find(processes.log.begin(), processes.log.end(), line) - processes.log.begin();
    };
    const auto end = static_cast<std::ptrdiff_t>(processes.log.size());
    EXPECT_LT(at("ip address delete 10.0.0.1/24 dev ib0"),
              at("ip address replace 10.0.0.2/24 dev ib0"));
    EXPECT_LT(at("ip address replace 10.0.0.2/24 dev ib0"),
              at("ip -4 route replace default via 10.0.0.254 dev ib0"));
    EXPECT_LT(at("ip -4 route replace default via 10.0.0.254 dev ib0"), end);
    EXPECT_FALSE(processes.ran("ip address delete 10.0.0.77"));
    EXPECT_FALSE(processes.ran("nmcli"));
    EXPECT_FALSE(fs::exists(record("ib0")));
    answers("ip -json address show dev ib0",
            R"([{"ifname":"ib0","addr_info":[
                {"family":"inet","local":"10.0.0.2","prefixlen":24,"scope":"global"}]}])");
    EXPECT_EQ(set({"10.0.0.2/24"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: ib0 has these addresses already\n");
    processes.log.clear();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_TRUE(processes.ran("ip -4 route delete default via 10.0.0.254 dev ib0"));
    EXPECT_TRUE(processes.ran("ip address delete 10.0.0.2/24 dev ib0"));
    EXPECT_TRUE(processes.ran("ip address replace 10.0.0.1/24 dev ib0"));
}

TEST_F(KeptInterfaces, refuse_what_needs_a_profile_until_the_next_reboot) {
    for (const std::vector<std::string> &more : {std::vector<std::string>{"--none"},
                                                 {"--dhcp"},
                                                 {"10.0.0.1/24", "--dns", "10.0.0.9"},
                                                 {"10.0.0.1/24", "--backend", "nm"},
                                                 {"10.0.0.1/24", "--gateway", "10.1.0.1"}}) {
        std::vector<std::string> words = {"ipoib", "addr", "ib0", "--no-persist"};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_EQ(run(words), 64) << more.back();
    }
    EXPECT_FALSE(processes.ran("ip address"));
}

TEST_F(KeptInterfaces, take_addresses_by_dhcp) {
    boot("NetworkManager.service");
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24", "--gateway", "10.0.0.254"}), 0) << err();
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "--dhcp", "10.0.0.1/24"}), 64);
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "--dhcp", "--gateway", "10.0.0.254"}), 64);
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "--dhcp", "--none"}), 64);
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "--dhcp", "fd00::1/64"}), 0) << err();
    EXPECT_TRUE(says("RFC 4390")) << err();
    EXPECT_EQ(err().find("dhclient"), std::string::npos) << err();
    const std::string text = read_file(keyfile("ib0"));
    EXPECT_NE(text.find("[ipv4]\nmethod=auto\n"), std::string::npos) << text;
    EXPECT_NE(text.find("address1=fd00::1/64\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("10.0.0."), std::string::npos) << text;
    EXPECT_EQ(json({"ipoib", "list"})["interfaces"][0]["dhcp"], true);
    // A static address ends DHCP.
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24"}), 0) << err();
    EXPECT_EQ(read_file(keyfile("ib0")).find("method=auto"), std::string::npos);
}

TEST_F(KeptInterfaces, take_addresses_by_dhcp_from_the_other_managers) {
    boot("systemd-networkd.service");
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "--dhcp"}), 0) << err();
    EXPECT_NE(read_file(network("ib0.network")).find("DHCP=ipv4\n"), std::string::npos);
    ASSERT_EQ(run({"ipoib", "unset", "ib0"}), 0) << err();
    boot("none");
    boot_ifupdown();
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "--dhcp"}), 0) << err();
    EXPECT_NE(read_file(stanzas("ib0")).find("iface ib0 inet dhcp\n"), std::string::npos);
    EXPECT_TRUE(says("send dhcp-client-identifier")) << err();
}

} // namespace
} // namespace causeway
