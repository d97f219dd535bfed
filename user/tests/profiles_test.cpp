// SPDX-License-Identifier: GPL-2.0-or-later
// Tests that profiles of other programs for an interface are recognised in every form by which
// their managers match, and that Causeway writes no profile if there is one.
#include "fixture.h"
#include "profiles/profile.h"
#include "profiles/reading.h"

#include <algorithm>

namespace causeway {
namespace {

namespace fs = std::filesystem;

constexpr const char *here_address = "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34";
constexpr const char *later_address = "a0:00:04:00:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34";
constexpr const char *other_address = "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:99:99";

class OtherProfiles : public CommandTest {
  protected:
    void SetUp() override {
        const std::string folder = "/sys/class/net/ib0/";
        files.content[folder + "type"] = "32\n";
        files.content[folder + "address"] = std::string(here_address) + "\n";
        files.content[folder + "flags"] = "0x1003\n";
        files.content[folder + "mode"] = "datagram\n";
        files.content[folder + "mtu"] = "2044\n";
        files.content[folder + "pkey"] = "0xffff\n";
        files.content[folder + "ifindex"] = "7\n";
        processes.acts["udevadm info --query=property --path=/sys/class/net/ib0"] = [] {
            ProcessEnd end;
            end.out = "ID_PATH=pci-0000:05:00.0\nID_NET_DRIVER=ib_ipoib\nINTERFACE=ib0";
            return end;
        };
        processes.acts["networkctl --version"] = [] {
            ProcessEnd end;
            end.out = "systemd 252 (252.22-1~deb12u1)\n+PAM";
            return end;
        };
    }

    void runs(const std::string &service) {
        fs::create_directories(root / "run/systemd/system");
        for (const char *each : {"NetworkManager.service", "systemd-networkd.service"}) {
            const int ends = service == each ? 0 : 3;
            processes.acts[std::string("systemctl is-active --quiet ") + each] = [ends] {
                return FakeProcesses::failure("", ends);
            };
        }
    }

    // Expects a refusal that names this file, and that nothing is written.
    void refused(const std::string &backend, const std::string &file) {
        EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", backend}), 78) << file;
        EXPECT_NE(err().find("ib0 is configured by " + (root / file).string() +
                             ", which causeway did not write"),
                  std::string::npos)
            << err();
        EXPECT_FALSE(fs::exists(root / "etc/causeway"));
        EXPECT_FALSE(fs::exists(root / "var/lib/causeway"));
        EXPECT_TRUE(files.writes.empty());
    }
    void refused_for(const std::string &backend, const std::string &file,
                     const std::string &content) {
        write_file(root / file, content);
        refused(backend, file);
        fs::remove(root / file);
    }
    void accepted_beside(const std::string &backend, const std::string &file,
                         const std::string &content) {
        write_file(root / file, content);
        EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", backend, "--dry-run"}),
                  0)
            << content << err();
        fs::remove(root / file);
    }
    bool advises(const std::string &text) const { return err().find(text) != std::string::npos; }
};

TEST_F(OtherProfiles, of_networkd_are_found_in_every_folder) {
    for (const char *folder : {"etc", "run", "usr/local/lib", "usr/lib", "lib"}) {
        refused_for("networkd", std::string(folder) + "/systemd/network/50-x.network",
                    "[Match]\nName=ib0\n");
    }
}

TEST_F(OtherProfiles, of_networkd_are_found_by_every_form_of_match) {
    const std::string file = "etc/systemd/network/50-x.network";
    for (const std::string &match :
         {std::string("Name=ib*"),
          std::string("Name=eth0 ib?"),
          std::string("Name=!eth* lo"),
          std::string("Name=eth0\nName=ib0"),
          std::string("Name = ib[0-9]"),
          "MACAddress=" + std::string(here_address),
          "MACAddress=" + std::string(later_address),
          "PermanentMACAddress=" + std::string(other_address) + " " + here_address,
          std::string("Type=infiniband"),
          std::string("Type=ether infiniband"),
          std::string("Type=!ether"),
          std::string("Driver=ib_ipoib"),
          std::string("Driver=ib_*"),
          std::string("Path=pci-0000:05:*"),
          std::string("Kind=!veth"),
          std::string("Property=INTERFACE=ib0"),
          std::string("Host=storage1"),
          std::string("Name=!eth0\nName=ib0"),
          std::string("Name=ib0\nName=!ib1"),
          std::string("Type=infiniband\nName=ib*\nPath=pci-*")}) {
        refused_for("networkd", file, "[Match]\n" + match + "\n[Network]\nDHCP=yes\n");
    }
}

TEST_F(OtherProfiles, of_networkd_for_other_interfaces_are_no_obstacle) {
    const std::string file = "etc/systemd/network/50-x.network";
    for (const std::string &match :
         {std::string("Name=ib1"), std::string("Name=eth*"), std::string("Name=!ib*"),
          std::string("Name=!eth0 ib0"), std::string("Name=ib*\nName=!ib0"),
          std::string("Name=!eth0\nName=eth1"), "MACAddress=" + std::string(other_address),
          std::string("MACAddress=52:54:00:00:00:01"), std::string("Type=ether"),
          std::string("Type=!infiniband"), std::string("Driver=mlx5_core"),
          std::string("Path=pci-0000:06:*"), std::string("Kind=veth"),
          std::string("Name=ib*\nType=ether"), std::string("SSID=home"),
          std::string("Name=ib0\nName="), std::string("Property=INTERFACE=ib1")}) {
        accepted_beside("networkd", file, "[Match]\n" + match + "\nKernelVersion=\n");
    }
    // A file without a match applies to no interface since systemd 243, and to all interfaces
    // before.
    accepted_beside("networkd", file, "[Network]\nDHCP=yes\n");
    processes.acts["networkctl --version"] = [] {
        ProcessEnd end;
        end.out = "systemd 239";
        return end;
    };
    refused_for("networkd", file, "[Network]\nDHCP=yes\n");
}

TEST_F(OtherProfiles, of_networkd_are_hidden_by_those_of_their_name_in_earlier_folders) {
    write_file(root / "usr/lib/systemd/network/50-x.network", "[Match]\nName=ib*\n");
    accepted_beside("networkd", "etc/systemd/network/50-x.network", "");
    accepted_beside("networkd", "run/systemd/network/50-x.network", "[Match]\nName=eth0\n");
    fs::create_directories(root / "etc/systemd/network");
    fs::create_symlink("/dev/null", root / "etc/systemd/network/50-x.network");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "networkd", "--dry-run"}),
              0)
        << err();
    fs::remove(root / "etc/systemd/network/50-x.network");
    refused("networkd", "usr/lib/systemd/network/50-x.network");
    // A drop-in may restrict the match.
    accepted_beside("networkd", "etc/systemd/network/50-x.network.d/a.conf",
                    "[Match]\nType=ether\n");
}

