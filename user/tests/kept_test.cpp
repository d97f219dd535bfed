// SPDX-License-Identifier: GPL-2.0-or-later
// A new profile of an interface keeps its present addresses, routes and name servers, and undo
// restores what the manager of the interface removed.
#include "fixture.h"
#include "netconf/backend.h"
#include "netconf/records.h"

#include <algorithm>

namespace causeway {
namespace {

namespace fs = std::filesystem;

// The output of "ip -json address show dev ib0".
constexpr const char *by_hand = R"([{"ifindex":7,"ifname":"ib0","addr_info":[
    {"family":"inet","local":"10.0.0.1","prefixlen":24,"scope":"global","label":"ib0"},
    {"family":"inet","local":"10.1.0.1","prefixlen":16,"scope":"global","secondary":true},
    {"family":"inet6","local":"fd00::1","prefixlen":64,"scope":"global"},
    {"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"}]}])";
constexpr const char *leased = R"([{},{"ifname":"ib0","addr_info":[
    {"family":"inet","local":"10.0.0.77","prefixlen":24,"scope":"global","dynamic":true},
    {"family":"inet6","local":"fd00::77","prefixlen":64,"scope":"global","dynamic":true,
     "mngtmpaddr":true}]}])";
constexpr const char *routes_v4 = R"([
    {"dst":"default","gateway":"10.0.0.254","flags":[]},
    {"dst":"10.0.0.0/24","protocol":"kernel","scope":"link","prefsrc":"10.0.0.1","flags":[]},
    {"dst":"10.9.0.0/16","gateway":"10.0.0.253","protocol":"static","metric":100,"flags":[]},
    {"dst":"10.8.0.5","scope":"link","prefsrc":"10.0.0.1","flags":[]},
    {"dst":"10.7.0.0/16","gateway":"192.0.2.1","flags":["onlink"]}])";
constexpr const char *routes_v6 = R"([
    {"dst":"fd00::/64","protocol":"kernel","metric":256,"flags":[],"pref":"medium"},
    {"dst":"fd09::/48","gateway":"fe80::9","metric":1024,"flags":[],"pref":"medium"},
    {"dst":"default","gateway":"fe80::fe","protocol":"ra","metric":1024,"flags":[]}])";

class KeptNow : public CommandTest {
  protected:
    void SetUp() override {
        files.add_ipoib("ib0", "0xffff");
        rdma.put("mlx4_0", "node_type", "1: CA");
        files.on_write["/sys/class/net/ib0/create_child"] = [this](const std::string & /*text*/) {
            files.add_ipoib("ib0.8001", "0x8001");
            files.content["/sys/class/net/ib0.8001/parent"] = "ib0\n";
            return Result<void>();
        };
        write_file(root / "etc/network/interfaces", "source /etc/network/interfaces.d/*\n");
    }

    void says(const std::string &program, const std::string &text) {
        processes.acts[program] = [text] {
            ProcessEnd end;
            end.out = text;
            return end;
        };
    }
    void has(const std::string &addresses, const std::string &v4 = "[]",
             const std::string &v6 = "[]") {
        says("ip -json address show dev ib0", addresses);
        says("ip -json -4 route show dev ib0", v4);
        says("ip -json -6 route show dev ib0", v6);
    }

    InterfaceSettings record() {
        auto records = load_records(Places(root.path()));
        EXPECT_TRUE(records);
        EXPECT_EQ(records->size(), 1U);
        return records->empty() ? InterfaceSettings() : records->front();
    }
    std::string keyfile() {
        return read_file(root / "etc/NetworkManager/system-connections/causeway-ib0.nmconnection");
    }
    std::string network(const std::string &name = "ib0") {
        return read_file(root / ("etc/systemd/network/10-causeway-" + name + ".network"));
    }
    std::string stanzas() { return read_file(root / "etc/network/interfaces.d/causeway-ib0"); }
    static bool holds(const std::string &text, const std::string &part) {
        return text.find(part) != std::string::npos;
    }
    int set(const std::string &backend) {
        return run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", backend});
    }
};

