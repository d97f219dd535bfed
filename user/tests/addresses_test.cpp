// SPDX-License-Identifier: GPL-2.0-or-later
// The addresses that a server names for its exports: "export add --address", the preference file,
// "discover" and "attach --path auto".
#include "base/listed_address.h"
#include "config/dropins.h"
#include "disk/served_addresses.h"
#include "fixture.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {
namespace {

using Words = std::vector<std::string>;

constexpr const char *address_list =
    R"([{"ifname":"lo","addr_info":[{"local":"127.0.0.1","prefixlen":8,"scope":"host"}]},
{"ifname":"ib0","addr_info":[{"local":"10.1.0.1","prefixlen":24,"scope":"global"}]},
{"ifname":"eth0","addr_info":[{"local":"192.0.2.1","prefixlen":24,"scope":"global"}]},
{"ifname":"eth1","addr_info":[{"local":"10.0.0.1","prefixlen":24,"scope":"global"},
{"local":"fe80::1","prefixlen":64,"scope":"link"},
{"local":"fd00::aa","prefixlen":64,"scope":"global","temporary":true},
{"local":"fd00::bb","prefixlen":64,"scope":"global","deprecated":true},
{"local":"fd00::cc","prefixlen":64,"scope":"global","tentative":true},
{"local":"fd00::1","prefixlen":64,"scope":"global"}]}, 7, {"ifname":3}])";

Words texts(const std::vector<SocketAddress> &addresses) {
    Words all;
    for (const SocketAddress &address : addresses) {
        all.push_back(address.host_text());
    }
    return all;
}

class AddressedHost : public CommandTest {
  protected:
    void SetUp() override {
        ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth1"));
        files.add_ipoib("ib0", "0xffff");
        says("ip -json address", address_list);
    }

    void says(const std::string &command, const std::string &text, int code = 0) {
        processes.acts[command] = [text, code] {
            ProcessEnd end;
            end.out = text;
            end.status = code;
            return end;
        };
    }
};

/* ---- the server ---- */

