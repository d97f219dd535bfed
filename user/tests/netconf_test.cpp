// SPDX-License-Identifier: GPL-2.0-or-later
// Tests that the settings of an interface are written as files of the network managers.
#include "fixture.h"
#include "netconf/ansible.h"
#include "netconf/backend.h"
#include "netconf/records.h"
#include "real_programs.h"

#include <gtest/gtest.h>

namespace causeway {
namespace {

constexpr const char *netconf_header =
    "# Written by \"causeway ipoib\"; \"causeway undo\" takes it back.\n";

InterfaceAddress addr(const std::string &text) {
    auto parsed = parse_interface_address(text);
    EXPECT_TRUE(parsed) << text;
    return *parsed;
}

SocketAddress host(const std::string &text) {
    return *SocketAddress::from_text(text);
}

InterfaceSettings whole() {
    InterfaceSettings settings;
    settings.name = "ib0";
    settings.mode = "connected";
    settings.mtu = 65520;
    settings.addresses = {addr("10.0.0.1/24"), addr("10.1.0.1/16"), addr("fd00::1/64")};
    settings.gateways = {host("10.0.0.254"), host("fe80::1")};
    settings.dns = {host("10.0.0.53"), host("fd00::53")};
    return settings;
}

InterfaceSettings child() {
    InterfaceSettings settings;
    settings.name = "ib0.8001";
    settings.parent = "ib0";
    settings.pkey = 0x8001;
    settings.mode = "datagram";
    settings.mtu = 2044;
    return settings;
}

TEST(InterfaceAddress, is_one_that_an_interface_can_have) {
    EXPECT_EQ(addr("10.0.0.1/24").text(), "10.0.0.1/24");
    EXPECT_EQ(addr("10.0.0.0/31").text(), "10.0.0.0/31");
    EXPECT_EQ(addr("fd00::1/128").text(), "fd00::1/128");
    for (const char *wrong :
         {"10.0.0.1", "10.0.0.1/0", "10.0.0.1/33", "10.0.0.0/24", "10.0.0.255/24", "224.0.0.1/24",
          "127.0.0.1/8", "0.0.0.0/24", "ff02::1/64", "::1/128", "fd00::/64", "fd00::1/129",
          "10.0.0.1/24x", "/24", "host/24", ""}) {
        auto parsed = parse_interface_address(wrong);
        ASSERT_FALSE(parsed) << wrong;
        EXPECT_EQ(parsed.error().code, ExitCode::usage);
    }
}

TEST(PartitionKey, always_has_full_membership) {
    EXPECT_EQ(*parse_pkey("0x8001"), 0x8001);
    EXPECT_EQ(*parse_pkey("0x1"), 0x8001);
    EXPECT_EQ(*parse_pkey("7fff"), 0xffff);
    for (const char *wrong : {"0", "0x8000", "0x", "x1", "0x10000", "-1", "0x80g1", ""}) {
        EXPECT_FALSE(parse_pkey(wrong)) << wrong;
    }
    EXPECT_EQ(child_name("ib0", 0x8001), "ib0.8001");
    EXPECT_EQ(child_name("ibp129s0f0", 0x8001), "ibp129s0f0.8001");
    EXPECT_EQ(child_name("longer_than_10", 0x8001), "longer_tha.8001");
}

TEST(Gateways, are_in_a_network_of_their_interface) {
    InterfaceSettings settings = whole();
    EXPECT_TRUE(check_gateways(settings));
    settings.gateways = {host("10.2.0.1")};
    EXPECT_FALSE(check_gateways(settings));
    settings.gateways = {host("10.0.0.254"), host("10.1.0.254")};
    EXPECT_FALSE(check_gateways(settings));
    settings.addresses = {addr("10.0.0.1/24")};
    settings.gateways = {host("fe80::1")};
    EXPECT_FALSE(check_gateways(settings));
}

TEST(InterfaceRecord, is_read_as_it_was_written) {
    InterfaceSettings settings = whole();
    settings.backend = "nm";
    EXPECT_EQ(record_text(settings), std::string(netconf_header) + "[interface]\n"
                                                                   "backend = nm\n"
                                                                   "mode = connected\n"
                                                                   "mtu = 65520\n"
                                                                   "address = 10.0.0.1/24\n"
                                                                   "address = 10.1.0.1/16\n"
                                                                   "address = fd00::1/64\n"
                                                                   "gateway = 10.0.0.254\n"
                                                                   "gateway = fe80::1\n"
                                                                   "dns = 10.0.0.53\n"
                                                                   "dns = fd00::53\n");
    EXPECT_EQ(*parse_record("f", "ib0", record_text(settings)), settings);
    settings = child();
    settings.backend = "ifupdown";
    EXPECT_EQ(*parse_record("f", "ib0.8001", record_text(settings)), settings);
    for (const char *wrong : {"mode = fast\n", "mtu = 1\n", "parent = ib0\n", "pkey = 0\n",
                              "address = 10.0.0.1\n", "dns = here\n"}) {
        auto parsed = parse_record("f", "ib0", std::string("[interface]\nbackend = nm\n") + wrong);
        ASSERT_FALSE(parsed) << wrong;
        EXPECT_EQ(parsed.error().code, ExitCode::bad_config);
        EXPECT_EQ(parsed.error().what.substr(0, 4), "f:3:") << parsed.error().what;
    }
}

TEST(NetworkManagerBackend, writes_keyfiles) {
    const auto files = network_manager().files(Places("/r"), {whole(), child()});
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].place, "/r/etc/NetworkManager/system-connections/causeway-ib0.nmconnection");
    EXPECT_EQ(files[0].mode, 0600U);
    const std::size_t uuid = files[0].content.find("uuid=");
    ASSERT_NE(uuid, std::string::npos);
    std::string rest = files[0].content;
    EXPECT_TRUE(Uuid::parse(rest.substr(uuid + 5, 36)));
    rest.erase(uuid, 42);
    EXPECT_EQ(rest, std::string(netconf_header) + "[connection]\n"
                                                  "id=causeway-ib0\n"
                                                  "type=infiniband\n"
                                                  "interface-name=ib0\n"
                                                  "\n"
                                                  "[infiniband]\n"
                                                  "mtu=65520\n"
                                                  "transport-mode=connected\n"
                                                  "\n"
                                                  "[ipv4]\n"
                                                  "address1=10.0.0.1/24\n"
                                                  "address2=10.1.0.1/16\n"
                                                  "gateway=10.0.0.254\n"
                                                  "dns=10.0.0.53;\n"
                                                  "method=manual\n"
                                                  "\n"
                                                  "[ipv6]\n"
                                                  "address1=fd00::1/64\n"
                                                  "gateway=fe80::1\n"
                                                  "dns=fd00::53;\n"
                                                  "method=manual\n");
    EXPECT_NE(files[1].content.find("[infiniband]\nmtu=2044\np-key=32769\nparent=ib0\n"
                                    "transport-mode=datagram\n\n[ipv4]\nmethod=disabled\n\n"
                                    "[ipv6]\nmethod=link-local\n"),
              std::string::npos)
        << files[1].content;
    EXPECT_EQ(network_manager().files(Places("/r"), {whole()})[0].content, files[0].content);
}