TEST_F(KeptNow, are_addresses_of_both_families) {
    has(by_hand);
    ASSERT_EQ(set("nm"), 0) << err();
    EXPECT_TRUE(holds(keyfile(), "[ipv4]\naddress1=10.0.0.1/24\naddress2=10.1.0.1/16\n"
                                 "method=manual\n\n[ipv6]\naddress1=fd00::1/64\nmethod=manual\n"))
        << keyfile();
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_TRUE(holds(network(), "Address=10.0.0.1/24\nAddress=10.1.0.1/16\nAddress=fd00::1/64\n"))
        << network();
    ASSERT_EQ(set("ifupdown"), 0) << err();
    EXPECT_TRUE(holds(stanzas(), "iface ib0 inet static\n    address 10.0.0.1/24\n    mtu 1500\n"));
    EXPECT_TRUE(holds(stanzas(), "iface ib0 inet6 static\n    address fd00::1/64\n")) << stanzas();
    EXPECT_FALSE(holds(stanzas(), "fe80"));
}

TEST_F(KeptNow, are_leases_as_leases) {
    has(leased);
    ASSERT_EQ(set("nm"), 0) << err();
    EXPECT_TRUE(holds(keyfile(), "[ipv4]\nmethod=auto\n\n[ipv6]\nmethod=auto\n")) << keyfile();
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_TRUE(holds(network(), "[Network]\nDHCP=ipv4\nIPv6AcceptRA=yes\n")) << network();
    ASSERT_EQ(set("ifupdown"), 0) << err();
    EXPECT_TRUE(holds(stanzas(), "iface ib0 inet dhcp\n    pre-up echo datagram > "
                                 "/sys/class/net/ib0/mode\n    pre-up ip link set dev ib0 mtu "
                                 "1500\n"))
        << stanzas();
    EXPECT_TRUE(holds(stanzas(), "iface ib0 inet6 auto\n")) << stanzas();
    for (const std::string &text : {keyfile(), network(), stanzas()}) {
        EXPECT_FALSE(holds(text, "10.0.0.77") || holds(text, "fd00::77")) << text;
    }
    EXPECT_TRUE(record().dhcp4 && record().auto6);
}

TEST_F(KeptNow, are_the_gateway_and_routes_that_another_program_set) {
    has(by_hand, routes_v4, routes_v6);
    ASSERT_EQ(set("nm"), 0) << err();
    EXPECT_TRUE(holds(keyfile(), "gateway=10.0.0.254\nroute1=10.9.0.0/16,10.0.0.253,100\n"
                                 "route2=10.8.0.5/32,0.0.0.0,0\nroute2_options=src=10.0.0.1\n"
                                 "route3=10.7.0.0/16,192.0.2.1,0\nroute3_options=onlink=true\n"
                                 "method=manual\n"))
        << keyfile();
    EXPECT_TRUE(holds(keyfile(), "route1=fd09::/48,fe80::9,0\nmethod=auto\n")) << keyfile();
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_TRUE(holds(network(), "Gateway=10.0.0.254\n")) << network();
    EXPECT_TRUE(holds(network(), "\n[Route]\nDestination=10.9.0.0/16\nGateway=10.0.0.253\n"
                                 "Metric=100\n\n[Route]\nDestination=10.8.0.5/32\n"
                                 "PreferredSource=10.0.0.1\n\n[Route]\nDestination=10.7.0.0/16\n"
                                 "Gateway=192.0.2.1\nGatewayOnLink=yes\n\n[Route]\n"
                                 "Destination=fd09::/48\nGateway=fe80::9\n"))
        << network();
    ASSERT_EQ(set("ifupdown"), 0) << err();
    EXPECT_TRUE(holds(stanzas(), "    address 10.0.0.1/24\n    gateway 10.0.0.254\n")) << stanzas();
    EXPECT_TRUE(holds(stanzas(),
                      "    address 10.1.0.1/16\n"
                      "    pre-up ip address delete 10.1.0.1/16 dev ib0 2>/dev/null || true\n"
                      "    up ip route replace 10.8.0.5/32 dev ib0 src 10.0.0.1\n"
                      "    up ip route replace 10.9.0.0/16 via 10.0.0.253 dev ib0 metric 100\n"
                      "    up ip route replace 10.7.0.0/16 via 192.0.2.1 dev ib0 onlink\n"))
        << stanzas();
    EXPECT_TRUE(holds(stanzas(), "    up ip -6 route replace fd09::/48 via fe80::9 dev ib0\n"));
    for (const std::string &text : {keyfile(), network(), stanzas()}) {
        EXPECT_FALSE(holds(text, "fe80::fe")) << text;
    }
    // A record that is read again equals what was written.
    const InterfaceSettings kept = record();
    EXPECT_EQ(kept.routes.size(), 4U);
    EXPECT_EQ(*parse_record("f", "ib0", record_text(kept)), kept);
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: ib0 has this mode and MTU already\n");
}