TEST_F(OtherProfiles, that_networkd_says_it_uses_are_believed) {
    write_file(root / "run/systemd/netif/links/7",
               "# This is private data.\nADMIN_STATE=configured\n"
               "NETWORK_FILE=/usr/lib/systemd/network/90-x.network\n");
    // The file no longer exists.
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--backend", "networkd", "--dry-run"}),
              0)
        << err();
    refused_for("networkd", "usr/lib/systemd/network/90-x.network",
                "[Match]\nCredential=something\nName=\n");
    EXPECT_TRUE(advises("add \"MTUBytes=1500 in [Link]\" to ")) << err();
}

TEST_F(OtherProfiles, of_networkmanager_are_found_by_every_form_of_match) {
    const std::string file = "etc/NetworkManager/system-connections/x.nmconnection";
    for (const std::string &form :
         {std::string("type=infiniband\ninterface-name=ib0\n"),
          std::string("type=generic\ninterface-name=ib0\n"), std::string("type=infiniband\n"),
          "type=infiniband\n[infiniband]\nmac-address=" + std::string(here_address) + "\n",
          "type=infiniband\n[infiniband]\nmac-address=" + std::string(later_address) + "\n",
          std::string("type=infiniband\n[match]\ninterface-name=eth*;ib*;\n"),
          std::string("type=infiniband\n[match]\ninterface-name=!eth*;\n")}) {
        refused_for("nm", file, "[connection]\nid=storage net\n" + form);
        EXPECT_TRUE(advises("nmcli connection modify 'storage net' infiniband.transport-mode "
                            "datagram infiniband.mtu 1500; nmcli connection up 'storage net'"))
            << err();
    }
    for (const std::string &form :
         {std::string("type=infiniband\ninterface-name=ib1\n"), std::string("type=ethernet\n"),
          "type=infiniband\n[infiniband]\nmac-address=" + std::string(other_address) + "\n",
          std::string("type=infiniband\n[infiniband]\nparent=ib0\np-key=32769\n"),
          std::string("type=infiniband\n[match]\ninterface-name=ib*;!ib0;\n"),
          std::string("type=infiniband\ninterface-name=ib0\n[.nmmeta]\nnm-generated=true\n")}) {
        accepted_beside("nm", file, "[connection]\nid=x\n" + form);
    }
}

