// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor_host.h"

#include "nfs/server.h"
#include "nfs/transport.h"

#include <filesystem>

namespace causeway {

namespace fs = std::filesystem;

void SoundHost::SetUp() {
    modules_and_log();
    devices();
    services();
    disks();
    nfs();
}

void SoundHost::modules_and_log() {
    value("/proc/sys/kernel/osrelease", "6.1.0-18-amd64");
    modinfo("6.1.0-18-amd64", "DKMS module signing key");
    value("/proc/keys", "2a3b I------ 1 perm 1f030000 0 0 asymmetri DKMS module signing key: X509");
    modules.there = {"causeway",  "causeway_disk", "causeway_target", "causeway_rpcrdma",
                     "ib_uverbs", "rdma_ucm",      "ib_umad",         "ib_ipoib"};
    secure_boot();
    log("causeway: storage1/scratch: live over rdma, 2 queues");
    value("/proc/self/limits", "Limit                     Soft Limit           Hard Limit\n"
                               "Max locked memory         8388608              8388608    bytes");
    write_file(root / "etc/security/limits.d/rdma.conf", "@rdma - memlock unlimited\n");
    value("/proc/net/netlink", "sk               Eth Pid        Groups   Rmem\n"
                               "00000000f42a0d10 0   1          800405d5 0\n"
                               "0000000056f3c2b1 20  0          00000000 0");
    write_file(root / "etc/beegfs/beegfs-client.conf", "connUseRDMA = true\n");
    write_file(root / "opt/beegfs/lib/libbeegfs_ib.so", "");
}

void SoundHost::port(const std::string &device, const std::string &state, const std::string &phys,
                     const std::string &rate, const std::string &layer) {
    const std::string folder = "/sys/class/infiniband/" + device + "/ports/1/";
    value(folder + "state", state);
    value(folder + "phys_state", phys);
    value(folder + "rate", rate);
    value(folder + "link_layer", layer);
    value(folder + "lid", layer == "InfiniBand" ? "0x4" : "0x0");
    value(folder + "sm_lid", layer == "InfiniBand" ? "0x1" : "0x0");
    value(folder + "pkeys/0", "0xffff");
    value(folder + "counters/symbol_error", "0");
    value(folder + "counters/link_error_recovery", "1");
}

void SoundHost::addresses(const std::string &eth0, const std::string &eth1, unsigned int mtu) {
    const auto one = [&](const std::string &name, const std::string &address) {
        return R"({"ifname":")" + name + R"(","flags":["BROADCAST","UP"],"mtu":)" +
               std::to_string(mtu) + R"(,"addr_info":[)" +
               (address.empty() ? ""
                                : R"({"family":"inet","local":")" + address +
                                      R"(","prefixlen":24,"scope":"global"})") +
               "]}";
    };
    says("ip -json address", "[" + one("eth0", eth0) + "," + one("eth1", eth1) +
                                 R"(,{"ifname":"ib0","flags":["UP"],"mtu":65520,"addr_info":[]}])");
}

void SoundHost::ib0(const std::string &mode, const std::string &mtu, const std::string &first) {
    const std::string folder = "/sys/class/net/ib0/";
    value(folder + "type", "32");
    value(folder + "address", first + ":00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34");
    value(folder + "flags", "0x1003");
    value(folder + "mode", mode);
    value(folder + "mtu", mtu);
    value(folder + "pkey", "0xffff");
}

void SoundHost::ib1(const std::string &mode, const std::string &mtu) {
    const std::string from = "/sys/class/net/ib0/";
    for (const std::string name : {"type", "address", "flags", "pkey"}) {
        files.content["/sys/class/net/ib1/" + name] = files.content[from + name];
    }
    value("/sys/class/net/ib1/mode", mode);
    value("/sys/class/net/ib1/mtu", mtu);
}

void SoundHost::devices() {
    const std::string infiniband_class = "/sys/class/infiniband/";
    value(infiniband("node_type"), "1: CA");
    value(infiniband("node_guid"), "0002:c903:0010:1233");
    value(infiniband("fw_ver"), "2.42.5000");
    value(infiniband("hca_type"), "MT4099");
    value(infiniband("device/uevent"),
          "DRIVER=mlx4_core\nPCI_ID=15B3:1003\nPCI_SLOT_NAME=0000:03:00.0");
    value(infiniband("device/revision"), "0x00");
    value(infiniband("device/current_link_speed"), "8.0 GT/s PCIe");
    value(infiniband("device/max_link_speed"), "8.0 GT/s PCIe");
    value(infiniband("device/current_link_width"), "8");
    value(infiniband("device/max_link_width"), "8");
    port("mlx4_0", "4: ACTIVE", "5: LinkUp", "56 Gb/sec (4X FDR)", "InfiniBand");
    ib0("connected", "65520");

    const std::string roce = infiniband_class + "mlx5_0/";
    value(roce + "node_type", "1: CA");
    value(roce + "node_guid", "b8ce:f603:0012:3456");
    value(roce + "fw_ver", "16.35.2000");
    value(roce + "hca_type", "MT4119");
    value(roce + "device/uevent", "DRIVER=mlx5_core\nPCI_ID=15B3:1017\nPCI_SLOT_NAME=0000:05:00.0");
    port("mlx5_0", "4: ACTIVE", "5: LinkUp", "100 Gb/sec (4X EDR)", "Ethernet");
    value(roce + "ports/1/gids/0", "0000:0000:0000:0000:0000:ffff:0a01:0005");
    value(roce + "ports/1/gid_attrs/types/0", "RoCE v2");
    value(roce + "ports/1/gid_attrs/ndevs/0", "eth1");
    value("/sys/class/net/eth1/type", "1");
    value("/sys/class/net/eth0/type", "1");
    value("/sys/class/net/eth0/address", "52:54:00:00:00:01");
    says("dcb pfc show dev eth1", "prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off");
    EXPECT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    addresses("10.0.0.5", "10.1.0.5");
}