// NetworkManager itself reads a keyfile and writes it again; the result must be the same.
TEST(NetworkManagerBackend, writes_what_networkmanager_reads) {
    if (!real_programs_there({"nmcli"})) {
        GTEST_SKIP() << "needs network-manager: make deps";
    }
    const TemporaryFolder folder;
    const auto reread = [&](const std::string &content) {
        write_file(folder / "keyfile", content);
        return run_real_program({"sh", "-c",
                                 "nmcli --offline connection modify connection.autoconnect yes <$0",
                                 (folder / "keyfile").string()});
    };
    const auto files = network_manager().files(Places("/r"), {whole(), child()});
    const ProcessEnd parent = reread(files[0].content);
    ASSERT_TRUE(parent.good()) << parent.err;
    for (const char *has :
         {"type=infiniband\ninterface-name=ib0\n", "mtu=65520\ntransport-mode=connected\n",
          "address1=10.0.0.1/24,10.0.0.254\naddress2=10.1.0.1/16\ndns=10.0.0.53;\nmethod=manual\n",
          "address1=fd00::1/64,fe80::1\ndns=fd00::53;\nmethod=manual\n"}) {
        EXPECT_NE(parent.out.find(has), std::string::npos) << has << parent.out;
    }
    const ProcessEnd partition = reread(files[1].content);
    ASSERT_TRUE(partition.good()) << partition.err;
    EXPECT_NE(partition.out.find("mtu=2044\np-key=32769\nparent=ib0\ntransport-mode=datagram\n"),
              std::string::npos)
        << partition.out;
    std::string wrong = files[0].content;
    wrong.replace(wrong.find("=connected"), 10, "=quickly");
    EXPECT_FALSE(reread(wrong).good());
}

