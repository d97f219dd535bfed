// SPDX-License-Identifier: GPL-2.0-or-later
// No export is open to every host unless an administrator requests it.
#include "base/systemd_name.h"
#include "config/dropins.h"
#include "fixture.h"
#include "nfs/units.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class OpenAccess : public CommandTest {
  protected:
    OpenAccess() {
        write_file(root / "disk.img", std::string(8192, 'x'));
        files.folders.insert("/sys/kernel/config");
        files.content["/proc/self/mountinfo"] =
            "30 25 0:26 / /sys/kernel/config rw - configfs configfs rw\n";
    }

    std::vector<std::string> add(std::vector<std::string> more = {}) const {
        std::vector<std::string> words = {"export", "add", "scratch", "--file",
                                          (root / "disk.img").string()};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    fs::path stock_file() const { return root / "etc/causeway/stock-exports.d/scratch.conf"; }
    std::string findings() {
        std::string found;
        const auto told = json({"doctor"});
        for (const auto &finding : told["findings"]) {
            if (finding["id"] == "export-open-to-all") {
                found += finding["what"].get<std::string>() + "\n";
            }
        }
        return found;
    }
};

TEST_F(OpenAccess, an_export_says_which_hosts_may_attach) {
    EXPECT_EQ(run(add()), 64);
    EXPECT_NE(err().find("no option names the hosts that may attach the disk\n  give --allow CIDR, "
                         "or --key-file FILE, or --allow any"),
              std::string::npos)
        << err();
    EXPECT_EQ(run(add({"--dry-run"})), 64);
    EXPECT_FALSE(fs::exists(export_file("scratch")));
    EXPECT_TRUE(kernel.running_exports.empty());
}

TEST_F(OpenAccess, any_stands_alone) {
    EXPECT_EQ(run(add({"--allow", "any,10.0.0.0/24"})), 64);
    EXPECT_NE(err().find("--allow any stands for every host, and 10.0.0.0/24 is given too"),
              std::string::npos)
        << err();
    EXPECT_TRUE(kernel.running_exports.empty());
}

TEST_F(OpenAccess, doctor_reports_a_broken_file_of_a_stock_export_once) {
    write_file(stock_file(), "via = pigeon\n");
    const auto report = json({"doctor"});
    int reports = 0;
    for (const auto &finding : report["findings"]) {
        reports += finding["id"] == "configuration-broken" ? 1 : 0;
    }
    EXPECT_EQ(reports, 1) << report.dump(1);
    for (const auto &unseen : report["unseen"]) {
        EXPECT_EQ(unseen.get<std::string>().find("scratch.conf"), std::string::npos) << unseen;
    }
}

TEST_F(OpenAccess, any_is_kept_in_the_file) {
    EXPECT_EQ(run(add({"--allow", "any"})), 0) << err();
    EXPECT_NE(read_file(export_file("scratch")).find("\nallow = any\n"), std::string::npos);
    EXPECT_TRUE(kernel.running_exports.at(0).settings.allow.empty());
    EXPECT_EQ(run(add({"--allow", "any"})), 0) << err();
    EXPECT_EQ(findings(), "");
}

TEST_F(OpenAccess, a_key_says_it_too) {
    write_file(root / "key", "0123456789abcdef", 0600);
    EXPECT_EQ(run(add({"--key-file", root / "key"})), 0) << err();
    EXPECT_EQ(read_file(export_file("scratch")).find("allow"), std::string::npos);
    EXPECT_EQ(findings(), "");
}

TEST_F(OpenAccess, a_file_without_a_list_keeps_its_meaning_and_doctor_reports_it) {
    write_file(export_file("old"), "[export]\nram = 1M\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_TRUE(kernel.running_exports.at(0).settings.allow.empty());
    const std::string found = findings();
    EXPECT_NE(found.find("every host that reaches this one can attach export old"),
              std::string::npos)
        << found;
    // The same export is added again, now with --allow any.
    EXPECT_EQ(run({"export", "add", "old", "--ram", "1M", "--allow", "any"}), 0) << err();
    EXPECT_NE(read_file(export_file("old")).find("\nallow = any\n"), std::string::npos);
    EXPECT_EQ(findings(), "");
}

TEST_F(OpenAccess, a_file_with_any_and_a_network_is_reported) {
    const auto parsed =
        parse_export_dropin("x.conf", "x", "[export]\nram = 1M\nallow = any\nallow = 10.0.0.1\n");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ExitCode::bad_config);
    EXPECT_NE(parsed.error().what.find("allow any stands for every host"), std::string::npos)
        << parsed.error().what;
}

