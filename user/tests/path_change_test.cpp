// SPDX-License-Identifier: GPL-2.0-or-later
// path add and path remove: the kernel, the configuration file, undo, and refusals.
#include "base/durable_file.h"
#include "fixture.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class ChangedPaths : public CommandTest {
  protected:
    std::string kept() const { return read_file(attachment_file("storage1:scratch")); }

    // Attaches storage1/scratch with these further words; the kernel numbers its paths from 0.
    void attach(std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"attach", "storage1/scratch"});
        ASSERT_EQ(run(more), 0) << err();
    }

    int add(std::vector<std::string> more) {
        more.insert(more.begin(), {"path", "add", "storage1/scratch"});
        return run(more);
    }
    int remove(const std::string &path) {
        return run({"path", "remove", "storage1/scratch", path});
    }
    // Returns the lines of the file that are about paths.
    std::string kept_paths() const {
        std::string lines;
        std::istringstream in(kept());
        for (std::string line; std::getline(in, line);) {
            if (line.rfind("path", 0) == 0 || line.rfind("from", 0) == 0) {
                lines += line + "\n";
            }
        }
        return lines;
    }
};

TEST_F(ChangedPaths, reach_the_kernel_and_the_file) {
    attach({"--path", "10.0.0.1"});
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    EXPECT_TRUE(logged("add path 10.1.0.1:4793 to storage1/scratch"));
    EXPECT_EQ(kept_paths(), "path = 10.0.0.1\npath = 10.1.0.1\n");
    EXPECT_NE(out().find("added the path 10.1.0.1 to storage1/scratch\n"), std::string::npos)
        << out();
    EXPECT_EQ(remove("0"), 0) << err();
    EXPECT_TRUE(logged("remove path 0 of storage1/scratch"));
    EXPECT_EQ(kept_paths(), "path = 10.1.0.1\n");
    EXPECT_NE(out().find("removed the path 10.0.0.1 from storage1/scratch\n"), std::string::npos)
        << out();
}

TEST_F(ChangedPaths, are_kept_in_the_order_of_their_numbers) {
    attach({"--path", "10.0.0.1,10.1.0.1,10.2.0.1"});
    EXPECT_EQ(remove("10.1.0.1"), 0) << err();
    EXPECT_TRUE(logged("remove path 1 of storage1/scratch"));
    EXPECT_EQ(kept_paths(), "path = 10.0.0.1\npath = 10.2.0.1\n");
    EXPECT_EQ(remove("0"), 0) << err();
    const auto told = json({"path", "add", "storage1/scratch", "--path", "10.3.0.1"});
    EXPECT_EQ(told["number"], 0);
    EXPECT_EQ(told["peer"], "10.3.0.1:4793");
    EXPECT_EQ(told["local"], nullptr);
    EXPECT_EQ(told["changed"], true);
    EXPECT_EQ(kept_paths(), "path = 10.3.0.1\npath = 10.2.0.1\n");
    EXPECT_EQ(run({"attach", "storage1/scratch", "--path", "10.3.0.1,10.2.0.1"}), 0) << err();
}

TEST_F(ChangedPaths, connect_from_a_local_address) {
    attach({"--path", "10.0.0.1", "--from", "10.0.0.9"});
    EXPECT_EQ(add({"--path", "10.0.0.1", "--from", "10.0.0.8"}), 0) << err();
    EXPECT_TRUE(logged("add path 10.0.0.1:4793 from 10.0.0.8 to storage1/scratch"));
    EXPECT_EQ(kept_paths(), "path = 10.0.0.1\npath = 10.0.0.1\nfrom = 10.0.0.9\nfrom = 10.0.0.8\n");
    EXPECT_EQ(remove("10.0.0.1"), 64);
    EXPECT_EQ(err(), "causeway: storage1/scratch has 2 paths to 10.0.0.1\n  give the number of "
                     "one, see causeway path list storage1/scratch\n");
    EXPECT_EQ(remove("1"), 0) << err();
}

TEST_F(ChangedPaths, may_leave_the_local_address_of_some_to_the_kernel) {
    attach({"--path", "10.0.0.1"});
    EXPECT_EQ(add({"--path", "10.1.0.1", "--from", "10.1.0.9"}), 0) << err();
    EXPECT_EQ(kept_paths(), "path = 10.0.0.1\npath = 10.1.0.1\nfrom = any\nfrom = 10.1.0.9\n");
    // The file is read again.
    EXPECT_EQ(add({"--path", "10.2.0.1", "--from", "any"}), 0) << err();
    EXPECT_EQ(kept_paths(), "path = 10.0.0.1\npath = 10.1.0.1\npath = 10.2.0.1\n"
                            "from = any\nfrom = 10.1.0.9\nfrom = any\n");
    const auto told = json({"attach", "storage1/scratch", "--path", "10.0.0.1,10.1.0.1,10.2.0.1",
                            "--from", "any,10.1.0.9,any"});
    EXPECT_EQ(told["changed"], false);
    // So is the journal.
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    ASSERT_EQ(kernel.running_attachments.size(), 1U);
    EXPECT_EQ(text_of(kernel.running_attachments[0].paths),
              "10.0.0.1:4793, 10.1.0.1:4793 from 10.1.0.9, 10.2.0.1:4793");
}

