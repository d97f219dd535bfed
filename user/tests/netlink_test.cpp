// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"
#include "kernel/codec.h"
#include "kernel/refusal.h"
#include "show/words.h"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <random>

namespace causeway {
namespace {

std::vector<std::uint8_t> bytes_of(const AttributeWriter &writer) {
    return {writer.content().begin(), writer.content().end()};
}

TEST(NetlinkAttributes, read_back_as_they_were_written) {
    AttributeWriter writer;
    writer.u8(1, 0x12);
    writer.u16(2, 0x1234);
    writer.u32(3, 0x12345678);
    writer.s32(4, -5);
    writer.u64(5, 0x123456789abcdef0);
    writer.flag(6);
    writer.text(7, "seven");
    AttributeWriter inner;
    inner.u8(1, 9);
    writer.nest(8, inner);
    writer.nest(8, inner);
    const auto bytes = bytes_of(writer);
    EXPECT_EQ(bytes.size() % NLA_ALIGNTO, 0U);
    const Attributes from(bytes);
    EXPECT_EQ(from.u8(1), 0x12);
    EXPECT_EQ(from.u16(2), 0x1234);
    EXPECT_EQ(from.u32(3), 0x12345678U);
    EXPECT_EQ(from.s32(4), -5);
    EXPECT_EQ(from.u64(5), 0x123456789abcdef0U);
    EXPECT_TRUE(from.has(6));
    EXPECT_FALSE(from.has(9));
    EXPECT_EQ(from.text(7), "seven");
    ASSERT_EQ(from.all(8).size(), 2U);
    EXPECT_EQ(Attributes(from.all(8)[1]).u8(1), 9);
    EXPECT_EQ(from.fault(), "");
}

TEST(NetlinkAttributes, of_a_wrong_length_are_a_fault) {
    AttributeWriter writer;
    writer.u16(1, 1);
    const auto bytes = bytes_of(writer);
    const Attributes from(bytes);
    EXPECT_EQ(from.u32(1), std::nullopt);
    EXPECT_EQ(from.fault(), "attribute 1 has 2 bytes, not 4");
}

TEST(NetlinkAttributes, that_claim_more_than_is_there_are_a_fault) {
    AttributeWriter writer;
    writer.u32(1, 7);
    auto bytes = bytes_of(writer);
    for (const std::uint8_t length : {0, 3, 9, 255}) {
        bytes[0] = length;
        EXPECT_NE(Attributes(bytes).fault(), "") << int{length};
    }
    bytes[0] = 8;
    bytes.resize(bytes.size() + 2);
    EXPECT_NE(Attributes(bytes).fault(), "");
}

TEST(NetlinkAttributes, hold_strings_that_end_and_do_not_reach_the_terminal_raw) {
    AttributeWriter writer;
    const std::array<std::uint8_t, 3> open = {'a', 'b', 'c'};
    writer.bytes(1, open);
    writer.text(2, "a\x1b[31m\n");
    const auto bytes = bytes_of(writer);
    const Attributes from(bytes);
    EXPECT_EQ(from.text(2), "a?[31m?");
    EXPECT_EQ(from.fault(), "");
    EXPECT_EQ(from.text(1), "");
    EXPECT_NE(from.fault(), "");
}

TEST(NetlinkAttributes, longer_than_a_length_field_are_not_written) {
    AttributeWriter writer;
    EXPECT_THROW(writer.text(1, std::string(65536, 'x')), std::length_error);
}

TEST(NetlinkAttributes, of_any_bytes_are_read_without_harm) {
    std::minstd_rand random(4793);
    for (int round = 0; round < 20000; round++) {
        std::vector<std::uint8_t> bytes(random() % 96);
        for (std::uint8_t &byte : bytes) {
            byte = static_cast<std::uint8_t>(random() % 4 == 0 ? random() : random() % 24);
        }
        const Attributes from(bytes);
        (void)decode<ExportInfo>(from);
        (void)decode<ServerInfo>(from);
        (void)decode<AttachmentInfo>(from);
        (void)decode<SessionInfo>(from);
        (void)decode<StatInfo>(from);
        (void)decode_exports<DiscoveredExport>(from);
        (void)decode<Event>(from);
        (void)decode<NfsConnection>(from);
        (void)decode<NfsRule>(from);
        (void)decode<OwnerInfo>(from);
        (void)decode_host(from);
    }
}

TEST(Codec, asks_for_an_export_as_the_header_says) {
    ExportRequest request;
    request.settings.name = "scratch";
    request.settings.backend = Backend::device;
    request.settings.path = "/dev/vg0/scratch";
    request.settings.exclusive = true;
    request.settings.allow = {*parse_prefix("10.0.0.0/24"), *parse_prefix("fd00::/64")};
    request.settings.identity = Uuid::random();
    request.key = Secret({1, 2, 3});
    const auto bytes = bytes_of(encode(request));
    const Attributes from(bytes);
    EXPECT_EQ(from.text(CW_A_NAME), "scratch");
    EXPECT_EQ(from.u8(CW_A_BACKEND), CW_BACKEND_DEVICE);
    EXPECT_EQ(from.text(CW_A_PATH), "/dev/vg0/scratch");
    EXPECT_FALSE(from.has(CW_A_SIZE));
    EXPECT_TRUE(from.has(CW_A_EXCLUSIVE));
    EXPECT_FALSE(from.has(CW_A_READ_ONLY));
    EXPECT_FALSE(from.has(CW_A_WRITE_THROUGH));
    EXPECT_EQ(from.bytes(CW_A_KEY)->size(), 3U);
    EXPECT_EQ(from.bytes(CW_A_IDENTITY)->size(), 16U);
    ASSERT_EQ(from.all(CW_A_ALLOW).size(), 2U);
    const Attributes second(from.all(CW_A_ALLOW)[1]);
    EXPECT_EQ(second.u8(CW_A_FAMILY), AF_INET6);
    EXPECT_EQ(second.u8(CW_A_PREFIX_LEN), 64);
    EXPECT_EQ(second.bytes(CW_A_PREFIX)->size(), 16U);

    const auto info = decode<ExportInfo>(from);
    ASSERT_TRUE(info);
    EXPECT_TRUE(differences(info->settings, request.settings).empty());
    EXPECT_EQ(info->settings.identity, request.settings.identity);
}

TEST(Codec, takes_no_network_without_its_length) {
    for (const int bytes : {0, 1, 2}) {
        AttributeWriter network;
        network.u8(CW_A_FAMILY, AF_INET);
        network.bytes(CW_A_PREFIX, std::vector<std::uint8_t>{10, 0, 0, 0});
        if (bytes != 0) {
            network.bytes(CW_A_PREFIX_LEN,
                          std::vector<std::uint8_t>(static_cast<std::size_t>(bytes), 8));
        }
        AttributeWriter writer;
        writer.text(CW_A_NAME, "scratch");
        writer.nest(CW_A_ALLOW, network);
        EXPECT_EQ(static_cast<bool>(decode<ExportInfo>(Attributes(writer.content()))), bytes == 1);
        network.bytes(CW_A_SOURCE, address_of("10.0.0.2").bytes());
        EXPECT_EQ(static_cast<bool>(decode<NfsRule>(Attributes(network.content()))), bytes == 1);
    }
}

TEST(Codec, encodes_a_rule_as_the_header_says) {
    const NfsRule rule{
        *parse_prefix("fd00::/64"),
        {*SocketAddress::from_text("fd00::2"), *SocketAddress::from_text("fd00::3")}};
    const auto bytes = bytes_of(encode(rule));
    const Attributes from(bytes);
    EXPECT_EQ(from.u8(CW_A_FAMILY), AF_INET6);
    EXPECT_EQ(from.u8(CW_A_PREFIX_LEN), 64);
    EXPECT_EQ(from.all(CW_A_SOURCE).size(), 2U);
    const auto told = decode<NfsRule>(from);
    ASSERT_TRUE(told);
    EXPECT_EQ(*told, rule);
}

TEST(Codec, reads_an_nfs_connection_with_its_rails_and_counters) {
    AttributeWriter counters;
    counters.u64(CW_NFS_CALLS, 12);
    counters.u64(CW_NFS_MALFORMED, 1);
    AttributeWriter rail;
    rail.u8(CW_A_STATE, CW_STATE_LIVE);
    rail.bytes(CW_A_LOCAL_ADDRESS, address_of("10.0.0.2").bytes());
    rail.text(CW_A_DEVICE, "rxe0");
    AttributeWriter to;
    to.u8(CW_A_ROLE, CW_ROLE_CLIENT);
    to.u32(CW_A_SEND_INLINE, 16384);
    to.u32(CW_A_RECEIVE_INLINE, 4096);
    to.u32(CW_A_CREDITS, 64);
    to.flag(CW_A_BACKCHANNEL);
    to.nest(CW_A_RAIL, rail);
    to.nest(CW_A_RAIL, rail);
    to.nest(CW_A_NFS_COUNTERS, counters);
    const auto bytes = bytes_of(to);
    const auto told = decode<NfsConnection>(Attributes(bytes));
    ASSERT_TRUE(told);
    EXPECT_EQ(told->send_inline, 16384U);
    EXPECT_EQ(told->receive_inline, 4096U);
    EXPECT_EQ(told->credits, 64U);
    EXPECT_TRUE(told->backchannel);
    EXPECT_FALSE(told->remote_invalidate);
    ASSERT_EQ(told->rails.size(), 2U);
    EXPECT_EQ(told->rails[1].local.host_text(), "10.0.0.2");
    EXPECT_EQ(told->counters[CW_NFS_CALLS], 12U);
    EXPECT_EQ(told->counters[CW_NFS_MALFORMED], 1U);
    EXPECT_EQ(told->counters[CW_NFS_REPLIES], 0U);
}

TEST(Codec, leaves_to_the_kernel_what_was_not_asked_for) {
    AttachRequest request;
    request.server = "storage1";
    request.name = "scratch";
    request.address = address_of("fd00::1");
    request.host = Uuid::random();
    const auto plain = bytes_of(encode(request));
    const Attributes from(plain);
    EXPECT_EQ(from.bytes(CW_A_ADDRESS)->size(), sizeof(sockaddr_in6));
    EXPECT_EQ(from.bytes(CW_A_HOST)->size(), 16U);
    for (const int type : {CW_A_QUEUES, CW_A_POLL_QUEUES, CW_A_DEPTH, CW_A_IO_TIMEOUT,
                           CW_A_FAST_FAIL, CW_A_KEY, CW_A_BACKGROUND}) {
        EXPECT_FALSE(from.has(type)) << type;
    }
    request.queues = 4;
    request.io_timeout = 0;
    request.fast_fail = 0;
    request.background = true;
    const auto full = bytes_of(encode(request));
    EXPECT_EQ(Attributes(full).u16(CW_A_QUEUES), 4);
    EXPECT_EQ(Attributes(full).u32(CW_A_IO_TIMEOUT), 0U);
    EXPECT_EQ(Attributes(full).u32(CW_A_FAST_FAIL), 0U);
    EXPECT_TRUE(Attributes(full).has(CW_A_BACKGROUND));
}

TEST(Codec, reads_why_an_attachment_is_revoked) {
    const Uuid host = Uuid::random();
    AttributeWriter writer;
    writer.text(CW_A_SERVER, "storage1");
    writer.text(CW_A_NAME, "scratch");
    writer.u8(CW_A_STATE, CW_STATE_REVOKED);
    writer.text(CW_A_REASON, "the server evicted this host from the export");
    writer.u16(CW_A_REFUSAL, CW_FINAL_EVICTED);
    writer.bytes(CW_A_HOST, host.bytes());
    const auto bytes = bytes_of(writer);
    const auto info = decode<AttachmentInfo>(Attributes(bytes));
    ASSERT_TRUE(info);
    EXPECT_EQ(state_word(info->state), "revoked");
    EXPECT_EQ(refusal_word(info->refusal), "evicted");
    EXPECT_EQ(info->host, host);
    EXPECT_EQ(info->reason, "the server evicted this host from the export");

    AttributeWriter without;
    without.text(CW_A_SERVER, "storage1");
    const auto plain = bytes_of(without);
    EXPECT_EQ(decode<AttachmentInfo>(Attributes(plain))->refusal, 0);
    EXPECT_TRUE(decode<AttachmentInfo>(Attributes(plain))->host.is_nil());
}

TEST(Codec, reads_counters_and_histograms) {
    AttributeWriter counters;
    counters.u64(CW_N_READS, 5);
    counters.u64(CW_N_MALFORMED, 6);
    Histogram histogram{};
    histogram[10] = 7;
    AttributeWriter writer;
    writer.u8(CW_A_ROLE, CW_ROLE_SERVER);
    writer.nest(CW_A_COUNTERS, counters);
    writer.bytes(CW_A_READ_LATENCY,
                 {reinterpret_cast<const std::uint8_t *>(histogram.data()), sizeof(histogram)});
    const auto bytes = bytes_of(writer);
    const auto stat = decode<StatInfo>(Attributes(bytes));
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->counters[CW_N_READS], 5U);
    EXPECT_EQ(stat->counters[CW_N_MALFORMED], 6U);
    EXPECT_EQ(stat->read_latency, histogram);
    EXPECT_EQ(stat->write_latency, std::nullopt);