TEST_F(KeptNow, a_lease_without_an_end_is_recognized_by_its_routes) {
    has(by_hand, R"([{"dst":"default","gateway":"10.0.0.254","flags":[]},
        {"dst":"10.5.0.0/16","gateway":"10.0.0.251","protocol":"dhcp","prefsrc":"10.0.0.1"}])");
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_TRUE(holds(network(), "DHCP=ipv4\n")) << network();
    EXPECT_TRUE(holds(network(), "Address=10.1.0.1/16\n")) << network();
    for (const char *leased_part : {"10.0.0.1/24", "10.5.0.0", "Gateway=10.0.0.254"}) {
        EXPECT_FALSE(holds(network(), leased_part)) << network();
    }
}

TEST_F(KeptNow, a_default_route_with_a_metric_keeps_it) {
    has(by_hand, R"([{"dst":"default","gateway":"10.0.0.254","metric":500,"flags":[]}])");
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_TRUE(
        holds(network(), "[Route]\nDestination=0.0.0.0/0\nGateway=10.0.0.254\nMetric=500\n"))
        << network();
}

TEST_F(KeptNow, are_name_servers_that_the_resolver_has_for_it) {
    has(by_hand);
    says("resolvectl dns ib0", "Link 7 (ib0): 10.0.0.53 fd00::53");
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_FALSE(holds(network(), "DNS=")) << "systemd-resolved does not run";
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    fs::create_directories(root / "run/systemd/resolve");
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_TRUE(holds(network(), "DNS=10.0.0.53\nDNS=fd00::53\n")) << network();
    // Name servers of a lease are not kept, because the next lease provides them.
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    has(leased);
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_FALSE(holds(network(), "DNS=")) << network();
}

TEST_F(KeptNow, settings_of_the_resolver_that_no_profile_can_hold_are_reported) {
    has(by_hand);
    fs::create_directories(root / "run/systemd/resolve");
    says("resolvectl dns ib0", "Link 7 (ib0): 10.0.0.53 10.0.0.54:5353");
    says("resolvectl domain ib0", "Link 7 (ib0): storage.example");
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_TRUE(holds(network(), "DNS=10.0.0.53\n")) << network();
    EXPECT_TRUE(holds(err(), "does not keep it: the name server 10.0.0.54:5353, the search domain "
                             "storage.example; set it in /etc/systemd/resolved.conf"))
        << err();
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    says("resolvectl dns ib0", "Link 7 (ib0): 10.0.0.53");
    says("resolvectl domain ib0", "Link 7 (ib0):");
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_FALSE(holds(err(), "does not keep it")) << err();
}

TEST_F(KeptNow, are_settings_of_an_earlier_profile_of_ours) {
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24", "--gateway", "10.0.0.254", "--dns",
                   "10.0.0.53", "--backend", "networkd"}),
              0)
        << err();
    // By now the interface has the addresses, and one more route.
    has(by_hand, R"([{"dst":"default","gateway":"10.0.0.254","protocol":"static","metric":150}])");
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected"}), 0) << err();
    EXPECT_TRUE(holds(network(), "Address=10.0.0.1/24\nAddress=10.1.0.1/16\nAddress=fd00::1/64\n"
                                 "Gateway=10.0.0.254\nDNS=10.0.0.53\n"))
        << network();
    EXPECT_FALSE(holds(network(), "[Route]")) << network();
}

