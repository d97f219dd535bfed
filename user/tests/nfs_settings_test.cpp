// SPDX-License-Identifier: GPL-2.0-or-later
// nfs set and nfs list, on a host in memory.
#include "nfs_host.h"

#include "nfs/exportfs.h"
#include "nfs/serve_options.h"
#include "nfs/server.h"
#include "nfs/serving.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

/* ---- settings of a drop-in ---- */

TEST(ExportSettings, are_read_back_from_the_dropin) {
    for (const char *fsid : {"", "0d3f0c5a-0000-4000-8000-000000000001"}) {
        for (const char *options : {"", "sec=krb5p,no_root_squash"}) {
            for (const bool read_only : {false, true}) {
                ServeSettings settings{"/srv/my dir", {}, read_only, options, fsid};
                settings.to.push_back(*parse_prefix("10.0.0.0/24"));
                settings.to.push_back(*parse_prefix("fd00::/64"));
                const auto read = settings_of_exports(exports_text(settings));
                ASSERT_TRUE(read);
                EXPECT_EQ(read->path, settings.path);
                EXPECT_EQ(read->to, settings.to);
                EXPECT_EQ(read->read_only, read_only);
                EXPECT_EQ(read->options, options);
                EXPECT_EQ(read->fsid, fsid);
            }
        }
    }
    const auto open = settings_of_exports(exports_text({"/srv", {}, false, "", ""}));
    ASSERT_TRUE(open);
    EXPECT_TRUE(open->to.empty());
}

TEST(ExportSettings, of_a_line_that_an_administrator_wrote_are_unknown) {
    for (const char *text :
         {"", "/srv\n", "/srv *(rw)\n", "/srv host1(rw,sync,no_subtree_check)\n",
          "/srv 10.0.0.0/24(rw,sync,no_subtree_check) 10.1.0.0/24(ro,sync,no_subtree_check)\n",
          "/srv 10.0.0.0/24(rw,sync,no_subtree_check)\n/b "
          "10.0.0.0/24(rw,sync,no_subtree_check)\n"}) {
        EXPECT_FALSE(settings_of_exports(text)) << text;
    }
}

/* ---- nfs set ---- */

// Two commands look at the same time. The second one gets the lock when the first one is through.
TEST_F(Nfs, set_and_unserve_leave_an_export_that_another_command_changed) {
    ASSERT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    const std::string before = read_file(exports_file());
    ServeSettings settings{served(), {}, false, "", ""};
    settings.to.push_back(*parse_prefix("10.2.0.0/24"));
    const auto change =
        change_nfs_export_settings(exports_file(), before, exports_text(settings), {});
    const auto end = change_nfs_export(exports_file(), before, false, {});
    ASSERT_EQ(run({"nfs", "set", served(), "--to", "10.1.0.0/24"}), 0) << err();
    const std::string other = read_file(exports_file());
    processes.log.clear();
    World host = world(false);
    for (const Change *each : {change.get(), end.get()}) {
        const auto done = each->forward(host);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, ExitCode::try_again);
        EXPECT_EQ(done.error().what,
                  "another command changed the NFS export of " + served() + " meanwhile");
    }
    EXPECT_EQ(read_file(exports_file()), other);
    EXPECT_TRUE(processes.log.empty());
}

TEST_F(Nfs, set_changes_the_hosts_and_clients_go_on) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24,10.1.0.0/24", "-o", "fsid=7"}), 0)
        << err();
    const std::string before = read_file(exports_file());
    processes.log.clear();
    EXPECT_EQ(run({"nfs", "set", served(), "--to", "10.0.0.0/24,10.2.0.0/24", "--dry-run"}), 0)
        << err();
    EXPECT_NE(out().find("run exportfs -u 10.1.0.0/24:" + served()), std::string::npos) << out();
    EXPECT_EQ(read_file(exports_file()), before);
    EXPECT_TRUE(processes.log.empty());

    EXPECT_EQ(run({"nfs", "set", served(), "--to", "10.0.0.0/24,10.2.0.0/24"}), 0) << err();
    EXPECT_EQ(out(), served() + " is served to 10.0.0.0/24, 10.2.0.0/24, by RDMA on port 20049\n"
                                "causeway undo 2 takes this back\n");
    // No host loses the folder in between, and none gets another fsid.
    const std::string options = "exportfs -i -o rw,sync,no_subtree_check,fsid=7 ";
    EXPECT_EQ(processes.log, (std::vector<std::string>{options + "10.0.0.0/24:" + served(),
                                                       options + "10.2.0.0/24:" + served(),
                                                       "exportfs -u 10.1.0.0/24:" + served()}));
    EXPECT_EQ(json({"nfs", "set", served(), "--to", "10.0.0.0/24,10.2.0.0/24"})["changed"], false);

    processes.log.clear();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(read_file(exports_file()), before);
    EXPECT_EQ(processes.log.back(), "exportfs -u 10.2.0.0/24:" + served());
}

