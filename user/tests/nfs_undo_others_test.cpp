// SPDX-License-Identifier: GPL-2.0-or-later
// Undo of the NFS verbs on a host that others have changed since, or that fails midway.
#include "nfs_undo_host.h"

#include "nfs/exportfs.h"
#include "nfs/record.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class NfsUndoOthers : public NfsUndo {};

TEST_F(NfsUndoOthers, of_a_remount_keeps_rdma_where_tcp_fails) {
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    processes.rdma_fails.clear();
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 0) << err();
    processes.tcp_fails = "Connection refused";
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_NE(err().find(mnt() + " does not go by TCP as before"), std::string::npos) << err();
    EXPECT_EQ(transport(), "rdma");
}

TEST_F(NfsUndoOthers, of_a_remount_can_be_repeated) {
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    processes.rdma_fails.clear();
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 0) << err();
    processes.rdma_fails = processes.tcp_fails = "Connection refused";
    EXPECT_NE(run({"undo", "--last"}), 0);
    EXPECT_FALSE(mounted());
    processes.tcp_fails.clear();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(transport(), "tcp");
}

TEST_F(NfsUndoOthers, of_a_remount_mounts_what_the_remount_could_not) {
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    processes.rdma_fails.clear();
    processes.refuses = [&](const std::string &folder, bool) {
        return folder == mnt() ? "Connection refused" : "";
    };
    EXPECT_NE(run({"nfs", "remount", mnt()}), 0);
    EXPECT_FALSE(mounted());
    processes.refuses = nullptr;
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(transport(), "tcp");
}

TEST_F(NfsUndoOthers, serves_no_folder_that_nfs_serve_would_refuse) {
    const std::vector<std::string> serve = {"nfs",         "serve", served(), "--to",
                                            "10.0.0.0/24", "-o",    "fsid=5"};
    EXPECT_EQ(run(serve), 0) << err();
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    // Another folder has its fsid now, and --force does not change that.
    EXPECT_EQ(run({"nfs", "serve", other(), "--to", "10.0.0.0/24", "-o", "fsid=5"}), 0) << err();
    for (const char *option : {"--dry-run", "--force"}) {
        EXPECT_EQ(run({"undo", "2", option}), 1);
        EXPECT_NE(err().find("cannot be served with fsid=5: " + other() + " has this fsid"),
                  std::string::npos)
            << err();
        EXPECT_FALSE(fs::exists(exports_file()));
    }
    EXPECT_EQ(run({"undo", "3"}), 0) << err();
    // A file of others exports the folder now.
    write_file(root / "etc/exports", served() + " 10.0.0.0/24(rw)\n");
    EXPECT_EQ(run({"undo", "2", "--force"}), 1);
    EXPECT_NE(err().find("is exported to 10.0.0.0/24 already, by"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(exports_file()));
    fs::remove(root / "etc/exports");
    fs::remove(served());
    EXPECT_EQ(run({"undo", "2"}), 69);
    EXPECT_NE(err().find("there is no folder " + served()), std::string::npos) << err();
    fs::create_directories(served());
    EXPECT_EQ(run({"undo", "2"}), 0) << err();
    EXPECT_TRUE(fs::exists(exports_file()));
}

TEST_F(NfsUndoOthers, leaves_nfsd_while_others_export_a_folder) {
    stop_nfsd();
    const auto serve_and_undo = [&] {
        EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
        EXPECT_EQ(run({"undo", "--last"}), 0) << err();
        EXPECT_FALSE(processes.ran("systemctl stop"));
        EXPECT_FALSE(processes.ran("systemctl disable"));
        EXPECT_FALSE(fs::exists(exports_file()));
        files.content["/proc/fs/nfsd/threads"] = "0\n";
        files.content["/proc/fs/nfsd/portlist"] = "";
    };
    // By a file.
    write_file(root / "etc/exports", other() + " 10.1.0.0/24(rw)\n");
    serve_and_undo();
    EXPECT_NE(err().find("nfsd stays: " + other() + " needs it"), std::string::npos) << err();
    fs::remove(root / "etc/exports");
    // By exportfs alone.
    write_file(root / "var/lib/nfs/etab",
               other() + "\t10.1.0.0/24(rw)\n" + served() + "\t10.0.0.0/24(rw,sync)\n");
    serve_and_undo();
    EXPECT_NE(err().find("nfsd stays: 10.1.0.0/24:" + other() + " needs it"), std::string::npos)
        << err();
    // It is not known.
    fs::remove(root / "var/lib/nfs/etab");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    fs::create_directories(root / "var/lib/nfs/etab");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_NE(err().find("nfsd stays: it is not known"), std::string::npos) << err();
    EXPECT_FALSE(processes.ran("systemctl stop"));
}

TEST_F(NfsUndoOthers, does_not_bring_back_an_access_that_was_revoked) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    const fs::path conf = root / "etc/nfs.conf.d/causeway.conf";
    processes.acts["exportfs -u"] = [&] {
        fs::remove(conf);
        fs::create_directories(conf / "not-empty");
        return ProcessEnd{};
    };
    EXPECT_EQ(run({"nfs", "unserve", served()}), 1);
    EXPECT_NE(err().find(conf.string()), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_EQ(processes.count("exportfs -i"), 1U);
    EXPECT_EQ(entries(), 2U);
}

TEST_F(NfsUndoOthers, files_of_others_do_not_keep_a_mount_or_an_export) {
    boot_systemd();
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "--no-persist"}), 0) << err();
    fs::create_directories(unit_file().parent_path());
    fs::create_symlink("/dev/null", unit_file());
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0) << err();
    EXPECT_FALSE(mounted());
    EXPECT_TRUE(fs::is_symlink(unit_file()));

    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(run({"nfs", "serve", other(), "--to", "10.0.0.0/24"}), 0) << err();
    const fs::path conf = root / "etc/nfs.conf.d/causeway.conf";
    fs::rename(conf, root / "etc/nfs.conf.d/elsewhere");
    fs::create_symlink("elsewhere", conf);
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    EXPECT_EQ(run({"nfs", "unserve", other()}), 1);
    EXPECT_NE(err().find("is no regular file"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(exports_place(places(), other())));
}

