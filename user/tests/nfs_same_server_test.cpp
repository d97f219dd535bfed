// SPDX-License-Identifier: GPL-2.0-or-later
// Tests several mounts of one server: the kernel joins them to one client, and all use the
// transport of that client.
#include "doctor_host.h"
#include "fixture.h"
#include "nfs/record.h"
#include "nfs/same_server.h"

#include <fstream>
#include <unistd.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class NfsSameServer : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/sys/class/infiniband/rxe0/node_type"] = "1: CA\n";
        resolver.names["storage2"] = {"10.0.0.2"};
        for (const char *name : {"a", "b", "c"}) {
            fs::create_directories(root / name);
        }
        processes.joins = true;
    }

    std::string at(const std::string &name) const { return (root / name).string(); }
    Places places() const { return Places(root.path()); }

    // Mounts while the server refuses RDMA.
    void fell_back(const std::string &name) {
        processes.rdma_fails = "Connection refused";
        EXPECT_EQ(run({"nfs", "mount", "storage1:/" + name, at(name)}), 0) << err();
        processes.rdma_fails.clear();
    }

    std::string transport(const std::string &name) {
        const auto on = mounted_on(files, at(name));
        return on && on->nfs ? option_value(on->nfs->options, "proto") : "";
    }
};

TEST_F(NfsSameServer, is_seen_at_the_folder_that_a_link_leads_to) {
    fs::create_directory_symlink("b", root / "link");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/b", at("link"), "--require", "rdma"}), 0) << err();
    EXPECT_EQ(transport("b"), "rdma");
    EXPECT_TRUE(find_record(places(), "storage1:/b", at("b")));
}

TEST_F(NfsSameServer, that_goes_by_tcp_fails_a_mount_which_requires_rdma) {
    fell_back("a");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/b", at("b"), "--require", "rdma"}), 75);
    EXPECT_NE(err().find("cannot mount storage1:/b on " + at("b") +
                         " by RDMA: the kernel joined the mount to its client of storage1 "
                         "(10.0.0.1), which goes by TCP for " +
                         at("a")),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("remount all of them together: causeway nfs remount " + at("a")),
              std::string::npos)
        << err();
    EXPECT_EQ(transport("b"), "");
    EXPECT_FALSE(find_record(places(), "storage1:/b", at("b")));

    EXPECT_EQ(help_mount({"storage1:/b", at("b"), "-o", "require=rdma,retry=0"}), 32);
    EXPECT_EQ(transport("b"), "");
    EXPECT_EQ(transport("a"), "tcp");
}

TEST_F(NfsSameServer, that_goes_by_tcp_is_the_reason_of_others) {
    fell_back("a");
    const auto told = json({"nfs", "mount", "storage1:/b", at("b")});
    EXPECT_EQ(told["transport"], "tcp");
    EXPECT_NE(told["reason"].get<std::string>().find("which goes by TCP for " + at("a")),
              std::string::npos);
}

TEST_F(NfsSameServer, that_no_mount_shows_is_said_to_be_elsewhere) {
    processes.add_mount("storage1:/x", "/x", "rw,vers=4.1,proto=tcp,addr=10.0.0.1");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/b", at("b"), "--require", "rdma"}), 75);
    EXPECT_NE(err().find("no mount that is seen here uses that client"), std::string::npos)
        << err();
    EXPECT_EQ(transport("b"), "");
}

TEST_F(NfsSameServer, is_remounted_as_a_whole) {
    fell_back("a");
    fell_back("b");
    EXPECT_EQ(run({"nfs", "remount", at("a"), "--dry-run"}), 0);
    EXPECT_NE(out().find("-storage1:/b on " + at("b")), std::string::npos) << out();
    EXPECT_EQ(transport("b"), "tcp");
    processes.log.clear();
    const auto told = json({"nfs", "remount", at("b")});
    EXPECT_EQ(status, 0);
    ASSERT_EQ(told["mounts"].size(), 2U);
    EXPECT_EQ(told["mounts"][0]["transport"], "rdma");
    EXPECT_EQ(told["mounts"][1]["transport"], "rdma");
    EXPECT_EQ(transport("a"), "rdma");
    EXPECT_EQ(transport("b"), "rdma");
    // Both are unmounted before one is mounted again.
    ASSERT_EQ(processes.log.size(), 8U);
    EXPECT_EQ(processes.log[4], "umount " + at("b"));
    EXPECT_EQ(processes.log[5], "umount " + at("a"));
}

