// SPDX-License-Identifier: GPL-2.0-or-later
// The NFS verbs, on a host in memory.
#include "base/systemd_name.h"
#include "fixture.h"
#include "nfs/record.h"
#include "nfs/server.h"
#include "nfs/transport.h"
#include "nfs/units.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class Nfs : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/sys/class/infiniband/rxe0/node_type"] = "1: CA\n";
        files.content["/proc/fs/nfsd/threads"] = "8\n";
        files.content["/proc/fs/nfsd/portlist"] = "tcp 2049\n";
        fs::create_directories(mnt());
        fs::create_directories(served());
    }

    std::string mnt() const { return (root / "mnt").string(); }
    std::string served() const { return (root / "srv").string(); }
    fs::path exports_file() const {
        return root / ("etc/exports.d/causeway-" + escaped_path(served()) + ".exports");
    }
    fs::path unit_file() const { return root / ("etc/systemd/system/" + mount_unit_name(mnt())); }
    fs::path unit_link() const {
        return root / ("etc/systemd/system/remote-fs.target.wants/" + mount_unit_name(mnt()));
    }
    fs::path dropin() const { return root / "etc/modprobe.d/causeway-nfs.conf"; }
    void boot_systemd() { fs::create_directories(root / "run/systemd/system"); }
    Places places() const { return Places(root.path()); }
};

/* ---- mount ---- */

TEST_F(Nfs, mounts_by_rdma) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "vers=4.2,ro"}), 0) << err();
    EXPECT_EQ(out(), "storage1:/srv is mounted on " + mnt() +
                         " by RDMA\ncauseway undo 1 takes this back\n");
    EXPECT_EQ(err(), "");
    EXPECT_EQ(
        processes.log,
        (std::vector<std::string>{
            "mount -t nfs -o vers=4.2,ro,proto=rdma,port=20049,retry=0 storage1:/srv " + mnt()}));
    EXPECT_TRUE(modules.loaded("rpcrdma"));
    const auto again = json({"nfs", "mount", "storage1:/srv", mnt()});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(again["changed"], false);
    EXPECT_EQ(again["transport"], "rdma");
    EXPECT_EQ(processes.log.size(), 1U);
}

TEST_F(Nfs, mounts_by_tcp_where_rdma_fails_and_says_so) {
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0) << err();
    EXPECT_EQ(out(), "storage1:/srv is mounted on " + mnt() +
                         " by TCP\ncauseway undo 1 takes this back\n");
    EXPECT_NE(err().find("goes by TCP, RDMA failed: Connection refused; when RDMA works: causeway "
                         "nfs remount " +
                         mnt()),
              std::string::npos)
        << err();
    EXPECT_EQ(processes.log.back(), "mount -t nfs -o proto=tcp,retry=0 storage1:/srv " + mnt());
    EXPECT_EQ(find_record(places(), "storage1:/srv", mnt())->reason, "Connection refused");
    const auto told = json({"nfs", "mount", "storage1:/srv", mnt()});
    EXPECT_EQ(told["transport"], "tcp");
    EXPECT_EQ(told["reason"], "Connection refused");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--require", "rdma"}), 1);
    EXPECT_NE(err().find("not by RDMA"), std::string::npos);
}

TEST_F(Nfs, believes_the_kernel_about_the_transport) {
    processes.rdma_fails = "Connection refused";
    processes.joins_rdma = true;
    const auto told = json({"nfs", "mount", "storage1:/srv", mnt()});
    EXPECT_EQ(told["transport"], "rdma");
    EXPECT_EQ(told["reason"], nullptr);
    EXPECT_FALSE(told.contains("warnings"));
}

TEST_F(Nfs, waits_for_rdma_no_longer_than_its_limit) {
    processes.rdma_hangs = true;
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-ordma-timeout=7"}), 0) << err();
    EXPECT_NE(err().find("RDMA failed: no answer within 7 s"), std::string::npos) << err();
}

TEST_F(Nfs, without_a_device_goes_by_tcp_at_once) {
    files.content.erase("/sys/class/infiniband/rxe0/node_type");
    const auto told = json({"nfs", "mount", "storage1:/srv", mnt()});
    EXPECT_EQ(told["transport"], "tcp");
    EXPECT_EQ(told["reason"], "this machine has no RDMA device");
    EXPECT_EQ(processes.log.size(), 1U);
}