    AttributeWriter short_one;
    short_one.bytes(CW_A_READ_LATENCY, std::vector<std::uint8_t>(16));
    const auto short_bytes = bytes_of(short_one);
    const auto refused = decode<StatInfo>(Attributes(short_bytes));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().fix.find("different versions"), std::string::npos);
}

TEST(Codec, reads_connections_and_events) {
    AttributeWriter writer;
    writer.u8(CW_A_STATE, CW_STATE_HELD);
    writer.u32(CW_A_RETRY_IN, 3000);
    writer.s32(CW_A_ERROR, -ETIMEDOUT);
    writer.bytes(CW_A_ADDRESS, address_of("10.0.0.1").bytes());
    writer.u8(CW_A_EVENT, CW_EVENT_DOWN);
    writer.u64(CW_A_TIME, 12);
    writer.text(CW_A_TEXT, "gone");
    const auto bytes = bytes_of(writer);
    const Attributes from(bytes);
    const auto session = decode<SessionInfo>(from);
    ASSERT_TRUE(session);
    EXPECT_EQ(session->retry_in, 3000U);
    EXPECT_EQ(session->error, -ETIMEDOUT);
    EXPECT_EQ(session->peer, address_of("10.0.0.1"));
    const auto event = decode<Event>(from);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->kind, CW_EVENT_DOWN);
    EXPECT_EQ(event->text, "gone");
}

