// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/table.h"

#include <causeway.h>
#include <gtest/gtest.h>

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

} // namespace
} // namespace causeway