TEST_F(KeptNow, what_cannot_be_said_is_not_dropped_silently) {
    for (const char *route :
         {R"([{"dst":"10.9.0.0/16","nexthops":[{"gateway":"10.0.0.2"},{"gateway":"10.0.0.3"}]}])",
          R"([{"type":"blackhole","dst":"10.9.0.0/16"}])",
          R"([{"dst":"10.9.0.0/16","via":{"family":"inet6","host":"fe80::1"}}])",
          R"([{"dst":"10.9.0.0/16","gateway":"10.0.0.2","metrics":[{"mtu":1400}]}])"}) {
        has(by_hand, R"([{"dst":"default","gateway":"10.0.0.254"}])");
        says("ip -json -4 route show dev ib0", route);
        EXPECT_EQ(set("networkd"), 69) << route;
        EXPECT_TRUE(holds(err(), "ib0 has the route 10.9.0.0/16 with ")) << err();
    }
    has("[]");
    processes.acts["ip -json address show dev ib0"] = [] {
        return FakeProcesses::failure("Cannot open netlink socket", 1);
    };
    EXPECT_EQ(set("networkd"), 69);
    EXPECT_TRUE(holds(err(), "cannot read what ib0 has now: Cannot open netlink socket")) << err();
    says("ip -json address show dev ib0", "7: ib0: <UP>");
    EXPECT_EQ(set("networkd"), 69);
    EXPECT_TRUE(holds(err(), "iproute2")) << err();
    EXPECT_FALSE(fs::exists(root / "etc/causeway"));
    EXPECT_TRUE(files.writes.empty());
}

TEST_F(KeptNow, is_given_back_in_an_order_that_the_kernel_takes) {
    has(R"([{"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":24,"scope":"global"}]}])",
        R"([{"dst":"default","gateway":"192.0.2.1"},{"dst":"192.0.2.1","scope":"link"}])",
        R"([{"dst":"default","gateway":"fe80::fe","protocol":"ra","metric":1024,
             "metrics":[{"hoplimit":64}]}])");
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24", "--backend", "ifupdown"}), 0) << err();
    has(R"([{"addr_info":[{"family":"inet","local":"10.0.0.2","prefixlen":24,"scope":"global"}]}])");
    processes.log.clear();
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    const auto at = [&](const std::string &line) {
        const auto found = std::find(processes.log.begin(), processes.log.end(), line);
        EXPECT_NE(found, processes.log.end()) << line;
        return found;
    };
    EXPECT_LT(at("ip address delete 10.0.0.2/24 dev ib0"),
              at("ip address replace 10.0.0.1/24 dev ib0"));
    EXPECT_LT(at("ip route replace 192.0.2.1/32 dev ib0"),
              at("ip route replace 0.0.0.0/0 via 192.0.2.1 dev ib0"));
}

// A route from a router advertisement that undo restores would never expire, and the kernel would
// not recognise it as the route that it learned.
TEST_F(KeptNow, a_route_of_a_router_is_learned_anew_and_not_given_back) {
    for (const int number : {1, 2}) {
        has(R"([{"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":24,
                 "scope":"global"}]}])",
            "[]", R"([{"dst":"default","gateway":"fe80::fe","protocol":"ra","metric":1024,
                 "metrics":[{"hoplimit":64}],"expires":1797},
                {"dst":"fd09::/48","gateway":"fe80::9","protocol":"static"}])");
        ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24", "--backend", "ifupdown"}), 0)
            << err();
        const fs::path entry =
            root / ("var/lib/causeway/journal/00000" + std::to_string(number) + ".json");
        std::string text = read_file(entry);
        EXPECT_FALSE(holds(text, "fe80::fe")) << text;
        const bool former = number == 2;
        if (former) {
            // A former version wrote a route of a router in this form.
            const std::size_t at = text.find("\"via\"");
            ASSERT_NE(at, std::string::npos) << text;
            write_file(entry, text.insert(at, "\"proto\",\"ra\","));
        }
        has("[]");
        processes.log.clear();
        ASSERT_EQ(run({"undo", "--last"}), 0) << err();
        EXPECT_FALSE(processes.ran("ip route replace ::/0"));
        EXPECT_EQ(processes.count("ip route replace fd09::/48"), former ? 0U : 1U);
    }
}

TEST_F(KeptNow, are_two_routes_to_one_network) {
    has(by_hand, R"([{"dst":"10.9.0.0/16","gateway":"10.0.0.253","protocol":"static"},
        {"dst":"10.9.0.0/16","gateway":"10.0.0.253","protocol":"static","metric":200}])");
    ASSERT_EQ(set("ifupdown"), 0) << err();
    EXPECT_TRUE(holds(stanzas(), "up ip route replace 10.9.0.0/16 via 10.0.0.253 dev ib0\n"))
        << stanzas();
    EXPECT_TRUE(
        holds(stanzas(), "up ip route replace 10.9.0.0/16 via 10.0.0.253 dev ib0 metric 200\n"))
        << stanzas();
    // The manager gave the first route its own metric.
    has(by_hand, R"([{"dst":"10.9.0.0/16","gateway":"10.0.0.253","protocol":"static","metric":150},
        {"dst":"10.9.0.0/16","gateway":"10.0.0.253","protocol":"static","metric":200}])");
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected"}), 0) << err();
    EXPECT_FALSE(holds(stanzas(), "metric 150")) << stanzas();
}

