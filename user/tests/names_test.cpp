// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/disk_name.h"
#include "base/prefix.h"
#include "fixture.h"
#include "machine/device_link.h"

#include <netinet/in.h>

namespace causeway {
namespace {

TEST(ServerNames, take_a_port) {
    EXPECT_EQ(*parse_server("storage1"), (ServerName{"storage1", 4793}));
    EXPECT_EQ(*parse_server("10.0.0.1:4794"), (ServerName{"10.0.0.1", 4794}));
    EXPECT_EQ(*parse_server("[fd00::1]:99"), (ServerName{"fd00::1", 99}));
    EXPECT_EQ(*parse_server("[fd00::1]"), (ServerName{"fd00::1", 4793}));
    EXPECT_EQ(*parse_server("fe80::1%eth0"), (ServerName{"fe80::1%eth0", 4793}));
}

TEST(ServerNames, read_back_as_they_are_shown) {
    for (const char *text : {"storage1", "10.0.0.1:4794", "[fd00::1]:99", "fd00::1"}) {
        EXPECT_EQ(parse_server(text)->text(), text);
    }
    EXPECT_EQ(parse_server("storage1:4793")->text(), "storage1");
}

TEST(ServerNames, that_are_wrong_are_refused) {
    for (const std::string text :
         {"", ":4793", "a:", "a:0", "a:65536", "a:b", "a b", "-a", ".a", "[fd00::1", "[a]:1",
          "[fd00::1]x", "[fd00::1]:", "fd00::1:2:3:4:5:6:7:8:9", "a/b", "a\nb", "\x1b[31m"}) {
        const auto server = parse_server(text);
        ASSERT_FALSE(server) << text;
        EXPECT_EQ(server.error().code, ExitCode::usage);
        EXPECT_FALSE(server.error().fix.empty());
    }
    EXPECT_FALSE(parse_server(std::string(64, 'a')));
    EXPECT_TRUE(parse_server(std::string(63, 'a')));
    EXPECT_FALSE(parse_server(std::string(63, 'a') + ":1"));
}

TEST(DiskNames, have_one_slash) {
    const auto disk = parse_disk("storage1:5000/scratch");
    ASSERT_TRUE(disk);
    EXPECT_EQ(disk->server.port, 5000);
    EXPECT_EQ(disk->name, "scratch");
    EXPECT_EQ(disk->text(), "storage1:5000/scratch");
    for (const char *text : {"storage1", "a/b/c", "/b", "a/", "a/..", "a/.b", "a/b c"}) {
        EXPECT_FALSE(parse_disk(text)) << text;
    }
}

TEST(ExportNames, are_safe_as_file_names) {
    for (const char *text : {"a", "0", "vm-1.disk_2", "A"}) {
        EXPECT_TRUE(parse_export_name(text)) << text;
    }
    for (const char *text : {"", ".", "..", ".hidden", "-x", "a/b", "a b", "a\tb", "ä", "a*"}) {
        EXPECT_FALSE(parse_export_name(text)) << text;
    }
    EXPECT_TRUE(parse_export_name(std::string(63, 'a')));
    EXPECT_FALSE(parse_export_name(std::string(64, 'a')));
}

TEST(Prefixes, are_networks_or_addresses) {
    EXPECT_EQ(parse_prefix("10.0.0.0/24")->text(), "10.0.0.0/24");
    EXPECT_EQ(parse_prefix("10.0.0.5")->text(), "10.0.0.5/32");
    EXPECT_EQ(parse_prefix("fd00::/64")->text(), "fd00::/64");
    EXPECT_EQ(parse_prefix("fd00::1")->text(), "fd00::1/128");
    EXPECT_EQ(parse_prefix("0.0.0.0/0")->length, 0);
    EXPECT_EQ(parse_prefix("10.0.0.0/24")->address().size(), 4U);
    EXPECT_EQ(parse_prefix("::/0")->address().size(), 16U);
}

TEST(Prefixes, that_are_wrong_say_what_would_be_right) {
    for (const char *text :
         {"", "x", "10.0.0", "10.0.0.0/", "10.0.0.0/33", "fd00::/129", "10.0.0.0/x", "/24"}) {
        EXPECT_FALSE(parse_prefix(text)) << text;
    }
    EXPECT_EQ(parse_prefix("10.0.0.5/24").error().fix,
              "give 10.0.0.0/24 for the network or 10.0.0.5/32 for the one address");
}

TEST(SocketAddresses, are_of_one_of_two_lengths) {
    const SocketAddress v4 = address_of("10.0.0.1");
    EXPECT_EQ(v4.text(), "10.0.0.1:4793");
    EXPECT_EQ(v4.bytes().size(), sizeof(sockaddr_in));
    const SocketAddress v6 = address_of("fd00::1", 5);
    EXPECT_EQ(v6.text(), "[fd00::1]:5");
    EXPECT_EQ(SocketAddress::from_bytes(v4.bytes()), v4);
    EXPECT_EQ(SocketAddress::from_bytes(v6.bytes().first(sizeof(sockaddr_in))), std::nullopt);
    EXPECT_EQ(SocketAddress::from_bytes({}), std::nullopt);
    EXPECT_EQ(SocketAddress().text(), "");
}

TEST(Resolver, takes_addresses_as_they_are) {
    SystemResolver resolver;
    const auto addresses = resolver.resolve(ServerName{"127.0.0.1", 77});
    ASSERT_TRUE(addresses);
    ASSERT_EQ(addresses->size(), 1U);
    EXPECT_EQ(addresses->front().text(), "127.0.0.1:77");
}

TEST(Links, are_spelt_as_udev_spells_them) {
    EXPECT_EQ(link_word("storage1"), "storage1");
    EXPECT_EQ(link_word("fd00::1"), "fd00::1");
    EXPECT_EQ(link_word("[fd00::1]:99"), "_fd00::1_:99");
    EXPECT_EQ(link_word("fe80::1%eth0"), "fe80::1_eth0");
}

} // namespace
} // namespace causeway
