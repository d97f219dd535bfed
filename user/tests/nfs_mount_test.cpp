// SPDX-License-Identifier: GPL-2.0-or-later
// nfs mount, nfs umount, nfs remount and the mount helper, on a host in memory.
#include "nfs_host.h"

#include "nfs/mounts.h"
#include "nfs/record.h"
#include "nfs/transport.h"
#include "nfs/units.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

/* ---- mount ---- */

TEST_F(Nfs, mounts_by_rdma) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "vers=4.2,ro", "--no-persist"}), 0)
        << err();
    EXPECT_EQ(out(), "storage1:/srv is mounted on " + mnt() +
                         " by RDMA\ncauseway undo 1 takes this back\n");
    EXPECT_EQ(err(), "");
    EXPECT_EQ(
        processes.log,
        (std::vector<std::string>{
            "mount -t nfs -o vers=4.2,ro,proto=rdma,port=20049,retry=0 storage1:/srv " + mnt()}));
    EXPECT_TRUE(modules.loaded("rpcrdma"));
    const auto again = json({"nfs", "mount", "storage1:/srv", mnt(), "--no-persist"});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(again["changed"], false);
    EXPECT_EQ(again["at_boot"], nullptr);
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
    const auto told = json({"nfs", "mount", "storage1:/srv", mnt(), "--no-persist"});
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
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "xprtsec=tls"}), 64);
    EXPECT_NE(err().find("RPC-with-TLS, which encrypts TCP only"), std::string::npos) << err();
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
    boot_systemd();
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "ro", "--dry-run"}), 0);
    EXPECT_NE(out().find(unit_file().string()), std::string::npos) << out();
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "ro"}), 0) << err();
    EXPECT_EQ(err(), "");
    EXPECT_NE(out().find(mount_unit_name(mnt()) + " mounts it at boot\n"), std::string::npos);
    EXPECT_EQ(read_file(unit_file()), mount_unit_text("storage1:/srv", mnt(), "ro"));
    EXPECT_TRUE(processes.ran("systemctl daemon-reload"));
    EXPECT_EQ(fs::read_symlink(unit_link()), unit_file());
    const auto again = json({"nfs", "mount", "storage1:/srv", mnt(), "-o", "ro"});
    EXPECT_EQ(again["changed"], false);
    EXPECT_EQ(again["at_boot"], "unit");
    // Without -o the mount keeps the options that it has.
    EXPECT_EQ(json({"nfs", "mount", "storage1:/srv", mnt()})["changed"], false);
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "hard"}), 1);
    EXPECT_NE(err().find("is mounted with other options: 'ro', not 'hard'"), std::string::npos)
        << err();

    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0) << err();
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_TRUE(processes.ran("umount " + mnt()));
    EXPECT_FALSE(fs::is_symlink(unit_link()));
    EXPECT_FALSE(find_record(places(), "storage1:/srv", mnt()));
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    EXPECT_NE(out().find("nothing is mounted on"), std::string::npos);
}

TEST_F(Nfs, mounts_until_the_next_reboot_where_it_is_asked_to) {
    boot_systemd();
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--no-persist", "-o", "ro"}), 0)
        << err();
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_FALSE(processes.ran("systemctl"));
    // The same verb without the option keeps it, as it is mounted.
    const auto kept = json({"nfs", "mount", "storage1:/srv", mnt()});
    EXPECT_EQ(kept["changed"], true);
    EXPECT_EQ(kept["at_boot"], "unit");
    EXPECT_EQ(read_file(unit_file()), mount_unit_text("storage1:/srv", mnt(), "ro"));
    // And --no-persist takes nothing away.
    const auto asked = json({"nfs", "mount", "storage1:/srv", mnt(), "--no-persist"});
    EXPECT_EQ(asked["changed"], false);
    EXPECT_EQ(asked["at_boot"], "unit");
}

TEST_F(Nfs, mount_keeps_at_boot_what_others_have_mounted) {
    boot_systemd();
    processes.add_mount("storage1:/srv", mnt(),
                        "rw,vers=4.1,rsize=65536,hard,proto=rdma,port=20050,addr=10.0.0.1");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0) << err();
    EXPECT_FALSE(processes.ran("mount"));
    EXPECT_EQ(read_file(unit_file()),
              mount_unit_text("storage1:/srv", mnt(), "vers=4.1,hard,port=20050"));
}

