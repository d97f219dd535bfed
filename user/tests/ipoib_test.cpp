// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of "ipoib", on a host in memory with one port of InfiniBand.
#include "ipoib_host.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class IpoibVerb : public IpoibHost {};

TEST_F(IpoibVerb, set_is_kept_by_the_manager_of_the_network) {
    boot("NetworkManager.service");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("+++ " + keyfile("ib0").string()), std::string::npos) << out();
    EXPECT_NE(out().find("value /sys/class/net/ib0/mtu\n-2044\n+1500\n"), std::string::npos);
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_TRUE(files.writes.empty());

    auto told = json({"ipoib", "set", "ib0", "--mtu", "1500"});
    EXPECT_EQ(told["backend"], "nm");
    EXPECT_EQ(mode_of(keyfile("ib0")), 0600U);
    EXPECT_NE(read_file(keyfile("ib0")).find("mtu=1500\ntransport-mode=datagram\n"),
              std::string::npos);
    EXPECT_EQ(files.content["/sys/class/net/ib0/mtu"], "1500\n");
    EXPECT_TRUE(processes.ran("nmcli connection load " + keyfile("ib0").string()));
    EXPECT_FALSE(processes.ran("nmcli --wait"));
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0);
    EXPECT_EQ(out(), "nothing to do: ib0 has this mode and MTU already\n");

    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(err(), "");
    EXPECT_FALSE(fs::exists(keyfile("ib0")));
    EXPECT_FALSE(fs::exists(record("ib0")));
    EXPECT_EQ(files.content["/sys/class/net/ib0/mtu"], "2044\n");
    EXPECT_EQ(processes.log.back(), "nmcli connection reload");
}

TEST_F(IpoibVerb, set_goes_to_networkd_and_to_ifupdown_too) {
    boot("systemd-networkd.service");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected"}), 0) << err();
    EXPECT_NE(read_file(mode_rule()).find("NAME==\"ib0\", RUN+=\"/bin/sh -c 'echo connected >"),
              std::string::npos);
    EXPECT_TRUE(fs::exists(network("ib0.network")));
    EXPECT_TRUE(processes.ran("networkctl reload"));
    boot_ifupdown();
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "65520", "--backend", "ifupdown"}), 0) << err();
    EXPECT_FALSE(fs::exists(network("ib0.network")));
    EXPECT_FALSE(fs::exists(mode_rule()));
    EXPECT_NE(read_file(stanzas("ib0")).find("    mtu 65520\n"), std::string::npos);
    EXPECT_NE(read_file(stanzas("ib0")).find("echo connected > /sys/class/net/ib0/mode"),
              std::string::npos);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(fs::exists(network("ib0.network")));
    EXPECT_FALSE(fs::exists(stanzas("ib0")));
}

TEST_F(IpoibVerb, ifupdown_has_to_read_the_file_that_it_gets) {
    const auto set = [&](const std::string &main) {
        write_file(root / "etc/network/interfaces", main + "\n");
        return run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "ifupdown", "--dry-run"});
    };
    for (const char *reads :
         {"source /etc/network/interfaces.d/*", "source interfaces.d/*",
          "source /srv/x /etc/network/interfaces.d/causeway-*", "source-directory interfaces.d",
          "source-directory /etc/network/interfaces.d", "source-dir interfaces.d/"}) {
        EXPECT_EQ(set(reads), 0) << reads << err();
    }
    for (const char *other :
         {"source /etc/network/interfaces.d/*.cfg", "source /etc/network/interfaces.d/*/*",
          "source-directory /etc/network/interfaces.d/more", "source-directory /srv/interfaces.d",
          "# source /etc/network/interfaces.d/*", "source /etc/network/interfaces.d"}) {
        EXPECT_EQ(set(other), 78) << other;
        EXPECT_TRUE(says("does not read")) << err();
        EXPECT_TRUE(says("add the line \"source /etc/network/interfaces.d/*\" to it")) << err();
    }
    // The source may be in another file.
    write_file(root / "etc/network/more", "source interfaces.d/*\n");
    EXPECT_EQ(set("source more"), 0) << err();
}