class ServedAddresses : public AddressedHost {
  protected:
    int add(Words more = {}) {
        Words words = {"export", "add", "scratch", "--ram", "4K", "--allow", "any"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    Words served() const { return texts(kernel.running_exports.at(0).settings.addresses); }
    void prefer(const std::string &text) { write_file(root / "etc/causeway/addresses", text); }
};

TEST_F(ServedAddresses, are_all_of_rdma_interfaces_by_default) {
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(served(), (Words{"10.0.0.1", "10.1.0.1", "fd00::1"}));
    EXPECT_EQ(read_file(export_file("scratch")).find("address"), std::string::npos);
    EXPECT_EQ(json({"export", "list"})["exports"][0]["addresses"],
              nlohmann::json(Words{"10.0.0.1", "10.1.0.1", "fd00::1"}));
    // Added again without --address, it is the same export.
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(json({"export", "add", "scratch", "--ram", "4K", "--allow", "any"})["changed"],
              false);
}

TEST_F(ServedAddresses, that_are_given_are_kept_in_their_order) {
    EXPECT_EQ(add({"--address", "10.1.0.1", "--address", "fd00:0::1"}), 0) << err();
    EXPECT_EQ(served(), (Words{"10.1.0.1", "fd00::1"}));
    EXPECT_NE(read_file(export_file("scratch")).find("address = 10.1.0.1\naddress = fd00::1\n"),
              std::string::npos);
    EXPECT_EQ(add({"--address", "fd00::1,10.1.0.1"}), 1);
    EXPECT_NE(err().find("the list of addresses is 10.1.0.1, fd00::1, not fd00::1, 10.1.0.1"),
              std::string::npos)
        << err();
    EXPECT_EQ(add(), 0) << err();
    EXPECT_NE(read_file(export_file("scratch")).find("address = 10.1.0.1\n"), std::string::npos);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(served(), (Words{"10.1.0.1", "fd00::1"}));
    EXPECT_EQ(run({"stop"}), 0) << err();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(served(), (Words{"10.1.0.1", "fd00::1"}));
}

TEST_F(ServedAddresses, are_none_if_the_administrator_says_so) {
    EXPECT_EQ(add({"--address", "none"}), 0) << err();
    EXPECT_EQ(served(), Words{});
    EXPECT_NE(read_file(export_file("scratch")).find("address = none\n"), std::string::npos);
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(add({"--address", "none"}), 0) << err();
    EXPECT_NE(add({"--address", "10.1.0.1"}), 0);
    EXPECT_NE(err().find("not 10.1.0.1"), std::string::npos) << err();
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(served(), Words{});
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_NE(add({"--address", "none,10.1.0.1"}), 0);
    prefer("# names nothing\nnone\n");
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(served(), Words{});
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    prefer("none\nib0\n");
    EXPECT_NE(add(), 0);
    EXPECT_NE(err().find("addresses:1: there is no interface 'none'"), std::string::npos) << err();
}

TEST_F(ServedAddresses, that_are_wrong_are_refused) {
    const std::vector<std::pair<std::string, std::string>> refused = {
        {"10.9.9.9", "this machine does not have the address 10.9.9.9"},
        {"fe80::1", "fe80::1 is not an address of one host for all clients"},
        {"0.0.0.0", "0.0.0.0 is not an address of one host for all clients"},
        {"127.0.0.1", "this machine does not have the address 127.0.0.1"},
        {"192.0.2.1", "192.0.2.1 is an address of the interface 'eth0', to which no RDMA device"},
        {"10.1", "--address '10.1' is not an IP address"},
        {"storage1", "--address 'storage1' is not an IP address"},
        {"10.0.0.1:4793", "--address '10.0.0.1:4793' is not an IP address"},
        {"10.0.0.1,10.0.0.1", "--address names 10.0.0.1 twice"},
        {"10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6,10.0.0.7,10.0.0.8,10.0.0.9",
         "--address names 9 addresses, which are too many for an export"},
    };
    for (const auto &[value, why] : refused) {
        EXPECT_NE(add({"--address", value}), 0) << value;
        EXPECT_NE(err().find(why), std::string::npos) << err();
    }
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_NE(
        run({"export", "add", "x", "--via", "nvme", "--device", "/dev/x", "--address", "10.0.0.1"}),
        0);
    EXPECT_NE(err().find("--address is of Causeway's own transport"), std::string::npos) << err();
}

TEST_F(ServedAddresses, follow_the_preference_file) {
    prefer("# the fast network first\nib0\n\n  fd00::1   # then this one\neth1\n");
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(served(), (Words{"10.1.0.1", "fd00::1", "10.0.0.1"}));
    // No RDMA device listens at an address of eth0.
    prefer("192.0.2.1\nfd00::1");
    EXPECT_EQ(run({"stop"}), 0) << err();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(served(), (Words{"fd00::1"}));
    // An export with addresses of its own does not follow it.
    EXPECT_EQ(
        run({"export", "add", "other", "--ram", "4K", "--allow", "any", "--address", "10.1.0.1"}),
        0)
        << err();
    EXPECT_EQ(texts(kernel.running_exports.at(1).settings.addresses), (Words{"10.1.0.1"}));
}

TEST_F(ServedAddresses, of_a_wrong_preference_file_are_refused_by_export_add) {
    const std::vector<std::pair<std::string, std::string>> refused = {
        {"ib0\n10.9.9.9\n", "addresses:2: this machine does not have the address 10.9.9.9"},
        {"ib9\n", "addresses:1: there is no interface 'ib9'"},
        {"eth0\n", "addresses:1: no RDMA device belongs to the interface 'eth0'"},
        {"192.0.2.1\n", "addresses:1: 192.0.2.1 is an address of the interface 'eth0'"},
        {"ib0\n169.254.0.1\n", "addresses:2: 169.254.0.1 is not an address of one host"},
        {"10.1\n", "addresses:1: there is no interface '10.1'"},
        {"ib0\n#\nib0\n", "addresses:3: 'ib0' is there twice"},
        {"eth0 eth1\n", "addresses:1: 'eth0 eth1' is neither an IP address nor the name of a"},
        {"10.0.0.0/24\n", "addresses:1: '10.0.0.0/24' is neither an IP address nor the name"},
    };
    for (const auto &[text, why] : refused) {
        prefer(text);
        EXPECT_NE(add(), 0) << text;
        EXPECT_NE(err().find(why), std::string::npos) << err();
    }
    EXPECT_TRUE(kernel.running_exports.empty());
}

// Clients can give the addresses themselves.
TEST_F(ServedAddresses, that_cannot_be_found_keep_no_disk_from_its_clients) {
    EXPECT_EQ(add(), 0) << err();
    prefer("ib9\n10.9.9.9\neth0\nib0\n");
    EXPECT_EQ(run({"stop"}), 0) << err();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(served(), (Words{"10.1.0.1"}));
    EXPECT_EQ(run({"stop"}), 0) << err();
    prefer("no interface\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_NE(err().find("'scratch' names no addresses to its clients"), std::string::npos)
        << err();
    EXPECT_EQ(served(), Words{});
    EXPECT_EQ(run({"stop"}), 0) << err();
    prefer("ib0\n");
    says("ip -json address", "", 1);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_NE(err().find("\"ip -json address\" failed"), std::string::npos) << err();
    EXPECT_EQ(served(), Words{});
}

// A server with many exports starts them within seconds, and has to read all GIDs for the list.
TEST_F(ServedAddresses, are_looked_up_once_for_all_exports_of_a_restore) {
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(run({"export", "add", "other", "--ram", "4K", "--allow", "any"}), 0) << err();
    EXPECT_EQ(run({"stop"}), 0) << err();
    processes.log.clear();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(processes.count("ip -json address"), 1U);
    ASSERT_EQ(kernel.running_exports.size(), 2U);
    for (const ExportInfo &each : kernel.running_exports) {
        EXPECT_EQ(texts(each.settings.addresses), (Words{"10.0.0.1", "10.1.0.1", "fd00::1"}));
    }
    // The next restore makes the list anew.
    EXPECT_EQ(run({"stop"}), 0) << err();
    says("ip -json address", R"([{"ifname":"eth1","addr_info":[{"local":"10.0.0.2",
"prefixlen":24,"scope":"global"}]}])");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(served(), (Words{"10.0.0.2"}));
}