TEST_F(Nfs, without_a_transport_module_goes_by_tcp) {
    modules.missing.insert("rpcrdma");
    const auto told = json({"nfs", "mount", "storage1:/srv", mnt()});
    EXPECT_EQ(told["transport"], "tcp");
    EXPECT_NE(told["reason"].get<std::string>().find("rpcrdma cannot be loaded"),
              std::string::npos);
}

TEST_F(Nfs, that_requires_rdma_refuses_tcp) {
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--require", "rdma"}), 75);
    EXPECT_NE(err().find("by RDMA: Connection refused"), std::string::npos) << err();
    EXPECT_EQ(processes.log.size(), 1U);
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "require=rdma"}), 75);
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--require", "tcp"}), 64);
}

TEST_F(Nfs, does_not_ask_twice_what_the_server_has_answered) {
    processes.rdma_fails = "access denied by server while mounting storage1:/srv";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 77);
    EXPECT_NE(err().find("access denied by server"), std::string::npos);
    EXPECT_NE(err().find("exportfs -v"), std::string::npos);
    EXPECT_EQ(processes.log.size(), 1U);
}

TEST_F(Nfs, names_both_failures) {
    processes.rdma_fails = "Connection refused";
    processes.tcp_fails = "Connection timed out";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 75);
    EXPECT_NE(err().find("Connection timed out; and by RDMA: Connection refused"),
              std::string::npos)
        << err();
    EXPECT_FALSE(find_record(places(), "storage1:/srv", mnt()));
}

TEST_F(Nfs, reaches_ipv6_servers_by_ipv6) {
    resolver.names["six"] = {"fd00::1"};
    EXPECT_EQ(run({"nfs", "mount", "six:/srv", mnt()}), 0) << err();
    EXPECT_TRUE(processes.ran("mount -t nfs -o proto=rdma6,"));
    EXPECT_EQ(run({"nfs", "mount", "nobody:/srv", (root / "srv").string()}), 69);
}

TEST_F(Nfs, takes_ipv6_alone_where_the_netid_says_so) {
    resolver.names["both"] = {"10.0.0.3", "fd00::3"};
    EXPECT_EQ(run({"nfs", "mount", "both:/srv", mnt(), "-o", "proto=rdma6"}), 0) << err();
    EXPECT_TRUE(processes.ran("mount -t nfs -o proto=rdma6,port=20049"));
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "both:/srv", mnt(), "-o", "proto=rdma6"}), 0) << err();
    EXPECT_TRUE(processes.ran("mount -t nfs -o proto=tcp6,"));
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    processes.log.clear();
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "proto=rdma6"}), 69);
    EXPECT_NE(err().find("the server storage1 has no IPv6 address, and proto=rdma6 takes no other"),
              std::string::npos)
        << err();
    EXPECT_TRUE(processes.log.empty());
}

TEST_F(Nfs, mount_says_what_is_wrong_before_it_does_anything) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", (root / "none").string()}), 69);
    EXPECT_NE(err().find("mkdir -p"), std::string::npos);
    EXPECT_EQ(run({"nfs", "mount", "storage1", mnt()}), 64);
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "proto=tcp"}), 64);
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-x"}), 64);
    processes.add_mount("other:/x", mnt(), "rw,proto=tcp");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 1);
    EXPECT_NE(err().find("other:/x is mounted on"), std::string::npos);
    processes.log.clear();
    processes.missing.insert("mount.nfs");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", served()}), 69);
    EXPECT_NE(err().find("apt install nfs-common"), std::string::npos);
    EXPECT_TRUE(processes.log.empty());
}

TEST_F(Nfs, persists_by_a_unit_of_systemd) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--persist", "-o", "ro"}), 69);
    EXPECT_NE(
        err().find("add to /etc/fstab: storage1:/srv " + mnt() + " nfs-causeway _netdev,ro 0 0"),
        std::string::npos)
        << err();
    EXPECT_TRUE(processes.log.empty());

    boot_systemd();
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--persist", "-o", "ro", "--dry-run"}),
              0);
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--persist", "-o", "ro"}), 0) << err();
    EXPECT_EQ(read_file(unit_file()), mount_unit_text("storage1:/srv", mnt(), "ro"));
    EXPECT_TRUE(processes.ran("systemctl daemon-reload"));
    EXPECT_EQ(fs::read_symlink(unit_link()), unit_file());
    const auto again = json({"nfs", "mount", "storage1:/srv", mnt(), "--persist", "-o", "ro"});
    EXPECT_EQ(again["changed"], false);
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--persist"}), 1);
    EXPECT_NE(err().find("with other settings"), std::string::npos);

    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0) << err();
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_TRUE(processes.ran("umount " + mnt()));
    EXPECT_FALSE(fs::is_symlink(unit_link()));
    EXPECT_FALSE(find_record(places(), "storage1:/srv", mnt()));
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    EXPECT_NE(out().find("nothing is mounted on"), std::string::npos);
}