TEST_F(IpoibVerb, new_addresses_report_the_losses_of_the_resolver) {
    boot("systemd-networkd.service");
    fs::create_directories(root / "run/systemd/resolve");
    answers("ip -json address show dev ib0",
            R"([{"addr_info":[{"family":"inet","local":"10.0.0.200","prefixlen":32}]}])");
    answers("resolvectl dns ib0", "Link 7 (ib0): 10.0.0.53");
    answers("resolvectl domain ib0", "Link 7 (ib0): storage.example");
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24"}), 0) << err();
    EXPECT_TRUE(says("does not keep it: the search domain storage.example")) << err();
    // That address is replaced and in no profile, so it is not mentioned.
    EXPECT_FALSE(says("10.0.0.200")) << err();
}

TEST_F(IpoibVerb, a_gateway_replaces_that_of_its_family) {
    boot("systemd-networkd.service");
    const auto has = [&](const char *v6) {
        answers("ip -json address show dev ib0",
                R"([{"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":24},
                                  {"family":"inet6","local":"fd00::1","prefixlen":64}]}])");
        answers("ip -json -4 route show dev ib0", R"([{"dst":"default","gateway":"10.0.0.253"}])");
        answers("ip -json -6 route show dev ib0", v6);
    };
    const auto profile_with = [&](const char *gateway) {
        EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24", "fd00::2/64", "--gateway", gateway}),
                  0)
            << err();
        const std::string text = read_file(network("ib0.network"));
        const std::string said = err();
        EXPECT_EQ(run({"undo", "--last"}), 0) << err();
        EXPECT_EQ(said.find("dropped"), std::string::npos) << said;
        return text.substr(text.find("Address=fd00::2/64\n"));
    };
    has(R"([{"dst":"default","gateway":"fd00::fe"}])");
    EXPECT_EQ(profile_with("10.0.0.254"),
              "Address=fd00::2/64\nGateway=10.0.0.254\nGateway=fd00::fe\nIPv6AcceptRA=no\n");
    EXPECT_EQ(profile_with("fd00::fd"),
              "Address=fd00::2/64\nGateway=10.0.0.253\nGateway=fd00::fd\nIPv6AcceptRA=no\n");
    EXPECT_EQ(profile_with("none"), "Address=fd00::2/64\nIPv6AcceptRA=no\n");
    has(R"([{"dst":"default","gateway":"fe80::fe","protocol":"ra","metric":1024}])");
    EXPECT_EQ(profile_with("10.0.0.254"),
              "Address=fd00::2/64\nGateway=10.0.0.254\nIPv6AcceptRA=yes\n");
    EXPECT_EQ(profile_with("fd00::fd"),
              "Address=fd00::2/64\nGateway=10.0.0.253\nGateway=fd00::fd\nIPv6AcceptRA=no\n");
    EXPECT_EQ(profile_with("none"), "Address=fd00::2/64\nIPv6AcceptRA=no\n");
    // A gateway that no longer fits is reported.
    has(R"([{"dst":"default","gateway":"fd00::fe"}])");
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24", "--gateway", "10.0.0.254"}), 0) << err();
    EXPECT_TRUE(says("the gateway fd00::fe is dropped")) << err();
    // Settings that the profile had already are not reported as kept.
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24", "fd00::2/64", "--gateway",
                   "10.0.0.254,fd00::fe"}),
              0)
        << err();
    const auto again =
        json({"ipoib", "addr", "ib0", "10.0.0.3/24", "fd00::2/64", "--gateway", "10.0.0.254"});
    EXPECT_TRUE(again.at("kept").empty()) << again;
}

