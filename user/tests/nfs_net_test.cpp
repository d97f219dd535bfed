// SPDX-License-Identifier: GPL-2.0-or-later
// NFS in net and stat, and the words of the NFS verbs, on a host in memory.
#include "nfs_host.h"

#include "nfs/record.h"

namespace causeway {
namespace {

TEST_F(Nfs, net_lists_connections_mounts_and_clients_of_both_ends) {
    NfsConnection client;
    client.role = CW_ROLE_CLIENT;
    client.server = "storage1";
    client.peer = address_of("10.0.0.1", 20049);
    client.state = CW_STATE_LIVE;
    client.since = 12000000000;
    client.transport = CW_TRANSPORT_RDMA;
    client.device = "rxe0";
    client.device_port = 1;
    client.queues = 2;
    client.send_inline = 16384;
    client.receive_inline = 4096;
    client.credits = 64;
    client.rails = {{CW_STATE_LIVE, address_of("10.0.0.2"), "rxe0", 1, "", {}},
                    {CW_STATE_HELD, address_of("10.1.0.2"), "rxe1", 1, "cut", {}}};
    client.counters[CW_NFS_CALLS] = 42;
    NfsConnection server;
    server.role = CW_ROLE_SERVER;
    server.peer = address_of("10.0.0.9", 4711);
    server.state = CW_STATE_CLOSING;
    kernel.running_nfs = {client, server};
    modules.there.insert("causeway_rpcrdma");
    processes.add_mount("storage1:/srv", "/mnt/a",
                        "rw,vers=4.2,proto=rdma,port=20049,addr=10.0.0.1");
    processes.add_mount("storage2:/srv", "/mnt/b", "rw,vers=3,proto=tcp,addr=10.0.0.3");
    ASSERT_TRUE(keep_record(places(), {"storage2:/srv", "/mnt/b", "", "Connection refused"}));
    files.content["/proc/self/mountstats"] =
        "device storage2:/srv mounted on /mnt/b with fstype nfs statvers=1.1\n"
        "\txprt:\ttcp 0 0 3 0 0 9 9 0\n";
    files.content["/proc/fs/nfsd/portlist"] = "rdma 20049\nrdma 20049\ntcp 2049\n";
    files.content["/proc/fs/nfsd/clients/1/info"] =
        "address: \"10.0.0.9:0\"\nname: \"Linux NFSv4.2 nine\"\nminor version: 2\n";
    files.content["/proc/fs/nfsd/clients/2/info"] =
        "address: \"10.0.0.8:800\"\nname: \"Linux NFSv4.1 eight\"\nminor version: 1\n";
    EXPECT_EQ(run({"net"}), 0) << err();
    for (const char *part :
         {"client  storage1 (10.0.0.1)", "/mnt/a  RDMA  causeway  rxe0/1", "16K/4K",
          "live for 12 s", "rail 10.1.0.2 rxe1/1: held: cut", "client  storage2 (10.0.0.3)",
          "RDMA failed: Connection refused; to try again: causeway nfs remount /mnt/b",
          "connected 3 times", "Linux NFSv4.2 nine (10.0.0.9)", "Linux NFSv4.1 eight (10.0.0.8)",
          "nfsd listens by RDMA 20049 (causeway), by TCP 2049"}) {
        EXPECT_NE(out().find(part), std::string::npos) << part << "\n" << out();
    }
    const auto told = json({"net"});
    EXPECT_EQ(told["nfs"]["connections"][0]["mounts"][0], "/mnt/a");
    EXPECT_EQ(told["nfs"]["connections"][0]["counters"]["calls"], 42);
    EXPECT_EQ(told["nfs"]["connections"][0]["rails"][1]["reason"], "cut");
    EXPECT_EQ(told["nfs"]["mounts"][0]["carrier"], "causeway");
    EXPECT_EQ(told["nfs"]["mounts"][1]["transport"], "tcp");
    EXPECT_EQ(told["nfs"]["mounts"][1]["reason"], "Connection refused");
    EXPECT_EQ(told["nfs"]["mounts"][1]["carrier"], nullptr);
    EXPECT_EQ(told["nfs"]["clients"].size(), 2U);
    EXPECT_EQ(told["nfs"]["listening"][0]["carrier"], "causeway");

    EXPECT_EQ(run({"stat"}), 0);
    EXPECT_NE(out().find("NFS connection 0 to 10.0.0.1\n  counter  value\n  calls       42\n"),
              std::string::npos)
        << out();
}

TEST_F(Nfs, net_reports_the_in_tree_transport_too) {
    modules.there.insert("rpcrdma");
    files.content.erase("/proc/fs/nfsd/portlist");
    processes.add_mount("storage1:/srv", "/mnt/a",
                        "rw,vers=4.2,proto=rdma,port=20049,addr=10.0.0.1");
    EXPECT_EQ(run({"net"}), 0);
    EXPECT_NE(out().find("/mnt/a  RDMA  in-tree"), std::string::npos) << out();
}

TEST_F(Nfs, verbs_lead_on_from_their_start) {
    EXPECT_EQ(run({"nfs"}), 64);
    EXPECT_NE(
        err().find("give nfs and then serve or unserve or set or mount or umount or remount or "
                   "transport or rule"),
        std::string::npos)
        << err();
    EXPECT_EQ(run({"nfs", "rule"}), 64);
    EXPECT_NE(err().find("give nfs rule and then add or set or remove or list"), std::string::npos)
        << err();
    EXPECT_EQ(run({"nfs", "monut", "a:/b", "/c"}), 64);
    EXPECT_NE(err().find("did you mean: causeway nfs mount"), std::string::npos) << err();
    EXPECT_EQ(run({"help", "nfs", "rule", "add"}), 0);
    EXPECT_NE(out().find("--from ADDRESS..."), std::string::npos);
    EXPECT_EQ(run({"nfs", "mount", "--help"}), 0);
    EXPECT_NE(out().find("-o, --options OPTIONS"), std::string::npos) << out();
}

} // namespace
} // namespace causeway
