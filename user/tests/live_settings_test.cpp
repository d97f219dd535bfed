// SPDX-License-Identifier: GPL-2.0-or-later
// "export set", "attach set" and "reload": settings that change while clients use the disk.
#include "attach_fixture.h"
#include "kernel/refusal.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class ExportSet : public CommandTest {
  protected:
    ExportSet() {
        write_file(root / "disk.img", std::string(8192, 'x'));
        write_file(root / "key", "a key of twenty bytes", 0600);
    }

    int add(std::vector<std::string> more = {"--allow", "10.0.0.0/24"}) {
        std::vector<std::string> words = {"export", "add", "scratch", "--file",
                                          (root / "disk.img").string()};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    int set(std::vector<std::string> more) {
        more.insert(more.begin(), {"export", "set", "scratch"});
        return run(more);
    }
    std::string key() const { return (root / "key").string(); }
    const ExportSettings &running() const { return kernel.running_exports.at(0).settings; }
    std::string kept() const { return read_file(export_file("scratch")); }
};

TEST_F(ExportSet, changes_the_allow_list_now_and_at_boot_and_keeps_the_disk) {
    ASSERT_EQ(add(), 0) << err();
    const auto identity = running().identity;
    const auto ledger = running().ledger;
    EXPECT_EQ(set({"--allow", "10.1.0.0/16", "fd00::/64"}), 0) << err();
    EXPECT_EQ(out(), "changed the export 'scratch': allow list 10.1.0.0/16 fd00::/64\n"
                     "changed " +
                         export_file("scratch").string() + "\n" +
                         "causeway undo 2 takes this back\n");
    EXPECT_EQ(running().allow.size(), 2U);
    EXPECT_EQ(running().identity, identity);
    EXPECT_NE(kept().find("allow = 10.1.0.0/16\n"), std::string::npos) << kept();
    EXPECT_EQ(kept().find("10.0.0.0/24"), std::string::npos);
    EXPECT_NE(kept().find("ledger = " + ledger->text()), std::string::npos);
    EXPECT_TRUE(logged("set scratch " + std::to_string(CW_CHANGE_ALLOW)));
    EXPECT_EQ(std::count(kernel.log.begin(), kernel.log.end(), "add scratch"), 1);
}

TEST_F(ExportSet, is_taken_back_by_undo) {
    ASSERT_EQ(add(), 0) << err();
    const std::string before = kept();
    ASSERT_EQ(set({"--allow", "any", "--takeover-after", "5"}), 64);
    ASSERT_EQ(set({"--allow", "any", "--read-only", "--tcp"}), 0) << err();
    EXPECT_TRUE(running().read_only);
    EXPECT_TRUE(running().tcp);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(running().read_only);
    EXPECT_FALSE(running().tcp);
    EXPECT_EQ(running().allow.size(), 1U);
    EXPECT_EQ(kept(), before);
}

TEST_F(ExportSet, with_the_settings_that_are_there_changes_nothing) {
    ASSERT_EQ(add(), 0) << err();
    const auto answer =
        json({"export", "set", "scratch", "--allow", "10.0.0.0/24", "--read-write"});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(answer["changed"], false);
    EXPECT_TRUE(kernel.export_updates.empty());
}

