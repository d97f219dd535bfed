// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the ledger of a disk's owners: the ledgers that "export add" and "restore" make, use and
// refuse.
#include "fixture.h"
#include "owners/ledger_copy.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class Ledgers : public CommandTest {
  protected:
    Ledgers() { write_file(root / "disk.img", std::string(8192, 'x')); }

    int add(std::vector<std::string> more = {}) { return run(words(std::move(more))); }

    std::vector<std::string> words(std::vector<std::string> more = {}) const {
        std::vector<std::string> all = {
            "export", "add",          "scratch", "--file", (root / "disk.img").string(),
            "--uuid", identity.text()};
        all.insert(all.end(), more.begin(), more.end());
        return with_clients(all);
    }

    fs::path folder() const { return root / "var/lib/causeway/owners"; }
    fs::path copy(int number) const { return copy(folder(), number); }
    fs::path copy(const fs::path &where, int number) const {
        return where / (identity.text() + "." + std::to_string(number));
    }
    fs::path record() const { return folder() / (identity.text() + ".folder"); }

    // Writes a ledger into both files, as a server would have left it.
    void put(const fs::path &where, const LedgerHead &head) const {
        for (const int number : {0, 1}) {
            write_file(copy(where, number), new_ledger_image(head), 0600);
        }
    }

    std::set<std::string> names_in(const fs::path &where) const {
        std::set<std::string> names;
        for (const auto &entry : fs::directory_iterator(where)) {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

    std::string unusable(const std::string &why, const std::string &other) const {
        return "causeway: the ledger with the owners of 'scratch' cannot be used: " +
               copy(0).string() + ": " + why + "; " + copy(1).string() + ": " + other +
               "\n  put these files back, or give \"causeway export add scratch\" the option "
               "--forget-owners. " +
               discards + "\n";
    }

    const Uuid identity = Uuid::random();
    const std::string discards =
        "That discards the owners: all hosts that have the disk attached have to detach and "
        "attach, and evicted hosts must be evicted again";
    const std::string absent = "there is no such file";
};

TEST_F(Ledgers, are_made_whole_before_the_kernel_is_asked) {
    bool there = false;
    kernel.before_add = [&] {
        there = fs::file_size(copy(0)) == ledger_file_size() && fs::exists(copy(1));
    };
    EXPECT_EQ(add(), 0) << err();
    EXPECT_TRUE(there);
    EXPECT_EQ(read_file(copy(0)), read_file(copy(1)));
    const LedgerCopy made = read_ledger_copy(copy(1));
    ASSERT_EQ(made.state, LedgerCopy::State::readable) << made.fault;
    EXPECT_EQ(made.head.identity, identity);
    EXPECT_EQ(made.head.generation, 1U);
    EXPECT_EQ(kernel.running_exports[0].settings.ledger, made.head.uuid);
    EXPECT_EQ(kernel.ledger_folders[0], folder().string());
    EXPECT_EQ(mode_of(copy(0)), 0600U);
    EXPECT_EQ(mode_of(folder()), 0700U);
    struct stat there_is {};
    ASSERT_EQ(::stat(copy(0).c_str(), &there_is), 0);
    EXPECT_GE(static_cast<std::size_t>(there_is.st_blocks) * 512, ledger_file_size());
    EXPECT_EQ(names_in(folder()).size(), 2U);
    const std::string text = read_file(export_file("scratch"));
    EXPECT_NE(text.find("ledger = " + made.head.uuid.text() + "\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("state-folder"), std::string::npos);
}

TEST_F(Ledgers, have_secrets_of_their_own) {
    const LedgerHead head{Uuid::random(), identity, 1};
    EXPECT_NE(new_ledger_image(head), new_ledger_image(head));
}

TEST_F(Ledgers, are_not_made_for_memory_and_read_only_exports) {
    EXPECT_EQ(add({"--read-only"}), 0) << err();
    EXPECT_EQ(run({"export", "add", "m", "--ram", "64M", "--allow", "any"}), 0) << err();
    for (const ExportInfo &info : kernel.running_exports) {
        EXPECT_FALSE(info.settings.ledger);
        EXPECT_EQ(info.settings.state_folder, "");
    }
    EXPECT_FALSE(fs::exists(folder()));
    EXPECT_EQ(run({"export", "add", "n", "--ram", "64M", "--forget-owners", "--allow", "any"}), 64);
    EXPECT_EQ(err(), "causeway: --forget-owners goes with a disk that may be written and that "
                     "lasts: a memory export keeps no ledger of owners in files\n  leave it out\n");
    EXPECT_EQ(add({"--read-only", "--state-folder", "/srv"}), 64);
    EXPECT_EQ(err(), "causeway: --state-folder goes with a disk that may be written and that "
                     "lasts: a read-only export keeps no ledger of owners in files\n  leave it "
                     "out\n");
}

TEST_F(Ledgers, outlast_their_export_under_whatever_name) {
    EXPECT_EQ(add(), 0);
    const auto before = kernel.running_exports[0].settings.ledger;
    const std::string content = read_file(copy(0));
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0);
    EXPECT_EQ(run({"export", "add", "other", "--file", (root / "disk.img").string(), "--uuid",
                   identity.text(), "--allow", "any"}),
              0)
        << err();
    EXPECT_EQ(kernel.running_exports[0].settings.ledger, before);
    EXPECT_EQ(read_file(copy(0)), content);
}

TEST_F(Ledgers, come_back_with_their_export) {
    EXPECT_EQ(add(), 0);
    const auto before = kernel.running_exports[0].settings.ledger;
    kernel.reload_target();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(kernel.running_exports[0].settings.ledger, before);
    kernel.reload_target();
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(kernel.running_exports[0].settings.ledger, before);
}

TEST_F(Ledgers, of_an_export_that_was_written_by_hand_are_kept_in_its_file) {
    const std::string text =
        "# mine\n[export]\nfile = " + (root / "disk.img").string() + " # a disk";
    write_file(export_file("hand"), text);
    kernel.refuse["add"] = Error{ExitCode::failed, "it is in use"};
    EXPECT_EQ(run({"restore"}), 1);
    EXPECT_EQ(read_file(export_file("hand")), text);
    EXPECT_TRUE(names_in(folder()).empty());
    // Even if the machine crashes right after the export began, the file has its UUID.
    kernel.before_add = [&] {
        EXPECT_NE(read_file(export_file("hand")).find("\nuuid = "), std::string::npos);
    };
    EXPECT_EQ(run({"restore"}), 0) << err();
    kernel.before_add = {};
    const ExportSettings &running = kernel.running_exports.at(0).settings;
    EXPECT_EQ(read_file(export_file("hand")), text + "\nuuid = " + running.identity->text() +
                                                  "\nledger = " + running.ledger->text() + "\n");
    const auto before = running.ledger;
    kernel.reload_target();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(kernel.running_exports.at(0).settings.ledger, before);
}

TEST_F(Ledgers, of_a_file_without_uuid_belong_to_the_uuid_that_is_typed) {
    write_file(export_file("scratch"), "[export]\nfile = " + (root / "disk.img").string() + "\n");
    put(folder(), {Uuid::random(), identity, 3});
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(kernel.running_exports.at(0).settings.identity, identity);
    EXPECT_EQ(kernel.running_exports.at(0).settings.ledger, read_ledger_copy(copy(0)).head.uuid);
}

TEST_F(Ledgers, are_not_needed_for_a_lasting_uuid) {
    const std::string text =
        "[export]\nfile = " + (root / "disk.img").string() + "\nread-only = yes\n";
    write_file(export_file("hand"), text);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(read_file(export_file("hand")),
              text + "uuid = " + kernel.running_exports.at(0).settings.identity->text() + "\n");
}

TEST_F(Ledgers, that_are_absent_torn_or_of_another_disk_keep_their_export_down) {
    EXPECT_EQ(add(), 0);
    const Uuid ledger = *kernel.running_exports[0].settings.ledger;
    kernel.reload_target();
    const std::string good = read_file(copy(0));
    std::string torn = good;
    torn[100] = static_cast<char>(torn[100] ^ 1);
    const Uuid other = Uuid::random();
    const std::string of_other_disk = new_ledger_image({ledger, other, 7});
    const std::string newer = new_ledger_image({other, identity, 7});
    const std::vector<std::pair<std::string, std::string>> cases = {
        {torn, "its checksum is wrong"},
        {good.substr(0, 100), "it is shorter than its header says"},
        {std::string(ledger_file_size(), '\0'), "it is not a ledger"},
        {"", "it is shorter than its header says"},
        {of_other_disk, "it is the ledger of the disk " + other.text()},
        {newer, "it is the ledger " + other.text() + ", and the export's is " + ledger.text()},
    };
    for (const auto &[content, why] : cases) {
        write_file(copy(0), content, 0600);
        fs::remove(copy(1));
        const std::size_t asked = kernel.log.size();
        EXPECT_EQ(add(), 78) << why;
        EXPECT_EQ(err(), unusable(why, absent));
        EXPECT_EQ(run({"restore"}), 78) << why;
        EXPECT_NE(err().find(why), std::string::npos) << err();
        EXPECT_NE(err().find("--forget-owners"), std::string::npos) << err();
        EXPECT_EQ(kernel.log.size(), asked);
        EXPECT_EQ(read_file(copy(0)), content);
        EXPECT_FALSE(fs::exists(copy(1)));
    }
    fs::remove(copy(0));
    EXPECT_EQ(add(), 78);
    EXPECT_EQ(err(), unusable(absent, absent));
    EXPECT_TRUE(names_in(folder()).empty());

    // This also holds if the configuration does not name the ledger, because a ledger existed.
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0);
    write_file(copy(1), torn, 0600);
    EXPECT_EQ(add(), 78);
    EXPECT_EQ(err(), unusable(absent, "its checksum is wrong"));
    fs::remove(copy(1));
    fs::create_directory(copy(1));
    EXPECT_EQ(add(), 78);
    EXPECT_EQ(err(), "causeway: " + copy(1).string() +
                         " is not a regular file\n  move it away: a copy of the ledger with the "
                         "disk's owners has this name\n");
}

TEST_F(Ledgers, with_one_good_copy_get_a_file_for_the_other) {
    EXPECT_EQ(add(), 0);
    const auto before = kernel.running_exports[0].settings.ledger;
    const std::string good = read_file(copy(0));
    for (const int bad : {0, 1}) {
        kernel.reload_target();
        fs::remove(copy(bad));
        EXPECT_EQ(add(), 0) << err();
        EXPECT_EQ(kernel.running_exports[0].settings.ledger, before);
        EXPECT_EQ(read_file(copy(bad)), std::string(ledger_file_size(), '\0'));
        EXPECT_EQ(mode_of(copy(bad)), 0600U);
        write_file(copy(bad), good, 0600);

        // The kernel writes a whole copy over a torn one, so the file must have room for it.
        kernel.reload_target();
        write_file(copy(bad), good.substr(0, 60), 0600);
        EXPECT_EQ(add(), 0) << err();
        EXPECT_EQ(fs::file_size(copy(bad)), ledger_file_size());
        EXPECT_EQ(read_file(copy(bad)).substr(0, 60), good.substr(0, 60));
        write_file(copy(bad), good, 0600);
    }
}

TEST_F(Ledgers, that_the_kernel_does_not_take_are_taken_back) {
    fs::create_directories(root / "state");
    for (const auto &more :
         {std::vector<std::string>{},
          std::vector<std::string>{"--state-folder", (root / "state").string(), "--forget-owners"},
          std::vector<std::string>{"--forget-owners"}}) {
        kernel.refuse["add"] = Error{ExitCode::try_again, "it is in use", "", EBUSY};
        EXPECT_EQ(add(more), 75);
        EXPECT_TRUE(names_in(folder()).empty());
        EXPECT_TRUE(names_in(root / "state").empty());
        EXPECT_FALSE(fs::exists(export_file("scratch")));
    }
    // The kernel's answer may be lost although the export was added. Then its ledger must stay.
    kernel.before_add = [&] {
        ExportInfo info;
        info.settings.name = "scratch";
        kernel.running_exports.push_back(info);
    };
    kernel.refuse["add"] = Error{ExitCode::failed, "the answer was lost"};
    EXPECT_EQ(add(), 1);
    EXPECT_EQ(names_in(folder()).size(), 2U);
}

TEST_F(Ledgers, are_made_anew_where_the_owners_are_discarded) {
    EXPECT_EQ(add(), 0);
    const auto before = kernel.running_exports[0].settings.ledger;
    EXPECT_EQ(add({"--forget-owners"}), 1);
    EXPECT_EQ(err(), "causeway: 'scratch' is exported: its owners can be discarded only before it "
                     "is\n  causeway export remove scratch, then add it with --forget-owners and "
                     "--uuid " +
                         identity.text() + " (clients have to detach before, and attach again)\n");
    kernel.reload_target();
    const std::string old = read_file(copy(0));

    // Nothing of it takes effect if the kernel refuses the export.
    kernel.refuse["add"] = Error{ExitCode::try_again, "it is in use", "", EBUSY};
    const std::string configured = read_file(export_file("scratch"));
    EXPECT_EQ(add({"--forget-owners"}), 75);
    EXPECT_EQ(read_file(export_file("scratch")), configured);
    EXPECT_EQ(read_file(copy(0)), old);
    EXPECT_EQ(read_file(copy(1)), old);
    EXPECT_EQ(names_in(folder()).size(), 2U);

    // The configuration must not name a ledger that no longer exists, even after a power failure.
    EXPECT_EQ(add({"--forget-owners", "--no-persist"}), 64);
    EXPECT_EQ(err(), "causeway: the export 'scratch' is configured in " +
                         export_file("scratch").string() +
                         ", which names the ledger of its owners: --forget-owners does not go with "
                         "--no-persist\n  leave --no-persist out\n");
    kernel.before_add = [&] {
        EXPECT_EQ(read_file(export_file("scratch")).find("ledger"), std::string::npos);
    };

    write_file(copy(1), "torn", 0600);
    fs::remove(copy(0));
    EXPECT_EQ(add({"--forget-owners"}), 0) << err();
    kernel.before_add = {};
    const auto after = kernel.running_exports[0].settings.ledger;
    EXPECT_NE(after, before);
    EXPECT_EQ(read_ledger_copy(copy(0)).head.uuid, after);
    EXPECT_EQ(read_file(copy(0)), read_file(copy(1)));
    EXPECT_NE(read_file(export_file("scratch")).find("ledger = " + after->text()),
              std::string::npos);
    EXPECT_EQ(names_in(folder()).size(), 2U);
    kernel.reload_target();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(kernel.running_exports[0].settings.ledger, after);
}

TEST_F(Ledgers, in_use_are_not_discarded) {
    EXPECT_EQ(add(), 0);
    EXPECT_EQ(run({"export", "add", "other", "--file", (root / "disk.img").string(), "--uuid",
                   identity.text(), "--forget-owners", "--allow", "any"}),
              75);
    EXPECT_EQ(err(), "causeway: the owners of 'other' cannot be discarded while the export "
                     "'scratch' of the same disk is there\n  causeway export remove scratch\n");
    kernel.running_exports[0].ending = true;
    const std::string configured = read_file(export_file("scratch"));
    EXPECT_EQ(add({"--forget-owners"}), 75);
    EXPECT_EQ(read_file(export_file("scratch")), configured);
    EXPECT_NE(err().find("\n  wait until it has ended: causeway export list\n"), std::string::npos)
        << err();
}

TEST_F(Ledgers, are_shown_before_they_are_made) {
    EXPECT_EQ(add({"--dry-run"}), 0) << err();
    EXPECT_NE(out().find("would make a ledger of the disk's owners in " + folder().string()),
              std::string::npos)
        << out();
    EXPECT_NE(out().find("\n+ledger = "), std::string::npos) << out();
    EXPECT_FALSE(fs::exists(root / "var"));
    put(folder(), {Uuid::random(), identity, 3});
    EXPECT_EQ(add({"--dry-run", "--forget-owners"}), 0) << err();
    EXPECT_NE(out().find("would discard the owners of the disk and make a new ledger in"),
              std::string::npos)
        << out();
    EXPECT_EQ(read_ledger_copy(copy(0)).head.generation, 3U);
}

TEST_F(Ledgers, in_a_folder_of_their_own_are_found_again) {
    const fs::path state = root / "state";
    EXPECT_EQ(add({"--state-folder", "state"}), 64);
    EXPECT_EQ(err(), "causeway: --state-folder 'state' is not an absolute path\n  give a folder "
                     "that is there, from '/' on\n");
    EXPECT_EQ(add({"--state-folder", state.string()}), 69);
    EXPECT_EQ(err(), "causeway: the state folder " + state.string() +
                         " cannot be used: No such file or directory\n  mount it or make it "
                         "first\n");
    write_file(state, "");
    EXPECT_EQ(add({"--state-folder", state.string()}), 69);
    EXPECT_EQ(err(), "causeway: the state folder " + state.string() +
                         " is not a folder\n  give a folder\n");
    fs::remove(state);
    EXPECT_FALSE(fs::exists(root / "var/lib/causeway/owners"));

    // An administrator who gives the UUID knows the disk, so a ledger should exist: an empty folder
    // may be one that is not mounted.
    fs::create_directory(state);
    EXPECT_EQ(add({"--state-folder", state.string()}), 69);
    EXPECT_EQ(err(), "causeway: the ledger with the owners of 'scratch' is not in " +
                         state.string() + ": there is neither " + copy(state, 0).string() +
                         " nor " + copy(state, 1).string() +
                         "\n  mount the folder, or give \"causeway export add scratch\" the "
                         "option --forget-owners. " +
                         discards + "\n");
    EXPECT_FALSE(fs::exists(record()));
    EXPECT_EQ(add({"--state-folder", state.string() + "/", "--forget-owners"}), 0) << err();
    EXPECT_EQ(read_file(record()), state.string() + "\n");
    EXPECT_EQ(kernel.ledger_folders[0], state.string());
    EXPECT_TRUE(fs::exists(copy(state, 0)) && fs::exists(copy(state, 1)));
    EXPECT_NE(read_file(export_file("scratch")).find("state-folder = " + state.string() + "\n"),
              std::string::npos);
    const auto before = kernel.running_exports[0].settings.ledger;
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(add({"--state-folder", folder().string()}), 1);
    EXPECT_NE(err().find("the state folder is " + state.string() + ", not " + folder().string()),
              std::string::npos)
        << err();

    // The ledger is also found without the configuration.
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0);
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(kernel.running_exports[0].settings.ledger, before);
    EXPECT_EQ(kernel.ledger_folders[1], state.string());

    // An administrator edited the file, but the record still names the folder.
    kernel.reload_target();
    const std::string text = read_file(export_file("scratch"));
    const std::size_t line = text.find("state-folder");
    write_file(export_file("scratch"),
               text.substr(0, line) + text.substr(text.find('\n', line) + 1));
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(add(), 0) << err();
    EXPECT_EQ(kernel.ledger_folders[2], state.string());
    EXPECT_NE(read_file(export_file("scratch")).find("state-folder = " + state.string() + "\n"),
              std::string::npos);
    write_file(export_file("scratch"), text.substr(0, line) + "state-folder = " + state.string() +
                                           "/\n" + text.substr(text.find('\n', line) + 1));
    EXPECT_EQ(run({"restore"}), 0) << err();

    kernel.reload_target();
    fs::rename(state, root / "away");
    EXPECT_EQ(run({"restore"}), 75);
    EXPECT_NE(err().find("the state folder " + state.string() + " cannot be used"),
              std::string::npos)
        << err();
}