TEST_F(Nfs, mounts_nothing_whose_unit_cannot_be_enabled) {
    boot_systemd();
    write_file(root / "etc/systemd/system/remote-fs.target.wants", "");
    EXPECT_NE(run({"nfs", "mount", "storage1:/srv", mnt(), "--persist"}), 0);
    EXPECT_NE(err().find("remote-fs.target.wants"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_FALSE(processes.ran("mount"));
    // What was mounted before stays.
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_NE(run({"nfs", "mount", "storage1:/srv", mnt(), "--persist"}), 0);
    EXPECT_TRUE(mounted_on(files, mnt())->nfs);
    EXPECT_FALSE(fs::exists(unit_file()));
}

TEST_F(Nfs, leaves_no_unit_of_a_mount_that_fails) {
    boot_systemd();
    processes.rdma_fails = processes.tcp_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--persist"}), 75);
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_FALSE(fs::is_symlink(unit_link()));
    EXPECT_EQ(json({"undo", "--list"})["journal"].size(), 0U);
}

TEST_F(Nfs, umount_leaves_what_is_not_its_own) {
    boot_systemd();
    processes.busy.insert(mnt());
    processes.add_mount("storage1:/srv", mnt(), "rw,proto=rdma");
    write_file(unit_file(), "[Mount]\nWhat=storage1:/srv\n");
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 75);
    EXPECT_NE(err().find("fuser -vm " + mnt()), std::string::npos);
    processes.busy.clear();
    EXPECT_EQ(run({"nfs", "umount", mnt(), "--force", "--lazy"}), 0);
    EXPECT_EQ(processes.log.back(), "umount -f -l " + mnt());
    EXPECT_TRUE(fs::exists(unit_file()));
    files.content["/proc/self/mountinfo"] = "30 22 8:1 / " + mnt() + " rw - ext4 /dev/sdb rw\n";
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 69);
    EXPECT_NE(err().find("/dev/sdb"), std::string::npos);
}

/* ---- remount ---- */

TEST_F(Nfs, remount_goes_back_to_rdma_with_the_same_options) {
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "ro,port=20050"}), 0);
    processes.log.clear();
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 75);
    EXPECT_NE(err().find(mnt() + " stays as it is: Connection refused"), std::string::npos)
        << err();
    EXPECT_FALSE(processes.ran("umount"));

    processes.rdma_fails.clear();
    processes.busy.insert(mnt());
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 75);
    EXPECT_NE(err().find("stays as it is: " + mnt() + " is busy"), std::string::npos) << err();

    processes.busy.clear();
    processes.log.clear();
    const auto told = json({"nfs", "remount", mnt()});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(told["mounts"][0]["transport"], "rdma");
    EXPECT_EQ(told["mounts"][0]["reason"], nullptr);
    const std::string by_rdma = "mount -t nfs -o ro,proto=rdma,port=20050,retry=0 storage1:/srv ";
    ASSERT_EQ(processes.log.size(), 4U);
    ASSERT_EQ(processes.log[0].find(by_rdma), 0U) << processes.log[0];
    const std::string trial = processes.log[0].substr(by_rdma.size());
    EXPECT_EQ(trial.find((root / "run/causeway/nfs/trial-").string()), 0U) << trial;
    EXPECT_EQ(processes.log, (std::vector<std::string>{by_rdma + trial, "umount " + trial,
                                                       "umount " + mnt(), by_rdma + mnt()}));
    EXPECT_FALSE(fs::exists(trial));
    EXPECT_EQ(json({"nfs", "remount", mnt()})["changed"], false);
    EXPECT_EQ(run({"nfs", "remount", served()}), 69);
}

