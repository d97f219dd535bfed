// SPDX-License-Identifier: GPL-2.0-or-later
// A verb holds the lock of the object that it changes during the whole change. Otherwise another
// command in between would see half a change.
#include "base/durable_file.h"
#include "change/unconfirmed.h"
#include "fixture.h"

#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <utility>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class Locks : public CommandTest {
  protected:
    void SetUp() override {
        files.add_ipoib("ib0", "0xffff");
        fs::create_directories(root / "run/systemd/system");
        processes.acts["systemctl is-active --quiet NetworkManager.service"] = [] {
            return FakeProcesses::failure("", 3);
        };
        processes.acts["ip -json address show dev ib0"] = [] {
            ProcessEnd end;
            end.out = R"([{"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":24}]}])";
            return end;
        };
        files.on_write["/sys/class/net/ib0/mtu"] = [this](const std::string &text) -> Result<void> {
            look();
            files.content["/sys/class/net/ib0/mtu"] = text;
            return {};
        };
    }

    static bool free(const fs::path &place) {
        const auto lock = FileLock::take_now(place);
        EXPECT_TRUE(lock);
        return lock && *lock;
    }
    // Waits until a thread or process waits for this lock, as the kernel lists it in a line such as
    // "1: -> FLOCK  ADVISORY  WRITE 123 fe:01:456 0 EOF". False after 60 s.
    static bool another_waits(const fs::path &place) {
        struct stat found {};
        EXPECT_EQ(stat(place.c_str(), &found), 0);
        const std::string inode = fmt::format(":{} ", found.st_ino);
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (std::chrono::steady_clock::now() < end) {
            std::ifstream locks("/proc/locks");
            for (std::string line; std::getline(locks, line);) {
                if (line.find("->") != std::string::npos && line.find(inode) != std::string::npos) {
                    return true;
                }
            }
            std::this_thread::yield();
        }
        return false;
    }
    fs::path journal_lock() const { return Places(root.path()).journal() / "lock"; }
    // Checks during a change that the journal is locked.
    void look() {
        looks++;
        EXPECT_FALSE(free(journal_lock()));
    }
    // Returns the number of looks since the last call.
    int looked() { return std::exchange(looks, 0); }
    void come_over_ib0() {
        std::string text("SSH_CONNECTION=10.0.0.9 51000 10.0.0.1 22");
        text += '\0';
        write_file(root / "proc/self/environ", text);
    }
    std::string waiting() const {
        const auto wait = load_unconfirmed(Places(root.path()));
        return wait && *wait ? (*wait)->id : "";
    }

    int looks = 0;
};

TEST_F(Locks, of_the_journal_is_held_by_a_change_and_its_undo) {
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_EQ(looked(), 1);
    EXPECT_TRUE(free(journal_lock()));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(looked(), 1);
    EXPECT_TRUE(free(journal_lock()));
}

TEST_F(Locks, of_the_journal_is_held_by_confirm_and_by_the_way_back) {
    come_over_ib0();
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    looked();
    EXPECT_EQ(run({"undo", "--unconfirmed", waiting()}), 0) << err();
    EXPECT_EQ(looked(), 1);

    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    looked();
    processes.acts["systemctl stop causeway-unconfirmed-"] = [this] {
        look();
        return ProcessEnd{};
    };
    EXPECT_EQ(run({"confirm"}), 0) << err();
    EXPECT_EQ(looked(), 1);
    EXPECT_TRUE(free(journal_lock()));
}

TEST_F(Locks, of_the_exports_is_held_while_one_is_added) {
    const fs::path place = Places(root.path()).lock();
    bool held = false;
    kernel.before_add = [&] { held = !free(place); };
    EXPECT_EQ(run({"export", "add", "scratch", "--ram", "4K", "--allow", "any"}), 0) << err();
    EXPECT_TRUE(held);
    EXPECT_TRUE(free(place));
}

TEST_F(Locks, of_the_exports_is_held_by_a_change_of_the_limits_and_its_undo) {
    const fs::path place = Places(root.path()).lock();
    const std::string limit = "/sys/module/causeway/parameters/max_sessions";
    files.content[limit] = "256\n";
    int held = 0;
    files.on_write[limit] = [&](const std::string &text) -> Result<void> {
        held += free(place) ? 0 : 1;
        files.content[limit] = text;
        return {};
    };
    EXPECT_EQ(run({"server", "set", "--max-sessions", "300"}), 0) << err();
    EXPECT_EQ(held, 1);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(held, 2);
    EXPECT_EQ(files.content[limit], "256\n");
    EXPECT_TRUE(free(place));

    // Without the module, only the file changes.
    files.content.erase(limit);
    EXPECT_EQ(run({"server", "set", "--max-sessions", "300"}), 0) << err();
    auto lock = FileLock::take(place);
    ASSERT_TRUE(lock);
    int code = 1;
    std::thread other([&] { code = run({"undo", "--last"}); });
    EXPECT_TRUE(another_waits(place));
    lock = Error{};
    other.join();
    EXPECT_EQ(code, 0) << err();
}