void SoundHost::services() {
    fs::create_directories(root / "run/systemd/system");
    says("systemctl is-enabled", "enabled");
    says("systemctl is-active", "active");
    says("systemctl is-failed", "active");
    says("systemctl show --property=LimitMEMLOCK", "infinity");
    write_file(root / "lib/systemd/system/slurmd.service", "");
    write_file(root / "etc/systemd/system/causeway-soft@eth0.service",
               "# Written by \"causeway soft add\"; \"causeway undo\" takes it back.\n"
               "ExecStart=/usr/sbin/causeway soft add rxe eth0 --name rxe0 --at-boot\n");
    write_file(root / "etc/opensm/partitions.conf",
               "# all of it\nDefault=0x7fff, ipoib, rate=7 : ALL=full ;\n");
    // The policy is drop; accepted are established connections, "lo", some ports, and a rule of
    // "firewall open".
    says("nft -j list ruleset",
         R"({"nftables":[{"chain":{"family":"inet","table":"filter","name":"input",)"
         R"("type":"filter","hook":"input","prio":0,"policy":"drop"}},)"
         R"({"rule":{"family":"inet","table":"filter","chain":"input","handle":2,"expr":[)"
         R"({"match":{"op":"in","left":{"ct":{"key":"state"}},"right":["established","related"]}},)"
         R"({"accept":null}]}},)"
         R"({"rule":{"family":"inet","table":"filter","chain":"input","handle":3,"expr":[)"
         R"({"match":{"op":"==","left":{"meta":{"key":"iifname"}},"right":"lo"}},)"
         R"({"accept":null}]}},)"
         R"({"rule":{"family":"inet","table":"filter","chain":"input","handle":4,"expr":[)"
         R"({"match":{"op":"==","left":{"payload":{"protocol":"tcp","field":"dport"}},)"
         R"("right":{"set":[22,4793,{"range":[20000,20100]}]}}},{"accept":null}]}},)"
         R"({"rule":{"family":"inet","table":"filter","chain":"input","handle":5,)"
         R"("comment":"causeway:4791/udp","expr":[)"
         R"({"match":{"op":"==","left":{"payload":{"protocol":"udp","field":"dport"}},)"
         R"("right":4791}},{"accept":null}]}}]})");
}

void SoundHost::disks() {
    write_file(root / "disk", std::string(1 << 20, '\0'));
    EXPECT_EQ(run({"export", "add", "scratch", "--file", root / "disk", "--allow", "10.0.0.0/24"}),
              0)
        << err();
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0) << err();
    SessionInfo live;
    live.role = CW_ROLE_CLIENT;
    live.server = "storage1";
    live.name = "scratch";
    live.peer = address_of("10.1.0.1");
    live.local = address_of("10.1.0.5");
    live.state = CW_STATE_LIVE;
    live.transport = CW_TRANSPORT_RDMA;
    live.device = "mlx5_0";
    kernel.running_sessions.push_back(live);
}

void SoundHost::nfs() {
    write_file(root / "etc/modprobe.d/causeway-nfs.conf", transport_dropin_text());
    write_file(root / "etc/nfs.conf.d/causeway.conf", nfs_conf_text(20049));
    value("/proc/fs/nfsd/threads", "8");
    value("/proc/fs/nfsd/portlist", "rdma 20049\ntcp 2049");
    processes.add_mount("storage1:/srv", "/mnt", "rw,vers=4.2,proto=rdma,port=20049,addr=10.1.0.1");
    kernel.running_nfs.push_back(nfs_client(CW_STATE_LIVE));
}

NfsConnection SoundHost::nfs_client(std::uint8_t state) {
    NfsConnection connection;
    connection.role = CW_ROLE_CLIENT;
    connection.server = "storage1";
    connection.peer = address_of("10.1.0.1", 20049);
    connection.local = address_of("10.1.0.5", 0);
    connection.state = state;
    connection.transport = CW_TRANSPORT_RDMA;
    connection.attempts = 3;
    return connection;
}

} // namespace causeway
