// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/progress.h"
#include "show/table.h"

#include "base/descriptor.h"

#include <array>
#include <causeway.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace causeway {
namespace {

Table disks() {
    Table table({{"DISK"}, {"SIZE", Table::Align::right}, {"STATE"}, {"DEVICE"}, {"LINK"}});
    table.row({"storage1/scratch", "512 MiB", "live", "/dev/causeway0", "/dev/causeway/x"});
    table.tone(2, Tone::good);
    table.row({"storage1/b", "1 GiB", "held", "", ""});
    table.tone(2, Tone::bad);
    table.note("why");
    return table;
}

TEST(Terminals, that_are_wide_get_all_columns_side_by_side) {
    const std::string whole = disks().text();
    EXPECT_EQ(whole, "DISK                 SIZE  STATE  DEVICE          LINK\n"
                     "storage1/scratch  512 MiB  live   /dev/causeway0  /dev/causeway/x\n"
                     "storage1/b          1 GiB  held   -               -\n"
                     "    why\n");
    EXPECT_EQ(disks().text({200, false}), whole);
}

TEST(Terminals, that_are_narrow_get_the_last_columns_below) {
    EXPECT_EQ(disks().text({50, false}), "DISK                 SIZE  STATE  DEVICE\n"
                                         "storage1/scratch  512 MiB  live   /dev/causeway0\n"
                                         "    link /dev/causeway/x\n"
                                         "storage1/b          1 GiB  held   -\n"
                                         "    why\n");
    EXPECT_EQ(disks().text({34, false}), "DISK                 SIZE  STATE\n"
                                         "storage1/scratch  512 MiB  live\n"
                                         "    device /dev/causeway0\n"
                                         "    link /dev/causeway/x\n"
                                         "storage1/b          1 GiB  held\n"
                                         "    why\n");
    EXPECT_EQ(disks().text({1, false}).substr(0, 5), "DISK\n");
}

TEST(Terminals, with_colours_have_states_painted) {
    EXPECT_EQ(disks().text({50, true}),
              "DISK                 SIZE  STATE  DEVICE\n"
              "storage1/scratch  512 MiB  \033[32mlive\033[0m   /dev/causeway0\n"
              "    link /dev/causeway/x\n"
              "storage1/b          1 GiB  \033[31mheld\033[0m   -\n"
              "    why\n");
}

TEST(Terminals, are_coloured_unless_colour_is_refused) {
    EXPECT_TRUE(may_colour(nullptr, "xterm"));
    EXPECT_TRUE(may_colour("", "xterm"));
    EXPECT_FALSE(may_colour("1", "xterm"));
    EXPECT_FALSE(may_colour(nullptr, "dumb"));
    EXPECT_FALSE(may_colour(nullptr, nullptr));
}

TEST(Terminals, show_states_by_what_they_mean) {
    EXPECT_EQ(tone_of_state(CW_STATE_LIVE), Tone::good);
    EXPECT_EQ(tone_of_state(CW_STATE_CONNECTING), Tone::doubtful);
    EXPECT_EQ(tone_of_state(CW_STATE_REFUSED), Tone::bad);
    EXPECT_EQ(painted("x", Tone::plain), "x");
}

// A pseudo terminal of 20 columns.
class ProgressLine : public testing::Test {
  protected:
    void SetUp() override {
        int reader = -1;
        int file = -1;
        winsize size{};
        size.ws_row = 5;
        size.ws_col = 20;
        ASSERT_EQ(::openpty(&reader, &file, nullptr, nullptr, &size), 0);
        reader_ = Descriptor(reader);
        terminal = Descriptor(file);
    }

    // Reads what was written to the terminal, up to and including this text.
    std::string shown_until(const std::string &end) {
        std::string text;
        while (text.size() < end.size() || text.substr(text.size() - end.size()) != end) {
            char c = 0;
            if (::read(reader_.get(), &c, 1) != 1) {
                ADD_FAILURE() << "the terminal ended after: " << text;
                break;
            }
            text += c;
        }
        return text;
    }
    void mark() { ASSERT_EQ(::write(terminal.get(), "END", 3), 3); }

