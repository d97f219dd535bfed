// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of disks as changes: what they show, what the journal keeps, and what undo takes back.
#include "base/durable_file.h"
#include "disk/export_change.h"
#include "disk/exporting.h"
#include "fixture.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class DiskUndo : public CommandTest {
  protected:
    DiskUndo() { write_file(root / "disk.img", std::string(8192, 'x')); }

    int add(std::vector<std::string> more = {}) {
        std::vector<std::string> words = {"export", "add", "scratch", "--file",
                                          (root / "disk.img").string()};
        words.insert(words.end(), more.begin(), more.end());
        return run(with_clients(words));
    }
    int undo_last() { return run({"undo", "--last"}); }
    std::string last_words() const {
        const std::string text = err();
        return text.substr(0, text.find('\n'));
    }
    ExportSettings exported() const {
        return kernel.running_exports.empty() ? ExportSettings()
                                              : kernel.running_exports[0].settings;
    }
    std::vector<std::string> ledgers() const {
        std::vector<std::string> names;
        for (const auto &entry : fs::directory_iterator(Places(root.path()).owners())) {
            names.push_back(entry.path().filename().string());
        }
        return names;
    }
    fs::path entry(const std::string &number) const {
        return root / ("var/lib/causeway/journal/" + number + ".json");
    }
    // Nothing can be removed from here, nor renamed to here.
    static void block(const fs::path &place) {
        fs::remove(place);
        fs::create_directories(place);
        write_file(place / "in-the-way", "");
    }
    nlohmann::json changes(const std::string &number) const {
        return nlohmann::json::parse(read_file(entry(number))).at("changes");
    }
};

/* ---- export add ---- */

TEST_F(DiskUndo, an_export_that_was_added_goes_with_its_file) {
    const auto told =
        json(with_clients({"export", "add", "scratch", "--file", (root / "disk.img").string()}));
    EXPECT_EQ(told["journal"], 1);
    EXPECT_EQ(told["changes"].size(), 2U);
    EXPECT_EQ(told["changes"][0]["uuid"], exported().identity->text());
    const Uuid identity = *exported().identity;
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_EQ(out().find("'scratch' is no longer exported; to export the same disk again, give: "
                         "--uuid " +
                         identity.text() + "\n"),
              0U)
        << out();
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_FALSE(fs::exists(export_file("scratch")));
    // The owners outlast the export, as they do an "export remove".
    EXPECT_EQ(ledgers().size(), 2U);
    EXPECT_EQ(add({"--uuid", identity.text()}), 0) << err();
}

TEST_F(DiskUndo, an_export_with_clients_stays_unless_forced) {
    EXPECT_EQ(add(), 0);
    EXPECT_NE(out().find("causeway undo 1 takes this back\n"), std::string::npos) << out();
    kernel.running_exports[0].sessions = 2;
    EXPECT_EQ(undo_last(), 75);
    EXPECT_EQ(err(), "causeway: clients are connected to the export 'scratch' (2 sessions); "
                     "nothing is undone\n  end that first, or: causeway undo 1 --force\n");
    EXPECT_TRUE(fs::exists(export_file("scratch")));
    EXPECT_EQ(run({"undo", "1", "--force"}), 0) << err();
    EXPECT_TRUE(logged("remove scratch by force"));
    EXPECT_TRUE(kernel.running_exports.empty());
}

TEST_F(DiskUndo, an_export_that_was_replaced_is_not_undone) {
    EXPECT_EQ(add(), 0);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(add({"--read-only"}), 0) << err();
    EXPECT_EQ(run({"undo", "1"}), 1);
    EXPECT_NE(err().find("causeway undo 3"), std::string::npos) << err();
    EXPECT_EQ(kernel.running_exports.size(), 1U);
}

TEST_F(DiskUndo, an_export_that_cannot_be_flushed_goes_with_an_error) {
    EXPECT_EQ(add(), 0);
    kernel.hangs = "its disk does not answer";
    EXPECT_EQ(undo_last(), 1);
    EXPECT_EQ(last_words(),
              "causeway: 'scratch' is no longer exported, but its disk does not answer");
    EXPECT_NE(read_file(entry("000001")).find("\"undone\""), std::string::npos);
}