TEST_F(NfsUndoOthers, nfsd_that_cannot_be_stopped_is_not_undone) {
    stop_nfsd();
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    const auto stop = processes.acts["systemctl stop nfs-server.service"];
    processes.acts["systemctl stop nfs-server.service"] = [] {
        return FakeProcesses::failure("Job failed", 1);
    };
    EXPECT_EQ(run({"undo", "--last"}), 1);
    EXPECT_NE(err().find("systemctl stop nfs-server.service failed: Job failed"), std::string::npos)
        << err();
    EXPECT_TRUE(processes.ran("systemctl disable nfs-server.service"));
    processes.acts["systemctl stop nfs-server.service"] = stop;
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(files.content["/proc/fs/nfsd/threads"], "0\n");
    EXPECT_FALSE(fs::exists(exports_file()));
}

TEST_F(NfsUndoOthers, of_serve_leaves_an_export_that_a_file_has_since) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    write_file(root / "etc/exports", served() + " 10.0.0.0/24(ro)\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "exportfs 10.0.0.0/24:" + served());
}

TEST_F(NfsUndoOthers, of_serve_names_the_clients_of_nfsd) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    files.content["/proc/fs/nfsd/clients/1/info"] = "address: \"10.0.0.9:0\"\nminor version: 2\n";
    EXPECT_EQ(run({"undo", "--last"}), 0);
    EXPECT_NE(err().find("errors (ESTALE) if they use " + served() + ": 10.0.0.9"),
              std::string::npos)
        << err();
}

TEST_F(NfsUndoOthers, the_last_export_that_ends_takes_the_dropin_of_nfsd_along) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(run({"nfs", "serve", other(), "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    const fs::path conf = root / "etc/nfs.conf.d/causeway.conf";
    EXPECT_TRUE(fs::exists(conf));
    EXPECT_EQ(run({"undo", "2"}), 0) << err();
    EXPECT_FALSE(fs::exists(conf));
    EXPECT_NE(err().find("removed " + conf.string()), std::string::npos) << err();
}

TEST_F(NfsUndoOthers, of_unserve_opens_the_port_that_a_restart_closed) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "--port", "20050"}), 0);
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    files.content["/proc/fs/nfsd/portlist"] = "tcp 2049\n";
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(files.content["/proc/fs/nfsd/portlist"], "tcp 2049\nrdma 20050\n");
}

TEST_F(NfsUndoOthers, says_that_a_mount_comes_back_by_another_transport) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0);
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"undo", "--last"}), 0);
    EXPECT_NE(err().find(mnt() + " goes by TCP, RDMA failed: Connection refused"),
              std::string::npos)
        << err();
}

TEST_F(NfsUndoOthers, of_a_remount_takes_folders_inside_along) {
    const std::string inside = mnt() + "/inside";
    fs::create_directories(inside);
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_EQ(run({"nfs", "mount", "storage1:/other", inside}), 0);
    processes.rdma_fails.clear();
    EXPECT_EQ(run({"nfs", "remount", mnt(), inside}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(transport(), "tcp");
}

TEST_F(NfsUndoOthers, force_ends_a_mount_whose_server_is_silent) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    processes.busy.insert(mnt());
    EXPECT_EQ(run({"undo", "--last", "--force"}), 0) << err();
    EXPECT_TRUE(processes.ran("umount -f " + mnt()));
    EXPECT_TRUE(processes.limit_of["umount " + mnt()].has_value());
    EXPECT_EQ(processes.log.back(), "umount -l " + mnt());
}

TEST_F(NfsUndoOthers, remount_unmounts_nothing_that_it_could_not_mount_again) {
    processes.add_mount("no-source", mnt(), "rw,proto=rdma,port=20049,addr=10.0.0.1");
    modules.there.insert("rpcrdma");
    EXPECT_EQ(run({"nfs", "transport", "causeway"}), 0);
    modules.aliases["rpcrdma"] = "causeway_rpcrdma";
    EXPECT_NE(run({"nfs", "remount", mnt()}), 0);
    EXPECT_TRUE(mounted());
    EXPECT_FALSE(processes.ran("umount"));
}

// A command that is killed while it mounts leaves no unit.
TEST_F(NfsUndoOthers, persist_enables_the_unit_of_a_mount_that_is_there) {
    boot_systemd();
    bool enabled = true;
    processes.refuses = [&](const std::string &, bool) {
        enabled = fs::exists(unit_file()) || fs::is_symlink(unit_link());
        return "";
    };
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0) << err();
    EXPECT_FALSE(enabled);
    EXPECT_TRUE(fs::is_symlink(unit_link()));
    EXPECT_TRUE(fs::exists(unit_file()));
    processes.refuses = nullptr;
    EXPECT_EQ(run({"nfs", "umount", mnt()}), 0) << err();
    // A unit that cannot be written is found before anything is mounted.
    fs::remove_all(unit_file().parent_path());
    write_file(unit_file().parent_path(), "no folder");
    processes.log.clear();
    EXPECT_NE(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_FALSE(processes.ran("mount"));
}

} // namespace
} // namespace causeway
