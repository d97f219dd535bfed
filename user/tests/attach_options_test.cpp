// SPDX-License-Identifier: GPL-2.0-or-later
// Each row of attach_options: its number reaches the kernel, the configuration file, the list and
// the journal.
#include "fixture.h"

#include <fmt/format.h>

namespace causeway {
namespace {

class AttachOptions : public CommandTest {
  protected:
    // Returns the numbers of the newest request to the kernel.
    std::map<int, std::uint32_t> asked() const { return numbers_of(kernel.attach_requests.back()); }
};

TEST_F(AttachOptions, reach_the_kernel_the_file_the_list_and_the_journal) {
    for (const AttachOption &option : attach_options) {
        SCOPED_TRACE(option.word);
        const std::uint32_t number = option.most - 1;
        const std::string typed = fmt::format("--{}={}", option.word, option.text(number));
        ASSERT_EQ(run({"attach", "storage1/scratch", typed}), 0) << err();
        EXPECT_EQ(asked(), (std::map<int, std::uint32_t>{{option.attribute, number}}));
        EXPECT_NE(read_file(attachment_file("storage1:scratch"))
                      .find(fmt::format("\n{} = {}\n", option.word, option.text(number))),
                  std::string::npos);
        const auto attachment = json({"list"})["attachments"][0];
        if (option.named) {
            EXPECT_EQ(attachment[option.key()], option.text(number));
        } else {
            EXPECT_EQ(attachment[option.key()], number);
        }

        EXPECT_EQ(run({"attach", "storage1/scratch", typed}), 0) << err();
        EXPECT_EQ(run({"attach", "storage1/scratch",
                       fmt::format("--{}={}", option.word, option.text(option.most))}),
                  1);
        EXPECT_NE(err().find(fmt::format("{} is {}, not {}", option.word, option.text(number),
                                         option.text(option.most))),
                  std::string::npos)
            << err();

        EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
        EXPECT_EQ(run({"undo", "--last"}), 0) << err();
        EXPECT_EQ(asked()[option.attribute], number);
        EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    }
}

TEST_F(AttachOptions, at_boot_reach_the_kernel) {
    for (const AttachOption &option : attach_options) {
        SCOPED_TRACE(option.word);
        write_file(attachment_file("any"),
                   fmt::format("[attachment]\nserver = storage1\nname = scratch\n{} = {}\n",
                               option.word, option.text(option.most)));
        ASSERT_EQ(run({"restore"}), 0) << err();
        EXPECT_EQ(asked(), (std::map<int, std::uint32_t>{{option.attribute, option.most}}));
        EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    }
}

TEST_F(AttachOptions, out_of_range_change_nothing) {
    for (const AttachOption &option : attach_options) {
        SCOPED_TRACE(option.word);
        EXPECT_EQ(run({"attach", "storage1/scratch",
                       fmt::format("--{}={}", option.word, option.most + 1)}),
                  64);
        EXPECT_NE(err().find(option.named ? std::string(option.operand)
                                          : fmt::format("to {}", option.most)),
                  std::string::npos)
            << err();
        if (option.least > 0) {
            EXPECT_EQ(run({"attach", "storage1/scratch",
                           fmt::format("--{}={}", option.word, option.least - 1)}),
                      64);
        }
        EXPECT_EQ(run({"attach", "storage1/scratch", fmt::format("--{}=off", option.word)}),
                  option.off ? 0 : 64);
        if (option.off) {
            EXPECT_EQ(asked()[option.attribute], *option.off);
            EXPECT_EQ(json({"list"})["attachments"][0][option.key()], nullptr);
        }
    }
    EXPECT_EQ(kernel.attach_requests.size(), 1U); // --fast-fail=off
}

TEST_F(AttachOptions, with_names_have_the_words_of_their_operand) {
    const AttachOption &policy = attach_options.back();
    ASSERT_TRUE(policy.named);
    EXPECT_EQ(policy.text(0), "unknown");
    EXPECT_EQ(policy.text(CW_PATH_POLICY_AUTO), "auto");
    EXPECT_EQ(policy.text(CW_PATH_POLICY_ROUND_ROBIN), "round-robin");
    EXPECT_EQ(policy.text(CW_PATH_POLICY_SINGLE), "single");
    EXPECT_EQ(*policy.parse("--policy", "round-robin"), 2U);
    EXPECT_FALSE(policy.parse("--policy", "round"));
    EXPECT_FALSE(policy.parse("--policy", ""));
    EXPECT_FALSE(policy.parse("--policy", "2"));
}

// Modules of an earlier version do not report the policy.
TEST_F(AttachOptions, that_the_modules_do_not_know_are_left_out) {
    ASSERT_EQ(run({"attach", "storage1/scratch", "--no-persist"}), 0) << err();
    kernel.running_attachments.front().path_policy = 0;
    EXPECT_EQ(json({"list"})["attachments"][0]["policy"], nullptr);
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(asked().count(CW_A_PATH_POLICY), 0U);
}

} // namespace
} // namespace causeway
