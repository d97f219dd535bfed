// SPDX-License-Identifier: GPL-2.0-or-later
// Tests each finding of doctor: a change that makes it appear on a host in memory, and its absence
// on a host without problems. A finding without a case here fails the test.
#include "command/verb.h"
#include "doctor/fix.h"
#include "doctor/gather.h"
#include "doctor/kernel_log.h"
#include "doctor/report.h"
#include "doctor_host.h"
#include "nfs/record.h"

#include <algorithm>
#include <cerrno>
#include <set>

namespace causeway {
namespace {

namespace fs = std::filesystem;

using Cases = std::map<std::string_view, std::function<void()>>;

class DoctorFinds : public SoundHost, public testing::WithParamInterface<std::string_view> {
  protected:
    Cases cases() {
        Cases all = module_cases();
        for (Cases more : {port_cases(), ipoib_cases(), roce_cases(), network_cases(), disk_cases(),
                           service_cases(), nfs_cases(), log_cases()}) {
            all.merge(more);
        }
        return all;
    }

    std::vector<std::string> found() {
        std::vector<std::string> ids;
        const auto told = json({"doctor"});
        for (const auto &each : told["findings"]) {
            ids.push_back(each["id"]);
        }
        return ids;
    }

    void adapter(const std::string &driver) {
        value("/sys/bus/pci/devices/0000:81:00.0/uevent",
              driver + "PCI_CLASS=20700\nPCI_ID=15B3:1017\nPCI_SLOT_NAME=0000:81:00.0");
    }

    void no_module() {
        modules.there.clear();
        says("modinfo causeway", "", 1);
    }

    void lift_in_tree() {
        modules.there.erase("causeway_rpcrdma");
        modules.there.insert("rpcrdma");
        files.content.erase("/proc/fs/nfsd/portlist");
        files.content.erase("/proc/self/mountinfo");
    }

    void no_rdma() {
        for (auto it = files.content.begin(); it != files.content.end();) {
            it = it->first.rfind("/sys/class/infiniband/", 0) == 0 ? files.content.erase(it)
                                                                   : std::next(it);
        }
        fs::remove(root / "etc/systemd/system/causeway-soft@eth0.service");
    }

    Cases module_cases() {
        return {
            {"module-missing", [&] { no_module(); }},
            {"module-of-other-kernel",
             [&] { modinfo("6.1.0-17-amd64", "DKMS module signing key"); }},
            {"module-symbols",
             [&] { log("causeway_disk: disagrees about version of symbol rdma_create_qp"); }},
            {"module-unsigned", [&] { modinfo("6.1.0-18-amd64", ""); }},
            {"module-key-unknown", [&] { modinfo("6.1.0-18-amd64", "Somebody's key"); }},
            {"module-key-refused", [&] { log("Loading of unsigned module is rejected"); }},
            {"nfs-transport-not-chosen-one", [&] { lift_in_tree(); }},
            {"nfs-transport-not-there", [&] { no_module(); }},
            {"verbs-modules-not-loaded", [&] { modules.there.erase("rdma_ucm"); }},
            {"umad-not-loaded", [&] { modules.there.erase("ib_umad"); }},
            {"ipoib-not-loaded", [&] { modules.there.erase("ib_ipoib"); }},
        };
    }