TEST_F(KeptNow, new_addresses_keep_what_they_do_not_replace) {
    has(by_hand, routes_v4);
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24", "--backend", "networkd"}), 0) << err();
    EXPECT_TRUE(holds(network(), "Address=10.0.0.2/24\nGateway=10.0.0.254\n")) << network();
    EXPECT_FALSE(holds(network(), "10.0.0.1/24") || holds(network(), "fd00::1")) << network();
    EXPECT_TRUE(holds(network(), "Destination=10.9.0.0/16\n")) << network();
    // The source of this route is an address that is removed.
    EXPECT_FALSE(holds(network(), "10.8.0.5")) << network();
    EXPECT_TRUE(holds(err(), "the route 10.8.0.5/32 src 10.0.0.1 is dropped: it does not fit the "
                             "new addresses"))
        << err();
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.3.0.2/24"}), 0) << err();
    EXPECT_FALSE(holds(network(), "Gateway=10.0.0.254")) << network();
    EXPECT_TRUE(holds(err(), "the gateway 10.0.0.254 is dropped")) << err();
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24", "--gateway", "none"}), 0) << err();
    EXPECT_FALSE(holds(network(), "Gateway=10.0.0.254")) << network();
    has(leased);
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24"}), 0) << err();
    EXPECT_FALSE(holds(network(), "DHCP=")) << network();
    EXPECT_TRUE(holds(network(), "IPv6AcceptRA=yes")) << network();
}

TEST_F(KeptNow, a_parent_that_gets_a_profile_for_its_child_keeps_its_own) {
    has(by_hand, routes_v4);
    ASSERT_EQ(run({"ipoib", "child", "add", "ib0", "0x8001", "--backend", "networkd"}), 0) << err();
    EXPECT_TRUE(holds(network(), "Address=10.0.0.1/24\n")) << network();
    EXPECT_TRUE(holds(network(), "IPoIB=ib0.8001\n")) << network();
    EXPECT_FALSE(holds(network("ib0.8001"), "Address=")) << network("ib0.8001");
    ASSERT_EQ(run({"ipoib", "child", "remove", "ib0.8001"}), 0) << err();
    EXPECT_TRUE(holds(network(), "Address=10.0.0.1/24\n")) << network();
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(network(), "");
}

// networkd removes these, and Causeway's files for it cannot express them.
TEST_F(KeptNow, what_networkd_would_take_away_is_not_given_to_it) {
    const auto refused = [&](const std::string &what) {
        EXPECT_EQ(set("networkd"), 69) << what;
        EXPECT_TRUE(holds(err(), what)) << err();
        EXPECT_TRUE(holds(err(), "ManageForeignRoutes=no")) << err();
        EXPECT_FALSE(fs::exists(root / "etc/causeway"));
    };
    has(by_hand, R"([{"dst":"10.6.0.0/16","gateway":"10.0.0.252","protocol":"bird","flags":[]}])");
    refused("the route 10.6.0.0/16 of bird");
    has(by_hand);
    says("ip -json -4 route show table all dev ib0",
         R"([{"dst":"10.0.0.0/24","protocol":"kernel"},
             {"type":"local","dst":"10.0.0.1","table":"local","protocol":"kernel"},
             {"dst":"default","gateway":"10.0.0.254","table":"100","flags":[]}])");
    refused("the route 0.0.0.0/0 of table 100");
    says("ip -json -4 route show table all dev ib0", "[]");
    const std::string own = R"([{"priority":0,"src":"all","table":"local"},
        {"priority":1000,"src":"all","l3mdev":null},
        {"priority":300,"src":"10.0.0.9","table":"7","protocol":"static"},)";
    const std::string others = R"({"priority":32766,"src":"all","table":"main"},
        {"priority":32767,"src":"all","table":"default"}])";
    says("ip -json -4 rule show",
         own + R"({"priority":500,"src":"10.0.0.1","table":"100"},)" + others);
    refused("the rule 500");
    // The other managers leave them alone.
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "nm", "--dry-run"}), 0)
        << err();
    // networkd leaves them alone too if it is configured so.
    write_file(root / "etc/systemd/networkd.conf.d/a.conf",
               "[Network]\nManageForeignRoutes=no\nManageForeignRoutingPolicyRules=no\n");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "networkd", "--dry-run"}),
              0)
        << err();
    fs::remove_all(root / "etc/systemd");
    says("ip -json -4 rule show", own + others);
    EXPECT_EQ(set("networkd"), 0) << err();
}