TEST_F(DiskUndo, a_dry_run_shows_what_is_done) {
    const auto shown = json(with_clients({"export", "add", "m", "--ram", "64M", "--dry-run"}));
    EXPECT_EQ(shown["journal"], nullptr);
    EXPECT_FALSE(fs::exists(root / "var"));
    const auto done = json(with_clients({"export", "add", "m", "--ram", "64M"}));
    EXPECT_EQ(shown["changes"], done["changes"]);
    EXPECT_EQ(changes("000001"), done["changes"]);

    const auto removal = json({"export", "remove", "m", "--dry-run"});
    EXPECT_EQ(removal["changes"], json({"export", "remove", "m"})["changes"]);
    const auto plan = json({"attach", "storage1/x", "--queues", "3", "--dry-run"});
    EXPECT_EQ(plan["changes"], json({"attach", "storage1/x", "--queues", "3"})["changes"]);
    const auto detachment = json({"detach", "storage1/x", "--dry-run"});
    EXPECT_EQ(detachment["changes"], json({"detach", "storage1/x"})["changes"]);
    EXPECT_EQ(run({"undo", "4", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("would attach storage1/x\n"), std::string::npos) << out();
    EXPECT_EQ(kernel.running_attachments.size(), 0U);
}

TEST_F(DiskUndo, no_key_is_in_the_journal) {
    write_file(root / "key", "topsecret, as they say\n", 0600);
    EXPECT_EQ(add({"--key-file", (root / "key").string()}), 0) << err();
    EXPECT_EQ(run({"attach", "storage1/x", "--key-file", (root / "key").string()}), 0) << err();
    for (const char *number : {"000001", "000002"}) {
        EXPECT_EQ(read_file(entry(number)).find("topsecret"), std::string::npos);
        EXPECT_NE(read_file(entry(number)).find((root / "key").string()), std::string::npos);
    }
}

TEST_F(DiskUndo, a_path_may_have_any_bytes) {
    const fs::path image = root / "disk\xff.img";
    write_file(image, std::string(8192, 'x'));
    EXPECT_EQ(run(with_clients({"export", "add", "bytes", "--file", image.string()})), 0) << err();
    EXPECT_EQ(run({"export", "remove", "bytes"}), 0) << err();
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_EQ(exported().path, image.string());
}

TEST_F(DiskUndo, discarded_owners_stay_discarded) {
    EXPECT_EQ(add(), 0);
    const Uuid before = *exported().ledger;
    kernel.reload_target();
    EXPECT_EQ(add({"--forget-owners"}), 0) << err();
    const Uuid after = *exported().ledger;
    EXPECT_NE(before, after);
    EXPECT_EQ(run({"undo", "2", "--dry-run"}), 0);
    EXPECT_EQ(err(), "causeway: the former owners of 'scratch' stay discarded: their "
                     "ledger is gone\n");
    EXPECT_EQ(run({"undo", "2"}), 0);
    EXPECT_NE(err().find("stay discarded"), std::string::npos) << err();
    EXPECT_TRUE(kernel.running_exports.empty());
    // The file does not name a ledger that is no more: the next start takes the new one.
    EXPECT_EQ(read_file(export_file("scratch")).find(before.text()), std::string::npos);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(exported().ledger, after);
}

// A power cut right after the file is written must not leave it with the name of a ledger that is
// not there: the export could not start.
TEST_F(DiskUndo, the_ledger_of_an_export_is_there_before_a_file_names_it) {
    World here = world(false);
    ExportSettings settings;
    settings.name = "scratch";
    settings.backend = Backend::file;
    settings.path = (root / "disk.img").string();
    settings.allow_any = true;
    ExportWay way;
    way.locked = true;
    auto plan = complete(here, settings);
    ASSERT_TRUE(plan);
    way.ledger = *std::move(plan);
    const auto change = change_export({settings}, true, std::move(way));
    ASSERT_TRUE(change->prepare());
    EXPECT_EQ(ledgers().size(), 2U);
    EXPECT_TRUE(kernel.log.empty());
}

TEST_F(DiskUndo, a_ledger_of_which_no_export_begins_goes) {
    kernel.refuse["add"] = Error{ExitCode::failed, "no", "", EBUSY};
    EXPECT_EQ(add(), 1);
    EXPECT_TRUE(ledgers().empty());
    EXPECT_FALSE(fs::exists(export_file("scratch")));
}

/* ---- export remove ---- */

TEST_F(DiskUndo, an_export_that_was_removed_is_the_same_disk_again) {
    EXPECT_EQ(add({"--exclusive", "--takeover-after", "9", "--allow", "10.0.0.0/8"}), 0) << err();
    const ExportSettings before = exported();
    const std::string file = read_file(export_file("scratch"));
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_EQ(exported().identity, before.identity);
    EXPECT_EQ(exported().ledger, before.ledger);
    EXPECT_TRUE(differences(exported(), before).empty());
    EXPECT_EQ(read_file(export_file("scratch")), file);
    // The addition is as it was left, so it can be taken back too.
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_TRUE(kernel.running_exports.empty());
}

TEST_F(DiskUndo, a_memory_disk_that_was_removed_comes_back_empty) {
    EXPECT_EQ(run(with_clients({"export", "add", "m", "--ram", "64M"})), 0);
    const auto before = exported().identity;
    EXPECT_EQ(run({"export", "remove", "m"}), 0);
    EXPECT_EQ(undo_last(), 0);
    EXPECT_EQ(last_words(), "causeway: the content of the memory disk 'm' is gone: the "
                            "export that comes back is an empty disk with a new UUID");
    EXPECT_NE(exported().identity, before);
    EXPECT_TRUE(fs::exists(export_file("m")));
}

TEST_F(DiskUndo, a_removed_export_with_a_key_needs_the_name_of_its_file) {
    write_file(root / "key", "topsecret, as they say\n", 0600);
    const std::vector<std::string> key = {"--key-file", (root / "key").string()};
    EXPECT_EQ(add(key), 0);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_EQ(kernel.export_keys.size(), 2U);
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_EQ(add({key[0], key[1], "--no-persist"}), 0) << err();
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(undo_last(), 1);
    EXPECT_NE(err().find("the name of the key file is not known"), std::string::npos) << err();
}

TEST_F(DiskUndo, a_removed_export_of_a_disk_that_is_in_use_stays_removed) {
    EXPECT_EQ(add(), 0);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    fs::remove(root / "disk.img");
    EXPECT_EQ(undo_last(), 69);
    EXPECT_NE(err().find("nothing is undone"), std::string::npos) << err();
    EXPECT_EQ(run({"undo", "2", "--force"}), 69);
    EXPECT_FALSE(fs::exists(export_file("scratch")));
}

TEST_F(DiskUndo, a_removed_export_whose_disk_another_is_configured_with_stays_removed) {
    EXPECT_EQ(add(), 0);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    write_file(export_file("other"),
               "[export]\nfile = " + (root / "disk.img").string() + "\nallow = any\n");
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"undo", "2", "--dry-run"},
          {"undo", "2"},
          {"undo", "2", "--force"}}) {
        EXPECT_EQ(run(words), 1);
        EXPECT_NE(err().find("the export 'other' is configured with"), std::string::npos) << err();
    }
    EXPECT_TRUE(kernel.running_exports.empty());
}