    Cases port_cases() {
        const std::string fdr = "56 Gb/sec (4X FDR)";
        const auto infiniband_port = [this, fdr](const std::string &state,
                                                 const std::string &phys) {
            port("mlx4_0", state, phys, fdr, "InfiniBand");
        };
        return {
            {"no-rdma-device", [&] { no_rdma(); }},
            {"port-without-subnet-manager", [=, this] { infiniband_port("2: INIT", "5: LinkUp"); }},
            {"port-polling", [=, this] { infiniband_port("1: DOWN", "2: Polling"); }},
            {"port-disabled", [=, this] { infiniband_port("1: DOWN", "3: Disabled"); }},
            {"port-netdev-down",
             [&] {
                 port("mlx5_0", "1: DOWN", "3: Disabled", "40 Gb/sec (4X QDR)", "Ethernet");
                 says("ip -json address",
                      R"([{"ifname":"eth1","flags":[],"mtu":9000,"addr_info":[]}])");
             }},
            {"port-link-errors",
             [&] { value(infiniband("ports/1/counters/symbol_error"), "65535"); }},
            {"port-one-lane", [&] { value(infiniband("ports/1/rate"), "14 Gb/sec (1X FDR)"); }},
            {"port-slow", [&] { value(infiniband("ports/1/rate"), "10 Gb/sec (4X SDR)"); }},
            {"pci-slot-slow", [&] { value(infiniband("device/current_link_width"), "4"); }},
            {"firmware-old",
             [&] {
                 write_file(root / "usr/share/causeway/firmware.conf", "type:MT4099 2.42.5000\n");
                 value(infiniband("fw_ver"), "2.30.8000");
             }},
            {"firmware-table-broken",
             [&] { write_file(root / "etc/causeway/firmware.d/own.conf", "MT4099 2.42.5000\n"); }},
            {"adapter-without-driver", [&] { adapter(""); }},
            {"adapter-without-rdma", [&] { adapter("DRIVER=mlx5_core\n"); }},
        };
    }

    void neighbour_of_ib0() {
        says("ip -json neigh show dev ib0",
             R"([{"dst":"10.2.0.7","lladdr":"80:00:00:49","state":["REACHABLE"]}])");
    }

    Cases ipoib_cases() {
        return {
            {"ipoib-mixed-modes", [&] { ib1("datagram", "2044"); }},
            {"ipoib-mtu-small", [&] { ib0("connected", "2044"); }},
            {"ipoib-mtu-above-switch", [&] { ib0("datagram", "4092"); }},
            {"ipoib-peer-mtu",
             [&] {
                 neighbour_of_ib0();
                 says("ping -n -c 1 -W 1 -I ib0 -M do -s 65492 10.2.0.7", "", 1);
             }},
            {"ipoib-connected-trouble",
             [&] {
                 ib0("connected", "65520");
                 value("/sys/class/net/ib0/statistics/tx_errors", "3");
             }},
            {"ipoib-cannot-connect",
             [&] {
                 ib0("datagram", "2044", "00");
                 write_file(root / "etc/NetworkManager/system-connections/ib0.nmconnection",
                            "[connection]\ninterface-name=ib0\n[infiniband]\n"
                            "transport-mode=connected\n");
             }},
            {"ipoib-name-by-queue-pair",
             [&] {
                 write_file(root / "etc/udev/rules.d/70-ib.rules",
                            "SUBSYSTEM==\"net\", ATTR{address}==\"80:00:02:08:fe:80:00:00:00:00:"
                            "00:00:00:02:c9:03:00:10:12:34\", NAME=\"storage0\"\n");
             }},
            {"ipoib-segmentation-a0",
             [&] {
                 value(infiniband("device/uevent"),
                       "DRIVER=mlx4_core\nPCI_ID=15B3:634A\nPCI_SLOT_NAME=0000:03:00.0");
                 value(infiniband("device/revision"), "0xa0");
                 value("/sys/class/net/ib0/device/vendor", "0x15b3");
                 value("/sys/class/net/ib0/device/device", "0x634a");
                 value("/sys/class/net/ib0/device/revision", "0xa0");
                 says("ethtool -k ib0", "Features for ib0:\ntcp-segmentation-offload: on");
             }},
            {"ipoib-partition-missing", [&] { value("/sys/class/net/ib0/pkey", "0x8001"); }},
            {"partitions-without-default",
             [&] { write_file(root / "etc/opensm/partitions.conf", "Lab=0x1 : ALL ;\n"); }},
            {"partition-rate-too-high",
             [&] {
                 write_file(root / "etc/opensm/partitions.conf",
                            "Default=0x7fff, ipoib, rate=10 : ALL=full ;\n");
             }},
            {"port-outside-default-partition",
             [&] {
                 value(infiniband("ports/1/pkeys/0"), "0x8001");
                 value("/sys/class/net/ib0/pkey", "0x8001");
             }},
            {"subnet-manager-not-at-boot",
             [&] { says("systemctl is-enabled opensm.service", "disabled"); }},
        };
    }