TEST_F(OtherProfiles, of_networkmanager_are_found_in_every_folder) {
    const std::string content = "[connection]\nid=x\ntype=infiniband\n";
    for (const char *file : {"etc/NetworkManager/system-connections/x.nmconnection",
                             "etc/NetworkManager/system-connections/Old name",
                             "run/NetworkManager/system-connections/x.nmconnection",
                             "usr/lib/NetworkManager/system-connections/x.nmconnection"}) {
        refused_for("nm", file, content);
    }
    accepted_beside("nm", "etc/NetworkManager/system-connections/x.nmconnection~", content);
    accepted_beside("nm", "etc/NetworkManager/system-connections/.x.nmconnection", content);
    accepted_beside("nm", "run/NetworkManager/system-connections/x", content);
}

TEST_F(OtherProfiles, of_a_partition_are_those_of_their_child) {
    write_file(root / "etc/NetworkManager/system-connections/x.nmconnection",
               "[connection]\nid=x\ntype=infiniband\n[infiniband]\nparent=ib0\np-key=0x1\n");
    rdma.put("mlx4_0", "node_type", "1: CA");
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "0x8001", "--backend", "nm"}), 78);
    EXPECT_TRUE(advises("ib0.8001 is configured by")) << err();
    EXPECT_TRUE(advises("make the child of ib0 with P_Key 0x8001 there, or give --no-persist"));
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "0x8002", "--backend", "nm", "--dry-run"}), 0)
        << err();
}

TEST_F(OtherProfiles, of_ifupdown_are_found_wherever_they_are_sourced_from) {
    const std::string stanza = "auto ib0\niface ib0 inet static\n  address 10.0.0.1/24\n";
    const std::string plain = "source /etc/network/interfaces.d/*\n";
    write_file(root / "etc/network/interfaces", plain + stanza);
    refused("ifupdown", "etc/network/interfaces");
    EXPECT_TRUE(advises("add \"pre-up echo datagram > /sys/class/net/ib0/mode\", \"mtu 1500\" to "
                        "its stanza there, then: ifup --force ib0"))
        << err();
    write_file(root / "etc/network/interfaces", plain);
    refused_for("ifupdown", "etc/network/interfaces.d/storage", stanza);
    write_file(root / "etc/network/interfaces", plain + "source /srv/net/*.cfg\n");
    refused_for("ifupdown", "srv/net/a.cfg", stanza);
    accepted_beside("ifupdown", "srv/net/a.txt", stanza);
    write_file(root / "etc/network/interfaces", plain + "source-directory more\n");
    refused_for("ifupdown", "etc/network/more/a", stanza);
    write_file(root / "etc/network/interfaces", plain + "source-dir more\n");
    refused_for("ifupdown", "etc/network/more/a", stanza);
    refused_for("ifupdown", "etc/network/more/a", "mapping eth0 ib*\n  script /bin/where\n");
    accepted_beside("ifupdown", "etc/network/more/a", "mapping eth*\n  script /bin/where\n");
    write_file(root / "etc/network/more/b", "source deeper\n");
    refused_for("ifupdown", "etc/network/more/deeper", stanza);
    // A file that sources itself must not be read endlessly.
    accepted_beside("ifupdown", "etc/network/more/deeper", "source /etc/network/more/*\n");
}

