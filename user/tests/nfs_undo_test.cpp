// SPDX-License-Identifier: GPL-2.0-or-later
// The NFS verbs show their changes, and undo takes the changes back.
#include "nfs_undo_host.h"

#include "nfs/exportfs.h"
#include "nfs/record.h"
#include "nfs/transport.h"
#include "nfs/units.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

TEST_F(NfsUndo, unmounts_what_was_mounted) {
    boot_systemd();
    expect_as_shown({"nfs", "mount", "storage1:/srv", mnt(), "-o", "ro"});
    EXPECT_TRUE(fs::is_symlink(unit_link()));
    EXPECT_EQ(run({"undo", "--last", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("-storage1:/srv on " + mnt()), std::string::npos) << out();
    EXPECT_TRUE(mounted());
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(mounted());
    EXPECT_FALSE(find_record(places(), "storage1:/srv", mnt()));
    EXPECT_FALSE(fs::exists(unit_file()));
    EXPECT_FALSE(fs::is_symlink(unit_link()));
    EXPECT_EQ(processes.count("systemctl daemon-reload"), 2U);
    // A mount that exists is left alone, and is none of the journal.
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_EQ(json({"nfs", "mount", "storage1:/srv", mnt()})["journal"], nullptr);
}

TEST_F(NfsUndo, leaves_a_mount_that_is_busy_or_of_another_server) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    processes.busy.insert(mnt());
    mount_use.open[mnt()] = {{4711, "cp"}};
    EXPECT_EQ(run({"undo", "--last"}), 75);
    EXPECT_NE(err().find(mnt() + " is busy, used by cp (process 4711); nothing is undone"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("causeway undo 1 --force"), std::string::npos) << err();
    EXPECT_TRUE(mounted());
    EXPECT_EQ(run({"undo", "1", "--force"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "umount -l " + mnt());
    EXPECT_FALSE(mounted());

    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    files.content["/proc/self/mountinfo"].clear();
    processes.add_mount("storage2:/x", mnt(), "rw,proto=tcp");
    EXPECT_EQ(run({"undo", "--last"}), 1);
    EXPECT_NE(err().find("NFS mount on " + mnt() + " was changed since"), std::string::npos)
        << err();
    EXPECT_TRUE(mounted());
}

TEST_F(NfsUndo, mounts_again_what_was_unmounted) {
    boot_systemd();
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "ro,retry=3"}), 0);
    expect_as_shown({"nfs", "umount", mnt()});
    EXPECT_FALSE(mounted());
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(mounted());
    EXPECT_TRUE(processes.ran("mount -t nfs -o ro,proto=rdma"));
    EXPECT_EQ(find_record(places(), "storage1:/srv", mnt())->options, "ro,retry=3");
    EXPECT_EQ(read_file(unit_file()), mount_unit_text("storage1:/srv", mnt(), "ro,retry=3"));
    EXPECT_TRUE(fs::is_symlink(unit_link()));
    // A mount that others made comes back with the options that the kernel showed.
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    processes.add_mount("storage1:/srv", mnt(), "rw,vers=4.1,hard,proto=rdma,port=20050");
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "mount -t nfs -o vers=4.1,hard,proto=rdma,port=20050,retry=0 "
                                    "storage1:/srv " +
                                        mnt());
}

TEST_F(NfsUndo, says_why_a_mount_does_not_come_back) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    processes.rdma_fails = processes.tcp_fails = "Connection refused";
    EXPECT_EQ(run({"undo", "--last"}), 75);
    EXPECT_NE(err().find("cannot mount storage1:/srv on " + mnt()), std::string::npos) << err();
    processes.rdma_fails.clear();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(mounted());
}

TEST_F(NfsUndo, of_a_remount_goes_back_to_tcp) {
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    processes.rdma_fails.clear();
    expect_as_shown({"nfs", "remount", mnt()});
    EXPECT_EQ(transport(), "rdma");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(transport(), "tcp");
    EXPECT_EQ(find_record(places(), "storage1:/srv", mnt())->reason, "Connection refused");
    // A folder that was unmounted since is not mounted.
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 0);
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    EXPECT_EQ(run({"undo", "3"}), 1);
    EXPECT_NE(err().find("changed again by 4"), std::string::npos) << err();
    EXPECT_FALSE(mounted());
}

