// SPDX-License-Identifier: GPL-2.0-or-later
// "reload": settings of edited files, while clients use the disk.
#include "export_set_fixture.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class Reload : public ExportSet {
  protected:
    void edit(const fs::path &place, const std::string &from, const std::string &to) {
        std::string text = read_file(place);
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << text;
        write_file(place, text.replace(at, from.size(), to));
    }
};

TEST_F(Reload, applies_edited_files_and_says_what_was_changed) {
    ASSERT_EQ(add(), 0) << err();
    ASSERT_EQ(run({"attach", "storage1/x", "--io-timeout", "30"}), 0) << err();
    edit(export_file("scratch"), "allow = 10.0.0.0/24", "allow = 10.7.0.0/16");
    edit(attachment_file("storage1:x"), "io-timeout = 30", "io-timeout = 90");
    const auto answer = json({"reload"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_EQ(answer["restored"], (std::vector<std::string>{"scratch", "storage1/x"}));
    EXPECT_EQ(running().allow.at(0).text(), "10.7.0.0/16");
    EXPECT_EQ(kernel.running_attachments.at(0).io_timeout, 90U);
    const auto again = json({"reload"});
    EXPECT_EQ(again["restored"], std::vector<std::string>());
    EXPECT_EQ(again["unchanged"], (std::vector<std::string>{"scratch", "storage1/x"}));
}

TEST_F(Reload, gives_a_number_that_is_not_in_the_file_any_more_its_default) {
    ASSERT_EQ(run({"attach", "storage1/x", "--io-timeout", "30", "--fast-fail", "7"}), 0) << err();
    edit(attachment_file("storage1:x"), "fast-fail = 7\n", "");
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(kernel.running_attachments.at(0).fast_fail, 1U);
    EXPECT_EQ(kernel.running_attachments.at(0).io_timeout, 30U);
}

TEST_F(Reload, starts_what_is_missing) {
    ASSERT_EQ(add(), 0) << err();
    kernel.reload_target();
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(kernel.running_exports.size(), 1U);
}

TEST_F(Reload, shows_in_a_dry_run_what_would_change) {
    ASSERT_EQ(add(), 0) << err();
    edit(export_file("scratch"), "allow = 10.0.0.0/24", "allow = 10.7.0.0/16");
    EXPECT_EQ(run({"reload", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("would change the export 'scratch': allow list 10.7.0.0/16\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(running().allow.at(0).text(), "10.0.0.0/24");
}

TEST_F(Reload, names_what_cannot_change_and_goes_on_with_the_others) {
    ASSERT_EQ(add(), 0) << err();
    ASSERT_EQ(run({"export", "add", "m", "--ram", "64M", "--allow", "any"}), 0);
    edit(export_file("scratch"), "allow = 10.0.0.0/24", "allow = any\nexclusive = yes");
    edit(export_file("m"), "allow = any", "allow = 10.7.0.0/16");
    EXPECT_EQ(run({"reload"}), 1);
    EXPECT_NE(err().find("the export 'scratch' runs with settings that cannot change while it "
                         "runs: exclusive is off, not on (causeway export remove scratch"),
              std::string::npos)
        << err();
    EXPECT_EQ(kernel.running_exports.at(0).settings.allow.size(), 1U);
    EXPECT_EQ(kernel.running_exports.at(1).settings.allow.at(0).text(), "10.7.0.0/16");
}

TEST_F(Reload, adds_and_removes_the_key_of_an_attached_disk) {
    ASSERT_EQ(run({"attach", "storage1/x"}), 0) << err();
    const auto file = attachment_file("storage1:x");
    const std::string without = read_file(file);
    write_file(file, without + "key-file = " + key() + "\n", 0600);
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_TRUE(kernel.running_attachments.at(0).has_key);
    write_file(file, without);
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_FALSE(kernel.running_attachments.at(0).has_key);
}

TEST_F(Reload, needs_no_name_server) {
    resolver.names["storage1-b"] = {"10.1.0.1"};
    ASSERT_EQ(run({"attach", "storage1/x", "--path", "storage1-b", "--io-timeout", "30"}), 0)
        << err();
    edit(attachment_file("storage1:x"), "io-timeout = 30", "io-timeout = 90");
    resolver.names.clear();
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(kernel.running_attachments.at(0).io_timeout, 90U);
}

TEST_F(Reload, takes_back_what_was_set_for_now_and_restore_leaves_it) {
    ASSERT_EQ(add(), 0) << err();
    ASSERT_EQ(set({"--allow", "any", "--read-only", "--no-persist"}), 0) << err();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_TRUE(running().read_only);
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_FALSE(running().read_only);
    EXPECT_EQ(running().allow.size(), 1U);
}

TEST_F(Reload, makes_a_disk_read_only_that_is_write_protected_now) {
    ASSERT_EQ(add(), 0) << err();
    kernel.write_protected.insert("scratch");
    kernel.running_exports.at(0).settings.read_only = true;
    edit(export_file("scratch"), "allow = ", "read-only = yes\nallow = ");
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(kernel.running_exports.at(0).read_only_set, 1);
    EXPECT_EQ(json({"reload"})["unchanged"], std::vector<std::string>{"scratch"});
}

} // namespace
} // namespace causeway