TEST(Codec, reads_every_export_of_a_discovery) {
    AttributeWriter writer;
    for (const char *name : {"a", "b"}) {
        AttributeWriter inner;
        inner.text(CW_A_NAME, name);
        inner.u64(CW_A_SIZE, 4096);
        inner.flag(CW_A_HAS_KEY);
        for (const char *host : {"10.0.0.1", "fd00::1"}) {
            AttributeWriter address;
            address.u8(CW_A_TRANSPORT, CW_TRANSPORT_RDMA);
            address.bytes(CW_A_ADDRESS, SocketAddress::from_text(host)->bytes());
            inner.nest(CW_A_EXPORT_ADDRESS, address);
        }
        writer.nest(CW_A_EXPORT, inner);
    }
    const auto bytes = bytes_of(writer);
    const auto found = decode_exports<DiscoveredExport>(Attributes(bytes));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ(found->at(1).name, "b");
    EXPECT_TRUE(found->at(1).has_key);
    ASSERT_EQ(found->at(1).addresses.size(), 2U);
    EXPECT_EQ(found->at(1).addresses[1].address.host_text(), "fd00::1");
    EXPECT_EQ(found->at(1).addresses[1].transport, CW_TRANSPORT_RDMA);
}

TEST(Codec, carries_the_addresses_of_an_export_in_their_order) {
    ExportRequest request;
    request.settings.name = "x";
    request.settings.addresses = {*SocketAddress::from_text("fd00::1"),
                                  *SocketAddress::from_text("10.0.0.1")};
    const auto bytes = bytes_of(encode(request));
    const auto info = decode<ExportInfo>(Attributes(bytes));
    ASSERT_TRUE(info);
    EXPECT_EQ(info->settings.addresses, request.settings.addresses);

    AttributeWriter broken, inner;
    inner.text(CW_A_NAME, "no address");
    broken.nest(CW_A_EXPORT_ADDRESS, inner);
    const auto wrong = bytes_of(broken);
    EXPECT_FALSE(decode<ExportInfo>(Attributes(wrong)));
}