TEST_F(NfsUndo, has_no_entry_of_a_remount_to_the_chosen_module) {
    processes.add_mount("storage1:/srv", mnt(), "rw,proto=rdma,port=20049,addr=10.0.0.1");
    modules.there.insert("rpcrdma");
    EXPECT_EQ(run({"nfs", "transport", "causeway"}), 0);
    modules.aliases["rpcrdma"] = "causeway_rpcrdma";
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 0) << err();
    EXPECT_TRUE(modules.loaded("causeway_rpcrdma"));
    EXPECT_EQ(entries(), 1U);
}

TEST_F(NfsUndo, ends_what_is_served) {
    expect_as_shown({"nfs", "serve", served(), "--to", "10.0.0.0/24"});
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "exportfs -u 10.0.0.0/24:" + served());
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    // The kernel closes no port of nfsd.
    EXPECT_NE(err().find("nfsd listens by RDMA on port 20049 until it is restarted"),
              std::string::npos)
        << err();
}

TEST_F(NfsUndo, ends_what_is_served_with_an_fsid_of_ours) {
    processes.acts["exportfs -i"] = [&] {
        return read_file(exports_file()).find("fsid=") != std::string::npos
                   ? ProcessEnd{}
                   : FakeProcesses::failure(
                         "exportfs: Warning: " + served() + " requires fsid= for NFS export", 0);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24,fd00::/64"}), 0) << err();
    const std::string text = read_file(exports_file());
    EXPECT_EQ(text,
              with_fsid(exports_text({served(),
                                      {*parse_prefix("10.0.0.0/24"), *parse_prefix("fd00::/64")},
                                      false,
                                      "",
                                      ""}),
                        fsid_of_exports(text)));
    // Clients go on where the export comes back with the same fsid.
    expect_as_shown({"nfs", "unserve", served()});
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(read_file(exports_file()), text);
    EXPECT_TRUE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_FALSE(fs::exists(exports_file()));
    // A change by an administrator stays.
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    write_file(exports_file(), read_file(exports_file()) + "/second *(ro)\n");
    EXPECT_EQ(run({"undo", "--last"}), 1);
    EXPECT_TRUE(fs::exists(exports_file()));
}

TEST_F(NfsUndo, gives_back_an_export_that_no_file_has) {
    write_file(root / "var/lib/nfs/etab", served() + "\t10.0.0.0/24(ro,sync,wdelay)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "exportfs -i -o ro,sync,wdelay 10.0.0.0/24:" + served());
}

TEST_F(NfsUndo, stops_an_nfsd_that_was_off) {
    stop_nfsd();
    expect_as_shown({"nfs", "serve", served(), "--to", "10.0.0.0/24"});
    files.content["/proc/fs/nfsd/clients/1/info"] = "address: \"10.0.0.9:0\"\nminor version: 2\n";
    EXPECT_EQ(run({"undo", "--last"}), 75);
    EXPECT_NE(err().find("nfsd would be stopped and has clients: 10.0.0.9; nothing is undone"),
              std::string::npos)
        << err();
    EXPECT_TRUE(fs::exists(exports_file()));
    files.content.erase("/proc/fs/nfsd/clients/1/info");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(err(), "");
    EXPECT_TRUE(processes.ran("systemctl stop nfs-server.service"));
    EXPECT_TRUE(processes.ran("systemctl disable nfs-server.service"));
    EXPECT_FALSE(fs::exists(exports_file()));
}

TEST_F(NfsUndo, leaves_nfsd_while_another_folder_is_served) {
    stop_nfsd();
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(run({"nfs", "serve", other(), "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(run({"undo", "1"}), 0);
    EXPECT_NE(err().find("nfsd stays: " + exports_place(places(), other()).string() + " needs it"),
              std::string::npos)
        << err();
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_TRUE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_FALSE(processes.ran("systemctl stop"));
    EXPECT_FALSE(processes.ran("systemctl disable"));
}

TEST_F(NfsUndo, serve_that_fails_midway_leaves_what_was_there) {
    stop_nfsd();
    processes.acts["systemctl enable --now nfs-server.service"] = [&] {
        files.content["/proc/fs/nfsd/threads"] = "8\n";
        return ProcessEnd{};
    };
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Address already in use", "",
              EADDRINUSE};
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 1);
    EXPECT_NE(err().find("another program listens there"), std::string::npos) << err();
    EXPECT_EQ(files.content["/proc/fs/nfsd/threads"], "0\n");
    EXPECT_TRUE(processes.ran("systemctl disable nfs-server.service"));
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_EQ(entries(), 0U);
}

TEST_F(NfsUndo, gives_a_rule_its_addresses_back) {
    const fs::path place = root / "etc/causeway/nfs-rules.d/10.0.0.0_24.conf";
    expect_as_shown({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2"});
    const std::string first = read_file(place);
    expect_as_shown({"nfs", "rule", "set", "10.0.0.0/24", "--from", "10.0.0.3,10.0.0.4"});
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    ASSERT_EQ(kernel.running_rules.size(), 1U);
    EXPECT_EQ(kernel.running_rules[0].from, std::vector{address_of("10.0.0.2", 0)});
    EXPECT_EQ(read_file(place), first);
    expect_as_shown({"nfs", "rule", "remove", "10.0.0.0/24"});
    EXPECT_FALSE(fs::exists(place));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(kernel.running_rules.size(), 1U);
    EXPECT_EQ(read_file(place), first);
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_TRUE(kernel.running_rules.empty());
    EXPECT_FALSE(fs::exists(place));
}

// The rules go with the module.
TEST_F(NfsUndo, of_a_rule_leaves_the_rules_of_others) {
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2"}), 0) << err();
    EXPECT_EQ(run({"nfs", "rule", "add", "10.1.0.0/24", "--from", "10.0.0.2"}), 0) << err();
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_TRUE(modules.loaded("causeway_rpcrdma"));
    ASSERT_EQ(kernel.running_rules.size(), 1U);
    EXPECT_EQ(kernel.running_rules[0].network.text(), "10.1.0.0/24");
}

TEST_F(NfsUndo, rule_that_the_kernel_refuses_leaves_no_file) {
    kernel.refuse.emplace("rule", Error{ExitCode::failed, "there are 64 rules", ""});
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2"}), 1);
    EXPECT_FALSE(fs::exists(root / "etc/causeway/nfs-rules.d/10.0.0.0_24.conf"));
    EXPECT_EQ(entries(), 0U);
}

TEST_F(NfsUndo, chooses_the_transport_of_before) {
    modules.there.insert("rpcrdma");
    expect_as_shown({"nfs", "transport", "causeway"});
    EXPECT_FALSE(modules.loaded("rpcrdma"));
    modules.there.insert("causeway_rpcrdma");
    // While it is in use nothing is undone.
    processes.add_mount("storage1:/srv", mnt(), "rw,proto=rdma,port=20049,addr=10.0.0.1");
    EXPECT_EQ(run({"undo", "--last"}), 75);
    EXPECT_NE(err().find(mnt() + " is mounted through it; nothing is undone"), std::string::npos)
        << err();
    EXPECT_TRUE(fs::exists(dropin()));
    EXPECT_EQ(run({"undo", "1", "--force"}), 0) << err();
    EXPECT_FALSE(fs::exists(dropin()));
    EXPECT_TRUE(modules.loaded("causeway_rpcrdma"));
    EXPECT_NE(err().find("until its module causeway_rpcrdma is unloaded"), std::string::npos)
        << err();

    EXPECT_EQ(run({"nfs", "transport", "causeway"}), 0);
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    EXPECT_EQ(run({"undo", "2"}), 0) << err();
    EXPECT_FALSE(fs::exists(dropin()));
    EXPECT_FALSE(modules.loaded("causeway_rpcrdma"));
}

// mount(8) and systemd call it at boot.
TEST_F(NfsUndo, mount_helper_is_not_in_the_journal) {
    EXPECT_EQ(help_mount({"storage1:/srv", mnt(), "-o", "ro"}), 0) << err();
    EXPECT_EQ(entries(), 0U);
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    EXPECT_EQ(entries(), 1U);
}

} // namespace
} // namespace causeway