TEST_F(Nfs, remount_leaves_no_folder_of_a_trial) {
    const auto trials = [&] {
        std::vector<std::string> names;
        for (const auto &entry : fs::directory_iterator(root / "run/causeway/nfs")) {
            const std::string name = entry.path().filename().string();
            if (name.substr(0, 5) == "trial") {
                names.push_back(name);
            }
        }
        return names;
    };
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    // Of a process that was killed, and of one that runs: process 1.
    fs::create_directories(root / "run/causeway/nfs/trial-999999999-abcdef");
    fs::create_directories(root / "run/causeway/nfs/trial-1-abcdef");
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 75);
    EXPECT_EQ(trials(), (std::vector<std::string>{"trial-1-abcdef"}));
    // mount.nfs mounted although it came too late.
    processes.rdma_fails.clear();
    processes.mounts_and_hangs = true;
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 75);
    EXPECT_TRUE(processes.ran("umount " + (root / "run/causeway/nfs/trial-").string()));
    EXPECT_EQ(trials(), (std::vector<std::string>{"trial-1-abcdef"}));
    EXPECT_EQ(files.content["/proc/self/mountinfo"].find("trial-"), std::string::npos);
}

TEST_F(Nfs, remount_does_not_take_the_options_of_a_mount_that_is_gone) {
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "ro,tcp-port=2050"}), 0);
    // By umount(8) and mount(8).
    files.content["/proc/self/mountinfo"].clear();
    processes.add_mount("storage1:/srv", mnt(), "rw,vers=4.1,proto=tcp,addr=10.0.0.1");
    processes.rdma_fails.clear();
    EXPECT_EQ(json({"net"})["nfs"]["mounts"][0]["reason"], nullptr);
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 0) << err();
    EXPECT_EQ(processes.log.back(),
              "mount -t nfs -o vers=4.1,proto=rdma,port=20049,retry=0 storage1:/srv " + mnt());
}

TEST_F(Nfs, remount_knows_options_of_mounts_that_others_made) {
    processes.add_mount("storage1:/srv", mnt(),
                        "rw,vers=4.1,rsize=65536,hard,proto=tcp,addr=10.0.0.1,clientaddr=10.0.0.2");
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 0) << err();
    EXPECT_EQ(processes.log.back(), "mount -t nfs -o vers=4.1,hard,proto=rdma,port=20049,retry=0 "
                                    "storage1:/srv " +
                                        mnt());
}

/* ---- transport ---- */

