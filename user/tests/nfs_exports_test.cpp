// SPDX-License-Identifier: GPL-2.0-or-later
// "nfs serve" beside the exports of others: what it leaves alone, and what it refuses.
#include "fixture.h"
#include "nfs/exportfs.h"
#include "nfs/server.h"

#include <cerrno>
#include <sys/stat.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class NfsBesideOthers : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/sys/class/infiniband/rxe0/node_type"] = "1: CA\n";
        files.content["/proc/fs/nfsd/threads"] = "8\n";
        files.content["/proc/fs/nfsd/portlist"] = "tcp 2049\n";
        fs::create_directories(served());
    }

    std::string served() const { return (root / "srv").string(); }
    fs::path exports_file() const { return exports_place(Places(root.path()), served()); }
    fs::path table() const { return root / "var/lib/nfs/etab"; }
    void boot_systemd() { fs::create_directories(root / "run/systemd/system"); }
};

TEST_F(NfsBesideOthers, lines_are_read_as_exports_has_them) {
    const auto folders = exported_folders("# /no *(rw)\n"
                                          "  /a 10.0.0.0/8(rw,sync) @group \\\n"
                                          "  host.(ro) # /no b(rw)\n"
                                          "\n"
                                          "\"/with space\" -rw,sync *.lab (ro)\n"
                                          "/esc\\040aped\tfd00::/64(rw)\r\n"
                                          "/bare\n");
    ASSERT_EQ(folders.size(), 4U);
    EXPECT_EQ(folders[0].path, "/a");
    ASSERT_EQ(folders[0].to.size(), 3U);
    EXPECT_EQ(folders[0].to[0].hosts, "10.0.0.0/8");
    EXPECT_EQ(folders[0].to[0].options, "rw,sync");
    EXPECT_EQ(folders[0].to[1].hosts, "@group");
    EXPECT_EQ(folders[0].to[1].options, "");
    EXPECT_EQ(folders[0].to[2].hosts, "host.");
    EXPECT_EQ(folders[1].path, "/with space");
    ASSERT_EQ(folders[1].to.size(), 2U);
    EXPECT_EQ(folders[1].to[0].hosts, "*.lab");
    EXPECT_EQ(folders[1].to[0].options, "rw,sync");
    EXPECT_EQ(folders[1].to[1].hosts, "*");
    EXPECT_EQ(folders[1].to[1].options, "rw,sync,ro");
    EXPECT_EQ(folders[2].path, "/esc aped");
    EXPECT_EQ(folders[2].to[0].hosts, "fd00::/64");
    EXPECT_EQ(folders[3].path, "/bare");
    ASSERT_EQ(folders[3].to.size(), 1U);
    EXPECT_EQ(folders[3].to[0].hosts, "*");
    // Half a line harms nothing.
    EXPECT_EQ(exported_folders("\"/open a(rw").front().path, "/open a(rw");
    EXPECT_EQ(exported_folders("/a b(rw").front().to.front().options, "rw");
    EXPECT_EQ(exported_folders("/a\\04").front().path, "/a\\04");
    EXPECT_TRUE(exported_folders("\"\" \\\n").empty());
}

// exportfs takes all of them for the end of a word.
TEST_F(NfsBesideOthers, a_path_with_control_characters_is_one_word_of_a_file) {
    ServeSettings settings;
    settings.path = "/a\rb\tc\nd\ve\ff";
    const std::string text = exports_text(settings);
    EXPECT_NE(text.find("/a\\015b\\011c\\012d\\013e\\014f *("), std::string::npos) << text;
    EXPECT_EQ(exported_folders(text).front().path, settings.path);
}

TEST_F(NfsBesideOthers, a_path_that_looks_like_an_option_is_a_path) {
    const std::string uuid = "5cbe11f0-0000-4000-8000-00000000000a";
    ServeSettings settings;
    settings.path = "/a,fsid=1";
    EXPECT_EQ(fsid_of_exports(exports_text(settings)), "");
    settings.fsid = uuid;
    EXPECT_EQ(fsid_of_exports(exports_text(settings)), uuid);
    settings.path = "/a,fsid=" + uuid + ",";
    settings.fsid.clear();
    EXPECT_EQ(fsid_of_exports(exports_text(settings)), "");
}