// ip(8) gives an address that was added by hand the scope global, whatever the address is. The
// kernel refuses an export with one of these.
TEST_F(ServedAddresses, that_the_kernel_refuses_are_never_among_them) {
    says("ip -json address",
         R"([{"ifname":"eth1","addr_info":[{"local":"169.254.10.1","prefixlen":16,"scope":"global"},
{"local":"240.0.0.1","prefixlen":8,"scope":"global"},{"local":"0.1.2.3","scope":"global"},
{"local":"fe80::9","prefixlen":64,"scope":"global"},{"local":"::ffff:10.0.0.1","scope":"global"},
{"local":"10.0.0.1","prefixlen":24,"scope":"global"}]}])");
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(served(), (Words{"10.0.0.1"}));
    EXPECT_EQ(run({"stop"}), 0) << err();
    prefer("169.254.10.1\neth1\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(served(), (Words{"10.0.0.1"}));
    // A file that was written by hand, and one whose address is away: the kernel looks at that.
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    write_file(export_file("scratch"), "[export]\nram = 4K\nallow = any\naddress = 0.0.0.0\n"
                                       "address = fd00::1%2\naddress = 10.9.9.9\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(served(), (Words{"10.9.9.9"}));
    EXPECT_EQ(run({"restore"}), 0) << err();
}

TEST_F(ServedAddresses, of_the_file_of_an_export_may_be_away_when_it_is_added_again) {
    EXPECT_EQ(add({"--address", "10.1.0.1"}), 0) << err();
    EXPECT_EQ(run({"stop"}), 0) << err();
    says("ip -json address", R"([{"ifname":"ib0","addr_info":[]}])");
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(served(), (Words{"10.1.0.1"}));
}

TEST_F(ServedAddresses, are_eight_at_most) {
    std::string many = R"([{"ifname":"eth1","addr_info":[)";
    for (int i = 1; i < 20; i++) {
        many += fmt::format(R"({}{{"local":"10.0.0.{}","scope":"global"}})", i == 1 ? "" : ",", i);
    }
    says("ip -json address", many + "]}]");
    EXPECT_EQ(add(), 0) << err();
    ASSERT_EQ(served().size(), 8U);
    EXPECT_EQ(served().back(), "10.0.0.8");
}

// Otherwise all paths of a client would use the cable with the most addresses.
TEST_F(ServedAddresses, leave_places_to_each_interface) {
    std::string many = R"([{"ifname":"ib0","addr_info":[{"local":"10.1.0.1","scope":"global"}]},
{"ifname":"eth1","addr_info":[{"local":"10.0.0.99","scope":"global","secondary":true},
{"local":"10.0.0.98","scope":"global","dynamic":true})";
    for (int i = 1; i < 20; i++) {
        many += fmt::format(R"(,{{"local":"10.0.0.{}","scope":"global"}})", i);
    }
    says("ip -json address", many + "]}]");
    EXPECT_EQ(add(), 0) << err();
    ASSERT_EQ(served().size(), 8U);
    EXPECT_EQ(served().at(0), "10.0.0.1");
    EXPECT_EQ(served().at(1), "10.1.0.1");
    EXPECT_EQ(served().back(), "10.0.0.7");
    EXPECT_EQ(run({"stop"}), 0) << err();
    prefer("eth1\n10.1.0.1\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(served().at(1), "10.1.0.1");
}

TEST_F(ServedAddresses, that_may_change_come_last) {
    says("ip -json address", R"([{"ifname":"eth1","addr_info":[
{"local":"10.0.0.99","scope":"global","secondary":true},
{"local":"10.0.0.98","scope":"global","dynamic":true},{"local":"10.0.0.1","scope":"global"}]}])");
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(served(), (Words{"10.0.0.1", "10.0.0.98", "10.0.0.99"}));
}