TEST_F(IpoibVerb, what_networkmanager_cannot_say_without_an_address_is_refused) {
    processes.acts["ip -json -4 route show dev ib0"] = [] {
        ProcessEnd end;
        end.out = R"([{"dst":"10.9.0.0/16","scope":"link","flags":[]}])";
        return end;
    };
    processes.acts["ip -json -6 route show dev ib0"] = [] {
        ProcessEnd end;
        end.out = R"([{"dst":"fd09::/48","gateway":"fe80::9","flags":[]}])";
        return end;
    };
    const auto set = [&](const char *backend) {
        return run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", backend});
    };
    EXPECT_EQ(set("nm"), 69);
    EXPECT_TRUE(says("the route 10.9.0.0/16")) << err();
    boot_ifupdown();
    ASSERT_EQ(set("ifupdown"), 0) << err();
    EXPECT_NE(read_file(stanzas("ib0")).find("up ip route replace 10.9.0.0/16 dev ib0\n"),
              std::string::npos);
    EXPECT_NE(read_file(stanzas("ib0"))
                  .find("iface ib0 inet6 manual\n    up ip -6 route replace fd09::/48 via fe80::9"),
              std::string::npos)
        << read_file(stanzas("ib0"));
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    processes.acts["ip -json -4 route show dev ib0"] = [] { return ProcessEnd{}; };
    ASSERT_EQ(set("nm"), 0) << err();
    EXPECT_NE(read_file(keyfile("ib0"))
                  .find("[ipv6]\nroute1=fd09::/48,fe80::9,0\n"
                        "method=link-local\n"),
              std::string::npos)
        << read_file(keyfile("ib0"));
}

TEST_F(IpoibVerb, a_new_name_takes_the_profile_along) {
    boot("NetworkManager.service");
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    // An interface that is up keeps its old name until the reboot.
    EXPECT_EQ(run({"name", "set", "ib0", "store0"}), 75);
    EXPECT_TRUE(says("ib0 is up")) << err();
    files.content["/sys/class/net/ib0/flags"] = "0x1002\n";
    ASSERT_EQ(run({"name", "set", "ib0", "store0"}), 0) << err();
    EXPECT_FALSE(fs::exists(record("ib0")) || fs::exists(keyfile("ib0")));
    EXPECT_TRUE(fs::exists(record("store0")));
    EXPECT_NE(read_file(keyfile("store0")).find("interface-name=store0\n"), std::string::npos);
    EXPECT_TRUE(processes.ran("nmcli connection load " + keyfile("store0").string()));
    // NetworkManager reads the old profile after that file and the old name have been restored.
    bool renamed = false;
    bool found = false;
    processes.acts["ip link set dev store0 name ib0"] = [&] {
        renamed = true;
        return ProcessEnd{};
    };
    processes.acts["nmcli connection load " + keyfile("ib0").string()] = [&] {
        found = renamed && fs::exists(keyfile("ib0"));
        return ProcessEnd{};
    };
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(fs::exists(record("ib0")) && fs::exists(keyfile("ib0")));
    EXPECT_FALSE(fs::exists(record("store0")));
    EXPECT_TRUE(found);
}

TEST_F(IpoibVerb, a_new_name_leaves_no_profile_of_others_behind) {
    files.content["/sys/class/net/ib0/flags"] = "0x1002\n";
    const fs::path other = root / "etc/NetworkManager/system-connections/x.nmconnection";
    write_file(other, "[connection]\nid=x\ntype=infiniband\ninterface-name=ib0\n");
    EXPECT_EQ(run({"name", "set", "ib0", "store0"}), 78);
    EXPECT_TRUE(says(other.string())) << err();
    // A profile that fits both names does no harm.
    write_file(other, "[connection]\nid=x\ntype=infiniband\n");
    EXPECT_EQ(run({"name", "set", "ib0", "store0"}), 0) << err();
}

TEST_F(IpoibVerb, another_mode_drops_the_mtu_of_the_first) {
    boot_ifupdown();
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected", "--mtu", "65520"}), 0) << err();
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "datagram"}), 0) << err();
    EXPECT_EQ(read_file(stanzas("ib0")).find("mtu"), std::string::npos)
        << read_file(stanzas("ib0"));
}

TEST_F(IpoibVerb, an_interface_that_networkmanager_leaves_alone_is_another_ones) {
    boot("NetworkManager.service");
    boot_ifupdown();
    processes.acts["nmcli -t -f DEVICE,STATE device"] = [] {
        ProcessEnd end;
        end.out = "eth0:connected\nib0:unmanaged";
        return end;
    };
    EXPECT_EQ(json({"ipoib", "set", "ib0", "--mtu", "1500"})["backend"], "ifupdown");
}