TEST_F(OtherProfiles, of_netplan_are_found_whatever_its_renderer) {
    const std::string head = "network:\n  version: 2\n  ethernets:\n";
    for (const std::string &form :
         {std::string("    ib0:\n      addresses: [10.0.0.1/24]\n"),
          std::string("    \"ib0\":\n      dhcp4: true\n"),
          std::string("    storage:\n      match:\n        name: ib*\n"),
          std::string("    storage:\n      match: {name: \"ib?\"}\n"),
          std::string("    storage:\n      match:\n        driver: ib_*\n"),
          "    storage:\n      match:\n        macaddress: \"" + std::string(here_address) +
              "\"\n"}) {
        for (const char *folder : {"etc", "run", "usr/lib", "lib"}) {
            for (const char *backend : {"nm", "networkd", "ifupdown"}) {
                refused_for(backend, std::string(folder) + "/netplan/01-x.yaml", head + form);
            }
        }
        EXPECT_TRUE(advises("add \"infiniband-mode: datagram\", \"mtu: 1500\" to the interface "
                            "there (netplan 0.105 and later), then: netplan try"))
            << err();
    }
    for (const std::string &form :
         {std::string("    ib1:\n      dhcp4: true\n"), std::string("    # ib0:\n"),
          std::string("    x:\n      match: {name: \"eth*\"}\n"),
          "    x:\n      match:\n        macaddress: " + std::string(other_address) + "\n"}) {
        accepted_beside("networkd", "etc/netplan/01-x.yaml", head + form);
    }
    // The file that netplan made for its renderer shows that netplan owns the profile.
    refused_for("networkd", "run/systemd/network/10-netplan-ib0.network", "[Match]\nName=ib0\n");
    EXPECT_TRUE(advises("netplan makes that file of /etc/netplan/*.yaml: add ")) << err();
    refused_for("nm", "run/NetworkManager/system-connections/netplan-ib0.nmconnection",
                "[connection]\nid=netplan-ib0\ntype=infiniband\ninterface-name=ib0\n");
    EXPECT_TRUE(advises("(netplan)")) << err();
}

TEST_F(OtherProfiles, of_managers_that_nothing_is_written_for_are_named) {
    refused_for("nm", "etc/sysconfig/network-scripts/ifcfg-ib0", "");
    refused_for("networkd", "etc/sysconfig/network-scripts/ifcfg-storage", "DEVICE=\"ib0\"\n");
    refused_for("networkd", "etc/sysconfig/network-scripts/ifcfg-storage",
                "HWADDR=" + std::string(here_address) + "\nTYPE=InfiniBand\n");
    refused_for("networkd", "etc/sysconfig/network-scripts/ifcfg-all", "TYPE=InfiniBand\n");
    EXPECT_TRUE(advises("add \"CONNECTED_MODE=no\", \"MTU=1500\" to it")) << err();
    accepted_beside("networkd", "etc/sysconfig/network-scripts/ifcfg-eth0", "DEVICE=eth0\n");
    accepted_beside("networkd", "etc/sysconfig/network-scripts/ifcfg-x.bak", "DEVICE=ib0\n");
    refused_for("networkd", "etc/sysconfig/network/ifcfg-ib0", "");
    EXPECT_TRUE(advises("(wicked)")) << err();
    refused_for("nm", "var/lib/vdsm/persistence/netconf/nets/storage",
                R"({"nic": "ib0", "bridged": false})");
    EXPECT_TRUE(advises("(vdsm)")) << err();
    refused_for("networkd", "etc/dhcpcd.conf",
                "hostname\ninterface ib0\nstatic ip_address=10.0.0.1/24\n");
    EXPECT_TRUE(
        advises("add \"static interface_mtu=1500\" to its section there, then: dhcpcd -n ib0"))
        << err();
    accepted_beside("networkd", "etc/dhcpcd.conf", "interface eth0\n# interface ib0\n");
    accepted_beside("nm", "var/lib/vdsm/persistence/netconf/nets/storage", R"({"nic": "eth0"})");
}

TEST_F(OtherProfiles, of_managers_that_run_beside_the_chosen_one_count) {
    write_file(root / "etc/systemd/network/50-x.network", "[Match]\nType=infiniband\n");
    runs("NetworkManager.service");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--dry-run"}), 0) << err();
    runs("systemd-networkd.service");
    refused("nm", "etc/systemd/network/50-x.network");
    fs::remove(root / "etc/systemd/network/50-x.network");
    runs("NetworkManager.service");
    write_file(root / "etc/NetworkManager/system-connections/x", "[connection]\ntype=infiniband\n");
    refused("networkd", "etc/NetworkManager/system-connections/x");
    runs("systemd-networkd.service");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--dry-run"}), 0) << err();
}

TEST_F(OtherProfiles, are_no_obstacle_where_nothing_is_written) {
    write_file(root / "etc/systemd/network/50-x.network", "[Match]\nName=ib*\n");
    runs("systemd-networkd.service");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 78);
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--no-persist"}), 0) << err();
}

TEST_F(OtherProfiles, of_a_parent_have_to_name_its_child_under_networkd) {
    write_file(root / "etc/systemd/network/50-x.network", "[Match]\nName=ib0\n");
    runs("systemd-networkd.service");
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "0x8001"}), 78);
    EXPECT_TRUE(advises("has to name its child")) << err();
}

} // namespace
} // namespace causeway