TEST_F(ServedAddresses, are_none_in_spite_of_the_preference_file) {
    ASSERT_EQ(add(), 0) << err();
    prefer("eth9\n");
    EXPECT_EQ(run({"export", "set", "scratch", "--address", "none"}), 0) << err();
    EXPECT_TRUE(served().empty());
}

// Such an address would be named to clients that ask by RDMA.
TEST_F(ServedAddresses, without_rdma_need_tcp_as_long_as_they_are_named) {
    ASSERT_EQ(add({"--tcp", "--address", "192.0.2.1", "--address", "10.0.0.1"}), 0) << err();
    EXPECT_EQ(run({"export", "set", "scratch", "--no-tcp"}), 1);
    EXPECT_NE(err().find("192.0.2.1 is an address of the interface 'eth0', to which no RDMA device "
                         "belongs"),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"export", "set", "scratch", "--no-tcp", "--address", "192.0.2.1"}), 1);
    EXPECT_TRUE(kernel.running_exports.at(0).settings.tcp);
    EXPECT_EQ(run({"export", "set", "scratch", "--no-tcp", "--address", "10.0.0.1"}), 0) << err();
    EXPECT_EQ(served(), (Words{"10.0.0.1"}));
}

/* ---- the client ---- */

class NamedAddresses : public AddressedHost {
  protected:
    void SetUp() override {
        AddressedHost::SetUp();
        for (const char *by_rdma : {"10.0.0.8", "10.0.0.9", "fd00::9", "10.1.0.9"}) {
            says(std::string("ip -json route get ") + by_rdma,
                 R"([{"dst":"x","dev":")" + std::string(by_rdma[3] == '1' ? "ib0" : "eth1") +
                     R"("}])");
        }
        says("ip -json route get 192.0.2.9", R"([{"dst":"192.0.2.9","dev":"eth0"}])");
        says("ip -json route get 203.0.113.9", "RTNETLINK answers: Network is unreachable", 2);
        says("ip -json route get 172.16.0.1",
             R"([{"dst":"172.16.0.1","gateway":"10.0.0.254","dev":"eth1"}])");
        says("ip -json route get 172.16.0.2",
             R"([{"dst":"172.16.0.2","via":{"family":"inet6","host":"fe80::2"},"dev":"eth1"}])");
        says("ip -json route get 172.16.0.3", R"([{"dst":"172.16.0.3","dev":"eth1"}])");
        says("ip -json route get 10.0.0.255",
             R"([{"type":"broadcast","dst":"10.0.0.255","dev":"eth1"}])");
        resolver.names["storage1"] = {"10.0.0.9"};
        DiscoveredExport found;
        found.name = "scratch";
        found.identity = *Uuid::parse(disk_uuid);
        kernel.offered = {found};
    }

    static constexpr const char *disk_uuid = "0d6f1f0c-3f5e-4d0a-9a51-0b8f2a1c77de";

    void name(const std::string &address, std::uint8_t transport = CW_TRANSPORT_RDMA,
              std::uint16_t port = 4793) {
        ExportAddress one;
        one.transport = transport;
        one.address = *SocketAddress::from_text(address);
        one.address.set_port(port);
        kernel.offered.at(0).addresses.push_back(one);
    }
    int attach(Words more = {}) {
        more.insert(more.begin(), {"attach", "storage1/scratch", "--path", "auto"});
        return run(more);
    }
    std::string kept() const { return read_file(attachment_file("storage1:scratch")); }
    static Words addresses_of(const nlohmann::json &paths) {
        Words all;
        for (const auto &path : paths) {
            all.push_back(path["address"]);
        }
        return all;
    }
};