TEST_F(OpenAccess, a_stock_export_names_initiators_or_says_any) {
    for (const char *via : {"nvme", "iser", "iscsi"}) {
        EXPECT_EQ(run(add({"--via", via})), 64);
        EXPECT_NE(err().find("no option names the initiators that may attach the disk"),
                  std::string::npos)
            << err();
        EXPECT_EQ(run(add({"--via", via, "--allow", "10.0.0.0/24"})), 64);
        EXPECT_NE(err().find("knows clients by their names, not by networks"), std::string::npos);
        EXPECT_EQ(run(add({"--via", via, "--allow", "any", "--initiator",
                           "iqn.1993-08.org.debian:01:abc"})),
                  64);
    }
    EXPECT_FALSE(fs::exists(stock_file()));
    EXPECT_EQ(run(add({"--via", "iscsi", "--allow", "any"})), 0) << err();
    EXPECT_NE(read_file(stock_file()).find("\nallow = any\n"), std::string::npos)
        << read_file(stock_file());
    EXPECT_EQ(findings(), "");
}

TEST_F(OpenAccess, a_stock_file_without_a_list_is_reported) {
    write_file(stock_file(),
               "[stock-export]\nvia = iscsi\nram = 1M\ntarget = iqn.2003-01.org.example:x\n"
               "address = 0.0.0.0\nport = 3260\nuuid = 5cbe11f0-57a4-4b0e-8c59-000000000001\n");
    const std::string found = findings();
    EXPECT_NE(found.find("can attach export scratch by iSCSI, without a password"),
              std::string::npos)
        << found;
}

TEST_F(OpenAccess, a_served_folder_names_networks_or_says_any) {
    fs::create_directories(root / "srv");
    const std::string served = (root / "srv").string();
    EXPECT_EQ(run({"nfs", "serve", served}), 64);
    EXPECT_NE(err().find("no option names the hosts that may mount the folder\n  give --to CIDR, "
                         "or --allow any"),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"nfs", "serve", served, "--allow", "10.0.0.0/24"}), 64);
    EXPECT_NE(err().find("--allow '10.0.0.0/24' is not the word any\n  give networks with --to"),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"nfs", "serve", served, "--allow", "any", "--to", "10.0.0.0/24"}), 64);
    EXPECT_FALSE(
        fs::exists(root / ("etc/exports.d/causeway-" + escaped_path(served) + ".exports")));
}

TEST_F(OpenAccess, a_disk_that_several_hosts_may_write_is_said_to_be_one) {
    const std::string note = "is destroyed when two of them mount it";
    EXPECT_EQ(run(add({"--allow", "any", "--dry-run"})), 0) << err();
    EXPECT_NE(out().find(note), std::string::npos) << out();
    EXPECT_EQ(run(add({"--allow", "any"})), 0) << err();
    EXPECT_NE(out().find(note + ": with --exclusive"), std::string::npos) << out();
    EXPECT_EQ(run({"export", "add", "one", "--ram", "1M", "--allow", "any", "--exclusive"}), 0);
    EXPECT_EQ(out().find(note), std::string::npos) << out();
    EXPECT_EQ(run({"export", "add", "read", "--ram", "1M", "--allow", "any", "--read-only"}), 0);
    EXPECT_EQ(out().find(note), std::string::npos) << out();
}

TEST_F(OpenAccess, is_never_the_result_of_a_line_that_was_removed) {
    write_file(root / "key", "a key of twenty bytes", 0600);
    ASSERT_EQ(run(add({"--key-file", (root / "key").string()})), 0) << err();
    const std::string file = read_file(export_file("scratch"));
    const auto line = file.find("key-file");
    write_file(export_file("scratch"),
               file.substr(0, line) + file.substr(file.find('\n', line) + 1));
    EXPECT_EQ(run({"reload"}), 1);
    EXPECT_NE(err().find("would open 'scratch' to every host: its file names neither a key nor a "
                         "network (write \"allow = any\" into"),
              std::string::npos)
        << err();
    EXPECT_TRUE(kernel.running_exports.at(0).has_key);
    write_file(export_file("scratch"), read_file(export_file("scratch")) + "allow = any\n");
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_FALSE(kernel.running_exports.at(0).has_key);
}

TEST_F(OpenAccess, of_an_older_file_stays_where_another_setting_changes) {
    write_file(export_file("old"),
               "[export]\nfile = " + (root / "disk.img").string() +
                   "\nuuid = 5cbe11f0-0000-4000-8000-000000000001\n",
               0644);
    EXPECT_EQ(run({"export", "set", "old", "--tcp"}), 0) << err(); // it does not run
    ASSERT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(run({"export", "set", "old", "--no-tcp"}), 0) << err();
    EXPECT_FALSE(kernel.running_exports.at(0).settings.tcp);
    EXPECT_EQ(read_file(export_file("old")).find("allow"), std::string::npos);
}

} // namespace
} // namespace causeway
