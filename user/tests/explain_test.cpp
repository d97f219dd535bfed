// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"
#include "host/ib_address.h"
#include "host/rate.h"
#include "show/paragraph.h"

namespace causeway {
namespace {

class Explains : public CommandTest {
  protected:
    // Expects that no line is wider than a terminal.
    void expect_narrow() {
        std::istringstream stream(out());
        for (std::string line; std::getline(stream, line);) {
            EXPECT_LE(line.size(), 80U) << line;
        }
    }

    void ib0(const std::string &mode, const std::string &mtu, const std::string &first) {
        const std::string folder = "/sys/class/net/ib0/";
        files.content[folder + "type"] = "32\n";
        files.content[folder + "address"] =
            first + ":00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34\n";
        files.content[folder + "mode"] = mode + "\n";
        files.content[folder + "mtu"] = mtu + "\n";
    }
};

// opensm has codes for some rates only. The signalled rate of a port lies between two of them.
TEST(Rates, that_opensm_knows_are_within_those_of_ports) {
    EXPECT_EQ(rate_within(103.125), 100);
    EXPECT_EQ(rate_within(56.25), 56);
    EXPECT_EQ(rate_within(10), 10);
    EXPECT_EQ(rate_within(1), 0);
}

// The rates of the standard, with four lanes.
TEST_F(Explains, usable_rates) {
    const std::map<std::string, double> usable = {{"SDR", 8},     {"DDR", 16},  {"QDR", 32},
                                                  {"FDR", 54.54}, {"EDR", 100}, {"HDR", 200},
                                                  {"NDR", 400}};
    for (const auto &[speed, wanted] : usable) {
        const auto told = json({"explain", "rate", speed})["meanings"][0];
        EXPECT_NEAR(told["usable_gbps"].get<double>(), wanted, 0.01) << speed;
        EXPECT_EQ(told["lanes"], 4);
    }
    EXPECT_EQ(run({"explain", "rate"}), 0);
    EXPECT_NE(out().find("54.54"), std::string::npos) << out();
    expect_narrow();
}

TEST_F(Explains, rates_as_they_are_written) {
    EXPECT_EQ(run({"explain", "rate", "4X", "edr"}), 0) << err();
    EXPECT_EQ(out(), "4X EDR signals 103.12 Gb/s; 64b/66b leaves 100 Gb/s for data, 12.50 GB/s. A\n"
                     "short message takes about 0.5 us.\n");
    EXPECT_EQ(run({"explain", "rate", "100 Gb/sec (4X EDR)"}), 0) << err();
    EXPECT_EQ(run({"explain", "rate", "1X", "QDR"}), 0);
    EXPECT_NE(out().find("leaves 8 Gb/s"), std::string::npos) << out();
    EXPECT_EQ(run({"explain", "rate", "56"}), 0) << err();
    EXPECT_NE(out().find("4X FDR"), std::string::npos) << out();
    EXPECT_NE(out().find("rate=12"), std::string::npos) << out();
    EXPECT_EQ(run({"explain", "rate", "rate=7"}), 0) << err();
    EXPECT_EQ(out(), "40 Gb/s is rate=7 in opensm's partitions.conf\n");
    EXPECT_EQ(run({"explain", "rate", "EDRR"}), 64);
    EXPECT_NE(err().find("did you mean EDR?"), std::string::npos) << err();
    EXPECT_EQ(run({"explain", "rate", "1.5"}), 64);
    EXPECT_EQ(run({"explain", "rate", ""}), 64);
}

TEST_F(Explains, the_20_bytes_of_an_interface) {
    EXPECT_EQ(
        run({"explain", "address", "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34"}),
        0);
    EXPECT_EQ(out(),
              "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34 is an IPoIB address\n"
              "  flags           0x80\n"
              "                  can do connected mode\n"
              "  queue pair      0x000208\n"
              "                  changes whenever the interface is made anew\n"
              "  subnet prefix   0xfe80000000000000\n"
              "                  the default subnet: no subnet manager has set another prefix\n"
              "  port GUID       0x0002c90300101234\n"
              "                  Mellanox\n");
    const auto enhanced =
        json({"explain", "address", "00:00:02:08:fe:80:00:00:00:00:00:01:00:02:c9:03:00:10:12:34"});
    EXPECT_EQ(enhanced["parts"][0]["meaning"],
              "datagram mode only, as enhanced IPoIB of ConnectX-4 and later");
    EXPECT_NE(enhanced["parts"][2]["meaning"].get<std::string>().find("subnet manager"),
              std::string::npos);
}

TEST_F(Explains, guids_gids_and_lids) {
    for (const std::string guid : {"0x0002c90300101234", "0002:c903:0010:1234",
                                   "00:02:c9:03:00:10:12:34", "0x2c90300101234"}) {
        const auto told = json({"explain", "address", guid});
        EXPECT_EQ(told["kind"], "GUID") << guid;
        EXPECT_EQ(told["parts"][0]["value"], "0x0002c90300101234") << guid;
    }
    const auto gid = json({"explain", "address", "fe80::2:c903:10:1234"});
    EXPECT_EQ(gid["kind"], "GID");
    EXPECT_EQ(gid["parts"][1]["value"], "0x0002c90300101234");
    const auto roce = json({"explain", "address", "0000:0000:0000:0000:0000:ffff:0a01:0005"});
    EXPECT_EQ(roce["parts"][0]["value"], "10.1.0.5");
    const auto group = json({"explain", "address", "ff12:401b:ffff::ffff:ffff"});
    EXPECT_EQ(group["parts"][2]["value"], "0xffff");
    const auto ethernet = json({"explain", "address", "52:54:00:12:34:56"});
    EXPECT_EQ(ethernet["parts"][1]["value"], "0x505400fffe123456");
    EXPECT_EQ(ethernet["parts"][2]["value"], "fe80::5054:ff:fe12:3456");
    EXPECT_EQ(json({"explain", "address", "0x505400fffe123456"})["parts"][0]["meaning"],
              "of the Ethernet address 52:54:00:12:34:56");
    for (const auto &[lid, says] : std::map<std::string, std::string>{
             {"0", "none"}, {"0x4", "unicast"}, {"49152", "multicast"}, {"0xffff", "permissive"}}) {
        const auto told = json({"explain", "address", lid});
        EXPECT_EQ(told["parts"][0]["meaning"].get<std::string>().rfind(says, 0), 0U) << lid;
    }
    for (const std::string wrong :
         {"", "g", "0x", "65536", "0x12345", "00:02:c9", "0002:c903:0010:123g", "-1", "fe80:::1",
          "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12"}) {
        EXPECT_EQ(run({"explain", "address", wrong}), 64) << wrong;
    }
}

TEST_F(Explains, kinds_of_guids_management_datagrams_and_the_cost_of_a_large_mtu) {
    EXPECT_EQ(run({"explain", "address", "0x0002c90300101234"}), 0);
    for (const char *word : {"system image", "node GUID", "port GUID", "GID 0"}) {
        EXPECT_NE(out().find(word), std::string::npos) << word << "\n" << out();
    }
    expect_narrow();
    EXPECT_EQ(run({"explain", "address", "0x4"}), 0);
    EXPECT_NE(out().find("management datagrams (MAD)"), std::string::npos) << out();
    expect_narrow();
    EXPECT_EQ(run({"explain", "mode", "datagram"}), 0);
    EXPECT_NE(out().find("page of 4 KiB"), std::string::npos) << out();
    EXPECT_EQ(run({"explain", "mode", "connected"}), 0);
    EXPECT_EQ(out().find("page of 4 KiB"), std::string::npos) << out();
    EXPECT_NE(json({"explain", "mode"})["page"].get<std::string>().find("2044"), std::string::npos);
}

TEST_F(Explains, a_latency_that_is_a_bound) {
    const auto text = [this](const char *rate) {
        EXPECT_EQ(run({"explain", "rate", rate}), 0);
        std::string one_line = out();
        std::replace(one_line.begin(), one_line.end(), '\n', ' ');
        return one_line;
    };
    EXPECT_NE(text("2X HDR").find(" takes less than 0.5 us."), std::string::npos) << out();
    EXPECT_NE(text("4X EDR").find(" takes about 0.5 us."), std::string::npos) << out();
}

TEST_F(Explains, modes_and_what_an_interface_can) {
    EXPECT_EQ(run({"explain", "mode"}), 0);
    EXPECT_NE(out().find("65520"), std::string::npos);
    expect_narrow();
    EXPECT_EQ(run({"explain", "mode", "connected"}), 0);
    EXPECT_EQ(out().find("datagram: each"), std::string::npos);
    ib0("connected", "2044", "80");
    EXPECT_EQ(run({"explain", "mode", "ib0"}), 0) << err();
    EXPECT_NE(out().find("causeway ipoib set ib0 --mtu 65520"), std::string::npos) << out();
    ib0("datagram", "2044", "00");
    EXPECT_EQ(run({"explain", "mode", "ib0"}), 0);
    EXPECT_NE(out().find("no 0x80: its device can do datagram mode only"), std::string::npos)
        << out();
    expect_narrow();
    EXPECT_EQ(run({"explain", "mode", "ib9"}), 69);
    EXPECT_NE(err().find("give connected, datagram or an interface"), std::string::npos) << err();
}

TEST(Paragraphs, are_as_wide_as_a_terminal) {
    EXPECT_EQ(paragraph("", 2), "");
    EXPECT_EQ(paragraph("a  b\nc", 2), "  a b c\n");
    const std::string long_word(90, 'x');
    EXPECT_EQ(paragraph("a " + long_word + " b", 1), " a\n " + long_word + "\n b\n");
    EXPECT_EQ(paragraph(std::string(38, 'a') + " " + std::string(39, 'b'), 2),
              "  " + std::string(38, 'a') + " " + std::string(39, 'b') + "\n");
    EXPECT_EQ(paragraph(std::string(39, 'a') + " " + std::string(39, 'b'), 2),
              "  " + std::string(39, 'a') + "\n  " + std::string(39, 'b') + "\n");
}

} // namespace
} // namespace causeway