TEST_F(NamedAddresses, are_shown_by_discover) {
    name("10.1.0.9");
    name("fd00::9", CW_TRANSPORT_RDMA, 5000);
    EXPECT_EQ(run({"discover", "storage1"}), 0) << err();
    EXPECT_NE(out().find("ADDRESSES"), std::string::npos) << out();
    EXPECT_NE(out().find("  rdma 10.1.0.9, [fd00::9]:5000\n"), std::string::npos) << out();
    const auto shown = json({"discover", "storage1"})["exports"][0]["addresses"];
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown[0]["address"], "10.1.0.9");
    EXPECT_EQ(shown[0]["transport"], "rdma");
    EXPECT_EQ(shown[1]["port"], 5000);
}

// The server chooses how many there are.
TEST_F(NamedAddresses, are_shown_by_discover_with_their_transport_and_four_at_most) {
    name("10.1.0.9", CW_TRANSPORT_TCP);
    for (const char *each : {"10.1.0.9", "10.0.0.9", "fd00::9", "fd00::8", "fd00::7"}) {
        name(each);
    }
    EXPECT_EQ(run({"discover", "storage1"}), 0) << err();
    EXPECT_NE(out().find("  tcp 10.1.0.9:4793, rdma 10.1.0.9, 10.0.0.9, fd00::9, 2 more\n"),
              std::string::npos)
        << out();
    const auto shown = json({"discover", "storage1"})["exports"][0]["addresses"];
    ASSERT_EQ(shown.size(), 6U);
    EXPECT_EQ(shown[0]["transport"], "tcp");
}

