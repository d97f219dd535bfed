// SPDX-License-Identifier: GPL-2.0-or-later
// stop --all ends whatever servers do.
#include "fixture.h"

namespace causeway {
namespace {

class Stopping : public CommandTest {
  protected:
    void SetUp() override { ASSERT_EQ(run({"attach", "storage1/scratch"}), 0) << err(); }

    AttachmentInfo &disk() { return kernel.running_attachments.front(); }

    // The process that detaches, as the kernel answers it.
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

    // One that is killed when its time is over; @ends: the kernel has detached the disk by then.
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

} // namespace
} // namespace causeway