TEST_F(NfsBesideOthers, a_path_with_spaces_is_one_word_of_exportfs) {
    const std::string spaced = (root / "my 'srv#").string();
    fs::create_directories(spaced);
    EXPECT_EQ(run({"nfs", "serve", spaced, "--to", "10.0.0.0/24", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("run exportfs -i -o rw,sync,no_subtree_check '10.0.0.0/24:" +
                         (root / "my '\\''srv#'").string() + "\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(run({"nfs", "serve", spaced, "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(processes.log.back(),
              "exportfs -i -o rw,sync,no_subtree_check 10.0.0.0/24:" + spaced);
    EXPECT_EQ(run({"nfs", "unserve", spaced}), 0) << err();
    EXPECT_EQ(processes.log.back(), "exportfs -u 10.0.0.0/24:" + spaced);
}

TEST_F(NfsBesideOthers, serve_does_not_take_over_what_a_file_of_others_exports) {
    write_file(root / "etc/exports", served() + " 10.0.0.0/24(ro)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 1);
    EXPECT_NE(err().find(served() + " is exported to 10.0.0.0/24 already, by " +
                         (root / "etc/exports").string()),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("remove these from that file"), std::string::npos) << err();
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "--dry-run"}), 1);
    EXPECT_TRUE(processes.log.empty());
    EXPECT_FALSE(fs::exists(exports_file()));
    // To other hosts it may be exported twice.
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.1.0/24"}), 0) << err();
}

// As after a line was removed from /etc/exports.
TEST_F(NfsBesideOthers, serve_takes_no_export_over_whose_handles_it_would_change) {
    write_file(table(), served() + "\t10.0.0.0/24(rw,sync,fsid=17)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 1);
    EXPECT_NE(err().find("with fsid=17, and is in no file"), std::string::npos) << err();
    EXPECT_NE(err().find("give -o fsid=17 too"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "-o", "fsid=17"}), 0) << err();
}

// An export that is not seen would be ended, or be given other options, without a word.
TEST_F(NfsBesideOthers, a_table_of_exports_that_cannot_be_read_is_not_an_empty_one) {
    fs::create_directories(table());
    for (const bool dry_run : {true, false}) {
        std::vector<std::string> words = {"nfs", "serve", served(), "--to", "10.0.0.0/24"};
        if (dry_run) {
            words.emplace_back("--dry-run");
        }
        EXPECT_EQ(run(words), 1);
        EXPECT_NE(
            err().find("it is not known what is exported already: cannot read " + table().string()),
            std::string::npos)
            << err();
        EXPECT_NE(err().find("see: exportfs -v"), std::string::npos) << err();
    }
    EXPECT_TRUE(processes.log.empty());
    EXPECT_FALSE(fs::exists(exports_file()));
    // No table is an empty one.
    fs::remove(table());
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
}

// To end access must work; what others export to the same hosts is not known then.
TEST_F(NfsBesideOthers, unserve_ends_the_export_beside_a_file_that_cannot_be_read) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    fs::create_directories(root / "etc/exports");
    // A line that can be read stays in effect.
    write_file(root / "etc/exports.d/more.exports", served() + " 10.0.0.0/24(ro)\n");
    processes.log.clear();
    EXPECT_EQ(run({"nfs", "unserve", served(), "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("run exportfs -u 10.0.0.0/24:" + served()), std::string::npos) << out();
    EXPECT_NE(err().find("cannot read " + (root / "etc/exports").string()), std::string::npos)
        << err();
    EXPECT_TRUE(processes.log.empty());
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    EXPECT_NE(err().find("cannot read " + (root / "etc/exports").string()), std::string::npos)
        << err();
    EXPECT_NE(err().find("run exportfs -r"), std::string::npos) << err();
    EXPECT_EQ(processes.log, (std::vector<std::string>{"exportfs -u 10.0.0.0/24:" + served(),
                                                       "exportfs 10.0.0.0/24:" + served()}));
    EXPECT_FALSE(fs::exists(exports_file()));
    // To serve is another matter.
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 1);
    EXPECT_NE(err().find("it is not known what is exported already"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(exports_file()));
}

// exportfs reads regular files and links to them.
TEST_F(NfsBesideOthers, serve_skips_what_exportfs_does_not_read) {
    const fs::path folder = root / "etc/exports.d";
    fs::create_directories(folder / "x.exports");
    ASSERT_EQ(::mkfifo((folder / "pipe.exports").c_str(), 0600), 0);
    fs::create_directory_symlink(root / "srv", folder / "link.exports");
    fs::create_symlink("nowhere", folder / "dangling.exports");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    EXPECT_EQ(err().find("exportfs -r"), std::string::npos) << err();
    write_file(root / "other", served() + " 10.0.0.0/24(ro)\n");
    fs::create_symlink(root / "other", folder / "read.exports");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 1);
    EXPECT_NE(err().find((folder / "read.exports").string()), std::string::npos) << err();
}

TEST_F(NfsBesideOthers, a_folder_of_exports_that_cannot_be_listed_is_not_an_empty_one) {
    const Places places(root.path());
    const std::string text = served() + " 10.0.0.0/24(rw)\n";
    EXPECT_TRUE(export_of_others(places, text)) << "there is no such folder";
    const fs::path folder = root / "etc/exports.d";
    write_file(folder, "");
    const auto found = export_of_others(places, text);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().what, "it is not known what is exported already: cannot list " +
                                      folder.string() + ": Not a directory");
    EXPECT_NE(found.error().fix.find("see: exportfs -v"), std::string::npos);
    EXPECT_FALSE(folders_of_others(places));
}

TEST_F(NfsBesideOthers, a_file_of_exports_that_is_too_large_gets_an_advice_of_its_own) {
    write_file(root / "etc/exports", std::string((1U << 20U) + 1, '#'));
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 78);
    EXPECT_NE(err().find((root / "etc/exports").string() + " is too large"), std::string::npos)
        << err();
    EXPECT_NE(err().find("split it into files below 1 MiB"), std::string::npos) << err();
    EXPECT_EQ(err().find("plain file"), std::string::npos) << err();
}

// "fsid=17" is no start of the fsid of another export, and 0x11 is 17.
TEST_F(NfsBesideOthers, serve_compares_the_whole_fsid_of_what_is_exported) {
    write_file(table(), served() + "\t10.0.0.0/24(rw,sync,fsid=1)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "-o", "fsid=17"}), 1);
    EXPECT_NE(err().find("give -o fsid=1 too"), std::string::npos) << err();
    write_file(table(), served() + "\t10.0.0.0/24(rw,sync)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "-o", "fsid=17"}), 1);
    EXPECT_NE(err().find("is exported already, without an fsid"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(exports_file()));
    write_file(table(), served() + "\t10.0.0.0/24(rw,sync,fsid=17)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "-o", "fsid=0x11"}), 0)
        << err();
}

TEST_F(NfsBesideOthers, serve_gives_no_folder_the_fsid_of_another_one) {
    const std::string uuid = "5cbe11f0-0000-4000-8000-00000000000a";
    const auto refused = [&](const std::string &fsid, const fs::path &place) {
        for (const bool dry_run : {true, false}) {
            std::vector<std::string> words = {"nfs",         "serve", served(),      "--to",
                                              "10.0.0.0/24", "-o",    "fsid=" + fsid};
            if (dry_run) {
                words.emplace_back("--dry-run");
            }
            EXPECT_EQ(run(words), 1) << fsid;
            EXPECT_NE(
                err().find(served() + " cannot be served with fsid=" + fsid +
                           ": /other has this fsid already for hosts of the same networks, by " +
                           place.string()),
                std::string::npos)
                << err();
            EXPECT_NE(err().find("give another fsid, or first end the export of /other"),
                      std::string::npos)
                << err();
        }
        EXPECT_TRUE(processes.log.empty());
        EXPECT_FALSE(fs::exists(exports_file()));
        fs::remove(place);
    };
    files.content["/proc/fs/nfsd/threads"] = "8\n";
    write_file(root / "etc/exports", "/a *(ro)\n/other -fsid=0 10.0.0.0/16(rw)\n");
    refused("root", root / "etc/exports");
    write_file(root / "etc/exports", "/other -fsid=root\n");
    refused("0", root / "etc/exports");
    write_file(root / "etc/exports.d/more.exports", "/other 10.0.0.7(fsid=17) \n");
    refused("0x11", root / "etc/exports.d/more.exports");
    write_file(table(), "/other\t@hosts(rw,fsid=17,sec=sys)\n");
    refused("0x11", table());

    const std::string mounts = files.content["/proc/self/mountinfo"];
    files.content["/proc/self/mountinfo"] = mounts +
                                            "31 1 8:1 / /other rw - ext4 /dev/a rw\n"
                                            "32 1 8:2 / " +
                                            served() + " rw - ext4 /dev/b rw\n";
    write_file(root / "etc/exports", "/other *(fsid=" + uuid + ")\n");
    refused(uuid, root / "etc/exports");
    files.content["/proc/self/mountinfo"] = mounts + "31 1 8:1 / /other rw - ext4 /dev/a rw\n";

    // Each client has its own root; a UUID stands beside the inode of a folder that is no root; and
    // what a server that ended has exported does not count.
    write_file(root / "etc/exports",
               "/other 10.0.1.0/24(rw,fsid=17) 10.0.0.0/24(fsid=" + uuid + ")\n");
    write_file(table(), "/other\t10.0.0.0/24(rw,fsid=17,sec=sys)\n");
    files.content["/proc/fs/nfsd/threads"] = "0\n";
    for (const std::string &fsid : {std::string("17"), uuid}) {
        EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "-o", "fsid=" + fsid}), 0)
            << err();
        EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    }
    fs::remove(table());

    // The same folder may have it, and another folder another one.
    write_file(root / "etc/exports", served() + " 10.0.1.0/24(rw,fsid=17)\n/other *(fsid=1)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "-o", "fsid=17"}), 0) << err();
    // Again, although another one got it meanwhile: clients have files open there.
    write_file(root / "etc/exports", "/other *(fsid=17)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "-o", "fsid=17"}), 0) << err();
    // The folder of another "nfs serve".
    fs::remove(root / "etc/exports");
    const std::string second = (root / "second").string();
    fs::create_directories(second);
    EXPECT_EQ(run({"nfs", "serve", second, "--to", "10.0.0.0/24", "-o", "fsid=17"}), 1);
    EXPECT_NE(err().find("or first run: causeway nfs unserve " + served()), std::string::npos)
        << err();
}

TEST_F(NfsBesideOthers, serve_takes_over_what_no_file_exports_and_says_so) {
    write_file(table(), served() + "\t10.0.0.0/24(ro,sync,wdelay,secure)\n/other\t*(rw)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "fd00::/64,10.0.0.0/24", "--dry-run"}), 0);
    EXPECT_NE(err().find("10.0.0.0/24:" + served() + " was exported by exportfs and by no file"),
              std::string::npos)
        << err();
    // It is as before where exportfs refuses another one, or the port cannot be opened.
    processes.acts["exportfs -i -o rw,sync,no_subtree_check [fd00::]/64"] = [&] {
        return FakeProcesses::failure("exportfs: " + served() + " does not support NFS export", 0);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "fd00::/64,10.0.0.0/24"}), 1);
    EXPECT_EQ(processes.log.back(), "exportfs -i -o ro,sync,wdelay,secure 10.0.0.0/24:" + served());
    EXPECT_FALSE(fs::exists(exports_file()));
    processes.acts.clear();
    processes.log.clear();
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Address already in use", "",
              EADDRINUSE};
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 1);
    EXPECT_EQ(processes.log, (std::vector<std::string>{
                                 "exportfs -i -o rw,sync,no_subtree_check 10.0.0.0/24:" + served(),
                                 "exportfs -u 10.0.0.0/24:" + served(),
                                 "exportfs -i -o ro,sync,wdelay,secure 10.0.0.0/24:" + served()}));
    files.refuse.clear();

    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_NE(err().find("10.0.0.0/24:" + served() + " was exported by exportfs and by no file"),
              std::string::npos)
        << err();
    // From now on it is ours.
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24"}), 0) << err();
    EXPECT_EQ(err(), "");
}

TEST_F(NfsBesideOthers, an_export_that_is_refused_midway_is_taken_back) {
    processes.acts["exportfs -i -o rw,sync,no_subtree_check [fd00::]/64"] = [&] {
        return FakeProcesses::failure("exportfs: " + served() + " does not support NFS export", 0);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24,fd00::/64,10.0.1.0/24"}), 1);
    EXPECT_NE(err().find("cannot be served: " + served() + " does not support NFS export"),
              std::string::npos)
        << err();
    EXPECT_FALSE(processes.ran("exportfs -i -o rw,sync,no_subtree_check 10.0.1.0/24"));
    EXPECT_TRUE(processes.ran("exportfs -u 10.0.0.0/24:" + served()));
    EXPECT_FALSE(fs::exists(exports_file()));
}

TEST_F(NfsBesideOthers, unserve_keeps_the_file_until_the_folder_is_not_exported) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24,fd00::/64"}), 0) << err();
    // Ended in the middle, it can be called again.
    bool was_there = true;
    // An export that is gone already causes no warning. Another failure of exportfs causes one.
    processes.acts["exportfs -u 10.0.0.0/24"] = [&] {
        was_there = was_there && fs::exists(exports_file());
        return FakeProcesses::failure("exportfs: Could not find '10.0.0.0/24:x' to unexport.", 1);
    };
    processes.acts["exportfs -u [fd00::]/64"] = [&] {
        was_there = was_there && fs::exists(exports_file());
        return FakeProcesses::failure("exportfs: cannot lock", 1);
    };
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    EXPECT_EQ(processes.count("exportfs -u"), 2U);
    EXPECT_TRUE(was_there);
    EXPECT_EQ(err().find("Could not find"), std::string::npos) << err();
    EXPECT_NE(err().find("exportfs complains: exportfs: cannot lock"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
}

TEST_F(NfsBesideOthers, unserve_without_the_servers_programs_removes_the_files) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    processes.missing.insert("exportfs");
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    EXPECT_NE(err().find("exportfs is not installed"), std::string::npos) << err();
    EXPECT_FALSE(processes.ran("exportfs -u"));
    EXPECT_FALSE(fs::exists(exports_file()));
}

// The administrator wrote the same export into a file after us.
TEST_F(NfsBesideOthers, unserve_leaves_a_line_of_others_in_effect) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "fd00::/64,10.0.0.0/24"}), 0) << err();
    write_file(root / "etc/exports",
               "# mine\n" + served() + " 10.0.0.0/8(rw) \\\n fd00::/64(ro)\n/other *(ro)\n");
    EXPECT_EQ(run({"nfs", "unserve", served(), "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("run exportfs -u '[fd00::]/64:" + served() + "'\n"), std::string::npos)
        << out();
    EXPECT_NE(out().find("run exportfs '[fd00::]/64:" + served() + "'\n"), std::string::npos)
        << out();
    processes.log.clear();
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    // Of the lines of others no other one.
    EXPECT_EQ(processes.log, (std::vector<std::string>{"exportfs -u [fd00::]/64:" + served(),
                                                       "exportfs -u 10.0.0.0/24:" + served(),
                                                       "exportfs [fd00::]/64:" + served()}));
}

// As an administrator may have changed it.
TEST_F(NfsBesideOthers, unserve_ends_all_that_the_file_exports) {
    write_file(exports_file(), "# Written by \"causeway nfs serve\".\n\"" + served() +
                                   "\" host1 10.0.0.0/24(rw)\n/second *(ro)\n");
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    EXPECT_EQ(processes.log, (std::vector<std::string>{"exportfs -u host1:" + served(),
                                                       "exportfs -u 10.0.0.0/24:" + served(),
                                                       "exportfs -u *:/second"}));
}

TEST_F(NfsBesideOthers, serve_names_old_lines_that_go_live_with_nfsd) {
    boot_systemd();
    write_file(root / "etc/exports", "#/no *(ro)\n\n/old *(ro)\n\"/my old\" a(ro) \\\n b(rw)\n");
    write_file(root / "etc/exports.d/more.exports", "/more *(rw)\n");
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any", "--dry-run"}), 0) << err();
    EXPECT_EQ(out().find("/old"), std::string::npos) << out();
    files.content["/proc/fs/nfsd/threads"] = "0\n";
    processes.acts["systemctl enable --now nfs-server.service"] = [&] {
        files.content["/proc/fs/nfsd/threads"] = "8\n";
        return ProcessEnd{};
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any", "--dry-run"}), 0) << err();
    EXPECT_NE(err().find("it serves /old, /my old, /more too"), std::string::npos) << err();
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    EXPECT_NE(err().find("it serves /old, /my old, /more too"), std::string::npos) << err();
}

TEST_F(NfsBesideOthers, serve_marks_what_every_host_may_mount) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    const std::string text = read_file(exports_file());
    EXPECT_NE(text.find("\n# allow any\n"), std::string::npos) << text;
    EXPECT_FALSE(is_open_unmarked(text));
    // As an older version wrote it, and as an administrator went on.
    const std::string marker = "# allow any\n";
    std::string old = text + "# mine\n";
    old.erase(old.find(marker), marker.size());
    EXPECT_TRUE(is_open_unmarked(old));
    EXPECT_FALSE(is_open_unmarked("# Written by us.\n/x 10.0.0.0/8(rw)\n"));
    EXPECT_TRUE(is_open_unmarked("# Written by us.\n/x 10.0.0.0/8(rw) (ro)\n"));
    write_file(exports_file(), old);
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("+# allow any\n"), std::string::npos) << out();
    // Where the port cannot be opened the file stays as it was.
    files.content["/proc/fs/nfsd/portlist"] = "tcp 2049\n";
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Address already in use", "",
              EADDRINUSE};
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 1);
    EXPECT_EQ(read_file(exports_file()), old);
    files.refuse.clear();
    EXPECT_EQ(json({"nfs", "serve", served(), "--allow", "any"})["changed"], true);
    EXPECT_EQ(read_file(exports_file()), text + "# mine\n");
    EXPECT_EQ(processes.count("exportfs"), 1U);
}

} // namespace
} // namespace causeway