TEST_F(IpoibVerb, without_anybody_to_keep_it_it_holds_until_the_reboot) {
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_TRUE(says("this holds until the next reboot: neither NetworkManager nor networkd"));
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1400", "--no-persist"}), 0) << err();
    EXPECT_TRUE(says("this holds until the next reboot"));
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1400", "--no-persist", "--backend", "nm"}), 64);
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1400", "--backend", "netplan"}), 64);
    EXPECT_TRUE(says("give --backend nm, networkd, ifupdown")) << err();
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24"}), 69);
    EXPECT_TRUE(says("nothing here sets addresses at boot")) << err();
}

TEST_F(IpoibVerb, files_of_another_author_are_left_alone) {
    boot("NetworkManager.service");
    write_file(root / "etc/NetworkManager/system-connections/mine.nmconnection",
               "[connection]\ninterface-name=ib0\n");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 78);
    EXPECT_TRUE(says("mine.nmconnection, which causeway did not write")) << err();
    boot_ifupdown();
    fs::remove(root / "etc/NetworkManager/system-connections/mine.nmconnection");
    write_file(root / "etc/network/interfaces.d/mine", "iface ib0 inet dhcp\n");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "ifupdown"}), 78);
    EXPECT_TRUE(says("interfaces.d/mine")) << err();
    write_file(root / "etc/systemd/network/mine.network", "[Match]\nName = x\n Name=ib0 \n");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "networkd"}), 78);
    EXPECT_TRUE(says("mine.network")) << err();
    EXPECT_TRUE(files.writes.empty());
    EXPECT_FALSE(fs::exists(root / "var"));
    fs::remove(root / "etc/network/interfaces.d/mine");
    fs::remove(root / "etc/systemd/network/mine.network");
    write_file(root / "etc/network/interfaces", "auto lo\niface lo inet loopback\n");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "ifupdown"}), 78);
    EXPECT_TRUE(says("add the line \"source /etc/network/interfaces.d/*\"")) << err();
}

TEST_F(IpoibVerb, addresses_are_set_changed_and_taken_away) {
    boot("NetworkManager.service");
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24", "fd00::1/64", "--gateway", "10.0.0.254",
                   "--dns", "10.0.0.53"}),
              0)
        << err();
    EXPECT_NE(read_file(keyfile("ib0")).find("address1=10.0.0.1/24\ngateway=10.0.0.254\n"),
              std::string::npos);
    EXPECT_EQ(processes.log.back(), "nmcli --wait 20 connection up causeway-ib0");
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24", "fd00::1/64", "--gateway", "10.0.0.254",
                   "--dns", "10.0.0.53"}),
              0);
    EXPECT_EQ(out(), "nothing to do: ib0 has these addresses already\n");

    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24"}), 0) << err();
    EXPECT_EQ(processes.count("nmcli --wait 20 connection down"), 0U);
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_NE(read_file(keyfile("ib0")).find("address1=10.0.0.2/24\n"), std::string::npos);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_NE(read_file(keyfile("ib0")).find("address1=10.0.0.1/24\n"), std::string::npos);
    EXPECT_EQ(processes.log.back(), "nmcli --wait 20 connection up causeway-ib0");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(fs::exists(keyfile("ib0")));
    EXPECT_TRUE(processes.ran("nmcli --wait 20 connection down causeway-ib0"));
    EXPECT_EQ(processes.log.back(), "nmcli connection reload");
}

TEST_F(IpoibVerb, a_manager_that_cannot_start_it_now_keeps_it_all_the_same) {
    boot_ifupdown();
    processes.acts["ifup"] = [] { return FakeProcesses::failure("no carrier", 1); };
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24"}), 0);
    EXPECT_TRUE(says("\"ifup --force ib0\" failed: no carrier")) << err();
    EXPECT_TRUE(fs::exists(stanzas("ib0")));
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "--none"}), 0) << err();
    EXPECT_FALSE(fs::exists(stanzas("ib0")));
    EXPECT_FALSE(fs::exists(record("ib0")));
    EXPECT_EQ(processes.log.back(), "ifdown ib0");
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "--none"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: ib0 has these addresses already\n");
}