TEST_F(KeptNow, a_router_that_advertises_itself_stays_beside_static_addresses) {
    has(by_hand, "[]", routes_v6);
    ASSERT_EQ(set("nm"), 0) << err();
    EXPECT_TRUE(holds(keyfile(), "[ipv6]\naddress1=fd00::1/64\n")) << keyfile();
    EXPECT_TRUE(holds(keyfile(), "fe80::9,0\nmethod=auto\n")) << keyfile();
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_TRUE(holds(network(), "IPv6AcceptRA=yes\n")) << network();
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "fd00::2/64"}), 0) << err();
    EXPECT_TRUE(holds(network(), "Address=fd00::2/64\nIPv6AcceptRA=yes\n")) << network();
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "fd00::2/64", "--gateway", "fd00::fe"}), 0) << err();
    EXPECT_TRUE(holds(network(), "IPv6AcceptRA=no\n")) << network();
}

TEST_F(KeptNow, what_has_no_router_listens_for_none) {
    has(by_hand);
    ASSERT_EQ(set("networkd"), 0) << err();
    EXPECT_TRUE(holds(network(), "IPv6AcceptRA=no\n")) << network();
}

// Addresses that a cluster moves must not be in a profile.
TEST_F(KeptNow, is_reported_and_may_be_left_out) {
    has(R"([{"addr_info":[
        {"family":"inet","local":"10.0.0.1","prefixlen":24,"scope":"global","label":"ib0"},
        {"family":"inet","local":"10.0.0.200","prefixlen":32,"scope":"global","label":"ib0"},
        {"family":"inet","local":"10.0.0.201","prefixlen":24,"scope":"global","label":"ib0:vip"}]}])",
        R"([{"dst":"10.9.0.0/16","gateway":"10.0.0.253","flags":[]}])");
    const auto told =
        json({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "ifupdown", "--dry-run"});
    EXPECT_EQ(told["kept"],
              (Json{"the address 10.0.0.1/24", "the address 10.0.0.200/32",
                    "the address 10.0.0.201/24", "the route 10.9.0.0/16 via 10.0.0.253"}));
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "ifupdown", "--without",
                   "10.0.0.200"}),
              0)
        << err();
    EXPECT_TRUE(holds(out(), "kept, as ib0 has it now: the address 10.0.0.1/24\n")) << out();
    EXPECT_TRUE(holds(err(), "10.0.0.201/24 has the label ib0:vip: ")) << err();
    EXPECT_FALSE(holds(stanzas(), "10.0.0.200")) << stanzas();
    EXPECT_TRUE(holds(stanzas(), "address 10.0.0.201/24")) << stanzas();
    // Settings that the profile has already are not reported again.
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1600", "--without", "10.0.0.200,10.0.0.201"}),
              0)
        << err();
    EXPECT_FALSE(holds(out(), "kept, as")) << out();
    EXPECT_FALSE(holds(stanzas(), "10.0.0.201")) << stanzas();
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1700"}), 0) << err();
    EXPECT_TRUE(holds(err(), "10.0.0.200/32 names one host alone: ")) << err();
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--without", "10.0.0.7"}), 64);
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--without", "here"}), 64);
}