TEST_F(Nfs, transport_writes_and_removes_the_dropin) {
    EXPECT_EQ(run({"nfs", "transport"}), 0);
    EXPECT_EQ(out(), "NFS over RDMA: in-tree is chosen, no module is loaded\n");
    EXPECT_EQ(run({"nfs", "transport", "causeway", "--dry-run"}), 0);
    EXPECT_FALSE(fs::exists(dropin()));
    EXPECT_EQ(run({"nfs", "transport", "causeway"}), 0) << err();
    const std::string text = read_file(dropin());
    for (const char *alias : {"rpcrdma6", "xprtrdma", "svcrdma"}) {
        EXPECT_NE(text.find(std::string("\nalias ") + alias + " rpcrdma\n"), std::string::npos);
    }
    // In-tree rpcrdma is what is left where ours cannot be loaded.
    EXPECT_NE(text.find("\ninstall rpcrdma /sbin/modprobe -q causeway_rpcrdma || /sbin/modprobe "
                        "--ignore-install rpcrdma\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.front(), '#');
    EXPECT_EQ(json({"nfs", "transport", "causeway"})["changed"], false);
    EXPECT_EQ(json({"nfs", "transport"})["configured"], "causeway");
    EXPECT_EQ(run({"nfs", "transport", "in-tree"}), 0);
    EXPECT_FALSE(fs::exists(dropin()));
    EXPECT_EQ(run({"nfs", "transport", "in-three"}), 64);
    EXPECT_NE(err().find("did you mean in-tree?"), std::string::npos);
}

TEST_F(Nfs, transport_replaces_the_dropin_of_a_former_version) {
    const std::string former =
        "# Written by \"causeway nfs transport causeway\"; \"causeway nfs transport in-tree\" "
        "removes it.\n"
        "alias rpcrdma causeway_rpcrdma\nalias rpcrdma6 causeway_rpcrdma\n"
        "alias xprtrdma causeway_rpcrdma\nalias svcrdma causeway_rpcrdma\n";
    write_file(dropin(), former);
    EXPECT_EQ(json({"nfs", "transport"})["configured"], "causeway");
    EXPECT_EQ(json({"nfs", "transport", "causeway"})["changed"], true);
    EXPECT_EQ(read_file(dropin()), transport_dropin_text());
    write_file(dropin(), former);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(read_file(dropin()), transport_dropin_text());
    // What an administrator changed stays as it is.
    write_file(dropin(), former + "options causeway_rpcrdma slots=64\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_NE(read_file(dropin()), transport_dropin_text());
}

TEST_F(Nfs, transport_unloads_the_other_module_when_nothing_uses_it) {
    modules.there.insert("rpcrdma");
    const auto told = json({"nfs", "transport", "causeway"});
    EXPECT_FALSE(modules.loaded("rpcrdma"));
    EXPECT_EQ(told["in_effect"], true);
    EXPECT_EQ(told["loaded"], nullptr);
}

TEST_F(Nfs, transport_says_what_must_be_remounted) {
    modules.there.insert("rpcrdma");
    processes.add_mount("storage1:/srv", mnt(), "rw,proto=rdma,port=20049,addr=10.0.0.1");
    files.content["/proc/fs/nfsd/portlist"] += "rdma 20049\n";
    EXPECT_EQ(run({"nfs", "transport", "causeway"}), 0);
    EXPECT_TRUE(modules.loaded("rpcrdma"));
    EXPECT_TRUE(fs::exists(dropin()));
    EXPECT_NE(err().find("goes by the in-tree transport until its module rpcrdma is unloaded: " +
                         mnt() + " is mounted through it, and nfsd listens through it"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("systemctl stop nfs-server; causeway nfs remount " + mnt() +
                         "; systemctl start nfs-server"),
              std::string::npos)
        << err();
    EXPECT_EQ(json({"nfs", "transport"})["in_effect"], false);

    // And so it is done.
    files.content["/proc/fs/nfsd/portlist"] = "tcp 2049\n";
    modules.aliases["rpcrdma"] = "causeway_rpcrdma";
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 0) << err();
    EXPECT_FALSE(modules.loaded("rpcrdma"));
    EXPECT_TRUE(modules.loaded("causeway_rpcrdma"));
    EXPECT_TRUE(processes.ran("umount " + mnt()));
}

TEST_F(Nfs, mount_warns_when_the_other_module_carries_it) {
    write_file(dropin(), transport_dropin_text());
    modules.there.insert("rpcrdma");
    modules.busy.insert("rpcrdma");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_NE(err().find("by the in-tree transport until its module rpcrdma is unloaded"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("rmmod rpcrdma"), std::string::npos);
}

/* ---- serve ---- */

TEST_F(Nfs, serves_a_folder_and_opens_the_port) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "fd00::/64", "--read-only"}), 0)
        << err();
    EXPECT_EQ(out(), served() + " is served to 10.0.0.0/24, fd00::/64, by RDMA on port 20049\n"
                                "causeway undo 1 takes this back\n");
    EXPECT_EQ(exports_line(read_file(exports_file())),
              served() +
                  " 10.0.0.0/24(ro,sync,no_subtree_check) fd00::/64(ro,sync,no_subtree_check)");
    EXPECT_EQ(read_file(root / "etc/nfs.conf.d/causeway.conf"), nfs_conf_text(20049));
    // Exports that others made without a file stay.
    EXPECT_EQ(processes.log,
              (std::vector<std::string>{
                  "exportfs -i -o ro,sync,no_subtree_check 10.0.0.0/24:" + served(),
                  "exportfs -i -o ro,sync,no_subtree_check [fd00::]/64:" + served()}));
    EXPECT_EQ(files.content["/proc/fs/nfsd/portlist"], "tcp 2049\nrdma 20049\n");

    const auto again =
        json({"nfs", "serve", served(), "--to", "10.0.0.0/24,fd00::/64", "--read-only"});
    EXPECT_EQ(again["changed"], false);
    EXPECT_EQ(again["listening"], true);
    EXPECT_EQ(processes.log.size(), 2U);
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 1);
    EXPECT_NE(err().find("is served with other settings"), std::string::npos);
    EXPECT_NE(err().find("causeway nfs unserve " + served()), std::string::npos);
}

TEST_F(Nfs, unserve_ends_it_and_the_last_takes_the_port_along) {
    const std::string other = mnt();
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0);
    EXPECT_EQ(run({"nfs", "serve", other, "--allow", "any"}), 0);
    EXPECT_EQ(run({"nfs", "unserve", other}), 0);
    EXPECT_TRUE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_TRUE(fs::exists(exports_file()));
    EXPECT_EQ(run({"nfs", "unserve", served(), "--dry-run"}), 0);
    EXPECT_TRUE(fs::exists(exports_file()));
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0);
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_NE(err().find("systemctl restart nfs-server"), std::string::npos);
    EXPECT_EQ(processes.log.back(), "exportfs -u *:" + served());
    EXPECT_EQ(processes.count("exportfs -i -o"), 2U);
    EXPECT_EQ(processes.count("exportfs"), 4U);
    EXPECT_EQ(json({"nfs", "unserve", served()})["changed"], false);
}