TEST_F(NfsSameServer, takes_along_what_others_mounted_and_no_other_server) {
    fell_back("a");
    processes.add_mount("storage1:/b", at("b"), "rw,vers=4.2,proto=tcp,addr=10.0.0.1");
    processes.add_mount("storage1:/a/sub", at("a") + "/sub", "rw,vers=4.2,proto=tcp,addr=10.0.0.1");
    processes.add_mount("storage1:/three", "/three", "rw,vers=3,proto=tcp,addr=10.0.0.1");
    processes.add_mount("storage2:/c", at("c"), "rw,vers=4.2,proto=tcp,addr=10.0.0.2");
    EXPECT_EQ(run({"nfs", "remount", at("a"), "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("-storage1:/b on " + at("b")), std::string::npos) << out();
    for (const std::string &other : {at("a") + "/sub ", std::string("/three"), at("c")}) {
        EXPECT_EQ(out().find(" on " + other), std::string::npos) << out();
    }
}

TEST_F(NfsSameServer, is_known_by_any_of_its_addresses) {
    resolver.names["other"] = {"10.0.0.9"};
    processes.addresses["other"] = "10.0.0.9";
    fell_back("a");
    EXPECT_EQ(run({"nfs", "mount", "other:/b", at("b"), "--require", "rdma"}), 75);
    EXPECT_NE(err().find("the kernel joined the mount to its client of storage1 (10.0.0.1), the "
                         "same server by another name or address, which goes by TCP for " +
                         at("a")),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"nfs", "mount", "other:/b", at("b")}), 0) << err();
    EXPECT_EQ(transport("b"), "tcp");
    EXPECT_EQ(run({"nfs", "remount", at("b")}), 0) << err();
    EXPECT_EQ(transport("a"), "rdma");
    EXPECT_EQ(transport("b"), "rdma");
}

TEST_F(NfsSameServer, keeps_the_name_that_a_shared_superblock_hides) {
    processes.rdma_fails = "Connection refused";
    resolver.names["other"] = {"10.0.0.9"};
    // The kernel shows the source of the first mount of the file system.
    processes.shows["other:/b"] = "storage1:/b";
    EXPECT_EQ(run({"nfs", "mount", "other:/b", at("b"), "-o", "port=20050"}), 0) << err();
    EXPECT_EQ(json({"nfs", "mount", "other:/b", at("b")})["changed"], false);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(json({"net"})["nfs"]["mounts"][0]["reason"], "Connection refused");
    processes.rdma_fails.clear();
    EXPECT_EQ(run({"nfs", "remount", at("b")}), 0) << err();
    EXPECT_EQ(processes.log.back(),
              "mount -t nfs -o proto=rdma,port=20050,retry=0 other:/b " + at("b"));
}

TEST_F(NfsSameServer, stays_while_the_trial_joins_a_client_of_others) {
    // This mount uses version 3, which has a client of its own. The trial uses the best version
    // that the server has.
    resolver.names["other"] = {"10.0.0.9"};
    processes.addresses["other"] = "10.0.0.9";
    processes.add_mount("storage1:/a", at("a"), "rw,vers=4.2,proto=tcp,addr=10.0.0.1");
    processes.add_mount("other:/b", at("b"), "rw,vers=3,proto=tcp,addr=10.0.0.9");
    ASSERT_TRUE(keep_record(places(), {"other:/b", at("b"), "", "Connection refused"}));
    EXPECT_EQ(run({"nfs", "remount", at("b")}), 75);
    EXPECT_NE(err().find(at("b") +
                         " stays as it is: RDMA works, but the kernel joins it to its "
                         "client of storage1 (10.0.0.1), which goes by TCP for " +
                         at("a")),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("causeway nfs remount " + at("b") + " " + at("a")), std::string::npos)
        << err();
    EXPECT_FALSE(processes.ran("umount " + at("b")));
    EXPECT_EQ(run({"nfs", "remount", at("b"), at("a")}), 0) << err();
    EXPECT_EQ(transport("b"), "rdma");
}

TEST_F(NfsSameServer, stays_while_what_is_not_seen_holds_its_client) {
    fell_back("a");
    const std::string head = "NV SERVER   PORT DEV          FSID                    FSC\n";
    const std::string own = "v4 0a000001  801 0:40         1:0                     no\n";
    files.content["/proc/fs/nfsfs/volumes"] = head + own +
                                              "v4 0a000001  801 0:41         1:0       no\n" +
                                              "v4 0a000001  801 0:99         2:0       no\n";
    EXPECT_EQ(run({"nfs", "remount", at("a")}), 75);
    EXPECT_NE(err().find("stays as it is: RDMA works, but the kernel joins it to its client of "
                         "storage1 (10.0.0.1), which goes by TCP and is held by a mount that is "
                         "not seen here too"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("--lazy"), std::string::npos) << err();
    EXPECT_FALSE(processes.ran("umount " + at("a")));
    // Clients of other servers and versions do not matter.
    processes.mounts_made = 1;
    files.content["/proc/fs/nfsfs/volumes"] = head + own +
                                              "v4 0a000001  801 0:41         1:0       no\n" +
                                              "v4 0a000002  801 0:98         1:0       no\n" +
                                              "v3 0a000001  801 0:99         1:0       no\n";
    EXPECT_EQ(run({"nfs", "remount", at("a")}), 0) << err();
    EXPECT_EQ(transport("a"), "rdma");
}

TEST_F(NfsSameServer, asks_for_the_use_of_a_mount_that_holds_others) {
    fell_back("a");
    fs::create_directories(root / "a/sub");
    // Judged by its source, the kernel could have made this mount, and would end it together with
    // the outer mount.
    EXPECT_EQ(run({"nfs", "mount", "storage1:/a/sub", at("a") + "/sub"}), 0) << err();
    const auto stays = [&](const std::string &why) {
        processes.log.clear();
        EXPECT_EQ(run({"nfs", "remount", at("a")}), 75);
        EXPECT_NE(err().find("stay as they are: " + at("a") + " is busy" + why), std::string::npos)
            << err();
        EXPECT_FALSE(processes.ran("umount " + at("a"))) << why;
    };
    files.content["/sys/class/block/loop3/loop/backing_file"] = at("a") + "/image\n";
    stays(", used by loop device loop3 of the kernel");
    files.content.erase("/sys/class/block/loop3/loop/backing_file");
    files.content["/proc/swaps"] = "Filename Type Size\n" + at("a") + "/swap file 1024 0 -2\n";
    stays(", used by swap file " + at("a") + "/swap of the kernel");
    files.content.erase("/proc/swaps");
    files.content["/proc/fs/nfsd/exports"] = "# Version 1.1\n" + at("a") + "\t*(rw)\n";
    stays(", used by export " + at("a") + " by nfsd of the kernel");
    files.content.erase("/proc/fs/nfsd/exports");
    const std::string before = files.content["/proc/self/mountinfo"];
    // The kernel made this mount when a process walked into the folder.
    processes.add_mount("storage1:/a/deep", at("a") + "/deep",
                        "rw,vers=4.2,proto=tcp,addr=10.0.0.1");
    processes.busy.insert(at("a") + "/deep");
    stays(": " + at("a") + "/deep inside is busy");
    processes.busy.clear();
    files.content["/proc/self/mountinfo"] +=
        "90 31 0:90 / " + at("a") + "/tmp rw - tmpfs tmpfs rw\n";
    stays(": " + at("a") + "/tmp is mounted inside");
    files.content["/proc/self/mountinfo"] = before;
    EXPECT_EQ(run({"nfs", "remount", at("a")}), 0) << err();
    EXPECT_EQ(transport("a"), "rdma");
}

TEST_F(NfsSameServer, stays_whole_while_one_mount_is_busy) {
    fell_back("a");
    fell_back("b");
    processes.busy.insert(at("b"));
    mount_use.open[at("b")] = {{4711, "cp"}};
    EXPECT_EQ(run({"nfs", "remount", at("a")}), 75);
    EXPECT_NE(err().find(at("a") + ", " + at("b") + " stay as they are: " + at("b") +
                         " is busy, used by cp (process 4711)"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("fuser -vm " + at("b")), std::string::npos) << err();
    EXPECT_FALSE(processes.ran("umount " + at("a")));

    // Some uses show only during unmount.
    mount_use.open.clear();
    mount_use.knows = false;
    EXPECT_EQ(run({"nfs", "remount", at("a")}), 75);
    EXPECT_EQ(transport("a"), "tcp");
    EXPECT_EQ(transport("b"), "tcp");
    processes.busy = {at("a")};
    EXPECT_EQ(run({"nfs", "remount", at("a")}), 75);
    EXPECT_TRUE(processes.ran("umount " + at("b")));
    EXPECT_EQ(transport("b"), "tcp");
    EXPECT_EQ(find_record(places(), "storage1:/b", at("b"))->reason.empty(), false);
}

TEST_F(NfsSameServer, leaves_nothing_unmounted_when_rdma_fails_half_way) {
    fell_back("a");
    fell_back("b");
    // The failure comes after the trials: the server finally refuses a mount by RDMA.
    processes.joins = false;
    processes.refuses = [&](const std::string &directory, bool by_rdma) {
        return by_rdma && directory == at("b") ? "access denied by server while mounting" : "";
    };
    const auto told = json({"nfs", "remount", at("a")});
    EXPECT_EQ(transport("a"), "rdma");
    EXPECT_EQ(transport("b"), "tcp");
    EXPECT_EQ(told["mounts"][1]["transport"], "tcp");
    EXPECT_NE(told["mounts"][1]["reason"].get<std::string>().find("access denied"),
              std::string::npos);
}

TEST_F(NfsSameServer, is_recognized_by_its_address) {
    NfsMount one;
    one.source = "storage1:/a";
    one.address = "10.0.0.1";
    one.version = "4.2";
    NfsMount other = one;
    other.source = "alias:/b";
    EXPECT_TRUE(share_client(one, other));
    other.version = "4.1";
    EXPECT_TRUE(same_server(one, other));
    EXPECT_FALSE(share_client(one, other));
    other.address = "10.0.0.2";
    EXPECT_FALSE(same_server(one, other));
    one.version = other.version = "3";
    other.address = one.address;
    EXPECT_FALSE(share_client(one, other));
    EXPECT_EQ(server_text(one), "storage1 (10.0.0.1)");
    EXPECT_EQ(users_text({{7, "cp"}, {8, "bash"}}), ", used by cp (process 7), bash (process 8)");
}

TEST(MountUse, names_the_processes_that_have_a_file_of_the_folder) {
    const TemporaryFolder root;
    fs::create_directories(root / "mnt");
    fs::create_directories(root / "mnt2");
    SystemMountUse use;
    EXPECT_TRUE(use.users((root / "mnt").string()).empty());
    std::ofstream file(root / "mnt/file");
    std::ofstream other(root / "mnt2/file");
    const auto users = use.users((root / "mnt").string());
    ASSERT_EQ(users.size(), 1U);
    EXPECT_EQ(users[0].process, ::getpid());
    EXPECT_FALSE(users[0].program.empty());
    file.close();
    EXPECT_TRUE(use.users((root / "mnt").string()).empty());
    // The folder is not a mount.
    EXPECT_FALSE(use.is_busy((root / "mnt").string()));
}

class DoctorOfNfs : public SoundHost {
  protected:
    void fell_back(const std::string &directory, const std::string &server,
                   const std::string &address) {
        processes.add_mount(server + ":/srv", directory, "rw,vers=4.2,proto=tcp,addr=" + address);
        EXPECT_TRUE(keep_record(Places(root.path()),
                                {server + ":/srv", directory, "", "connection refused"}));
    }
};

TEST_F(DoctorOfNfs, has_one_finding_for_each_server_and_says_what_blocks_it) {
    files.content["/proc/self/mountinfo"].clear();
    fell_back("/a", "storage1", "10.1.0.1");
    fell_back("/c", "storage2", "10.1.0.2");
    fell_back("/b", "storage1", "10.1.0.1");
    std::vector<std::string> fixes;
    std::vector<std::string> answers;
    const auto look = [&] {
        fixes.clear();
        answers.clear();
        const auto told = json({"doctor"});
        for (const auto &each : told["findings"]) {
            if (each["id"] == "mount-over-tcp") {
                fixes.push_back(each["fix"]);
                answers.push_back(each["what"]);
            }
        }
    };
    look();
    EXPECT_EQ(fixes,
              (std::vector<std::string>{"causeway nfs remount /a /b", "causeway nfs remount /c"}));
    mount_use.open["/b"] = {{4711, "cp"}};
    look();
    EXPECT_EQ(fixes[0], "end what uses it, then: causeway nfs remount /a /b");
    EXPECT_NE(
        answers[0].find("/a, /b of storage1 (10.1.0.1) are mounted by TCP: connection refused; "
                        "/b is busy, used by cp (process 4711)"),
        std::string::npos)
        << answers[0];
}

} // namespace
} // namespace causeway