    Cases roce_cases() {
        const std::string roce = "/sys/class/infiniband/mlx5_0/ports/1/";
        return {
            {"roce-without-v2", [=, this] { value(roce + "gid_attrs/types/0", "IB/RoCE v1"); }},
            {"roce-mode-v1",
             [&] {
                 value("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode", "IB/RoCE v1");
             }},
            {"roce-without-address", [&] { addresses("10.0.0.5", ""); }},
            {"roce-without-flow-control",
             [&] {
                 says("dcb pfc show dev eth1", "prio-pfc 0:off 1:off 2:off 3:off");
                 says("ethtool -a eth1", "Pause parameters for eth1:\nRX:\t\toff\nTX:\t\toff");
             }},
            {"roce-mtu-small", [&] { addresses("10.0.0.5", "10.1.0.5", 1500); }},
            {"mtu-mismatch", [&] { says("ping -n -c 1 -W 1 -M do -s 8972 10.1.0.1", "", 1); }},
            {"soft-device-deaf",
             [&] {
                 PathTry silent;
                 silent.device = "rxe0";
                 silent.address = 1;
                 silent.route = 1;
                 paths.answers["10.0.0.5:1"] = silent;
             }},
            {"soft-device-missing", [&] { EXPECT_TRUE(rdma.remove("rxe0")); }},
            {"soft-device-until-reboot",
             [&] { fs::remove(root / "etc/systemd/system/causeway-soft@eth0.service"); }},
            {"soft-device-beside-hardware", [&] { EXPECT_TRUE(rdma.add("rxe", "rxe1", "eth1")); }},
        };
    }

    Cases network_cases() {
        return {
            {"rp-filter-strict",
             [&] {
                 addresses("10.0.0.5", "10.0.0.6");
                 value("/proc/sys/net/ipv4/conf/all/rp_filter", "0");
                 value("/proc/sys/net/ipv4/conf/eth0/rp_filter", "1");
             }},
            {"arp-for-others",
             [&] {
                 addresses("10.0.0.5", "10.0.0.6");
                 for (const std::string name : {"eth0", "eth1"}) {
                     value("/proc/sys/net/ipv4/conf/" + name + "/arp_ignore", "0");
                 }
             }},
            {"firewall-closed",
             [&] {
                 says("nft -j list ruleset",
                      R"({"nftables":[{"chain":{"family":"inet","table":"filter","name":"input",)"
                      R"("type":"filter","hook":"input","prio":0,"policy":"drop"}}]})");
             }},
            {"ibacm-stalls-queries",
             [&] {
                 value("/proc/net/netlink",
                       "sk Eth Pid Groups\n0000000056f3c2b1 20 812 00000004 0");
             }},
            {"memlock-small",
             [&] {
                 fs::remove(root / "etc/security/limits.d/rdma.conf");
                 says("getent group rdma", "rdma:x:107:alice");
             }},
            {"service-memlock-small",
             [&] { says("systemctl show --property=LimitMEMLOCK", "8388608"); }},
            {"beegfs-rdma-off",
             [&] { write_file(root / "etc/beegfs/beegfs-client.conf", "connUseRDMA = false\n"); }},
            {"beegfs-without-library",
             [&] { fs::remove(root / "opt/beegfs/lib/libbeegfs_ib.so"); }},
        };
    }