TEST_F(Nfs, serve_without_the_servers_programs_says_what_to_install) {
    processes.missing.insert("exportfs");
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 69);
    EXPECT_NE(err().find("apt install nfs-kernel-server"), std::string::npos);
    EXPECT_FALSE(fs::exists(exports_file()));
}

TEST_F(Nfs, serve_starts_nfsd_or_says_how) {
    files.content.erase("/proc/fs/nfsd/threads");
    files.content.erase("/proc/fs/nfsd/portlist");
    auto told = json({"nfs", "serve", served(), "--allow", "any"});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(told["listening"], false);
    EXPECT_NE(told["warnings"][0].get<std::string>().find("rpc.nfsd 8"), std::string::npos);

    boot_systemd();
    processes.acts["systemctl enable --now nfs-server.service"] = [&] {
        files.content["/proc/fs/nfsd/threads"] = "8\n";
        files.content["/proc/fs/nfsd/portlist"] = "rdma 20049\nrdma 20049\n";
        return ProcessEnd{};
    };
    told = json({"nfs", "serve", served(), "--allow", "any"});
    EXPECT_EQ(told["listening"], true);
    EXPECT_EQ(files.content["/proc/fs/nfsd/portlist"], "rdma 20049\nrdma 20049\n");
    processes.acts["systemctl enable --now nfs-server.service"] = [] {
        return FakeProcesses::failure("Job for nfs-server.service failed.", 1);
    };
    files.content["/proc/fs/nfsd/threads"] = "0\n";
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 1);
    EXPECT_NE(err().find("nfsd cannot be started: Job for nfs-server.service failed."),
              std::string::npos);
}

TEST_F(Nfs, serve_sees_to_it_that_nfsd_starts_at_boot) {
    boot_systemd();
    processes.acts["systemctl is-enabled nfs-server.service"] = [] {
        return FakeProcesses::failure("disabled", 1);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "systemctl enable nfs-server.service");
    EXPECT_EQ(run({"nfs", "serve", mnt(), "--allow", "any"}), 0) << err();
    EXPECT_EQ(processes.count("systemctl enable"), 1U);
}

TEST_F(Nfs, serve_that_fails_leaves_nfsd_as_it_was) {
    boot_systemd();
    processes.acts["systemctl is-enabled nfs-server.service"] = [] {
        return FakeProcesses::failure("disabled", 1);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--dry-run", "--allow", "any"}), 0) << err();
    EXPECT_NE(out().find("run systemctl enable nfs-server.service\n"), std::string::npos) << out();
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Protocol not supported", "",
              EPROTONOSUPPORT};
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 69);
    EXPECT_TRUE(processes.ran("systemctl disable nfs-server.service"));
    EXPECT_EQ(processes.log.back(), "exportfs -u *:" + served());
    EXPECT_FALSE(fs::exists(exports_file()));
}