TEST_F(IpoibVerb, addresses_that_cannot_be_are_refused) {
    boot("NetworkManager.service");
    EXPECT_EQ(run({"ipoib", "addr", "ib0"}), 64);
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24", "--none"}), 64);
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "--none", "--dns", "10.0.0.53"}), 64);
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1"}), 64);
    EXPECT_TRUE(says("the length of its network is missing")) << err();
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24", "--gateway", "10.0.1.1"}), 64);
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24", "--dns", "dns.example"}), 64);
    EXPECT_EQ(run({"ipoib", "addr", "eth0", "10.0.0.1/24"}), 69);
    EXPECT_EQ(run({"ipoib", "addr", "ib1", "10.0.0.1/24"}), 69);
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(IpoibVerb, export_has_what_was_set_up_and_what_is) {
    boot_ifupdown();
    files.content["/proc/sys/kernel/hostname"] = "storage1\n";
    run({"ipoib", "addr", "ib0", "10.0.0.1/24"});
    files.add_ipoib("ib1", "0xffff");
    EXPECT_EQ(run({"ipoib", "export"}), 64);
    EXPECT_EQ(run({"ipoib", "export", "--ansible"}), 0) << err();
    EXPECT_NE(out().find("- \"10.0.0.1/24\"\n"), std::string::npos);
    EXPECT_NE(out().find("interface_name: \"ib1\"\n            autoconnect: true\n"
                         "            mtu: 2044\n"),
              std::string::npos)
        << out();
    EXPECT_NE(out().find("  hosts: \"storage1\"\n"), std::string::npos) << out();
    EXPECT_EQ(out().find("dhcp4: true"), std::string::npos) << out();
}

TEST_F(IpoibVerb, export_reports_addresses_that_others_gave) {
    files.content["/proc/sys/kernel/hostname"] = "storage1\n";
    files.add_ipoib("ib1", "0xffff");
    files.add_ipoib("ib0.8001", "0x8001");
    files.content["/sys/class/net/ib0.8001/parent"] = "ib0\n";
    const auto has = [&](const std::string &name, const std::string &infos) {
        processes.acts["ip -json address show dev " + name] = [infos] {
            ProcessEnd end;
            end.out = "[{\"addr_info\":[" + infos + "]}]";
            return end;
        };
    };
    has("ib0", R"({"family":"inet","local":"10.0.0.1","prefixlen":24,"scope":"global"})");
    has("ib1", R"({"family":"inet","local":"10.0.0.7","prefixlen":24,"dynamic":true})");
    has("ib0.8001", R"({"family":"inet6","local":"fd00::1","prefixlen":64})");
    processes.acts["ip -json -4 route show dev ib0"] = [] {
        ProcessEnd end;
        end.out = R"([{"dst":"default","gateway":"10.0.0.254"},)"
                  R"({"dst":"10.9.0.0/16","gateway":"10.0.0.2","metric":7}])";
        return end;
    };
    EXPECT_EQ(run({"ipoib", "export", "--ansible"}), 0) << err();
    for (const char *part :
         {"dhcp4: false\n              auto6: false\n              address:\n"
          "                - \"10.0.0.1/24\"\n              gateway4: \"10.0.0.254\"\n",
          "              route:\n                - network: \"10.9.0.0\"\n"
          "                  prefix: 16\n                  gateway: \"10.0.0.2\"\n"
          "                  metric: 7\n",
          "interface_name: \"ib1\"", "dhcp4: true\n", "parent: \"ib0\"\n", "p_key: 0x8001\n",
          "- \"fd00::1/64\"\n"}) {
        EXPECT_NE(out().find(part), std::string::npos) << part << out();
    }
    // A child whose settings cannot be read is left out, with a warning.
    processes.acts["ip -json address show dev ib1"] = [] {
        return FakeProcesses::failure("gone", 1);
    };
    EXPECT_EQ(run({"ipoib", "export", "--ansible"}), 0) << err();
    EXPECT_EQ(out().find("ib1"), std::string::npos) << out();
    EXPECT_TRUE(says("ib1 is left out: cannot read what ib1 has now: gone")) << err();
    EXPECT_EQ(json({"ipoib", "show", "ib0"})["interfaces"][0]["addresses"][0], "10.0.0.1/24");
}

} // namespace
} // namespace causeway