    Cases disk_cases() {
        return {
            {"fstab-without-netdev",
             [&] { write_file(root / "etc/fstab", "/dev/causeway0 /mnt ext4 defaults 0 2\n"); }},
            {"fstab-without-nofail",
             [&] { write_file(root / "etc/fstab", "/dev/causeway0 /mnt ext4 _netdev 0 2\n"); }},
            {"export-backend-gone", [&] { fs::remove(root / "disk"); }},
            {"export-not-running", [&] { kernel.running_exports.clear(); }},
            {"ledger-unusable",
             [&] {
                 kernel.running_exports.clear();
                 for (const auto &entry :
                      fs::directory_iterator(root / "var/lib/causeway/owners")) {
                     write_file(entry.path(), "torn");
                 }
             }},
            {"ledger-outdated", [&] { kernel.running_exports.at(0).outdated = true; }},
            {"ledger-unwritable",
             [&] {
                 kernel.running_exports.at(0).reason = "the ledger cannot be written (error 28)";
             }},
            {"ledger-nearly-full",
             [&] {
                 kernel.running_exports.at(0).hosts = 922;
                 kernel.running_exports.at(0).hosts_max = 1024;
             }},
            {"export-open-to-all",
             [&] {
                 write_file(root / "etc/causeway/exports.d/open.conf", "[export]\nram = 1M\n");
             }},
            {"attachment-not-running", [&] { kernel.running_attachments.clear(); }},
            {"server-name-unknown",
             [&] {
                 kernel.running_attachments.clear();
                 resolver.names.clear();
             }},
            {"attachment-retrying",
             [&] {
                 session().state = CW_STATE_HELD;
                 session().reason = "connection refused";
             }},
            {"disk-path-down",
             [&] {
                 DiskPath live;
                 live.state = CW_DISK_PATH_LIVE;
                 live.reason = "lost before"; // a live path keeps the reason of its last loss
                 DiskPath down;
                 down.number = 1;
                 down.peer = address_of("10.1.0.1", 5000);
                 down.state = CW_DISK_PATH_DOWN;
                 down.reason = "no answer";
                 session().paths = {live, down};
             }},
            {"attachment-other-disk", [&] { session().state = CW_STATE_REFUSED; }},
            {"attachment-revoked",
             [&] {
                 AttachmentInfo &disk = kernel.running_attachments.front();
                 disk.state = CW_STATE_REVOKED;
                 disk.refusal = CW_FINAL_SUPERSEDED;
             }},
            {"disk-lost-writes", [&] { kernel.running_attachments.front().loss = true; }},
            {"disk-without-link", [&] { links.udev = false; }},
        };
    }

    Cases service_cases() {
        return {
            {"configuration-broken",
             [&] { write_file(export_file("odd"), "[export\nname = odd\n"); }},
            {"key-unusable",
             [&] {
                 write_file(root / "key", "a secret of its own", 0600);
                 EXPECT_EQ(
                     run({"export", "add", "locked", "--ram", "1M", "--key-file", root / "key"}), 0)
                     << err();
                 fs::permissions(root / "key", fs::perms::others_read, fs::perm_options::add);
             }},
            {"service-not-enabled",
             [&] { says("systemctl is-enabled causeway.service", "disabled"); }},
            {"service-failed", [&] { says("systemctl is-failed", "failed"); }},
            {"change-unfinished",
             [&] {
                 write_file(root / "var/lib/causeway/journal/000001.json",
                            R"({"schema":1,"number":1,"time":"2026-01-01T00:00:00Z",)"
                            R"("title":"limits set","state":"begun","changes":[]})");
             }},
        };
    }

    Cases nfs_cases() {
        return {
            {"mount-over-tcp",
             [&] {
                 files.content["/proc/self/mountinfo"].clear();
                 processes.add_mount("storage1:/srv", "/mnt",
                                     "rw,vers=4.2,proto=tcp,addr=10.1.0.1");
                 EXPECT_TRUE(keep_record(Places(root.path()),
                                         {"storage1:/srv", "/mnt", "rdma", "connection refused"}));
             }},
            {"nfs-not-listening", [&] { value("/proc/fs/nfsd/portlist", "tcp 2049"); }},
            {"nfs-server-stopped", [&] { value("/proc/fs/nfsd/threads", "0"); }},
            {"nfs-connection-retrying",
             [&] { kernel.running_nfs = {nfs_client(CW_STATE_CONNECTING)}; }},
            {"nfs-rail-down",
             [&] {
                 NfsRail rail;
                 rail.state = CW_STATE_HELD;
                 rail.local = address_of("10.1.0.6", 0);
                 kernel.running_nfs.front().rails.push_back(rail);
             }},
            {"nfs-open-to-all",
             [&] {
                 write_file(root / "etc/exports.d/causeway-srv.exports",
                            "# Written by \"causeway nfs serve\".\n/srv *(rw,sync)\n");
             }},
        };
    }