TEST_F(Nfs, set_keeps_what_is_not_named) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "-o", "no_root_squash"}), 0);
    EXPECT_EQ(json({"nfs", "set", served(), "--read-only"})["read_only"], true);
    const std::string line = served() + " 10.0.0.0/24(";
    EXPECT_EQ(exports_line(read_file(exports_file())),
              line + "ro,sync,no_subtree_check,no_root_squash)");
    EXPECT_EQ(json({"nfs", "set", served(), "--read-write", "-o", ""})["read_only"], false);
    EXPECT_EQ(exports_line(read_file(exports_file())), line + "rw,sync,no_subtree_check)");
    EXPECT_EQ(run({"nfs", "set", served(), "--allow", "any"}), 0) << err();
    EXPECT_FALSE(is_open_unmarked(read_file(exports_file())));
}

TEST_F(Nfs, set_refuses_what_would_make_clients_fail) {
    EXPECT_EQ(run({"nfs", "set", served(), "--to", "10.0.0.0/24"}), 69);
    EXPECT_NE(err().find("is not served by nfs serve"), std::string::npos) << err();
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "-o", "fsid=7"}), 0) << err();
    const std::string before = read_file(exports_file());
    EXPECT_EQ(run({"nfs", "set", served()}), 64);
    EXPECT_EQ(run({"nfs", "set", served(), "--read-only", "--read-write"}), 64);
    EXPECT_EQ(run({"nfs", "set", served(), "-o", "fsid=8"}), 1);
    EXPECT_NE(err().find("give fsid=7 in -o too"), std::string::npos) << err();
    EXPECT_EQ(run({"nfs", "set", served(), "-o", "no_root_squash"}), 1);
    EXPECT_EQ(run({"nfs", "set", served(), "-o", "no_root_squash,fsid=0x7", "--dry-run"}), 0)
        << err();
    write_file(root / "etc/exports", served() + " 10.1.0.0/24(ro)\n");
    EXPECT_EQ(run({"nfs", "set", served(), "--to", "10.0.0.0/24,10.1.0.0/24"}), 1);
    EXPECT_NE(err().find("is exported to 10.1.0.0/24 already"), std::string::npos) << err();
    EXPECT_EQ(read_file(exports_file()), before);
    write_file(exports_file(), served() + " host1(rw)\n");
    EXPECT_EQ(run({"nfs", "set", served(), "--to", "10.2.0.0/24"}), 1);
    EXPECT_NE(err().find("was changed by hand"), std::string::npos) << err();
}

TEST_F(Nfs, set_restores_the_exports_that_exportfs_refuses_to_change) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0);
    const std::string before = read_file(exports_file());
    processes.acts["exportfs -i -o rw,sync,no_subtree_check,nonsense"] = [] {
        return FakeProcesses::failure("exportfs: command line:0: unknown keyword \"nonsense\"", 22);
    };
    EXPECT_EQ(run({"nfs", "set", served(), "--to", "10.0.0.0/24,10.2.0.0/24", "-o", "nonsense"}),
              1);
    EXPECT_NE(err().find("unknown keyword"), std::string::npos) << err();
    EXPECT_EQ(read_file(exports_file()), before);
    EXPECT_TRUE(processes.ran("exportfs -i -o rw,sync,no_subtree_check 10.0.0.0/24:" + served()));
    EXPECT_EQ(processes.log.back(), "exportfs -u 10.2.0.0/24:" + served());
}