TEST(Codec, reads_every_export_whose_writes_were_lost) {
    AttributeWriter writer, inner;
    inner.text(CW_A_NAME, "a");
    inner.text(CW_A_TEXT, "the flush failed");
    writer.nest(CW_A_EXPORT, inner);
    const auto bytes = bytes_of(writer);
    const auto found = decode_exports<StopReport::Export>(Attributes(bytes));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->at(0).name, "a");
}

TEST(Codec, an_export_that_is_cut_short_has_no_empty_name) {
    AttributeWriter writer;
    // claims a length of 32 bytes
    writer.bytes(CW_A_EXPORT, std::vector<std::uint8_t>{32, 0, CW_A_NAME, 0});
    const auto bytes = bytes_of(writer);
    EXPECT_FALSE(decode_exports<StopReport::Export>(Attributes(bytes)));
}

TEST(Refusals, quote_the_kernel_and_name_the_fix) {
    const Error error =
        refusal(Request::attach, EACCES, "the server refuses: export \"x\" needs a key");
    EXPECT_EQ(error.what, "the server refuses: export \"x\" needs a key");
    EXPECT_EQ(error.code, ExitCode::no_permission);
    EXPECT_NE(error.fix.find("--key-file"), std::string::npos);
    EXPECT_NE(refusal(Request::detach, EBUSY, "it is open").fix.find("--force"), std::string::npos);
    EXPECT_EQ(refusal(Request::attach, ETIMEDOUT, "").code, ExitCode::try_again);
    EXPECT_EQ(refusal(Request::attach, ENOENT, "").code, ExitCode::unavailable);
    EXPECT_EQ(refusal(Request::add_export, EINVAL, "").what,
              "the kernel refused: Invalid argument");
    EXPECT_NE(refusal(Request::add_export, EBUSY, "it is exported").fix.find("export list"),
              std::string::npos);
    EXPECT_EQ(refusal(Request::add_export, ENOMEM, "so much memory is not there").fix,
              "export less memory, or free some: \"free -h\" shows how much is available");
    EXPECT_EQ(refusal(Request::other, EPERM, "").fix, "run the command as root");
}