    Cases log_cases() {
        const std::string lost = "causeway: storage1/scratch: connection lost: timed out";
        return {
            {"log-login-refused",
             [&] { log("causeway: login from 10.0.0.9:41000 refused: wrong key"); }},
            {"log-flush-failed",
             [&] {
                 log("causeway: export scratch: flushing failed, what clients wrote last may be "
                     "lost");
             }},
            {"log-no-block-device",
             [&] { log("causeway: storage1/scratch: no block device (-12)"); }},
            {"log-connections-lost",
             [this, lost] { says("dmesg", lost + "\n" + lost + "\n" + lost); }},
            {"log-no-ipv6", [&] { log("causeway: not listening on IPv6 (-97)"); }},
            {"log-nfs-name-held",
             [&] {
                 modules.there.erase("causeway_rpcrdma");
                 log("causeway_rpcrdma: the kernel's own rpcrdma module is loaded and holds the "
                     "name \"rdma\"");
             }},
        };
    }
};

bool has(const std::vector<std::string> &ids, std::string_view id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

TEST_P(DoctorFinds, on_a_host_that_has_it_and_on_no_sound_one) {
    const std::string id(GetParam());
    EXPECT_FALSE(has(found(), id)) << out();
    EXPECT_EQ(status, 0) << out();
    const Cases all = cases();
    const auto make = all.find(id);
    ASSERT_NE(make, all.end()) << "no case makes " << id;
    make->second();
    ASSERT_TRUE(has(found(), id)) << out();

    const auto told = nlohmann::json::parse(out());
    for (const auto &each : told["findings"]) {
        const std::string what = each["what"];
        const std::string fix = each["fix"];
        EXPECT_FALSE(what.empty() || what.back() == '.') << what;
        EXPECT_FALSE(fix.empty());
        EXPECT_FALSE(each["why"].get<std::string>().empty());
    }
    const std::string severity =
        std::find_if(told["findings"].begin(), told["findings"].end(), [&](const auto &each) {
            return each["id"] == id;
        })->at("severity");
    EXPECT_EQ(status == 20, has({"error"}, severity) || told["findings"][0]["severity"] == "error");
    EXPECT_NE(status, severity == "notice" ? -1 : 0);
}

// The verbs that a text recommends, with everything that may belong to them: "sm enable", "undo 3".
std::vector<std::string> told_verbs(const std::string &text) {
    constexpr std::string_view command = "causeway ";
    std::vector<std::string> told;
    for (std::size_t at = text.find(command); at != std::string::npos;
         at = text.find(command, at + 1)) {
        const bool word = at == 0 || text[at - 1] == ' ';
        const std::string rest = text.substr(at + command.size());
        // "dkms remove causeway --all" names our package.
        if (word && rest.front() != '-') {
            told.push_back(rest.substr(0, rest.find_first_of(";,")));
        }
    }
    return told;
}

bool starts_with_verb(const std::string &told) {
    const auto verbs = verb_words();
    return std::any_of(verbs.begin(), verbs.end(), [&](const std::string &verb) {
        return (told + " ").substr(0, verb.size() + 1) == verb + " ";
    });
}

// A fix by one of our verbs must name an existing verb and options that it has.
TEST_P(DoctorFinds, fixes_that_the_command_understands) {
    const Cases all = cases();
    const auto make = all.find(GetParam());
    ASSERT_NE(make, all.end());
    make->second();
    run({"doctor", "--fix", "--dry-run"});
    EXPECT_EQ(status, 0) << out() << err();
    EXPECT_EQ(out().find("is unknown"), std::string::npos) << out();
    EXPECT_EQ(out().find("see: causeway"), std::string::npos) << out();
    const auto found = json({"doctor"});
    for (const auto &each : found["findings"]) {
        for (const std::string &told : told_verbs(each["fix"])) {
            EXPECT_TRUE(starts_with_verb(told)) << told;
        }
    }
    for (const Finding &finding : all_findings()) {
        for (const std::string &told : told_verbs(std::string(finding.fix))) {
            EXPECT_TRUE(starts_with_verb(told)) << finding.id << ": " << told;
        }
    }
}

class DoctorOfTcpPort : public SoundHost {
  protected:
    // Returns what doctor says of closed ports.
    std::vector<nlohmann::json> sightings() {
        std::vector<nlohmann::json> seen;
        const auto told = json({"doctor"});
        for (const auto &each : told["findings"]) {
            if (each["id"] == "firewall-closed") {
                seen.push_back(each);
            }
        }
        return seen;
    }
};

// The rules of the sound host accept UDP 4791 and TCP 4793, and drop the rest.
TEST_F(DoctorOfTcpPort, is_needed_by_exports_with_tcp_alone) {
    EXPECT_TRUE(sightings().empty()) << out();
    EXPECT_EQ(run({"export", "add", "fast", "--ram", "1M", "--allow", "10.0.0.0/24", "--tcp"}), 0)
        << err();
    const auto seen = sightings();
    ASSERT_EQ(seen.size(), 1U) << out();
    EXPECT_EQ(seen[0]["subject"], "4794/tcp");
    EXPECT_EQ(seen[0]["what"], "nftables closes TCP port 4794: disks over TCP");
    EXPECT_EQ(seen[0]["fix"], "causeway firewall open --disks --from 10.0.0.0/24");
    EXPECT_EQ(seen[0]["severity"], "error");
}

TEST_F(DoctorOfTcpPort, may_be_opened_in_each_firewall) {
    EXPECT_EQ(run({"export", "add", "fast", "--ram", "1M", "--allow", "10.0.0.0/24", "--tcp"}), 0)
        << err();
    const std::string rule =
        R"({"rule":{"family":"inet","table":"filter","chain":"input","handle":6,"expr":[)"
        R"({"match":{"op":"==","left":{"payload":{"protocol":"tcp","field":"dport"}},)"
        R"("right":4794}},{"accept":null}]}}]})";
    std::string ruleset = processes.acts.at("nft -j list ruleset")().out;
    says("nft -j list ruleset", ruleset.replace(ruleset.rfind("]}"), 2, "," + rule));
    EXPECT_TRUE(sightings().empty()) << out();

    const std::string ufw = "Status: active\n\nTo                         Action      From\n"
                            "4791/udp                   ALLOW       Anywhere\n";
    says("ufw status", ufw);
    EXPECT_EQ(sightings().size(), 1U) << out();
    says("ufw status", ufw + "4794/tcp                   ALLOW       10.0.0.0/24\n");
    EXPECT_TRUE(sightings().empty()) << out();

    says("firewall-cmd --state", "running");
    says("firewall-cmd --get-active-zones", "public (default)\n  interfaces: eth0\n");
    says("firewall-cmd --zone=public --list-ports", "4791/udp");
    says("firewall-cmd --zone=public --list-rich-rules", "");
    says("firewall-cmd --zone=public --list-all", "public (active)\n  target: default\n");
    ASSERT_EQ(sightings().size(), 1U) << out();
    EXPECT_EQ(sightings()[0]["what"], "firewalld closes TCP port 4794: disks over TCP");
    says("firewall-cmd --zone=public --list-rich-rules",
         "rule family=\"ipv4\" source address=\"10.0.0.0/24\" port port=\"4794\" "
         "protocol=\"tcp\" accept");
    EXPECT_TRUE(sightings().empty()) << out();
}

class DoctorOfPaths : public SoundHost {
  protected:
    DoctorOfPaths() {
        live_.state = CW_DISK_PATH_LIVE;
        live_.reason = "lost before"; // a live path keeps the reason of its last loss
        other_.number = 1;
        other_.peer = address_of("10.1.0.1", 5000);
        other_.state = CW_DISK_PATH_DOWN;
    }

    // Returns what doctor says of paths.
    std::vector<nlohmann::json> sightings() {
        session().paths = {live_, other_};
        std::vector<nlohmann::json> seen;
        const auto told = json({"doctor"});
        for (const auto &each : told["findings"]) {
            if (each["id"] == "disk-path-down") {
                seen.push_back(each);
            }
        }
        return seen;
    }

    DiskPath live_;
    DiskPath other_;
};

TEST_F(DoctorOfPaths, names_the_path_that_is_down_with_its_reason) {
    other_.reason = "no answer";
    other_.error = -ETIMEDOUT;
    const auto seen = sightings();
    ASSERT_EQ(seen.size(), 1U) << out();
    EXPECT_EQ(seen[0]["what"], "path 1 of storage1/scratch to 10.1.0.1:5000 is down: no answer "
                               "(Connection timed out)");
    EXPECT_EQ(seen[0]["fix"], "see whether the server answers there: causeway ping --ip 10.1.0.1 "
                              "--port 5000; see that the port at each end has its cable and its "
                              "address");
    EXPECT_EQ(seen[0]["severity"], "warning");
    EXPECT_EQ(status, 10) << out();
    other_.state = CW_DISK_PATH_CONNECTING;
    EXPECT_EQ(sightings().size(), 1U) << out();
    other_.fencing = true;
    other_.fence_commands = 3;
    EXPECT_EQ(sightings()[0]["what"],
              "path 1 of storage1/scratch to 10.1.0.1:5000 is down: no answer (Connection timed "
              "out); its fence waits for 3 commands at the server's disk");
}

TEST_F(DoctorOfPaths, says_what_to_do_with_a_path_that_does_not_fit) {
    other_.reason = "this path is granted less than the disk has";
    other_.error = -EMEDIUMTYPE;
    EXPECT_EQ(
        sightings()[0]["fix"],
        "causeway path remove storage1/scratch 1; or causeway detach storage1/scratch, attach "
        "it by this path, then add the others");
    for (const int error : {-EREMCHG, -ESTALE}) {
        other_.error = error;
        EXPECT_EQ(sightings()[0]["fix"],
                  "see whether 10.1.0.1 is an address of the same server; if it is not: causeway "
                  "path remove storage1/scratch 1");
    }
}

TEST_F(DoctorOfPaths, says_why_the_disk_goes_over_tcp) {
    live_.transport = CW_TRANSPORT_TCP;
    live_.carries_io = true;
    other_.transport = CW_TRANSPORT_RDMA;
    other_.reason = "no answer";
    auto seen = sightings();
    ASSERT_EQ(seen.size(), 1U) << out();
    EXPECT_EQ(seen[0]["what"], "path 1 of storage1/scratch to 10.1.0.1:5000 is down, and its I/O "
                               "goes over TCP: no answer");
    std::swap(live_.transport, other_.transport);
    seen = sightings();
    ASSERT_EQ(seen.size(), 1U) << out();
    EXPECT_EQ(seen[0]["what"], "path 1 of storage1/scratch to 10.1.0.1:5000 is down: no answer");
    EXPECT_NE(seen[0]["fix"].get<std::string>().find("TCP port 5000"), std::string::npos);
}

TEST_F(DoctorOfPaths, says_nothing_of_live_new_and_held_ones) {
    EXPECT_TRUE(sightings().empty()) << out();
    session().since = 31000000000;
    const auto seen = sightings();
    ASSERT_EQ(seen.size(), 1U) << out();
    EXPECT_NE(seen[0]["what"].get<std::string>().find("no attempt was made"), std::string::npos);
    session().state = CW_STATE_HELD; // this has a finding of its own
    EXPECT_TRUE(sightings().empty()) << out();
    session().state = CW_STATE_LIVE;
    other_.state = CW_DISK_PATH_LIVE;
    EXPECT_TRUE(sightings().empty()) << out();
}

TEST_F(DoctorOfPaths, asks_the_server_by_the_address_of_one) {
    session().state = CW_STATE_HELD;
    session().peer = address_of("10.1.0.1", 5000);
    EXPECT_TRUE(sightings().empty());
    EXPECT_NE(out().find("causeway discover 10.1.0.1:5000\""), std::string::npos) << out();
    session().paths.clear();
    EXPECT_EQ(run({"doctor", "--json"}), 20);
    EXPECT_NE(out().find("causeway discover storage1\""), std::string::npos) << out();
}

TEST_F(DoctorOfPaths, looks_up_their_names_and_not_that_of_the_server) {
    write_file(attachment_file("nameless:scratch"),
               "[attachment]\nserver = nameless\nname = scratch\npath = 10.0.0.1\n"
               "path = storage1-b\n");
    std::set<std::string> unknown;
    const auto told = json({"doctor"});
    for (const auto &each : told["findings"]) {
        if (each["id"] == "server-name-unknown") {
            unknown.insert(each["subject"].get<std::string>());
        }
        EXPECT_NE(each["id"], "attachment-not-running");
    }
    EXPECT_EQ(unknown, std::set<std::string>{"storage1-b"}) << out();
    resolver.names["storage1-b"] = {"10.1.0.1"};
    EXPECT_EQ(run({"doctor", "--json"}), 20);
    EXPECT_NE(out().find("attachment-not-running"), std::string::npos) << out();
}

class DoctorOfRevoked : public SoundHost {
  protected:
    std::pair<std::string, std::string> told(std::uint16_t refusal) {
        AttachmentInfo &disk = kernel.running_attachments.front();
        disk.state = CW_STATE_REVOKED;
        disk.refusal = refusal;
        disk.host = *Uuid::parse("0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e11");
        const auto whole = json({"doctor"});
        for (const auto &each : whole["findings"]) {
            if (each["id"] == "attachment-revoked") {
                return {each["what"], each["fix"]};
            }
        }
        return {};
    }
};

TEST_F(DoctorOfRevoked, explains_each_reason_and_its_way_out) {
    const AttachmentInfo &info = kernel.running_attachments.front();
    const std::string disk = info.server + "/" + info.name;
    const std::string again = "causeway detach " + disk + " --force; causeway attach " + disk;
    auto [what, fix] = told(CW_FINAL_EVICTED);
    EXPECT_EQ(what, disk + " is revoked (evicted): an administrator of the server evicted this "
                           "host from the export");
    EXPECT_EQ(fix, "on the server: causeway export readmit " + info.name +
                       " --host 0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e11; then here: " + again);
    std::tie(what, fix) = told(CW_FINAL_SUPERSEDED);
    EXPECT_EQ(what, disk + " is revoked (superseded): another host or a later boot of this one has "
                           "the disk, a copy of this machine runs elsewhere, or the owners were "
                           "discarded at the server");
    EXPECT_EQ(fix, again);
    std::tie(what, fix) = told(CW_FINAL_STALE);
    EXPECT_EQ(what, disk + " is revoked (stale): a newer attachment of this host has taken its "
                           "place, or a copy of this machine runs elsewhere");
    EXPECT_EQ(fix, again);
}

std::vector<std::string_view> identifiers() {
    std::vector<std::string_view> ids;
    for (const Finding &finding : all_findings()) {
        ids.push_back(finding.id);
    }
    return ids;
}

std::string parameter_name(const testing::TestParamInfo<std::string_view> &info) {
    std::string name(info.param);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Each, DoctorFinds, testing::ValuesIn(identifiers()), parameter_name);

TEST(DoctorList, has_stable_identifiers_and_says_everything) {
    std::set<std::string_view> seen;
    for (const Finding &finding : all_findings()) {
        EXPECT_TRUE(seen.insert(finding.id).second) << finding.id << " is there twice";
        EXPECT_EQ(finding.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
                  std::string_view::npos);
        EXPECT_FALSE(finding.what.empty() || finding.why.empty() || finding.fix.empty());
        EXPECT_NE(finding.what.back(), '.');
        EXPECT_EQ(finding.why.back(), '.') << finding.id;
    }
    EXPECT_GE(seen.size(), 30U);
}

TEST(DoctorPage, is_what_the_table_says) {
    EXPECT_EQ(read_file(source_tree() / "docs/DOCTOR.md"), findings_page())
        << "make it anew: causeway doctor --list --markdown > docs/DOCTOR.md";
}

// doctor would never find a message whose wording in kmod/ is different.
TEST(DoctorLog, has_the_phrases_of_the_modules) {
    std::string sources;
    for (const auto &file : fs::recursive_directory_iterator(source_tree() / "kmod")) {
        if (file.path().extension() == ".c") {
            sources += read_file(file.path());
        }
    }
    sources.erase(std::remove(sources.begin(), sources.end(), '\\'), sources.end());
    const auto phrases = LogPhrase::all();
    EXPECT_GE(phrases.size(), 7U);
    for (const LogPhrase *phrase : phrases) {
        EXPECT_NE(sources.find(phrase->text()), std::string::npos) << phrase->text();
    }
}

} // namespace
} // namespace causeway