TEST_F(Ledgers, are_not_made_beside_the_ones_that_are_in_another_folder) {
    const fs::path one = root / "one";
    const fs::path two = root / "two";
    fs::create_directory(one);
    fs::create_directory(two);
    const auto moved_first = [&](const fs::path &from, const fs::path &to) {
        return "causeway: the ledger with the owners of 'scratch' is in " + from.string() +
               ", not in " + to.string() + "\n  move " + copy(from, 0).string() + " and " +
               copy(from, 1).string() + " there first, or give --forget-owners. " + discards + "\n";
    };
    EXPECT_EQ(add({"--no-persist"}), 0) << err();
    const auto before = kernel.running_exports[0].settings.ledger;
    kernel.reload_target();
    EXPECT_EQ(add({"--no-persist", "--state-folder", one.string()}), 1);
    EXPECT_EQ(err(), moved_first(folder(), one));
    EXPECT_FALSE(fs::exists(record()));
    for (const int number : {0, 1}) {
        fs::rename(copy(number), copy(one, number));
    }
    EXPECT_EQ(add({"--no-persist", "--state-folder", one.string()}), 0) << err();
    EXPECT_EQ(kernel.running_exports[0].settings.ledger, before);
    EXPECT_EQ(read_file(record()), one.string() + "\n");

    kernel.reload_target();
    EXPECT_EQ(add({"--no-persist", "--state-folder", two.string()}), 1);
    EXPECT_EQ(err(), moved_first(one, two));
    // A folder that is empty because it is not mounted holds no ledger either.
    fs::rename(copy(one, 0), root / "0");
    fs::rename(copy(one, 1), root / "1");
    EXPECT_EQ(add({"--no-persist", "--state-folder", two.string()}), 1);
    EXPECT_EQ(err(), moved_first(one, two));
    EXPECT_EQ(add({"--no-persist"}), 69);
    EXPECT_NE(err().find("is not in " + one.string() + ": there is neither"), std::string::npos)
        << err();
    fs::rename(root / "0", copy(one, 0));
    fs::rename(root / "1", copy(one, 1));

    EXPECT_EQ(add({"--no-persist", "--state-folder", two.string(), "--forget-owners"}), 0) << err();
    EXPECT_NE(kernel.running_exports[0].settings.ledger, before);
    EXPECT_EQ(read_file(record()), two.string() + "\n");
    EXPECT_TRUE(names_in(one).empty());

    // The ledger can also be moved back to the default folder.
    kernel.reload_target();
    for (const int number : {0, 1}) {
        fs::rename(copy(two, number), copy(number));
    }
    EXPECT_EQ(add({"--no-persist", "--state-folder", folder().string()}), 0) << err();
    EXPECT_FALSE(fs::exists(record()));
}