TEST_F(Nfs, serve_gives_an_identity_to_what_has_none) {
    processes.acts["exportfs"] = [&] {
        const std::string text = read_file(exports_file());
        return text.find("fsid=") != std::string::npos
                   ? ProcessEnd{}
                   : FakeProcesses::failure(
                         "exportfs: Warning: " + served() + " requires fsid= for NFS export", 0);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    const std::string text = read_file(exports_file());
    EXPECT_EQ(fsid_of_exports(text).size(), 36U);
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    EXPECT_EQ(read_file(exports_file()), text);
}

TEST_F(Nfs, serve_takes_back_what_exportfs_refuses) {
    processes.acts["exportfs"] = [&] {
        return fs::exists(exports_file())
                   ? FakeProcesses::failure(
                         "exportfs: " + served() + " does not support NFS export", 0)
                   : ProcessEnd{};
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 1);
    EXPECT_NE(err().find("does not support NFS export"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    // It does not name the path in each complaint, and has a status that is not 0 then.
    processes.acts["exportfs -i"] = [] {
        return FakeProcesses::failure("exportfs: command line:0: unknown keyword \"nonsense\"", 22);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any", "-o", "nonsense"}), 1);
    EXPECT_NE(err().find("cannot be served: command line:0: unknown keyword \"nonsense\""),
              std::string::npos)
        << err();
    EXPECT_FALSE(fs::exists(exports_file()));
}

TEST_F(Nfs, serve_tells_why_the_port_cannot_be_opened) {
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Protocol not supported", "",
              EPROTONOSUPPORT};
    write_file(dropin(), transport_dropin_text());
    EXPECT_EQ(run({"nfs", "serve", served(), "--port", "20050", "--allow", "any"}), 69);
    EXPECT_NE(err().find("nfsd cannot listen by RDMA on port 20050"), std::string::npos);
    EXPECT_NE(err().find("modprobe causeway_rpcrdma"), std::string::npos);
    // And nothing of it stays.
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_TRUE(fs::is_empty(root / "etc/exports.d"));
    EXPECT_EQ(processes.log.back().find("systemctl"), std::string::npos);
    files.refuse.clear();
    EXPECT_EQ(run({"nfs", "serve", served(), "--port", "20050", "--allow", "any"}), 0) << err();
    EXPECT_NE(out().find("by RDMA on port 20050"), std::string::npos);

    // A port that cannot be changed stays what it was.
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Address already in use", "",
              EADDRINUSE};
    EXPECT_EQ(run({"nfs", "serve", served(), "--port", "20051", "--allow", "any"}), 1);
    EXPECT_EQ(run({"nfs", "serve", served(), "--dry-run", "--allow", "any"}), 0) << err();
    EXPECT_EQ(out().find("20051"), std::string::npos) << out();
    files.refuse.clear();
    EXPECT_EQ(run({"nfs", "serve", served(), "--port", "20049", "--allow", "any"}), 0);
    EXPECT_NE(err().find("listens on port 20050 too until it is restarted"), std::string::npos);
}

TEST_F(Nfs, serve_refuses_what_cannot_be_served) {
    EXPECT_EQ(run({"nfs", "serve", (root / "none").string(), "--allow", "any"}), 69);
    write_file(root / "file", "");
    EXPECT_EQ(run({"nfs", "serve", (root / "file").string(), "--allow", "any"}), 69);
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.1/24"}), 64);
    EXPECT_NE(err().find("--to '10.0.0.1/24' has bits set"), std::string::npos);
    EXPECT_EQ(run({"nfs", "serve", served(), "-o", "rw) *(rw", "--allow", "any"}), 64);
    EXPECT_TRUE(processes.log.empty());
}

/* ---- rules ---- */

TEST_F(Nfs, rules_are_set_kept_and_brought_back) {
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2,10.1.0.2"}), 0)
        << err();
    EXPECT_EQ(out(), "mounts of servers in 10.0.0.0/24 connect from 10.0.0.2, 10.1.0.2\n"
                     "causeway undo 1 takes this back\n");
    EXPECT_TRUE(logged("rule 10.0.0.0/24"));
    EXPECT_TRUE(modules.loaded("causeway_rpcrdma"));
    const fs::path place = root / "etc/causeway/nfs-rules.d/10.0.0.0_24.conf";
    EXPECT_NE(read_file(place).find("[nfs-rule]\nnetwork = 10.0.0.0/24\nfrom = 10.0.0.2\nfrom = "
                                    "10.1.0.2\n"),
              std::string::npos);
    EXPECT_EQ(json({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2,10.1.0.2"})["changed"],
              false);
    EXPECT_EQ(json({"nfs", "rule", "list"})["rules"][0]["persistent"], true);

    kernel.running_rules.clear();
    EXPECT_EQ(run({"nfs", "rule", "list"}), 0);
    EXPECT_NE(out().find("not in force: causeway restore"), std::string::npos);
    EXPECT_EQ(run({"restore"}), 0) << err();
    ASSERT_EQ(kernel.running_rules.size(), 1U);
    EXPECT_EQ(kernel.running_rules[0].from.size(), 2U);
    EXPECT_EQ(json({"restore"})["unchanged"][0], "10.0.0.0/24");

    EXPECT_EQ(run({"nfs", "rule", "remove", "10.0.0.0/24"}), 0);
    EXPECT_FALSE(fs::exists(place));
    EXPECT_TRUE(kernel.running_rules.empty());
    EXPECT_EQ(json({"nfs", "rule", "remove", "10.0.0.0/24"})["changed"], false);
}

TEST_F(Nfs, rules_that_make_no_sense_are_refused) {
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"10.0.0.0/24"},
          {"10.0.0.0/24", "--from", "fd00::2"},
          {"10.0.0.0/24", "--from", "10.0.0.2,10.0.0.2"},
          {"10.0.0.0/24", "--from", "storage1"},
          {"10.0.0.0/24", "--from",
           "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6,"
           "10.0.0.7,10.0.0.8,10.0.0.9"},
          {"10.0.0.1/24", "--from", "10.0.0.2"}}) {
        std::vector<std::string> all = {"nfs", "rule", "add"};
        all.insert(all.end(), words.begin(), words.end());
        EXPECT_EQ(run(all), 64) << words.back();
    }
    EXPECT_TRUE(kernel.log.empty());
    write_file(root / "etc/causeway/nfs-rules.d/x.conf", "[nfs-rule]\nnetwork = 10.0.0.0/24\n");
    EXPECT_EQ(run({"restore"}), 78);
    EXPECT_NE(err().find("x.conf"), std::string::npos);
}

TEST_F(Nfs, rules_need_our_transport_and_say_so) {
    modules.there.insert("rpcrdma");
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2"}), 75);
    EXPECT_NE(err().find("the kernel's own is loaded: rpcrdma"), std::string::npos) << err();
    EXPECT_NE(err().find("causeway nfs transport causeway"), std::string::npos) << err();
    write_file(dropin(), transport_dropin_text());
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2"}), 75);
    EXPECT_NE(err().find("rmmod rpcrdma"), std::string::npos) << err();
}

/* ---- net, stat, helper ---- */

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

TEST_F(Nfs, net_tells_of_the_kernels_own_transport_too) {
    modules.there.insert("rpcrdma");
    files.content.erase("/proc/fs/nfsd/portlist");
    processes.add_mount("storage1:/srv", "/mnt/a",
                        "rw,vers=4.2,proto=rdma,port=20049,addr=10.0.0.1");
    EXPECT_EQ(run({"net"}), 0);
    EXPECT_NE(out().find("/mnt/a  RDMA  in-tree"), std::string::npos) << out();
}

TEST_F(Nfs, the_mount_helper_does_what_mount_asks) {
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-nv", "-o", "rw,vers=4.1,port=20050"}), 0)
        << err();
    EXPECT_EQ(processes.log.back(),
              "mount -t nfs -n -v -o rw,vers=4.1,proto=rdma,port=20050,retry=0 storage1:/srv " +
                  mnt());
    EXPECT_EQ(err(), "mount.nfs-causeway: storage1:/srv is mounted on " + mnt() + " by RDMA\n");
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(
        help_mount({"storage1:/srv", mnt(), "-r", "-t", "nfs-causeway", "-N", "/proc/1/ns/mnt"}),
        0);
    EXPECT_EQ(processes.log.back(),
              "mount -t nfs -N /proc/1/ns/mnt -o ro,proto=tcp,retry=0 storage1:/srv " + mnt());
    EXPECT_NE(err().find("goes by TCP, RDMA failed: Connection refused"), std::string::npos);
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-o", "require=rdma,retry=0"}), 32);
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-o", "proto=tcp"}), 1);
    EXPECT_EQ(help_mount({"storage1:/srv"}), 1);
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-o"}), 1);
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-z"}), 1);
    EXPECT_NE(err().find("-z is unknown"), std::string::npos);
}

TEST_F(Nfs, the_mount_helper_changes_nothing_where_it_is_to_fake) {
    write_file(dropin(), transport_dropin_text());
    modules.there.insert("rpcrdma");
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-f", "-o", "ro"}), 0) << err();
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-fn"}), 0) << err();
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-f", "-o", "remount,ro"}), 0) << err();
    EXPECT_TRUE(modules.loaded("rpcrdma"));
    EXPECT_TRUE(processes.log.empty());
    EXPECT_FALSE(find_record(places(), "storage1:/srv", mnt()));
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-f", "-o", "proto=tcp"}), 1);
}

TEST_F(Nfs, verbs_lead_on_from_their_start) {
    EXPECT_EQ(run({"nfs"}), 64);
    EXPECT_NE(err().find("give nfs and then serve or unserve or mount or umount or remount or "
                         "transport or rule"),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"nfs", "rule"}), 64);
    EXPECT_NE(err().find("give nfs rule and then add or remove or list"), std::string::npos)
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