TEST_F(ChangedPaths, to_names_stay_names_in_the_file) {
    resolver.names["storage1-b"] = {"10.1.0.1"};
    attach();
    EXPECT_EQ(add({"--path", "storage1-b"}), 0) << err();
    EXPECT_TRUE(logged("add path 10.1.0.1:4793 to storage1/scratch"));
    EXPECT_EQ(kept_paths(), "path = storage1\npath = storage1-b\n");
    EXPECT_EQ(remove("storage1-b"), 0) << err();
    EXPECT_EQ(kept_paths(), "path = storage1\n");
}

// In a list, a name stands for its first address.
TEST_F(ChangedPaths, keep_the_address_in_force_in_place_of_a_name_with_several) {
    resolver.names["storage1"] = {"10.0.0.1", "10.1.0.1"};
    kernel.refuse["attach"] = Error{ExitCode::failed, "no route", "", EHOSTUNREACH};
    attach();
    EXPECT_EQ(text_of(kernel.running_attachments[0].paths), "10.1.0.1:4793");
    EXPECT_EQ(add({"--path", "10.0.0.1"}), 0) << err();
    EXPECT_EQ(kept_paths(), "path = 10.1.0.1\npath = 10.0.0.1\n");
}

TEST_F(ChangedPaths, that_would_be_the_same_at_boot_are_refused) {
    resolver.names["storage1-b"] = {"10.1.0.1"};
    attach({"--path", "10.0.0.1,storage1-b"});
    const std::string before = kept();
    resolver.names["storage1-b"] = {"10.2.0.1"};
    EXPECT_EQ(add({"--path", "10.2.0.1"}), 1);
    EXPECT_NE(err().find("the disk could not be attached at boot: the paths storage1-b and "
                         "10.2.0.1 of storage1/scratch both lead to 10.2.0.1"),
              std::string::npos)
        << err();
    EXPECT_FALSE(logged("add path 10.2.0.1:4793 to storage1/scratch"));
    EXPECT_EQ(kept(), before);
}

TEST_F(ChangedPaths, of_a_disk_without_a_file_write_none) {
    attach({"--no-persist", "--path", "10.0.0.1"});
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    EXPECT_EQ(remove("10.0.0.1"), 0) << err();
    EXPECT_FALSE(fs::exists(attachment_file("storage1:scratch")));
}

TEST_F(ChangedPaths, that_are_there_already_change_nothing) {
    attach({"--path", "10.0.0.1"});
    EXPECT_EQ(add({"--path", "10.0.0.1"}), 0) << err();
    EXPECT_FALSE(logged("add path 10.0.0.1:4793 to storage1/scratch"));
    EXPECT_NE(out().find("the disk has this path"), std::string::npos) << out();
}

