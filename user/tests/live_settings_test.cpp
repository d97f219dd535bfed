// SPDX-License-Identifier: GPL-2.0-or-later
// "export set" and "attach set": settings that change while clients use the disk.
#include "attach_fixture.h"
#include "export_set_fixture.h"
#include "kernel/refusal.h"

#include <cerrno>

namespace causeway {
namespace {

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

// A script repeats "export add" while an administrator has edited the file, and not reloaded it.
TEST_F(ExportSet, is_not_done_by_a_repeated_add) {
    ASSERT_EQ(add(), 0) << err();
    std::string text = kept();
    text.replace(text.find("10.0.0.0/24"), 11, "10.0.0.0/25");
    write_file(export_file("scratch"), text, 0644);
    EXPECT_EQ(add(), 1);
    EXPECT_EQ(err(), "causeway: the export 'scratch' is configured in " +
                         export_file("scratch").string() +
                         " with other settings: the allow list is 10.0.0.0/25, not 10.0.0.0/24\n"
                         "  for the settings of the file: causeway reload; for others: causeway "
                         "export set scratch, with the options that differ\n");
    EXPECT_EQ(kept(), text);
    EXPECT_EQ(add({"--allow", "10.0.0.0/24", "--no-persist"}), 0) << err();

    text.replace(text.find("10.0.0.0/25"), 11, "10.0.0.0/24");
    text += "# the scratch disk of the cluster\n";
    write_file(export_file("scratch"), text, 0644);
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(kept(), text);
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

TEST_F(ExportSet, never_writes_a_file_that_cannot_be_read) {
    ASSERT_EQ(run({"export", "add", "m", "--ram", "64M", "--exclusive", "--allow", "any",
                   "--takeover-after", "60"}),
              0)
        << err();
    EXPECT_EQ(run({"export", "set", "m", "--read-only"}), 0) << err();
    EXPECT_EQ(run({"export", "set", "m", "--read-write"}), 0) << err();
    EXPECT_NE(read_file(export_file("m")).find("takeover-after = 60\n"), std::string::npos);
    // A file that was written by hand, for an export that has never run.
    write_file(export_file("f"), "[export]\nfile = " + (root / "disk.img").string() +
                                     "\nexclusive = yes\nallow = any\ntakeover-after = 60\n"
                                     "state-folder = /srv/state\n");
    EXPECT_EQ(run({"export", "set", "f", "--read-only"}), 0) << err();
    EXPECT_EQ(run({"export", "set", "f", "--read-write"}), 0) << err();
    EXPECT_NE(read_file(export_file("f")).find("state-folder = /srv/state\n"), std::string::npos);
}

TEST_F(ExportSet, takes_as_many_networks_as_the_kernel) {
    ASSERT_EQ(add(), 0) << err();
    kernel.reload_target();
    std::vector<std::string> words = {"--allow"};
    for (int i = 0; i < CW_ALLOW_MAX; i++) {
        words.push_back("10.0." + std::to_string(i) + ".0/24");
    }
    EXPECT_EQ(set(words), 0) << err();
    const std::string before = kept();
    words.emplace_back("10.1.0.0/24");
    EXPECT_EQ(set(words), 64);
    EXPECT_NE(err().find("--allow names 49 networks, and an export has at most 48"),
              std::string::npos)
        << err();
    EXPECT_EQ(kept(), before);
}

TEST_F(ExportSet, makes_a_disk_read_only_that_is_write_protected_now) {
    ASSERT_EQ(add(), 0) << err();
    kernel.write_protected.insert("scratch");
    kernel.running_exports.at(0).settings.read_only = true;
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(set({"--read-only"}), 0) << err();
    EXPECT_EQ(kernel.running_exports.at(0).read_only_set, 1);
    EXPECT_EQ(json({"export", "set", "scratch", "--read-only"})["changed"], false);
    EXPECT_EQ(set({"--read-write"}), 0) << err();
    EXPECT_EQ(kernel.running_exports.at(0).read_only_set, 0);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(kernel.running_exports.at(0).read_only_set, 1);
}

TEST_F(ExportSet, leaves_no_entry_in_the_journal_if_the_kernel_refuses_it) {
    ASSERT_EQ(add(), 0) << err();
    kernel.refuse["set"] = refusal(Request::set, EOPNOTSUPP, "");
    EXPECT_EQ(set({"--key-file", key()}), 69);
    EXPECT_EQ(json({"undo", "--list"})["journal"].size(), 1U);
    // Without an answer of the kernel, the key may have been set.
    kernel.refuse["set"] = Error{ExitCode::failed, "cannot read the kernel's answer"};
    EXPECT_EQ(set({"--key-file", key()}), 1);
    EXPECT_EQ(json({"undo", "--list"})["journal"].size(), 2U);
}

TEST_F(ExportSet, says_that_undo_cannot_bring_back_a_key_of_the_same_file) {
    ASSERT_EQ(add({"--key-file", key()}), 0) << err();
    write_file(root / "key", "another key, of 24 bytes", 0600);
    ASSERT_EQ(set({"--key-file", key()}), 0) << err();
    const auto keys = kernel.new_keys.size();
    EXPECT_EQ(run({"undo", "--last"}), 1);
    EXPECT_NE(out().find("nothing of 2 (export set scratch) can be undone\n"), std::string::npos)
        << out();
    EXPECT_NE(
        err().find("the key of the export 'scratch' stays: the earlier one was in the same file"),
        std::string::npos)
        << err();
    EXPECT_EQ(kernel.new_keys.size(), keys);
    ASSERT_EQ(set({"--key-file", key(), "--allow", "10.9.0.0/16"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(running().allow.empty());
    EXPECT_TRUE(kernel.running_exports.at(0).has_key);
    EXPECT_NE(err().find("the key of the export 'scratch' stays"), std::string::npos) << err();
}

TEST_F(ExportSet, for_now_needs_an_export_that_runs) {
    ASSERT_EQ(add(), 0) << err();
    kernel.reload_target();
    EXPECT_EQ(set({"--read-only", "--no-persist"}), 69);
    EXPECT_NE(err().find("'scratch' does not run, and --no-persist leaves its file as it is"),
              std::string::npos)
        << err();
}

TEST_F(ExportSet, is_proposed_where_the_file_has_other_settings) {
    ASSERT_EQ(add(), 0) << err();
    kernel.reload_target();
    EXPECT_EQ(add({"--allow", "any"}), 1);
    EXPECT_EQ(err().find("cannot be changed"), std::string::npos) << err();
    EXPECT_NE(err().find("\n  causeway export set scratch"), std::string::npos) << err();
    EXPECT_EQ(add({"--allow", "10.0.0.0/24", "--exclusive"}), 1);
    EXPECT_EQ(err().find("export set"), std::string::npos) << err();
}

TEST_F(ExportSet, keeps_the_comments_of_the_file) {
    ASSERT_EQ(add(), 0) << err();
    const std::string before = kept();
    const auto at = before.find("allow = ");
    write_file(export_file("scratch"),
               before.substr(0, at) + "# the rack\n" + before.substr(at) + "tcp = no # not yet\n");
    EXPECT_EQ(set({"--allow", "10.7.0.0/16", "10.8.0.0/16"}), 0) << err();
    EXPECT_NE(kept().find("# the rack\nallow = 10.7.0.0/16\nallow = 10.8.0.0/16\n"),
              std::string::npos)
        << kept();
    EXPECT_NE(kept().find("tcp = no # not yet\n"), std::string::npos) << kept();
    EXPECT_EQ(kept().find("10.0.0.0/24"), std::string::npos);
    EXPECT_EQ(set({"--tcp"}), 0) << err();
    EXPECT_NE(kept().find("\ntcp = yes\n"), std::string::npos) << kept();
    EXPECT_EQ(kept().find("tcp = no"), std::string::npos) << kept();
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

TEST_F(AttachSet, for_now_needs_a_disk_that_is_attached) {
    ASSERT_EQ(attach({}), 0) << err();
    kernel.running_attachments.clear();
    EXPECT_EQ(set({"--io-timeout", "30", "--no-persist"}), 69);
    EXPECT_EQ(set({"--io-timeout", "30"}), 0) << err();
}

TEST_F(AttachSet, leaves_no_entry_in_the_journal_if_the_kernel_refuses_it) {
    ASSERT_EQ(attach({}), 0) << err();
    kernel.refuse["set"] = refusal(Request::set, EOPNOTSUPP, "");
    EXPECT_EQ(set({"--key-file", (root / "key").string()}), 69);
    EXPECT_EQ(json({"undo", "--list"})["journal"].size(), 1U);
}

TEST_F(AttachSet, says_that_undo_cannot_bring_back_a_key_of_the_same_file) {
    ASSERT_EQ(attach({"--key-file", (root / "key").string()}), 0) << err();
    ASSERT_EQ(set({"--key-file", (root / "key").string()}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 1);
    EXPECT_NE(err().find("the key of storage1/scratch stays"), std::string::npos) << err();
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

} // namespace
} // namespace causeway