TEST_F(Nfs, set_changes_the_port_of_all_folders) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0);
    EXPECT_EQ(run({"nfs", "serve", mnt(), "--to", "10.0.0.0/24"}), 0);
    const fs::path conf = root / "etc/nfs.conf.d/causeway.conf";
    EXPECT_EQ(run({"nfs", "set", served(), "--port", "20050"}), 0) << err();
    EXPECT_NE(err().find("listens on port 20049 too until it is restarted"), std::string::npos)
        << err();
    EXPECT_EQ(read_file(conf), nfs_conf_text(20050));
    EXPECT_NE(files.content["/proc/fs/nfsd/portlist"].find("rdma 20050"), std::string::npos);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(read_file(conf), nfs_conf_text(20049));
    // A port that cannot be opened changes nothing.
    files.content["/proc/fs/nfsd/portlist"] = "rdma 20049\n";
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Address already in use", "",
              EADDRINUSE};
    EXPECT_EQ(run({"nfs", "set", served(), "--port", "20051"}), 1);
    EXPECT_EQ(read_file(conf), nfs_conf_text(20049));
}

/* ---- nfs list ---- */

TEST_F(Nfs, list_says_that_there_is_nothing) {
    EXPECT_EQ(run({"nfs", "list"}), 0) << err();
    EXPECT_EQ(out(), "nfs serve serves no folder\n\nno NFS folder is mounted here\n");
    const auto told = json({"nfs", "list"});
    EXPECT_TRUE(told["served"].empty());
    EXPECT_TRUE(told["mounts"].empty());
    EXPECT_EQ(told["port"], nullptr);
}

TEST_F(Nfs, list_shows_what_is_served_and_mounted_now_and_at_boot) {
    boot_systemd();
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "--port", "20050"}), 0);
    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt(), "-o", "ro"}), 0) << err();
    auto told = json({"nfs", "list"});
    EXPECT_EQ(told["port"], 20050);
    EXPECT_EQ(told["listening"], true);
    EXPECT_EQ(told["served"][0]["path"], served());
    EXPECT_EQ(told["served"][0]["to"][0], "10.0.0.0/24");
    EXPECT_EQ(told["served"][0]["in_effect"], false);
    EXPECT_EQ(told["mounts"][0]["source"], "storage1:/srv");
    EXPECT_EQ(told["mounts"][0]["transport"], "tcp");
    EXPECT_EQ(told["mounts"][0]["reason"], "Connection refused");
    EXPECT_EQ(told["mounts"][0]["at_boot"], "unit");
    write_file(root / "var/lib/nfs/etab", served() + "\t10.0.0.0/24(rw,sync)\n");
    EXPECT_EQ(json({"nfs", "list"})["served"][0]["in_effect"], true);

    // A mount that another program ended comes back at boot.
    files.content["/proc/self/mountinfo"].clear();
    EXPECT_EQ(run({"nfs", "list"}), 0) << err();
    EXPECT_NE(out().find("not mounted: systemctl start " + mount_unit_name(mnt())),
              std::string::npos)
        << out();
    told = json({"nfs", "list"});
    EXPECT_EQ(told["mounts"][0]["directory"], mnt());
    EXPECT_EQ(told["mounts"][0]["mounted"], false);
    files.content["/proc/fs/nfsd/threads"] = "0\n";
    EXPECT_EQ(run({"nfs", "list"}), 0) << err();
    EXPECT_NE(out().find("nfsd does not run"), std::string::npos) << out();
}

TEST(MountUnit, is_read_back_from_its_text) {
    const auto mount =
        parse_mount_unit(mount_unit_text("storage1:/a%b", "/mnt/x\\y", "ro,vers=4.2"));
    ASSERT_TRUE(mount);
    EXPECT_EQ(mount->source, "storage1:/a%b");
    EXPECT_EQ(mount->directory, "/mnt/x\\y");
    EXPECT_EQ(mount->options, "ro,vers=4.2");
    EXPECT_EQ(parse_mount_unit(mount_unit_text("s:/", "/m", ""))->options, "");
    EXPECT_FALSE(parse_mount_unit("[Mount]\nWhat=s:/\n"));
}

} // namespace
} // namespace causeway