// tests/vm/scenarios/disk/paths_are_checked.py has the kernel say these words.
TEST(Refusals, of_an_unknown_attribute_mean_modules_of_an_earlier_version) {
    for (const std::string words : {"Unknown attribute type", "Unsupported attribute"}) {
        const Error error = refusal(Request::add_export, EINVAL, words);
        EXPECT_EQ(error.code, ExitCode::unavailable);
        EXPECT_EQ(error.what, "the loaded kernel modules are of an earlier version and do not know "
                              "an option of this command (" +
                                  words + ")");
        EXPECT_NE(error.fix.find("causeway_disk causeway_target && causeway restore"),
                  std::string::npos);
        EXPECT_EQ(refusal(Request::attach, EINVAL, words + " of a peer").what,
                  words + " of a peer");
    }
}

TEST(Words, name_every_event_and_counter_of_the_header) {
    EXPECT_EQ(event_words().size(), static_cast<std::size_t>(CW_EVENT_EXPORT_CHANGED));
    for (std::uint8_t kind = CW_EVENT_EXPORT_ADDED; kind <= CW_EVENT_EXPORT_CHANGED; kind++) {
        EXPECT_GT(event_word(kind).size(), 1U) << int{kind};
    }
    EXPECT_EQ(event_word(200), "200");
    ASSERT_EQ(counter_names.size(), static_cast<std::size_t>(CW_N_MAX - CW_N_PAD));
    for (std::size_t i = 0; i < counter_names.size(); i++) {
        EXPECT_EQ(counter_names[i].number, CW_N_PAD + 1 + static_cast<int>(i));
    }
    ASSERT_EQ(nfs_counter_names.size(), static_cast<std::size_t>(CW_NFS_MAX - CW_NFS_PAD));
    for (std::size_t i = 0; i < nfs_counter_names.size(); i++) {
        EXPECT_EQ(nfs_counter_names[i].number, CW_NFS_PAD + 1 + static_cast<int>(i));
    }
}

} // namespace
} // namespace causeway