TEST_F(ExportSet, shows_in_a_dry_run_what_would_change_and_changes_nothing) {
    ASSERT_EQ(add(), 0) << err();
    const std::string before = kept();
    EXPECT_EQ(set({"--allow", "any", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("would change the export 'scratch': allow list any\n"), std::string::npos)
        << out();
    EXPECT_NE(out().find("+allow = any"), std::string::npos) << out();
    EXPECT_TRUE(kernel.export_updates.empty());
    EXPECT_EQ(kept(), before);
}

TEST_F(ExportSet, refuses_while_clients_are_connected_that_the_settings_do_not_admit) {
    ASSERT_EQ(add(), 0) << err();
    const std::string before = kept();
    kernel.excluded = 2;
    EXPECT_EQ(set({"--allow", "10.9.0.0/16"}), 75);
    EXPECT_EQ(err(), "causeway: cannot change the export 'scratch': in use by connections\n");
    EXPECT_EQ(kept(), before);
    EXPECT_EQ(set({"--allow", "10.9.0.0/16", "--force"}), 0) << err();
    EXPECT_NE(out().find("2 connections ended that the settings do not admit\n"), std::string::npos)
        << out();
    EXPECT_TRUE(kernel.export_updates.back().force);
}

TEST_F(ExportSet, sets_and_takes_away_a_key) {
    ASSERT_EQ(add(), 0) << err();
    EXPECT_EQ(set({"--key-file", key()}), 0) << err();
    EXPECT_TRUE(kernel.running_exports[0].has_key);
    EXPECT_EQ(std::string(kernel.new_keys.back().begin(), kernel.new_keys.back().end()),
              "a key of twenty bytes");
    EXPECT_EQ(mode_of(export_file("scratch")), 0600U);
    // The file may have another key now, which the kernel cannot tell.
    EXPECT_EQ(set({"--key-file", key()}), 0) << err();
    EXPECT_EQ(kernel.new_keys.size(), 2U);
    EXPECT_EQ(set({"--no-key"}), 0) << err();
    EXPECT_FALSE(kernel.running_exports[0].has_key);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(kernel.running_exports[0].has_key);
}

TEST_F(ExportSet, never_opens_a_disk_to_every_host_by_leaving_the_key_out) {
    for (const bool persist : {true, false}) {
        ASSERT_EQ(add(persist ? std::vector<std::string>{"--key-file", key()}
                              : std::vector<std::string>{"--key-file", key(), "--no-persist"}),
                  0)
            << err();
        EXPECT_EQ(set({"--no-key"}), 64);
        EXPECT_EQ(err(), "causeway: without the key, no setting names the hosts that may attach "
                         "the disk\n  give --allow CIDR as well, or --allow any for every host "
                         "that reaches this one\n");
        EXPECT_TRUE(kernel.running_exports[0].has_key);
        EXPECT_EQ(set({"--no-key", "--allow", "any"}), 0) << err();
        ASSERT_EQ(run({"export", "remove", "scratch"}), 0);
    }
}

TEST_F(ExportSet, changes_only_the_file_of_an_export_that_does_not_run) {
    ASSERT_EQ(add(), 0) << err();
    kernel.reload_target();
    EXPECT_EQ(set({"--allow", "any"}), 0) << err();
    EXPECT_TRUE(kernel.export_updates.empty());
    EXPECT_NE(kept().find("allow = any"), std::string::npos);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_TRUE(running().allow.empty());
}

TEST_F(ExportSet, for_now_leaves_the_file) {
    ASSERT_EQ(add(), 0) << err();
    const std::string before = kept();
    EXPECT_EQ(set({"--read-only", "--no-persist"}), 0) << err();
    EXPECT_TRUE(running().read_only);
    EXPECT_EQ(kept(), before);
}

TEST_F(ExportSet, makes_a_disk_read_only_that_keeps_its_owners_over_a_restart) {
    ASSERT_EQ(add(), 0) << err();
    const auto ledger = running().ledger;
    EXPECT_EQ(set({"--read-only"}), 0) << err();
    EXPECT_NE(kept().find("read-only = yes"), std::string::npos);
    EXPECT_NE(kept().find("ledger = " + ledger->text()), std::string::npos) << kept();
    kernel.reload_target();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_TRUE(running().read_only);
    EXPECT_EQ(running().ledger, ledger);
    EXPECT_FALSE(kernel.ledger_folders.back().empty());
    EXPECT_EQ(set({"--read-write"}), 0) << err();
    EXPECT_FALSE(running().read_only);
}

TEST_F(ExportSet, refuses_nonsense_with_a_way_out) {
    ASSERT_EQ(add(), 0) << err();
    const std::string before = kept();
    EXPECT_EQ(set({}), 64);
    EXPECT_NE(err().find("no setting is given\n  give one or more of --allow, --key-file"),
              std::string::npos)
        << err();
    EXPECT_EQ(set({"--read-only", "--read-write"}), 64);
    EXPECT_EQ(set({"--tcp", "--no-tcp"}), 64);
    EXPECT_EQ(set({"--key-file", key(), "--no-key"}), 64);
    EXPECT_EQ(set({"--allow", "10.0.0.0/33"}), 64);
    EXPECT_EQ(run({"export", "set", "nowhere", "--read-only"}), 69);
    EXPECT_EQ(err(), "causeway: there is no export 'nowhere'\n  see: causeway export list\n");
    EXPECT_EQ(kept(), before);
    EXPECT_TRUE(kernel.export_updates.empty());
}

TEST_F(ExportSet, says_that_older_modules_cannot_do_it) {
    ASSERT_EQ(add(), 0) << err();
    const std::string before = kept();
    kernel.refuse["set"] = refusal(Request::set, EOPNOTSUPP, "");
    EXPECT_EQ(set({"--read-only"}), 69);
    EXPECT_NE(err().find("the loaded kernel modules are of an earlier version and cannot change "
                         "settings of what is live\n  reboot"),
              std::string::npos)
        << err();
    EXPECT_EQ(kept(), before);
}

TEST_F(ExportSet, is_proposed_where_an_add_has_other_settings) {
    ASSERT_EQ(add(), 0) << err();
    EXPECT_EQ(add({"--allow", "any"}), 1);
    EXPECT_NE(err().find("\n  causeway export set scratch"), std::string::npos) << err();
    EXPECT_EQ(add({"--allow", "10.0.0.0/24", "--exclusive"}), 1);
    EXPECT_EQ(err().find("export set"), std::string::npos) << err();
}

/* ---- attach set ---- */

class AttachSet : public AttachTest {
  protected:
    AttachSet() { write_file(root / "key", "a key of twenty bytes", 0600); }

    int set(std::vector<std::string> more) {
        more.insert(more.begin(), {"attach", "set", "storage1/scratch"});
        return run(more);
    }
    const AttachmentInfo &running() const { return kernel.running_attachments.at(0); }
};

TEST_F(AttachSet, changes_timeouts_and_policy_now_and_at_boot) {
    ASSERT_EQ(attach({"--io-timeout", "30"}), 0) << err();
    EXPECT_EQ(set({"--io-timeout", "60", "--fast-fail", "off", "--policy", "single"}), 0) << err();
    EXPECT_EQ(running().io_timeout, 60U);
    EXPECT_EQ(running().fast_fail, CW_FAST_FAIL_OFF);
    EXPECT_EQ(running().path_policy, CW_PATH_POLICY_SINGLE);
    EXPECT_NE(kept().find("io-timeout = 60\n"), std::string::npos) << kept();
    EXPECT_NE(kept().find("fast-fail = off\n"), std::string::npos);
    EXPECT_NE(out().find("changed storage1/scratch: io-timeout 60, fast-fail off, policy single\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(running().io_timeout, 30U);
    EXPECT_EQ(running().fast_fail, 1U);
    EXPECT_EQ(running().path_policy, CW_PATH_POLICY_AUTO);
    EXPECT_NE(kept().find("io-timeout = 30\n"), std::string::npos);
}

TEST_F(AttachSet, sets_a_key) {
    ASSERT_EQ(attach({}), 0) << err();
    EXPECT_EQ(set({"--key-file", (root / "key").string()}), 0) << err();
    EXPECT_TRUE(running().has_key);
    EXPECT_EQ(mode_of(attachment_file("storage1:scratch")), 0600U);
    EXPECT_EQ(set({"--no-key"}), 0) << err();
    EXPECT_FALSE(running().has_key);
}

TEST_F(AttachSet, with_the_settings_that_are_there_changes_nothing) {
    ASSERT_EQ(attach({"--io-timeout", "30"}), 0) << err();
    EXPECT_EQ(set({"--io-timeout", "30", "--policy", "auto"}), 0);
    EXPECT_EQ(std::count_if(kernel.log.begin(), kernel.log.end(),
                            [](const std::string &line) { return line.starts_with("set "); }),
              0);
}

TEST_F(AttachSet, refuses_nonsense_with_a_way_out) {
    EXPECT_EQ(set({"--io-timeout", "3"}), 69);
    ASSERT_EQ(attach({}), 0) << err();
    EXPECT_EQ(set({}), 64);
    EXPECT_NE(err().find("other settings need a detach and a new attach"), std::string::npos);
    EXPECT_EQ(set({"--queues", "3"}), 64);
    EXPECT_EQ(set({"--policy", "best"}), 64);
    EXPECT_EQ(set({"--key-file", "/nowhere"}), 78);
    EXPECT_EQ(running().io_timeout, 0U);
}

TEST_F(AttachSet, is_proposed_where_an_attach_has_other_settings) {
    ASSERT_EQ(attach({}), 0) << err();
    EXPECT_EQ(attach({"--io-timeout", "30"}), 1);
    EXPECT_NE(err().find("\n  causeway attach set storage1/scratch"), std::string::npos) << err();
    EXPECT_EQ(attach({"--queues", "3"}), 1);
    EXPECT_EQ(err().find("attach set"), std::string::npos) << err();
}

/* ---- reload ---- */

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

} // namespace
} // namespace causeway