TEST_F(DiskUndo, a_key_file_that_is_gone_is_noticed_before_anything_is_undone) {
    write_file(root / "key", "topsecret, as they say\n", 0600);
    const std::string key = (root / "key").string();
    EXPECT_EQ(add({"--key-file", key}), 0) << err();
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(run({"attach", "storage1/x", "--key-file", key}), 0) << err();
    EXPECT_EQ(run({"detach", "storage1/x"}), 0) << err();
    fs::remove(root / "key");
    for (const char *number : {"2", "4"}) {
        EXPECT_NE(run({"undo", number, "--dry-run"}), 0);
        EXPECT_NE(err().find(key), std::string::npos) << err();
    }
}

TEST_F(DiskUndo, the_file_of_an_export_that_was_added_again_meanwhile_stays) {
    EXPECT_EQ(add(), 0);
    // Another "export add" comes between the kernel and the file.
    const ExportInfo again = kernel.running_exports[0];
    kernel.after_remove = [&] { kernel.running_exports.push_back(again); };
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(fs::exists(export_file("scratch")));
}

TEST_F(DiskUndo, a_file_that_cannot_be_read_is_removed) {
    EXPECT_EQ(add(), 0);
    write_file(export_file("scratch"), std::string(2U << 20U, '#'));
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_FALSE(fs::exists(export_file("scratch")));
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_NE(err().find("scratch.conf stays removed: it could not be read"), std::string::npos);
    EXPECT_EQ(kernel.running_exports.size(), 1U);
}