TEST_F(NamedAddresses, become_paths_in_the_order_of_the_server) {
    for (const char *each : {"10.1.0.9", "10.0.0.9", "fd00::9"}) {
        name(each);
    }
    EXPECT_EQ(attach(), 0) << err();
    EXPECT_TRUE(logged("discover storage1 at 10.0.0.9:4793 for scratch"));
    EXPECT_TRUE(logged("attach storage1/scratch at 10.1.0.9:4793, 10.0.0.9:4793, [fd00::9]:4793"));
    EXPECT_NE(out().find("paths: 10.1.0.9, 10.0.0.9, fd00::9\n"), std::string::npos) << out();
    EXPECT_NE(kept().find("path = 10.1.0.9\npath = 10.0.0.9\npath = fd00::9\n"), std::string::npos)
        << kept();
    // Attached again, the disk keeps its paths, and the server is not asked.
    kernel.log.clear();
    EXPECT_EQ(attach(), 0) << err();
    EXPECT_FALSE(logged("discover storage1 at 10.0.0.9:4793 for scratch"));
    EXPECT_NE(out().find("the disk keeps its paths"), std::string::npos) << out();
    const auto again = json({"attach", "storage1/scratch", "--path", "auto"});
    EXPECT_EQ(addresses_of(again["paths"]), (Words{"10.1.0.9", "10.0.0.9", "fd00::9"}));
    EXPECT_EQ(again["left_out"], nlohmann::json::array());
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(kernel.running_attachments.size(), 0U);
}

// Otherwise the disk of another server with the same name would be taken for this one at a boot at
// which only that server answers.
TEST_F(NamedAddresses, are_used_for_this_disk_only) {
    name("10.1.0.9");
    EXPECT_EQ(attach(), 0) << err();
    ASSERT_TRUE(kernel.attach_requests.back().identity);
    EXPECT_EQ(kernel.attach_requests.back().identity->text(), disk_uuid);
    EXPECT_NE(kept().find(std::string("uuid = ") + disk_uuid), std::string::npos) << kept();
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(kernel.attach_requests.back().identity->text(), disk_uuid);
    EXPECT_EQ(run({"stop"}), 0) << err();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(kernel.attach_requests.back().identity->text(), disk_uuid);
    // Typed paths lead to any disk of the name.
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(run({"attach", "storage1/scratch", "--path", "10.0.0.9,10.1.0.9"}), 0) << err();
    EXPECT_FALSE(kernel.attach_requests.back().identity);
    EXPECT_EQ(kept().find("uuid"), std::string::npos) << kept();
}

