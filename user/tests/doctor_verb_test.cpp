// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verb doctor: its output formats, --fix, --bundle, --nagios.
#include "doctor/gather.h"
#include "doctor_host.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class Doctor : public SoundHost {};

TEST_F(Doctor, finds_nothing_on_a_sound_host) {
    EXPECT_EQ(run({"doctor"}), 0) << out() << err();
    EXPECT_EQ(out().rfind("nothing is wrong, of ", 0), 0U) << out();
    EXPECT_EQ(err(), "");
    EXPECT_EQ(run({"doctor", "--nagios"}), 0);
    EXPECT_EQ(out().rfind("CAUSEWAY OK - ", 0), 0U) << out();
}

TEST_F(Doctor, shows_problem_reason_and_fix_in_80_columns) {
    port("mlx4_0", "2: INIT", "5: LinkUp", "56 Gb/sec (4X FDR)", "InfiniBand");
    EXPECT_EQ(run({"doctor"}), 20);
    EXPECT_EQ(out(), "error: port-without-subnet-manager\n"
                     "  port 1 of mlx4_0 has a link and waits for a subnet manager\n"
                     "    causeway sm enable, on one machine of the fabric\n"
                     "  It stays in state INIT without an address (LID) until a subnet manager, a\n"
                     "  program on one machine or in a switch, sets it up.\n"
                     "\n"
                     "1 error\n");
    EXPECT_EQ(run({"doctor", "--nagios"}), 2);
    EXPECT_EQ(out(), "CAUSEWAY CRITICAL - port-without-subnet-manager | errors=1 warnings=0 "
                     "notices=0\n");
}

TEST_F(Doctor, warns_by_its_exit_status) {
    links.udev = false;
    EXPECT_EQ(run({"doctor"}), 10);
    EXPECT_NE(out().find("udev has made no link /dev/causeway/storage1/scratch"),
              std::string::npos);
    EXPECT_EQ(run({"doctor", "--nagios"}), 1);
}

TEST_F(Doctor, does_not_know_what_it_could_not_look_at) {
    says("dmesg", "", 1);
    EXPECT_EQ(run({"doctor"}), 0);
    EXPECT_NE(err().find("not looked at: the kernel's log"), std::string::npos) << err();
    EXPECT_EQ(run({"doctor", "--nagios"}), 3);
    EXPECT_EQ(out().rfind("CAUSEWAY UNKNOWN - not looked at", 0), 0U) << out();
}