// Another command comes between the kernel and the file of an undo.
TEST_F(DiskUndo, an_undo_leaves_the_file_of_an_export_that_was_added_again_meanwhile) {
    EXPECT_EQ(add(), 0);
    const ExportInfo again = kernel.running_exports[0];
    kernel.after_remove = [&] { kernel.running_exports.push_back(again); };
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_TRUE(fs::exists(export_file("scratch")));
    EXPECT_EQ(changes("000001")[1]["kind"], "export-dropin");
}

TEST_F(DiskUndo, an_undo_writes_no_file_of_an_export_that_ended_again_meanwhile) {
    EXPECT_EQ(add(), 0);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    kernel.after_add = [&] { kernel.running_exports.clear(); };
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_FALSE(fs::exists(export_file("scratch")));
}

// Such as on a full disk, or in a folder that is read-only.
TEST_F(DiskUndo, an_export_whose_file_cannot_be_written_again_stays_removed) {
    EXPECT_EQ(add(), 0);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    const fs::path folder = export_file("scratch").parent_path();
    fs::remove(folder);
    write_file(folder, "no folder");
    EXPECT_EQ(undo_last(), 1);
    EXPECT_TRUE(kernel.running_exports.empty());
    fs::remove(folder);
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_TRUE(fs::exists(export_file("scratch")));
}

TEST_F(DiskUndo, a_file_alone_goes_while_its_export_goes_on) {
    EXPECT_EQ(add({"--no-persist"}), 0);
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(run({"undo", "2"}), 0) << err();
    EXPECT_FALSE(fs::exists(export_file("scratch")));
    EXPECT_EQ(kernel.running_exports.size(), 1U);
}

TEST_F(DiskUndo, an_export_whose_file_cannot_be_removed_stays_ended) {
    EXPECT_EQ(run(with_clients({"export", "add", "m", "--ram", "64M"})), 0);
    kernel.after_remove = [&] { block(export_file("m")); };
    EXPECT_EQ(run({"export", "remove", "m"}), 1);
    EXPECT_NE(err().find("; what was done before it stays\n  fix that and run this again, or: "
                         "causeway undo 2\n"),
              std::string::npos)
        << err();
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_EQ(kernel.log.back(), "remove m");
    EXPECT_NE(read_file(entry("000002")).find("\"done\""), std::string::npos);
}

TEST_F(DiskUndo, an_export_whose_file_cannot_be_written_goes_on) {
    kernel.before_add = [&] { block(export_file("scratch")); };
    EXPECT_EQ(add(), 1);
    EXPECT_NE(err().find("causeway undo 1\n"), std::string::npos) << err();
    EXPECT_EQ(kernel.running_exports.size(), 1U);
    EXPECT_FALSE(logged("remove scratch by force"));
    fs::remove_all(export_file("scratch"));
    EXPECT_EQ(add(), 0) << err();
    EXPECT_TRUE(fs::exists(export_file("scratch")));
}

/* ---- attach and detach ---- */

TEST_F(DiskUndo, a_disk_that_was_attached_is_detached) {
    EXPECT_EQ(run({"attach", "storage1/x"}), 0) << err();
    EXPECT_EQ(out(), "/dev/causeway/storage1/x\n");
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_TRUE(kernel.running_attachments.empty());
    EXPECT_FALSE(fs::exists(attachment_file("storage1:x")));
    EXPECT_EQ(kernel.log.back(), "detach storage1/x");
}

TEST_F(DiskUndo, a_disk_that_is_open_stays_unless_forced) {
    EXPECT_EQ(run({"attach", "storage1/x"}), 0) << err();
    kernel.running_attachments[0].openers = 1;
    EXPECT_EQ(undo_last(), 75);
    EXPECT_EQ(last_words(),
              "causeway: cannot detach storage1/x: a program has it open; nothing is undone");
    EXPECT_TRUE(fs::exists(attachment_file("storage1:x")));
    EXPECT_EQ(run({"undo", "1", "--force"}), 0) << err();
    EXPECT_EQ(kernel.log.back(), "detach storage1/x by force");
}