TEST_F(ChangedPaths, are_shown_by_a_dry_run) {
    attach({"--path", "10.0.0.1"});
    EXPECT_EQ(add({"--path", "10.1.0.1", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("would add the path 10.1.0.1 to storage1/scratch\n"), std::string::npos)
        << out();
    EXPECT_EQ(kept_paths(), "path = 10.0.0.1\n");
    EXPECT_EQ(kernel.running_attachments[0].paths.size(), 1U);
}

TEST_F(ChangedPaths, that_cannot_be_are_refused_with_the_reason) {
    attach({"--path", "10.0.0.1"});
    const std::string before = kept();
    EXPECT_EQ(remove("0"), 1);
    EXPECT_EQ(err(),
              "causeway: path 0 is the only one of storage1/scratch\n  to end the use of the "
              "disk: causeway detach storage1/scratch; to move it to another path, add that "
              "one before: causeway path add\n");
    EXPECT_EQ(remove("10.9.0.1"), 1);
    EXPECT_EQ(err(), "causeway: storage1/scratch has no path 10.9.0.1\n  see causeway path list "
                     "storage1/scratch\n");
    EXPECT_EQ(add({}), 64);
    EXPECT_NE(err().find("no path is given"), std::string::npos) << err();
    EXPECT_EQ(add({"--path", "10.1.0.1,10.2.0.1"}), 64);
    EXPECT_NE(err().find("more than one path is given"), std::string::npos) << err();
    EXPECT_EQ(add({"--path", "10.1.0.1", "--from", "fd00::9"}), 64);
    EXPECT_NE(err().find("has an IPv4 address at one end"), std::string::npos) << err();
    EXPECT_EQ(run({"path", "add", "storage1/none", "--path", "10.1.0.1"}), 69);
    EXPECT_NE(err().find("storage1/none is not attached"), std::string::npos) << err();
    kernel.refuse["add path"] = Error{ExitCode::failed, "it ends", "", ENODEV};
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 1);
    EXPECT_NE(err().find("cannot add the path 10.1.0.1 of storage1/scratch: it ends"),
              std::string::npos)
        << err();
    EXPECT_EQ(kept(), before);
}

TEST_F(ChangedPaths, are_at_most_eight) {
    attach({"--path", "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6,10.0.0.7,10.0.0.8"});
    EXPECT_EQ(add({"--path", "10.0.0.9"}), 1);
    EXPECT_EQ(err(), "causeway: storage1/scratch has 8 paths, and a disk has at most 8\n  remove "
                     "one before: causeway path remove\n");
}

TEST_F(ChangedPaths, of_a_disk_whose_file_says_otherwise_are_refused) {
    attach({"--path", "10.0.0.1,10.1.0.1"});
    kernel.running_attachments[0].paths.pop_back();
    EXPECT_EQ(add({"--path", "10.2.0.1"}), 1);
    EXPECT_NE(err().find("describes storage1/scratch with other settings than those in force: the "
                         "list of paths is 10.0.0.1, not 10.0.0.1, 10.1.0.1"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("causeway detach storage1/scratch, then attach it again"),
              std::string::npos)
        << err();
}

TEST_F(ChangedPaths, of_a_disk_that_has_other_timeouts_for_now_reach_the_file) {
    attach({"--path", "10.0.0.1", "--io-timeout", "30"});
    ASSERT_EQ(run({"attach", "set", "storage1/scratch", "--io-timeout", "5", "--no-persist"}), 0);
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    EXPECT_EQ(kept_paths(), "path = 10.0.0.1\npath = 10.1.0.1\n");
    EXPECT_NE(kept().find("io-timeout = 30\n"), std::string::npos) << kept();
}

// The kernel has made the change, and the file was not written.
TEST_F(ChangedPaths, that_were_cut_off_are_completed_by_the_same_request) {
    attach({"--path", "10.0.0.1"});
    const std::string one = kept();
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    const std::string two = kept();
    write_file(attachment_file("storage1:scratch"), one);
    kernel.log.clear();
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    EXPECT_FALSE(logged("add path 10.1.0.1:4793 to storage1/scratch"));
    EXPECT_EQ(kept(), two);

    EXPECT_EQ(remove("10.0.0.1"), 0) << err();
    write_file(attachment_file("storage1:scratch"), two);
    kernel.log.clear();
    EXPECT_EQ(remove("10.0.0.1"), 0) << err();
    EXPECT_FALSE(logged("remove path 0 of storage1/scratch"));
    EXPECT_EQ(kept_paths(), "path = 10.1.0.1\n");
}

TEST_F(ChangedPaths, that_were_cut_off_can_be_taken_back) {
    attach({"--path", "10.0.0.1"});
    const std::string one = kept();
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    const std::string two = kept();
    write_file(attachment_file("storage1:scratch"), one);
    EXPECT_EQ(remove("10.1.0.1"), 0) << err();
    EXPECT_EQ(kept(), one);

    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    EXPECT_EQ(remove("10.0.0.1"), 0) << err();
    write_file(attachment_file("storage1:scratch"), two);
    EXPECT_EQ(add({"--path", "10.0.0.1"}), 0) << err();
    EXPECT_EQ(kept(), two);
}

// The server's disk kept commands of the path.
TEST_F(ChangedPaths, that_end_before_their_commands_say_so) {
    attach({"--path", "10.0.0.1,10.1.0.1,10.2.0.1"});
    EXPECT_EQ(json({"path", "remove", "storage1/scratch", "2"})["fencing"], false);
    SessionInfo session;
    session.role = CW_ROLE_CLIENT;
    session.server = "storage1";
    session.name = "scratch";
    session.paths.resize(1);
    session.paths[0].state = CW_DISK_PATH_ENDING;
    session.paths[0].fencing = true;
    kernel.running_sessions = {session};
    EXPECT_EQ(remove("0"), 0) << err();
    EXPECT_NE(out().find("path 0 of storage1/scratch ended before it had answered its commands: "
                         "its writes wait until the server has fenced it\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(add({"--path", "10.0.0.1"}), 0) << err();
    EXPECT_EQ(json({"path", "remove", "storage1/scratch", "0"})["fencing"], true);
}

TEST_F(ChangedPaths, are_changed_by_one_program_at_a_time) {
    bool locked = false;
    attach({"--path", "10.0.0.1"});
    kernel.while_paths_change = [&] {
        const auto lock =
            FileLock::take_now(root / "run/causeway/attachments/storage1:scratch.lock");
        locked = lock && !*lock;
    };
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    EXPECT_TRUE(locked);
    locked = false;
    EXPECT_EQ(remove("0"), 0) << err();
    EXPECT_TRUE(locked);
}

TEST_F(ChangedPaths, are_taken_back_by_undo) {
    attach({"--path", "10.0.0.1"});
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(logged("remove path 1 of storage1/scratch"));
    EXPECT_EQ(kept_paths(), "path = 10.0.0.1\n");
    EXPECT_EQ(add({"--path", "10.1.0.1"}), 0) << err();
    EXPECT_EQ(remove("10.0.0.1"), 0) << err();
    kernel.log.clear();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(logged("add path 10.0.0.1:4793 to storage1/scratch"));
    EXPECT_EQ(kept_paths(), "path = 10.0.0.1\npath = 10.1.0.1\n");
}

} // namespace
} // namespace causeway