TEST_F(Doctor, fixes_by_verbs_and_undoes_them) {
    says("getent group rdma", "rdma:x:107:alice");
    fs::remove(root / "etc/security/limits.d/rdma.conf");
    modules.there.erase("rdma_ucm");
    const auto journal = json({"undo", "--list"});
    EXPECT_EQ(run({"doctor", "--fix", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("+@rdma - memlock unlimited"), std::string::npos) << out();
    EXPECT_EQ(modules.there.count("rdma_ucm"), 0U);
    EXPECT_EQ(json({"undo", "--list"}), journal);

    EXPECT_EQ(run({"doctor", "--fix"}), 0) << out() << err();
    EXPECT_EQ(read_file(root / "etc/security/limits.d/causeway-memlock.conf"),
              "# Written by \"causeway limits set\"; \"causeway undo\" takes it back.\n"
              "@rdma - memlock unlimited\n");
    EXPECT_EQ(modules.there.count("rdma_ucm"), 1U);
    EXPECT_NE(out().find("nothing is wrong"), std::string::npos) << out();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(fs::exists(root / "etc/security/limits.d/causeway-memlock.conf"));
}

TEST_F(Doctor, fixes_by_changes_of_its_own_and_undoes_them) {
    addresses("10.0.0.5", "10.0.0.6");
    const std::string filter = "/proc/sys/net/ipv4/conf/eth0/rp_filter";
    value(filter, "1");
    for (const std::string name : {"eth0", "eth1"}) {
        value("/proc/sys/net/ipv4/conf/" + name + "/arp_ignore", "1");
    }
    value("/proc/net/netlink", "sk Eth Pid Groups\n0000000056f3c2b1 20 812 00000004 0");
    EXPECT_EQ(run({"doctor", "--fix", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("+net/ipv4/conf/eth0/rp_filter = 2"), std::string::npos) << out();
    EXPECT_EQ(files.content[filter], "1\n");
    run({"doctor", "--fix"});
    EXPECT_EQ(files.content[filter], "2\n");
    EXPECT_TRUE(processes.ran("systemctl mask --now ibacm.socket ibacm.service"));
    EXPECT_EQ(read_file(root / "etc/sysctl.d/90-causeway-eth0-rp_filter.conf"),
              "# Written by \"causeway doctor --fix\"; \"causeway undo\" takes it back.\n"
              "net/ipv4/conf/eth0/rp_filter = 2\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(files.content[filter], "1\n");
    EXPECT_TRUE(processes.ran("systemctl unmask ibacm.socket ibacm.service"));
    EXPECT_FALSE(fs::exists(root / "etc/sysctl.d/90-causeway-eth0-rp_filter.conf"));
}

TEST_F(Doctor, reports_a_fix_that_is_refused) {
    modules.there.erase("rdma_ucm");
    modules.missing.insert("rdma_ucm");
    run({"doctor", "--fix"});
    EXPECT_NE(out().find("causeway modules enable rdma_ucm\n  failed: "), std::string::npos)
        << out();
    const auto told = json({"doctor", "--fix"});
    EXPECT_EQ(told["fixed"][0]["done"], false);
}

// After "sm enable" has given opensm our files, opensm does not read those of its package.
TEST_F(Doctor, reads_the_partitions_that_opensm_reads) {
    write_file(root / "etc/opensm/partitions.conf", "Lab=0x1 : ALL ;\n");
    EXPECT_EQ(run({"doctor"}), 20);
    EXPECT_NE(out().find("echo 'Default=0x7fff"), std::string::npos) << out();
    write_file(root / "etc/causeway/opensm.env", "PORTS=\"0x0002c90300101234\"\n");
    write_file(root / "etc/causeway/partitions.conf",
               "Default=0x7fff, ipoib : ALL=full ;\nFast=0x2, ipoib, rate=10 : ALL=full ;\n");
    EXPECT_EQ(run({"doctor"}), 20);
    EXPECT_EQ(out().find("has no partition 0x7fff"), std::string::npos) << out();
    EXPECT_NE(out().find("causeway sm partition set 0x0002 --rate 56"), std::string::npos) << out();
    write_file(root / "etc/causeway/partitions.conf", "Default=0x7fff : ALL=full\n");
    EXPECT_EQ(run({"doctor"}), 0) << out();
    EXPECT_NE(err().find("a rule does not end with ';'"), std::string::npos) << err();
}

TEST_F(Doctor, bundles_what_is_known_without_secrets) {
    write_file(root / "key", "the secret of all", 0600);
    ASSERT_EQ(run({"export", "add", "locked", "--ram", "1M", "--key-file", root / "key"}), 0);
    std::map<std::string, std::string> parts;
    processes.acts["tar --create"] = [&] {
        const auto words = words_of_line(processes.log.back());
        for (const auto &file : fs::directory_iterator(fs::path(words[6]) / words[7])) {
            parts[file.path().filename().string()] = read_file(file.path());
        }
        return ProcessEnd{};
    };
    const std::string file = root / "report.tgz";
    EXPECT_EQ(run({"doctor", "--bundle", file}), 0) << err();
    EXPECT_EQ(mode_of(file), 0600U);
    ASSERT_EQ(parts.count("exports.d-locked.conf"), 1U);
    EXPECT_NE(parts["exports.d-locked.conf"].find("key-file = (left out)"), std::string::npos)
        << parts["exports.d-locked.conf"];
    EXPECT_NE(parts["kernel-log.txt"].find("storage1/scratch: live"), std::string::npos);
    EXPECT_NE(parts["show.json"].find("mlx4_0"), std::string::npos);
    for (const auto &[name, text] : parts) {
        EXPECT_EQ(text.find("the secret of all"), std::string::npos) << name;
        EXPECT_EQ(text.find((root / "key").string()), std::string::npos) << name;
    }
    EXPECT_EQ(run({"doctor", "--bundle", file}), 1);
    EXPECT_NE(err().find("File exists"), std::string::npos) << err();
}

TEST_F(Doctor, leaves_no_file_where_tar_fails) {
    says("tar --create", "", 2);
    EXPECT_EQ(run({"doctor", "--bundle", root / "report.tgz"}), 1);
    EXPECT_FALSE(fs::exists(root / "report.tgz"));
    processes.missing.insert("tar");
    EXPECT_EQ(run({"doctor", "--bundle", root / "report.tgz"}), 69);
}

TEST_F(Doctor, takes_one_form_at_a_time) {
    EXPECT_EQ(run({"doctor", "--fix", "--nagios"}), 64);
    EXPECT_NE(err().find("--fix and --nagios exclude each other"), std::string::npos);
    EXPECT_EQ(run({"doctor", "--dry-run"}), 64);
    EXPECT_EQ(run({"doctor", "eth0"}), 64);
}

/* ---- what is no problem ---- */

class NoProblem : public SoundHost {
  protected:
    bool finds(const std::string &id, const std::string &subject = "") {
        const auto told = json({"doctor"});
        return std::any_of(told["findings"].begin(), told["findings"].end(), [&](const auto &each) {
            return each["id"] == id && (subject.empty() || each["subject"] == subject);
        });
    }
    // The second function of the adapter of mlx5_0, on eth2, without a cable.
    void second_port() {
        const std::string folder = "/sys/class/infiniband/mlx5_1/";
        for (const std::string name : {"node_type", "node_guid", "fw_ver", "hca_type"}) {
            files.content[folder + name] = files.content["/sys/class/infiniband/mlx5_0/" + name];
        }
        value(folder + "device/uevent",
              "DRIVER=mlx5_core\nPCI_ID=15B3:1017\nPCI_SLOT_NAME=0000:05:00.1");
        port("mlx5_1", "1: DOWN", "2: Polling", "100 Gb/sec (4X EDR)", "Ethernet");
        value(folder + "ports/1/gids/0", "fe80:0000:0000:0000:0000:0000:0a01:0005");
        value(folder + "ports/1/gid_attrs/types/0", "RoCE v2");
        value(folder + "ports/1/gid_attrs/ndevs/0", "eth2");
        value("/sys/class/net/eth2/type", "1");
    }
    void eth2(const std::string &flags, const std::string &address) {
        says("ip -json address",
             R"([{"ifname":"eth0","flags":["UP"],"mtu":9000,"addr_info":[{"family":"inet",)"
             R"("local":"10.0.0.5","prefixlen":24,"scope":"global"}]},)"
             R"({"ifname":"eth1","flags":["UP"],"mtu":9000,"addr_info":[{"family":"inet",)"
             R"("local":"10.1.0.5","prefixlen":24,"scope":"global"}]},{"ifname":"eth2","flags":[)" +
                 flags + R"(],"mtu":9000,"addr_info":[)" + address + "]}]");
    }
};

TEST_F(NoProblem, is_an_unused_port_of_an_adapter_whose_other_port_works) {
    second_port();
    eth2(R"("UP")", "");
    EXPECT_FALSE(finds("port-polling")) << out();
    eth2("", "");
    EXPECT_FALSE(finds("port-netdev-down")) << out();
    // An address says that the port is to be used.
    eth2("", R"({"family":"inet","local":"10.2.0.5","prefixlen":24,"scope":"global"})");
    EXPECT_TRUE(finds("port-netdev-down", "mlx5_1/1")) << out();
    // Neither port works.
    port("mlx5_0", "1: DOWN", "2: Polling", "100 Gb/sec (4X EDR)", "Ethernet");
    EXPECT_TRUE(finds("port-polling", "mlx5_1/1")) << out();
}

TEST_F(NoProblem, is_a_port_that_an_administrator_has_disabled) {
    ASSERT_EQ(run({"port", "disable", "mlx4_0", "--force"}), 0) << err();
    port("mlx4_0", "1: DOWN", "3: Disabled", "56 Gb/sec (4X FDR)", "InfiniBand");
    EXPECT_FALSE(finds("port-disabled")) << out();
    ASSERT_EQ(run({"port", "unset", "mlx4_0"}), 0) << err();
    EXPECT_TRUE(finds("port-disabled", "mlx4_0/1")) << out();
}

TEST_F(NoProblem, is_a_virtual_function_that_does_not_know_its_speed) {
    value(infiniband("device/current_link_speed"), "Unknown");
    EXPECT_FALSE(finds("pci-slot-slow")) << out();
    value(infiniband("device/current_link_speed"), "2.5 GT/s PCIe");
    EXPECT_TRUE(finds("pci-slot-slow")) << out();
}

TEST_F(NoProblem, is_one_lost_packet_of_many) {
    ib0("connected", "65520");
    value("/sys/class/net/ib0/statistics/tx_errors", "3");
    value("/sys/class/net/ib0/statistics/tx_packets", "2000000");
    value("/sys/class/net/ib0/statistics/rx_packets", "1000000");
    EXPECT_FALSE(finds("ipoib-connected-trouble")) << out();
    value("/sys/class/net/ib0/statistics/tx_errors", "30000");
    EXPECT_TRUE(finds("ipoib-connected-trouble", "ib0")) << out();
}

TEST_F(NoProblem, is_an_export_with_a_password) {
    const auto stock = [this](const std::string &more) {
        write_file(root / "etc/causeway/stock-exports.d/s.conf",
                   "[stock-export]\nvia = iscsi\nram = 1M\ntarget = iqn.2003-01.org.example:x\n"
                   "address = 0.0.0.0\nport = 3260\nuuid = 5cbe11f0-57a4-4b0e-8c59-000000000001\n" +
                       more);
    };
    write_file(root / "etc/causeway/chap.key", "a-secret-of-many-bytes\n", 0600);
    stock("chap-user = anna\nchap-key-file = " + (root / "etc/causeway/chap.key").string() + "\n");
    EXPECT_FALSE(finds("export-open-to-all")) << out();
    EXPECT_FALSE(finds("configuration-broken")) << out();
    stock("");
    EXPECT_TRUE(finds("export-open-to-all", "s")) << out();
    EXPECT_NE(out().find("causeway export set s --initiator NAME"), std::string::npos) << out();
}

TEST_F(NoProblem, is_a_port_that_a_service_of_firewalld_opens) {
    says("firewall-cmd --state", "running");
    says("firewall-cmd --get-active-zones", "public\n  interfaces: eth0\n");
    says("firewall-cmd --get-default-zone", "public");
    EXPECT_TRUE(finds("firewall-closed", "udp/4791") || finds("firewall-closed")) << out();
    says("firewall-cmd --zone=public --list-services", "ssh causeway causeway");
    says("firewall-cmd --info-service=ssh", "ssh\n  ports: 22/tcp\n");
    says("firewall-cmd --info-service=causeway",
         "causeway\n  ports: 4793/tcp\n  protocols: \n  includes: roce\n");
    says("firewall-cmd --info-service=roce", "roce\n  ports: 4791/udp\n  includes: causeway\n");
    EXPECT_FALSE(finds("firewall-closed")) << out();
    EXPECT_EQ(processes.count("firewall-cmd --info-service=roce"), 1U);
}

TEST_F(NoProblem, does_not_hide_a_child_of_the_first_connectx) {
    value("/sys/class/net/ib0/device/vendor", "0x15b3");
    value("/sys/class/net/ib0/device/device", "0x634a");
    value("/sys/class/net/ib0/device/revision", "0xa0");
    for (const std::string name : {"type", "address", "flags", "mode", "mtu", "pkey"}) {
        files.content["/sys/class/net/ib0.8001/" + name] =
            files.content["/sys/class/net/ib0/" + name];
    }
    value("/sys/class/net/ib0.8001/parent", "ib0");
    says("ip -json address", R"([{"ifname":"ib0","flags":["UP"],"mtu":65520,"addr_info":[]},)"
                             R"({"ifname":"ib0.8001","flags":["UP"],"mtu":65520,"addr_info":[]}])");
    says("ethtool -k ib0.8001", "Features for ib0.8001:\ntcp-segmentation-offload: on");
    EXPECT_TRUE(finds("ipoib-segmentation-a0", "ib0.8001")) << out();
}

} // namespace
} // namespace causeway