// The options of a mount without a record are those that the kernel shows.
TEST_F(Nfs, mount_refuses_options_that_a_mount_of_others_does_not_have) {
    boot_systemd();
    processes.add_mount("storage1:/srv", mnt(),
                        "rw,vers=4.1,rsize=65536,hard,proto=rdma,port=20049,timeo=600,retrans=2,"
                        "sec=sys,addr=10.0.0.1");
    for (const std::vector<std::string> &more :
         {std::vector<std::string>{}, std::vector<std::string>{"--no-persist"}}) {
        std::vector<std::string> words = {"nfs", "mount", "storage1:/srv", mnt(), "-o", "soft"};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_EQ(run(words), 1);
        EXPECT_NE(err().find("is mounted with other options: "
                             "'vers=4.1,hard,timeo=600,retrans=2,sec=sys', not 'soft'\n"
                             "  leave out --options to keep these; or: causeway nfs umount " +
                             mnt() + ", then mount it again"),
                  std::string::npos)
            << err();
    }
    EXPECT_FALSE(fs::exists(unit_file()));
    for (const char *other : {"ro", "vers=4.2", "nfsvers=3", "timeo=50", "port=20050"}) {
        EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", other}), 1) << other;
    }
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "hard,nfsvers=4.1"}), 0) << err();
    EXPECT_EQ(read_file(unit_file()), mount_unit_text("storage1:/srv", mnt(), "hard,nfsvers=4.1"));
}

TEST_F(Nfs, mount_knows_the_option_that_is_the_default_now) {
    boot_systemd();
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--persist"}), 0) << err();
    EXPECT_NE(err().find("--persist is the default now"), std::string::npos) << err();
    EXPECT_TRUE(fs::exists(unit_file()));
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--persist", "--no-persist"}), 64);
    EXPECT_EQ(run({"help", "nfs", "mount"}), 0);
    EXPECT_EQ(out().find(" --persist"), std::string::npos) << out();
}

TEST_F(Nfs, mount_says_where_nothing_keeps_it) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "ro"}), 0) << err();
    EXPECT_NE(err().find("nothing mounts " + mnt() +
                         " after a reboot; a line for /etc/fstab: storage1:/srv " + mnt() +
                         " nfs-causeway _netdev,ro 0 0"),
              std::string::npos)
        << err();
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_EQ(json({"nfs", "mount", "storage1:/srv", mnt()})["at_boot"], nullptr);
}

TEST_F(Nfs, mount_leaves_the_boot_to_a_line_of_fstab) {
    boot_systemd();
    write_file(root / "etc/fstab",
               "# UUID=1 / ext4\n/dev/sda1 / ext4 defaults 0 1\nstorage1:/srv " + mnt() +
                   "/ nfs-causeway _netdev,ro 0 0\n");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0) << err();
    EXPECT_NE(err().find("/etc/fstab has a line for " + mnt()), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_EQ(json({"nfs", "mount", "storage1:/srv", mnt()})["at_boot"], "fstab");
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    EXPECT_NE(err().find("/etc/fstab mounts " + mnt() + " again at boot"), std::string::npos)
        << err();
}

TEST_F(Nfs, mount_overwrites_no_unit_of_others) {
    boot_systemd();
    write_file(unit_file(), "[Mount]\nWhat=storage1:/srv\n");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 1);
    EXPECT_NE(err().find("nfs mount did not write it"), std::string::npos) << err();
    EXPECT_NE(err().find("--no-persist"), std::string::npos) << err();
    EXPECT_FALSE(processes.ran("mount"));
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--no-persist"}), 0) << err();
}

// A unit whose folder is not mounted.
TEST_F(Nfs, mount_names_the_settings_of_the_unit) {
    boot_systemd();
    write_file(unit_file(), mount_unit_text("storage1:/srv", mnt(), "ro"));
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "hard"}), 1);
    EXPECT_NE(err().find("storage1:/srv with the options 'ro', not storage1:/srv with 'hard'"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("causeway nfs umount " + mnt()), std::string::npos) << err();
}

TEST_F(Nfs, mounts_nothing_whose_unit_cannot_be_enabled) {
    boot_systemd();
    write_file(root / "etc/systemd/system/remote-fs.target.wants", "");
    EXPECT_NE(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_NE(err().find("remote-fs.target.wants"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_FALSE(processes.ran("mount"));
    // An earlier mount stays.
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--no-persist"}), 0);
    EXPECT_NE(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_TRUE(mounted_on(files, mnt())->nfs);
    EXPECT_FALSE(fs::exists(unit_file()));
}

TEST_F(Nfs, leaves_no_unit_of_a_mount_that_fails) {
    boot_systemd();
    processes.rdma_fails = processes.tcp_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 75);
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

/* ---- the mount helper ---- */

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

TEST_F(Nfs, takes_no_control_characters_into_a_unit) {
    for (const auto &[source, options] :
         {std::pair<std::string, std::string>{"storage1:/srv\nExecStartPre=/bin/x", "ro"},
          {"storage1:/srv\x7f", "ro"},
          {"storage1:/srv", "ro\nType=x"},
          {"storage1:/srv", "ro\tx"}}) {
        EXPECT_EQ(run({"nfs", "mount", source, mnt(), "-o", options}), 64) << source;
        EXPECT_NE(err().find("a control character is in the "), std::string::npos) << err();
    }
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt() + "\nx"}), 64);
    EXPECT_NE(err().find("a control character is in the "), std::string::npos) << err();
    EXPECT_TRUE(processes.log.empty());
}

} // namespace
} // namespace causeway