TEST_F(NamedAddresses, follow_the_one_that_was_asked_only_if_the_server_does_not_name_it) {
    name("10.1.0.9");
    name("fd00::9");
    EXPECT_EQ(attach(), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.1.0.9:4793, [fd00::9]:4793, 10.0.0.9:4793"));
}

TEST_F(NamedAddresses, behind_a_router_or_on_another_network_are_left_out) {
    for (const char *each : {"172.16.0.1", "172.16.0.2", "172.16.0.3", "10.0.0.255"}) {
        name(each);
    }
    EXPECT_EQ(attach(), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.9:4793"));
    for (const char *said :
         {"left out 172.16.0.1: a router leads to it", "left out 172.16.0.2: a router leads to it",
          "left out 172.16.0.3: it is on no network of the interface eth1",
          "left out 10.0.0.255: its route is of the type broadcast"}) {
        EXPECT_NE(out().find(said), std::string::npos) << said << ": " << out();
    }
}

TEST_F(NamedAddresses, that_this_machine_cannot_use_are_left_out) {
    name("192.0.2.9");
    name("203.0.113.9");
    name("127.0.0.1");
    name("::1");
    name("10.1.0.9", CW_TRANSPORT_TCP);
    name("10.1.0.9", CW_TRANSPORT_RDMA, 5000);
    name("10.0.0.8");
    EXPECT_EQ(attach(), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.8:4793, 10.0.0.9:4793"));
    for (const char *said :
         {"left out 192.0.2.9: no RDMA device leads to it",
          "left out 203.0.113.9: its route cannot be read: \"ip -json route get 203.0.113.9\"",
          "left out 127.0.0.1: it is a loopback address", "left out ::1: it is a loopback address",
          "left out 10.1.0.9 over TCP: the paths go by RDMA only",
          "left out 10.1.0.9: its port is 5000"}) {
        EXPECT_NE(out().find(said), std::string::npos) << said << ": " << out();
    }
}

TEST_F(NamedAddresses, of_both_transports_become_paths_if_both_are_wanted) {
    name("10.0.0.9");
    name("10.0.0.9", CW_TRANSPORT_TCP, 4794);
    name("192.0.2.9", CW_TRANSPORT_TCP, 4794);
    name("192.0.2.9");
    name("fd00::9", CW_TRANSPORT_TCP);
    EXPECT_EQ(attach({"--transport", "rdma,tcp"}), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.9:4793, 10.0.0.9:4794 over TCP, "
                       "192.0.2.9:4794 over TCP"));
    for (const char *said : {"left out 192.0.2.9: no RDMA device leads to it",
                             "left out fd00::9 over TCP: its port is 4793, and that of the disk's "
                             "other paths is 4794"}) {
        EXPECT_NE(out().find(said), std::string::npos) << said << ": " << out();
    }
    EXPECT_NE(kept().find("transport = rdma\ntransport = tcp\ntransport = tcp\n"),
              std::string::npos)
        << kept();
}

TEST_F(NamedAddresses, are_asked_for_over_tcp_on_a_machine_without_rdma) {
    name("10.0.0.9");
    name("10.0.0.9", CW_TRANSPORT_TCP, 4794);
    EXPECT_EQ(attach({"--transport", "tcp"}), 0) << err();
    EXPECT_TRUE(logged("discover storage1 at 10.0.0.9:4794 over TCP for scratch"));
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.9:4794 over TCP"));
    EXPECT_NE(out().find("left out 10.0.0.9: the paths go over TCP only"), std::string::npos)
        << out();
    // It follows the name of the server.
    EXPECT_EQ(kept().find("path ="), std::string::npos) << kept();
    EXPECT_NE(kept().find("transport = tcp\n"), std::string::npos) << kept();
}

TEST_F(NamedAddresses, that_are_none_leave_the_given_one) {
    EXPECT_EQ(attach(), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.9:4793"));
    // It follows the name of the server.
    EXPECT_EQ(kept().find("path"), std::string::npos) << kept();
    EXPECT_NE(out().find("paths: 10.0.0.9\n"), std::string::npos) << out();
}

TEST_F(NamedAddresses, of_a_disk_that_has_one_path_are_not_added) {
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0) << err();
    name("10.1.0.9");
    const auto again = json({"attach", "storage1/scratch", "--path", "auto"});
    EXPECT_EQ(again["changed"], false);
    EXPECT_EQ(addresses_of(again["paths"]), (Words{"10.0.0.9"}));
}

TEST_F(NamedAddresses, are_kept_by_a_disk_that_is_made_persistent) {
    name("10.0.0.9");
    name("10.1.0.9");
    EXPECT_EQ(attach({"--no-persist"}), 0) << err();
    EXPECT_EQ(attach(), 0) << err();
    EXPECT_NE(kept().find("path = 10.0.0.9\npath = 10.1.0.9\n"), std::string::npos) << kept();
}

TEST_F(NamedAddresses, make_eight_paths_at_most) {
    for (int i = 1; i < 9; i++) {
        const std::string address = fmt::format("10.0.0.{}", i + 20);
        says("ip -json route get " + address, R"([{"dev":"eth1"}])");
        name(address);
    }
    EXPECT_EQ(attach(), 0) << err();
    EXPECT_EQ(kernel.attach_requests.back().paths.size(), 8U);
    EXPECT_EQ(kernel.attach_requests.back().paths.back().address.host_text(), "10.0.0.9");
    EXPECT_NE(out().find("left out 10.0.0.28: a disk has at most 8 paths"), std::string::npos)
        << out();
}

// The client and the server are one machine.
TEST_F(NamedAddresses, of_this_machine_are_reached_by_their_own_device) {
    name("10.0.0.1");
    name("192.0.2.1");
    EXPECT_EQ(attach(), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.1:4793, 10.0.0.9:4793"));
    EXPECT_NE(out().find("left out 192.0.2.1: no RDMA device"), std::string::npos) << out();
}

TEST_F(NamedAddresses, of_a_disk_that_is_not_offered_are_an_error) {
    kernel.offered.clear();
    EXPECT_NE(attach(), 0);
    EXPECT_NE(err().find("storage1 offers no disk 'scratch' to this machine"), std::string::npos)
        << err();
    EXPECT_TRUE(kernel.attach_requests.empty());
}

TEST_F(NamedAddresses, stand_alone_on_the_command_line) {
    EXPECT_NE(attach({"--from", "10.0.0.1"}), 0);
    EXPECT_NE(err().find("--path auto names none"), std::string::npos) << err();
    EXPECT_NE(run({"attach", "storage1/scratch", "--path", "10.0.0.9,auto"}), 0);
    EXPECT_NE(err().find("auto stands alone"), std::string::npos) << err();
    EXPECT_TRUE(kernel.attach_requests.empty());
}

TEST_F(NamedAddresses, are_not_asked_for_by_a_dry_run_that_would_load_the_module) {
    name("10.1.0.9");
    EXPECT_NE(attach({"--dry-run"}), 0);
    EXPECT_NE(err().find("modprobe causeway_disk"), std::string::npos) << err();
    EXPECT_FALSE(modules.loaded("causeway_disk"));
    EXPECT_TRUE(modules.need("causeway_disk"));
    EXPECT_EQ(attach({"--dry-run"}), 0) << err();
    EXPECT_NE(out().find("paths: 10.1.0.9, 10.0.0.9\n"), std::string::npos) << out();
    EXPECT_TRUE(kernel.attach_requests.empty());
}

TEST(ListedAddress, is_one_that_the_kernel_takes) {
    for (const char *text : {"0.0.0.0",
                             "0.1.2.3",
                             "1.0.0.0",
                             "10.0.0.1",
                             "127.0.0.1",
                             "169.253.0.1",
                             "169.254.0.1",
                             "169.254.255.255",
                             "169.255.0.1",
                             "223.255.255.255",
                             "224.0.0.1",
                             "240.0.0.1",
                             "255.255.255.255",
                             "::",
                             "::1",
                             "fd00::1",
                             "2001::",
                             "fe7f::1",
                             "fe80::1",
                             "febf::1",
                             "fec0::1",
                             "ff02::1",
                             "::ffff:10.0.0.1",
                             "::fffe:10.0.0.1"}) {
        const auto address = SocketAddress::from_text(text);
        ASSERT_TRUE(address) << text;
        EXPECT_EQ(may_be_listed(*address), is_of_one_host(*address)) << text;
    }
    EXPECT_TRUE(may_be_listed(*SocketAddress::from_text("10.0.0.1")));
    EXPECT_FALSE(may_be_listed(*SocketAddress::from_text("fd00::1%1")));
    EXPECT_FALSE(SocketAddress::from_text("10.1"));
    EXPECT_FALSE(SocketAddress::from_text("7"));
}

TEST(ExportDropin, keeps_its_addresses) {
    const auto good = parse_export_dropin("f", "x", "[export]\nram = 4K\naddress = 10.0.0.1\n");
    ASSERT_TRUE(good);
    EXPECT_EQ(texts(good->addresses), (Words{"10.0.0.1"}));
    const auto bad = parse_export_dropin("f", "x", "[export]\nram = 4K\naddress = here\n");
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().what.find("'here' is not an IP address"), std::string::npos)
        << bad.error().what;
    EXPECT_FALSE(parse_attachment_dropin("f", "[attachment]\nserver = s\nname = x\npath = auto\n"));
    for (const char *wrong : {"here", "00000000-0000-0000-0000-000000000000"}) {
        EXPECT_FALSE(parse_attachment_dropin(
            "f", fmt::format("[attachment]\nserver = s\nname = x\nuuid = {}\n", wrong)));
    }
}

} // namespace
} // namespace causeway