class LocksOfDisks : public Locks {
  protected:
    void SetUp() override {
        Locks::SetUp();
        kernel.when_attached = kernel.when_set = kernel.when_detached =
            kernel.while_paths_change = [this] { held += free(place("scratch")) ? 0 : 1; };
    }
    fs::path place(const std::string &name) const {
        return root / ("run/causeway/attachments/storage1:" + name + ".lock");
    }
    // Returns how often a kernel request found the lock held, since the last call.
    int was_held() { return std::exchange(held, 0); }

    int held = 0;
};

TEST_F(LocksOfDisks, are_held_while_a_disk_changes) {
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(was_held(), 1);
    EXPECT_EQ(run({"attach", "set", "storage1/scratch", "--io-timeout", "9", "--dry-run"}), 0);
    EXPECT_EQ(run({"attach", "set", "storage1/scratch", "--io-timeout", "9"}), 0) << err();
    EXPECT_EQ(was_held(), 1);
    write_file(attachment_file("storage1:scratch"),
               "[attachment]\nserver = storage1\nname = scratch\nio-timeout = 7\n");
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(was_held(), 1);
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(was_held(), 1);
    EXPECT_TRUE(free(place("scratch")));
}

TEST_F(LocksOfDisks, are_held_by_restore_and_undo) {
    write_file(attachment_file("storage1:scratch"),
               "[attachment]\nserver = storage1\nname = scratch\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(was_held(), 1);
    ASSERT_EQ(run({"attach", "set", "storage1/scratch", "--io-timeout", "9"}), 0) << err();
    ASSERT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    was_held();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(was_held(), 1);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(was_held(), 1);
    EXPECT_TRUE(free(place("scratch")));
}

TEST_F(LocksOfDisks, stop_no_forced_detach_or_undo_and_no_change_of_another_disk) {
    ASSERT_EQ(run({"attach", "storage1/scratch"}), 0) << err();
    const auto lock = FileLock::take(place("scratch"));
    ASSERT_TRUE(lock);
    was_held();
    EXPECT_EQ(run({"attach", "storage1/other"}), 0) << err();
    EXPECT_EQ(run({"detach", "storage1/scratch", "--force"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last", "--force"}), 0) << err();
    EXPECT_EQ(was_held(), 3);
}

TEST_F(LocksOfDisks, let_a_detach_see_what_an_attach_has_done_meanwhile) {
    auto lock = FileLock::take(place("scratch"));
    ASSERT_TRUE(lock);
    AttachmentInfo info;
    info.server = "storage1";
    info.name = "scratch";
    kernel.running_attachments.push_back(info);
    int code = 1;
    std::thread other([&] { code = run({"detach", "storage1/scratch"}); });
    EXPECT_TRUE(another_waits(place("scratch")));
    write_file(attachment_file("storage1:scratch"),
               "[attachment]\nserver = storage1\nname = scratch\n");
    lock = Error{};
    other.join();
    EXPECT_EQ(code, 0) << err();
    EXPECT_FALSE(fs::exists(attachment_file("storage1:scratch")));
}

TEST_F(Locks, let_server_set_read_the_file_only_when_no_other_command_writes_it) {
    const fs::path file = root / "etc/causeway/server.conf";
    auto lock = FileLock::take(Places(root.path()).lock());
    ASSERT_TRUE(lock);
    int code = 1;
    std::thread other([&] { code = run({"server", "set", "--max-sessions", "300"}); });
    EXPECT_TRUE(another_waits(Places(root.path()).lock()));
    write_file(file, "[server]\nport = 5000\n");
    lock = Error{};
    other.join();
    EXPECT_EQ(code, 0) << err();
    EXPECT_NE(read_file(file).find("port = 5000\n"), std::string::npos) << read_file(file);
    EXPECT_NE(read_file(file).find("max-sessions = 300\n"), std::string::npos) << read_file(file);
}

} // namespace
} // namespace causeway