TEST_F(DiskUndo, a_disk_that_was_detached_is_attached_as_it_was) {
    EXPECT_EQ(run({"attach", "storage1/x", "--queues", "3", "--fast-fail", "off"}), 0) << err();
    const std::string file = read_file(attachment_file("storage1:x"));
    EXPECT_EQ(run({"detach", "storage1/x"}), 0) << err();
    EXPECT_EQ(out(), "storage1/x is detached\ncauseway undo 2 takes this back\n");
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_EQ(kernel.attach_requests.back().queues, 3);
    EXPECT_EQ(kernel.attach_requests.back().fast_fail, CW_FAST_FAIL_OFF);
    EXPECT_EQ(read_file(attachment_file("storage1:x")), file);
}

TEST_F(DiskUndo, a_disk_that_was_not_configured_comes_back_as_the_kernel_knew_it) {
    EXPECT_EQ(run({"attach", "storage1/x", "--depth", "7", "--no-persist"}), 0) << err();
    EXPECT_EQ(run({"detach", "storage1/x"}), 0) << err();
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_EQ(kernel.attach_requests.back().depth, 7);
    EXPECT_FALSE(fs::exists(attachment_file("storage1:x")));
}

TEST_F(DiskUndo, a_disk_whose_file_was_changed_is_detached_all_the_same) {
    EXPECT_EQ(run({"attach", "storage1/x", "--queues", "3"}), 0) << err();
    write_file(attachment_file("storage1:x"), "server = storage1\nname = x\nqueues = 9\n");
    EXPECT_EQ(run({"detach", "storage1/x"}), 0) << err();
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_EQ(kernel.attach_requests.back().queues, 3);
    EXPECT_NE(read_file(attachment_file("storage1:x")).find("queues = 9"), std::string::npos);
}

TEST_F(DiskUndo, a_disk_that_is_there_by_a_stock_transport_is_not_attached_too) {
    EXPECT_EQ(run({"attach", "storage1/x"}), 0);
    EXPECT_EQ(run({"detach", "storage1/x"}), 0);
    write_file(root / "etc/causeway/stock-attachments.d/storage1:x.conf",
               "[stock-attachment]\nvia = nvme\nserver = storage1\nname = x\n");
    EXPECT_EQ(undo_last(), 1);
    EXPECT_NE(err().find("storage1/x is there by"), std::string::npos) << err();
    EXPECT_EQ(run({"undo", "2", "--force"}), 1);
    EXPECT_TRUE(kernel.running_attachments.empty());
}

TEST_F(DiskUndo, all_disks_are_an_entry_each) {
    EXPECT_EQ(run({"attach", "storage1/x"}), 0);
    EXPECT_EQ(run({"attach", "storage1/y"}), 0);
    const auto told = json({"detach", "--all"});
    EXPECT_EQ(told["journal"], nullptr);
    EXPECT_EQ(told["detached"][0]["journal"], 3);
    EXPECT_EQ(told["detached"][1]["journal"], 4);
    EXPECT_EQ(told["changes"].size(), 4U);
    EXPECT_EQ(run({"undo", "3"}), 0) << err();
    ASSERT_EQ(kernel.running_attachments.size(), 1U);
    EXPECT_EQ(kernel.running_attachments[0].name, "x");
}

TEST_F(DiskUndo, an_attachment_that_fails_leaves_no_entry) {
    kernel.refuse["attach"] = Error{ExitCode::try_again, "no route", "", EHOSTUNREACH};
    EXPECT_EQ(run({"attach", "storage1/x"}), 75);
    EXPECT_FALSE(fs::exists(entry("000001")));
    EXPECT_FALSE(fs::exists(attachment_file("storage1:x")));
}

TEST_F(DiskUndo, an_acknowledged_loss_stays_acknowledged) {
    EXPECT_EQ(run({"attach", "storage1/x"}), 0);
    kernel.running_attachments[0].loss = true;
    EXPECT_EQ(run({"acknowledge", "storage1/x"}), 0) << err();
    EXPECT_EQ(undo_last(), 1);
    EXPECT_EQ(out(), "nothing of 2 (acknowledge storage1/x) can be undone\n");
    EXPECT_NE(err().find("the loss of storage1/x stays acknowledged"), std::string::npos) << err();
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_TRUE(kernel.running_attachments.empty());
}

} // namespace
} // namespace causeway
