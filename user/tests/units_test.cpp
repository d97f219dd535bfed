// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/nearest.h"
#include "base/units.h"
#include "base/uuid.h"

#include <gtest/gtest.h>

namespace causeway {
namespace {

TEST(Sizes, are_powers_of_1024) {
    EXPECT_EQ(*parse_size("--ram", "4096"), 4096U);
    EXPECT_EQ(*parse_size("--ram", "100B"), 100U);
    EXPECT_EQ(*parse_size("--ram", "4K"), 4096U);
    EXPECT_EQ(*parse_size("--ram", "4KiB"), 4096U);
    EXPECT_EQ(*parse_size("--ram", "512M"), 512U << 20U);
    EXPECT_EQ(*parse_size("--ram", "1G"), 1U << 30U);
    EXPECT_EQ(*parse_size("--ram", "2TiB"), std::uint64_t{2} << 40U);
    EXPECT_EQ(*parse_size("--ram", "16383P"), std::uint64_t{16383} << 50U);
}

TEST(Sizes, that_are_wrong_say_what_and_what_would_be_right) {
    for (const char *text :
         {"", "M", "1.5G", "-1", "4KB", "4 K", "512m", "1GiBs", "16E", "0x10", "1e3"}) {
        const auto size = parse_size("--ram", text);
        ASSERT_FALSE(size) << text;
        EXPECT_EQ(size.error().code, ExitCode::usage);
        EXPECT_NE(size.error().what.find("--ram '" + std::string(text) + "'"), std::string::npos);
        EXPECT_NE(size.error().fix.find("512M"), std::string::npos);
    }
    for (const char *text : {"16384P", "99999999999999999999"}) {
        const auto size = parse_size("--ram", text);
        ASSERT_FALSE(size) << text;
        EXPECT_EQ(size.error().what,
                  "--ram '" + std::string(text) + "' is not a size: it does not fit into 64 bits");
        EXPECT_EQ(size.error().fix, "give less than 16384P");
    }
    EXPECT_NE(parse_size("--ram", "1.5G").error().what.find("1536M"), std::string::npos);
    EXPECT_NE(parse_size("--ram", "4KB").error().what.find("KiB"), std::string::npos);
}

TEST(Sizes, read_back_as_they_were_written) {
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{4096},
          std::uint64_t{1} << 40U, (std::uint64_t{1} << 40U) + 1024, ~std::uint64_t{0}}) {
        EXPECT_EQ(*parse_size("size", size_exact(size)), size) << size_exact(size);
    }
    EXPECT_EQ(size_exact(512U << 20U), "512M");
}

TEST(Sizes, are_shown_with_a_unit) {
    EXPECT_EQ(size_text(100), "100 B");
    EXPECT_EQ(size_text(4096), "4 KiB");
    EXPECT_EQ(size_text(1536U << 20U), "1.5 GiB");
    EXPECT_EQ(size_text(std::uint64_t{3} << 50U), "3 PiB");
    EXPECT_EQ(size_text(1023U << 10U), "1023 KiB");
}

TEST(Numbers, have_a_range) {
    EXPECT_EQ(*parse_number("--queues", "256", 1, 256), 256U);
    for (const char *text : {"0", "257", "", "x", "1x", "-1", "18446744073709551616"}) {
        const auto number = parse_number("--queues", text, 1, 256);
        ASSERT_FALSE(number) << text;
        EXPECT_EQ(number.error().fix, "give a number from 1 to 256");
    }
}

TEST(Times, are_shown_in_two_units_at_most) {
    constexpr std::uint64_t second = 1000000000;
    EXPECT_EQ(duration_text(850000000), "850 ms");
    EXPECT_EQ(duration_text(12 * second), "12 s");
    EXPECT_EQ(duration_text(200 * second), "3 min 20 s");
    EXPECT_EQ(duration_text(7500 * second), "2 h 5 min");
    EXPECT_EQ(duration_text(360000 * second), "4 d 4 h");
    EXPECT_EQ(latency_text(812), "812 ns");
    EXPECT_EQ(latency_text(12400), "12.4 us");
    EXPECT_EQ(latency_text(3.1e6), "3.1 ms");
    EXPECT_EQ(latency_text(2e9), "2.0 s");
}

TEST(Counts, have_separators) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1000), "1,000");
    EXPECT_EQ(count_text(1234567), "1,234,567");
}

TEST(Nearest, finds_a_mistyped_word) {
    const std::vector<std::string> words = {"attach", "detach", "export add", "list"};
    EXPECT_EQ(edit_distance("attach", "attach"), 0U);
    EXPECT_EQ(edit_distance("attahc", "attach"), 1U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(nearest("atach", words), "attach");
    EXPECT_EQ(nearest("lsit", words), "list");
    EXPECT_EQ(nearest("export ad", words), "export add");
    EXPECT_EQ(nearest("frobnicate", words), std::nullopt);
}

TEST(Uuids, read_back_as_they_were_written) {
    const Uuid uuid = Uuid::random();
    EXPECT_EQ(Uuid::parse(uuid.text()), uuid);
    EXPECT_EQ(uuid.text().size(), 36U);
    EXPECT_EQ(uuid.text()[14], '4');
    EXPECT_FALSE(uuid == Uuid::random());
    EXPECT_TRUE(Uuid().is_nil());
    EXPECT_EQ(Uuid::parse("0D3F0C5A-6F1B-4C57-9F0A-2B9C2A2B1E11")->text(),
              "0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e11");
}

TEST(Uuids, that_are_wrong_are_refused) {
    for (const char *text :
         {"", "x", "0d3f0c5a6f1b4c579f0a2b9c2a2b1e11", "0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e1",
          "0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e112", "0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e1g",
          "0d3f0c5a-6f1b-4c57-9f0a-"}) {
        EXPECT_EQ(Uuid::parse(text), std::nullopt) << text;
    }
}

} // namespace
} // namespace causeway