TEST(NetworkdBackend, names_children_in_their_parents_file) {
    const auto files = networkd().files(Places("/r"), {whole(), child()});
    ASSERT_EQ(files.size(), 4U);
    EXPECT_EQ(files[0].place, "/r/etc/udev/rules.d/85-causeway-ipoib-ib0.rules");
    EXPECT_EQ(files[0].content,
              std::string(netconf_header) +
                  "ACTION==\"add\", SUBSYSTEM==\"net\", ATTR{type}==\"32\", NAME==\"ib0\", "
                  "RUN+=\"/bin/sh -c 'echo connected >/sys/class/net/$name/mode'\"\n"
                  "ACTION==\"add\", SUBSYSTEM==\"net\", ATTR{type}==\"32\", NAME==\"\", "
                  "KERNEL==\"ib0\", "
                  "RUN+=\"/bin/sh -c 'echo connected >/sys/class/net/$name/mode'\"\n");
    EXPECT_EQ(files[1].place, "/r/etc/systemd/network/10-causeway-ib0.network");
    EXPECT_EQ(files[1].content, std::string(netconf_header) + "[Match]\n"
                                                              "Name=ib0\n"
                                                              "\n"
                                                              "[Link]\n"
                                                              "MTUBytes=65520\n"
                                                              "\n"
                                                              "[Network]\n"
                                                              "Address=10.0.0.1/24\n"
                                                              "Address=10.1.0.1/16\n"
                                                              "Address=fd00::1/64\n"
                                                              "Gateway=10.0.0.254\n"
                                                              "Gateway=fe80::1\n"
                                                              "DNS=10.0.0.53\n"
                                                              "DNS=fd00::53\n"
                                                              "IPv6AcceptRA=no\n"
                                                              "IPoIB=ib0.8001\n");
    EXPECT_EQ(files[2].place, "/r/etc/systemd/network/10-causeway-ib0.8001.netdev");
    EXPECT_EQ(files[2].content, std::string(netconf_header) + "[NetDev]\n"
                                                              "Name=ib0.8001\n"
                                                              "Kind=ipoib\n"
                                                              "\n"
                                                              "[IPoIB]\n"
                                                              "PartitionKey=0x8001\n"
                                                              "Mode=datagram\n");
    EXPECT_EQ(
        files[3].content,
        std::string(netconf_header) +
            "[Match]\nName=ib0.8001\n\n[Link]\nMTUBytes=2044\n\n[Network]\nIPv6AcceptRA=no\n");
    const auto alone = networkd().files(Places("/r"), {child()});
    ASSERT_EQ(alone.size(), 3U);
    EXPECT_EQ(alone[2].place, "/r/etc/systemd/network/10-causeway-ib0.network");
    EXPECT_EQ(alone[2].content,
              std::string(netconf_header) +
                  "[Match]\nName=ib0\n\n[Network]\nIPv6AcceptRA=no\nIPoIB=ib0.8001\n");
}

TEST(IfupdownBackend, writes_a_stanza_for_each_address) {
    const auto files = ifupdown().files(Places("/r"), {whole(), child()});
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].place, "/r/etc/network/interfaces.d/causeway-ib0");
    EXPECT_EQ(files[0].content, std::string(netconf_header) +
                                    "auto ib0\n"
                                    "iface ib0 inet static\n"
                                    "    address 10.0.0.1/24\n"
                                    "    gateway 10.0.0.254\n"
                                    "    mtu 65520\n"
                                    "    dns-nameservers 10.0.0.53 fd00::53\n"
                                    "    pre-up echo connected > /sys/class/net/ib0/mode\n"
                                    "    pre-up ip address delete 10.0.0.1/24 dev ib0 "
                                    "2>/dev/null || true\n"
                                    "iface ib0 inet static\n"
                                    "    address 10.1.0.1/16\n"
                                    "    pre-up ip address delete 10.1.0.1/16 dev ib0 "
                                    "2>/dev/null || true\n"
                                    "iface ib0 inet6 static\n"
                                    "    address fd00::1/64\n"
                                    "    gateway fe80::1\n"
                                    "    pre-up ip address delete fd00::1/64 dev ib0 "
                                    "2>/dev/null || true\n");
    EXPECT_EQ(files[1].place, "/r/etc/network/interfaces.d/causeway-ib0_8001");
    EXPECT_EQ(files[1].content, std::string(netconf_header) +
                                    "auto ib0.8001\n"
                                    "iface ib0.8001 inet manual\n"
                                    "    mtu 2044\n"
                                    "    pre-up test -d /sys/class/net/ib0.8001 || echo 0x8001 > "
                                    "/sys/class/net/ib0/create_child\n"
                                    "    pre-up echo datagram > /sys/class/net/ib0.8001/mode\n");
}