    static constexpr Progress::Times at_once{std::chrono::milliseconds(0),
                                             std::chrono::milliseconds(1)};
    static constexpr Progress::Times never{std::chrono::hours(1), std::chrono::hours(1)};
    Descriptor terminal;

  private:
    Descriptor reader_;
};

TEST_F(ProgressLine, shows_what_is_waited_for_and_is_erased) {
    {
        Progress progress(terminal.get(), "waiting", at_once);
        EXPECT_EQ(shown_until(" s"), "\r\033[Kwaiting: 0 s");
        progress.now("later");
        EXPECT_NE(shown_until("later: 0 s").find("\r\033[K"), std::string::npos);
    }
    mark();
    const std::string rest = shown_until("END");
    EXPECT_EQ(rest.substr(rest.size() - 7), "\r\033[KEND");
}

TEST_F(ProgressLine, is_no_wider_than_the_terminal) {
    const Progress progress(terminal.get(), "attach storage1/scratch", at_once);
    EXPECT_EQ(shown_until("0 s"), "\r\033[Kattach storage: 0 s");
}

TEST_F(ProgressLine, of_a_quick_verb_shows_nothing) {
    { const Progress progress(terminal.get(), "waiting", never); }
    mark();
    EXPECT_EQ(shown_until("END"), "END");
}

TEST_F(ProgressLine, inside_another_one_replaces_its_text) {
    {
        const Progress outer(terminal.get(), "outer", at_once);
        {
            Progress inner(terminal.get(), "inner", never);
            EXPECT_NE(shown_until("inner: 0 s").find("\r\033[K"), std::string::npos);
            inner.now("later");
            shown_until("later: 0 s");
            const Progress third(terminal.get(), "third", never);
            shown_until("third: 0 s");
        }
        shown_until("outer: 0 s");
    }
    mark();
    shown_until("\r\033[KEND");
    const Progress next(terminal.get(), "next", at_once);
    EXPECT_EQ(shown_until(" s"), "\r\033[Knext: 0 s");
}

TEST_F(ProgressLine, inside_a_quick_one_shows_nothing) {
    {
        const Progress outer(terminal.get(), "outer", never);
        { const Progress inner(terminal.get(), "inner", at_once); }
    }
    mark();
    EXPECT_EQ(shown_until("END"), "END");
}

TEST_F(ProgressLine, is_not_there_during_a_pause) {
    const Progress progress(terminal.get(), "waiting", at_once);
    shown_until("waiting: 0 s");
    {
        const Progress::Pause pause;
        mark();
        shown_until("\r\033[KEND");
        mark();
        EXPECT_EQ(shown_until("END"), "END");
    }
    EXPECT_EQ(shown_until(" s"), "\r\033[Kwaiting: 0 s");
}

TEST_F(ProgressLine, in_no_terminal_shows_nothing) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const Descriptor reader(ends[0]);
    {
        const Descriptor writer(ends[1]);
        const Progress progress(writer.get(), "waiting", at_once);
        // A line of the terminal shows that the pipe's Progress has none.
        const Progress other(terminal.get(), "other", at_once);
        EXPECT_EQ(shown_until(" s"), "\r\033[Kother: 0 s");
    }
    char c = 0;
    EXPECT_EQ(::read(reader.get(), &c, 1), 0);
}

// A verb that goes to the background has the object in the child, without its thread.
TEST_F(ProgressLine, does_not_stop_a_child_that_was_forked) {
    auto progress = std::make_unique<Progress>(terminal.get(), "waiting", never);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        progress->now("later");
        { const Progress inner(terminal.get(), "inner", never); }
        { const Progress::Pause pause; }
        progress.reset();
        ::_exit(7);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

} // namespace
} // namespace causeway