TEST_F(KeptNow, undo_gives_back_what_is_left_of_a_lease) {
    has(R"([{"addr_info":[
        {"family":"inet","local":"10.0.0.77","prefixlen":24,"scope":"global","dynamic":true,
         "valid_life_time":3600,"preferred_life_time":1800},
        {"family":"inet","local":"10.0.0.78","prefixlen":24,"scope":"global","dynamic":true,
         "valid_life_time":4294967295,"preferred_life_time":4294967295}]}])",
        R"([{"dst":"default","gateway":"10.0.0.254","protocol":"dhcp","metric":100,"flags":[]},
            {"dst":"10.6.0.0/16","gateway":"10.0.0.252","protocol":"bird","flags":[]}])",
        R"([{"dst":"default","gateway":"fe80::fe","protocol":"ra","metric":1024,"flags":[]}])");
    says("ip -json -4 route show table all dev ib0",
         R"([{"dst":"10.4.0.0/16","gateway":"10.0.0.254","table":"100","flags":[]}])");
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.99/24", "--backend", "ifupdown"}), 0) << err();
    says("ip -json address show dev ib0", "[]");
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(processes.ran("ip address replace 10.0.0.77/24 dev ib0 valid_lft 3")) << err();
    EXPECT_TRUE(processes.ran(
        "ip address replace 10.0.0.78/24 dev ib0 valid_lft forever preferred_lft forever"));
    EXPECT_TRUE(
        processes.ran("ip route replace 0.0.0.0/0 via 10.0.0.254 dev ib0 metric 100 proto dhcp"));
    EXPECT_FALSE(processes.ran("ip route replace ::/0"));
    EXPECT_TRUE(processes.ran("ip route replace 10.6.0.0/16 via 10.0.0.252 dev ib0 proto bird"));
    EXPECT_TRUE(processes.ran("ip route replace 10.4.0.0/16 via 10.0.0.254 dev ib0 table 100"));
    // The lease has expired by now.
    has(R"([{"addr_info":[{"family":"inet","local":"10.0.0.77","prefixlen":24,"scope":"global",
        "dynamic":true,"valid_life_time":0,"preferred_life_time":0}]}])");
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.99/24", "--backend", "ifupdown"}), 0) << err();
    says("ip -json address show dev ib0", "[]");
    processes.log.clear();
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(processes.ran("ip address replace 10.0.0.77/24"));
}

TEST_F(KeptNow, undo_gives_back_what_the_manager_took) {
    has(by_hand, R"([{"dst":"default","gateway":"10.0.0.254","flags":[]}])");
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.99/24", "--backend", "networkd"}), 0) << err();
    says("ip -json address show dev ib0",
         R"([{"addr_info":[{"family":"inet","local":"10.0.0.99","prefixlen":24},)"
         R"({"family":"inet","local":"10.1.0.1","prefixlen":16}]}])");
    processes.log.clear();
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    const auto place = [&](const std::string &line) {
        const auto found = std::find(processes.log.begin(), processes.log.end(), line);
        EXPECT_NE(found, processes.log.end()) << line;
        return found - processes.log.begin();
    };
    EXPECT_LT(place("networkctl reconfigure ib0"), place("ip address replace 10.0.0.1/24 dev ib0"));
    EXPECT_LT(place("ip address replace 10.0.0.1/24 dev ib0"),
              place("ip route replace 0.0.0.0/0 via 10.0.0.254 dev ib0"));
    EXPECT_TRUE(processes.ran("ip address delete 10.0.0.99/24 dev ib0"));
    EXPECT_FALSE(processes.ran("ip address replace 10.1.0.1/16"));
    EXPECT_TRUE(processes.ran("ip address replace fd00::1/64 dev ib0"));
    EXPECT_EQ(network(), "");
    // A state that cannot be restored is reported, and the rest is undone.
    has(by_hand);
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.99/24", "--backend", "networkd"}), 0) << err();
    says("ip -json address show dev ib0", "[]");
    processes.acts["ip address replace"] = [] { return FakeProcesses::failure("No device", 2); };
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(holds(err(), "cannot give ib0 its addresses and routes back: No device")) << err();
    EXPECT_EQ(network(), "");
}

TEST(InterfaceRoutes, are_read_as_they_are_written) {
    for (const char *text :
         {"10.9.0.0/16", "10.9.0.0/16 via 10.0.0.254", "0.0.0.0/0 via 10.0.0.254 metric 500",
          "fd09::/48 via fe80::9 src fd00::1 metric 7 onlink", "10.8.0.5/32 src 10.0.0.1"}) {
        auto route = parse_interface_route(text);
        ASSERT_TRUE(route) << text;
        EXPECT_EQ(route->text(), text);
    }
    for (const char *text : {"", "default", "10.9.0.1/16", "10.9.0.0/16 via", "10.9.0.0/16 via x",
                             "10.9.0.0/16 via fe80::1", "10.9.0.0/16 metric 0", "10.9.0.0/16 far",
                             "10.9.0.0/16 metric 4294967296", "10.9.0.0/16 dev ib0"}) {
        EXPECT_FALSE(parse_interface_route(text)) << text;
    }
}

} // namespace
} // namespace causeway