TEST_F(Ledgers, of_a_new_disk_are_made_in_whatever_folder) {
    const fs::path state = root / "state";
    fs::create_directory(state);
    EXPECT_EQ(run({"export", "add", "new", "--file", (root / "disk.img").string(), "--state-folder",
                   state.string(), "--allow", "any"}),
              0)
        << err();
    const Uuid made = *kernel.running_exports.at(0).settings.identity;
    EXPECT_EQ(names_in(state), (std::set<std::string>{made.text() + ".0", made.text() + ".1"}));
    // The folder may not be mounted yet at boot, so "restore" tries again later.
    kernel.reload_target();
    fs::rename(state, root / "away");
    fs::create_directory(state);
    EXPECT_EQ(run({"restore"}), 75) << err();
    EXPECT_TRUE(names_in(state).empty());
    fs::remove(state);
    fs::rename(root / "away", state);
    EXPECT_EQ(run({"restore"}), 0) << err();
}

TEST_F(Ledgers, are_kept_where_no_other_user_can_write) {
    const fs::path state = root / "state";
    fs::create_directory(state);
    fs::permissions(state, fs::perms::group_write, fs::perm_options::add);
    EXPECT_EQ(add({"--state-folder", state.string(), "--forget-owners"}), 78);
    EXPECT_EQ(err(), "causeway: others can write to the state folder " + state.string() +
                         " (mode 0775), and change the owners of disks in it\n  chmod go-w " +
                         state.string() + "\n");
    if (::geteuid() != 0) {
        return;
    }
    fs::permissions(state, fs::perms::group_write, fs::perm_options::remove);
    ASSERT_EQ(::chown(state.c_str(), 65534, 65534), 0);
    EXPECT_EQ(add({"--state-folder", state.string(), "--forget-owners"}), 78);
    EXPECT_EQ(err(), "causeway: the state folder " + state.string() +
                         " belongs to user 65534, who could change the owners of disks in it\n  "
                         "chown root " +
                         state.string() + "\n");
}

TEST_F(Ledgers, whose_record_is_damaged_are_not_guessed) {
    for (const char *text : {"", "\n", "relative\n"}) {
        write_file(record(), text);
        EXPECT_EQ(add(), 78) << text;
        EXPECT_EQ(err(), "causeway: " + record().string() +
                             " does not name the folder of a ledger\n  write the folder's "
                             "absolute path into it, or remove the file if the ledger is in the "
                             "folder of this file\n");
    }
}

TEST_F(Ledgers, that_cannot_be_written_leave_nothing_behind) {
    const fs::path state = root / "state";
    fs::create_directory(state);
    // Root may write everywhere, so the error is provoked by a file in place of a folder.
    write_file(root / "var/lib/causeway", "");
    EXPECT_EQ(add({"--state-folder", state.string()}), 1);
    EXPECT_EQ(err().find("causeway: cannot "), 0U) << err();
    EXPECT_TRUE(names_in(state).empty());
    EXPECT_TRUE(kernel.running_exports.empty());
}

} // namespace
} // namespace causeway
