// SPDX-License-Identifier: GPL-2.0-or-later
// Tests that "stop --all" ends, whatever the servers do.
#include "base/durable_file.h"
#include "fixture.h"

namespace causeway {
namespace {

class Stopping : public CommandTest {
  protected:
    void SetUp() override { ASSERT_EQ(run({"attach", "storage1/scratch"}), 0) << err(); }

    AttachmentInfo &disk() { return kernel.running_attachments.front(); }

    // Simulates the process that detaches, with the answers of the kernel.
    void detaches() {
        processes.acts["/proc/self/exe detach-running storage1/scratch"] = [this] {
            const bool force = processes.log.back().find("--force") != std::string::npos;
            if (disk().openers != 0 && !force) {
                return FakeProcesses::failure(
                    "causeway: storage1/scratch is in use (1 openers)\n  unmount it", 75);
            }
            EXPECT_TRUE(kernel.detach("storage1", "scratch", force));
            return ProcessEnd{};
        };
    }

    // Simulates a process that is killed when its time is over. @ends: the kernel has detached the
    // disk by then.
    void hangs(bool ends) {
        processes.acts["/proc/self/exe detach-running storage1/scratch"] = [this, ends] {
            if (ends) {
                EXPECT_TRUE(kernel.detach("storage1", "scratch", false));
            }
            ProcessEnd end;
            end.status = 137;
            end.timed_out = true;
            return end;
        };
    }
};

TEST_F(Stopping, detaches_by_a_process_that_can_be_killed) {
    detaches();
    const auto told = json({"stop", "--all", "--force"});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(told["detached"], nlohmann::json({"storage1/scratch"}));
    EXPECT_EQ(processes.log.back(), "/proc/self/exe detach-running storage1/scratch");
    EXPECT_TRUE(std::filesystem::exists(attachment_file("storage1:scratch")));
}

TEST_F(Stopping, leaves_an_open_disk_whose_server_answers) {
    detaches();
    disk().openers = 1;
    disk().state = CW_STATE_LIVE;
    EXPECT_EQ(run({"stop", "--all", "--force"}), 75);
    EXPECT_EQ(err(), "causeway: cannot detach storage1/scratch: storage1/scratch is in use (1 "
                     "openers)\n");
    EXPECT_EQ(kernel.running_attachments.size(), 1U);
}

TEST_F(Stopping, ends_an_open_disk_without_a_server_where_it_is_forced) {
    detaches();
    disk().openers = 1;
    disk().state = CW_STATE_HELD;
    EXPECT_EQ(run({"stop", "--all"}), 75);
    EXPECT_EQ(kernel.running_attachments.size(), 1U);
    EXPECT_EQ(run({"stop", "--all", "--force"}), 0) << err();
    EXPECT_TRUE(kernel.running_attachments.empty());
    EXPECT_EQ(err(), "causeway: storage1/scratch: it was open and had no server: its I/O failed\n");
}

TEST_F(Stopping, does_not_wait_for_a_server_that_never_says_farewell) {
    hangs(true);
    EXPECT_EQ(run({"stop", "--all", "--force"}), 0) << err();
    EXPECT_EQ(out(), "storage1/scratch is detached\n");
    EXPECT_NE(err().find("did not confirm it within 10 s"), std::string::npos) << err();
}

TEST_F(Stopping, says_what_does_not_end_even_by_force) {
    hangs(false);
    EXPECT_EQ(run({"stop", "--all", "--force"}), 1);
    EXPECT_EQ(err(), "causeway: cannot detach storage1/scratch: no end within 10 s\n");
    EXPECT_EQ(processes.log.back(), "/proc/self/exe detach-running storage1/scratch --force");
}

// The command waits for all disks together, once, and once more by force.
TEST_F(Stopping, waits_for_all_disks_together) {
    ASSERT_EQ(run({"attach", "storage1/other"}), 0) << err();
    hangs(false);
    processes.acts["/proc/self/exe detach-running storage1/other"] =
        processes.acts["/proc/self/exe detach-running storage1/scratch"];
    processes.limits.clear();
    EXPECT_EQ(run({"stop", "--all", "--force"}), 1);
    std::chrono::seconds all{};
    for (const auto most : processes.limits) {
        all += most;
    }
    // Together with the 110 s of the exports, this is less than TimeoutStopSec=5min.
    EXPECT_LE(all, std::chrono::seconds(150));
    EXPECT_EQ(processes.count("/proc/self/exe detach-running"), 4U);
    EXPECT_NE(err().find("cannot detach storage1/other: no end within 10 s"), std::string::npos)
        << err();
}

TEST_F(Stopping, goes_on_with_the_disks_after_a_failure) {
    detaches();
    ASSERT_EQ(run({"export", "add", "x", "--ram", "1M", "--allow", "any"}), 0) << err();
    kernel.refuse["stop"] = Error{ExitCode::failed, "no answer"};
    EXPECT_EQ(run({"stop", "--all", "--force"}), 1);
    EXPECT_NE(err().find("no answer"), std::string::npos) << err();
    EXPECT_TRUE(kernel.running_attachments.empty());
}

TEST_F(Stopping, needs_no_lock_to_go_on) {
    detaches();
    ASSERT_EQ(run({"export", "add", "x", "--ram", "1M", "--allow", "any"}), 0) << err();
    const std::filesystem::path lock = Places(root.path()).lock();
    std::filesystem::remove(lock);
    std::filesystem::create_directories(lock);
    EXPECT_EQ(run({"stop", "--all", "--force"}), 1);
    EXPECT_NE(err().find("lock"), std::string::npos) << err();
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_TRUE(kernel.running_attachments.empty());
}

TEST_F(Stopping, does_not_wait_for_a_command_that_hangs_with_the_lock) {
    detaches();
    ASSERT_EQ(run({"export", "add", "x", "--ram", "1M", "--allow", "any"}), 0) << err();
    const auto held = FileLock::take(Places(root.path()).lock());
    ASSERT_TRUE(held);
    EXPECT_EQ(run({"stop", "--all", "--force"}), 75);
    EXPECT_NE(err().find("another command has changed exports for more than 30 s"),
              std::string::npos)
        << err();
    EXPECT_EQ(clock.slept, std::chrono::seconds(30));
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_TRUE(kernel.running_attachments.empty());
}

} // namespace
} // namespace causeway