// ifup prints the commands that it would run.
TEST(IfupdownBackend, writes_what_ifup_does) {
    if (!real_programs_there({"ifup"})) {
        GTEST_SKIP() << "needs ifupdown: make deps";
    }
    const TemporaryFolder folder;
    std::string content;
    for (const NetworkFile &file : ifupdown().files(Places("/r"), {whole(), child()})) {
        content += file.content;
    }
    write_file(folder / "interfaces", content);
    // Prints each command in a line, with one space between words.
    const auto commands = [&](const std::string &interface) {
        const ProcessEnd end = run_real_program(
            {"sh", "-c",
             "ifup --no-act --force --state-dir=$0 -i $0/interfaces $1 2>&1 | tr -s ' \\t' ' '",
             folder.path().string(), interface});
        EXPECT_TRUE(end.good()) << end.out;
        return end.out;
    };
    const std::string parent = commands("ib0");
    std::size_t from = 0;
    for (const char *command :
         {"echo connected > /sys/class/net/ib0/mode\n", "ip addr add 10.0.0.1/255.255.255.0 ",
          "ip link set dev ib0 mtu 65520 up\n", "ip route add default via 10.0.0.254 dev ib0 ",
          "ip addr add 10.1.0.1/255.255.0.0 ", "ip -6 addr add fd00::1/64 dev ib0",
          "default via fe80::1 dev ib0 "}) {
        const std::size_t at = parent.find(command, from);
        ASSERT_NE(at, std::string::npos) << command << parent;
        from = at;
    }
    const std::string partition = commands("ib0.8001");
    const std::size_t made = partition.find("echo 0x8001 > /sys/class/net/ib0/create_child\n");
    ASSERT_NE(made, std::string::npos) << partition;
    EXPECT_NE(partition.find("echo datagram > /sys/class/net/ib0.8001/mode\n", made),
              std::string::npos);
    EXPECT_NE(partition.find("ip link set dev ib0.8001 mtu 2044\n", made), std::string::npos);
}

TEST(AnsiblePlaybook, has_parents_before_their_children) {
    InterfaceSettings settings = whole();
    settings.name = "z0";
    InterfaceSettings small = child();
    small.parent = "z0";
    EXPECT_EQ(ansible_playbook("storage1", {small, settings}),
              "---\n"
              "# Written by \"causeway ipoib export --ansible\".\n"
              "# The addresses are those of this host: write others for another one.\n"
              "- name: IP over InfiniBand\n"
              "  hosts: \"storage1\"\n"
              "  tasks:\n"
              "    - name: Its connections\n"
              "      ansible.builtin.include_role:\n"
              "        name: rhel-system-roles.network\n"
              "      vars:\n"
              "        network_connections:\n"
              "          - name: \"z0\"\n"
              "            type: infiniband\n"
              "            interface_name: \"z0\"\n"
              "            autoconnect: true\n"
              "            mtu: 65520\n"
              "            infiniband:\n"
              "              transport_mode: connected\n"
              "            ip:\n"
              "              dhcp4: false\n"
              "              auto6: false\n"
              "              address:\n"
              "                - \"10.0.0.1/24\"\n"
              "                - \"10.1.0.1/16\"\n"
              "                - \"fd00::1/64\"\n"
              "              gateway4: \"10.0.0.254\"\n"
              "              gateway6: \"fe80::1\"\n"
              "              dns:\n"
              "                - \"10.0.0.53\"\n"
              "                - \"fd00::53\"\n"
              "            state: up\n"
              "          - name: \"ib0.8001\"\n"
              "            type: infiniband\n"
              "            parent: \"z0\"\n"
              "            autoconnect: true\n"
              "            mtu: 2044\n"
              "            infiniband:\n"
              "              p_key: 0x8001\n"
              "              transport_mode: datagram\n"
              "            ip:\n"
              "              dhcp4: false\n"
              "              auto6: false\n"
              "            state: up\n");
}

// The method dhcp of ifupdown has no option "mtu": interfaces(5).
TEST(Ifupdown, sets_the_mtu_before_dhcp_starts) {
    InterfaceSettings settings = child();
    settings.mode = "connected";
    settings.mtu = 65520;
    settings.dhcp4 = true;
    const auto files = ifupdown().files(Places("/r"), {settings});
    ASSERT_EQ(files.size(), 1U);
    const std::string &text = files[0].content;
    EXPECT_NE(text.find("    pre-up echo connected > /sys/class/net/ib0.8001/mode\n"
                        "    pre-up ip link set dev ib0.8001 mtu 65520\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("    mtu "), std::string::npos) << text;
}

} // namespace
} // namespace causeway
