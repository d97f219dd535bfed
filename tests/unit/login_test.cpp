// SPDX-License-Identifier: GPL-2.0-or-later
// Control messages: PROTOCOL, sections 4, 8 and 9.
#include "wire.h"

using namespace wire;

namespace
{

int parse_hello(const cw_wire_hello &rec, cw_hello *out)
{
	return cw_parse_hello(&rec, sizeof(rec), out);
}

const u64 OFFERED = samples::hello().features_offered;
const u64 REQUIRED = samples::hello().features_required;

int parse_challenge(const cw_wire_challenge &rec, cw_challenge *out)
{
	return cw_parse_challenge(&rec, sizeof(rec), OFFERED, REQUIRED, out);
}

int parse_welcome(const cw_wire_welcome &rec, cw_welcome *out)
{
	const cw_hello wish = samples::hello();
	return cw_parse_welcome(&rec, sizeof(rec), &wish, out);
}

int parse_refused(const cw_wire_refused &rec, cw_refused *out)
{
	return cw_parse_refused(&rec, sizeof(rec), out);
}

int parse_waiting(const cw_wire_waiting &rec, cw_waiting *out)
{
	return cw_parse_waiting(&rec, sizeof(rec), false, out);
}

int parse_fence_waiting(const cw_wire_waiting &rec, cw_waiting *out)
{
	return cw_parse_waiting(&rec, sizeof(rec), true, out);
}

int parse_probe(const cw_wire_probe &rec, u64 *out)
{
	return cw_parse_probe(&rec, sizeof(rec), out);
}

int parse_discover(const cw_wire_discover &rec, cw_discover *out)
{
	return cw_parse_discover(&rec, sizeof(rec), out);
}

int parse_export(const cw_wire_export &rec, cw_export_info *out)
{
	return cw_parse_export(&rec, sizeof(rec), 0, out);
}

int parse_notice(const cw_wire_notice &rec, cw_notice *out)
{
	return cw_parse_notice(&rec, sizeof(rec), out);
}

template <size_t N> void set(u8 (&field)[N], const std::string &text)
{
	memset(field, 0, N);
	memcpy(field, text.data(), std::min(N, text.size()));
}

// ---- names ----

TEST(Name, WhatIsOne)
{
	const std::string longest(63, 'x');
	for (const char *name : {"a", "z", "A", "Z", "0", "9", "_", ":", "a.b", "a-b", "_.-",
				 "vg0:data_1.img", longest.c_str()})
		EXPECT_TRUE(cw_valid_name(name, strlen(name) + 1)) << name;
	for (const char *name :
	     {"",    ".",    "..",  ".hidden", "-rf", "a/b", "a b", "a\n", "a\x7f", "\xc3\xa4",
	      "a%s", "a\\b", "a\"", "a@",      "a[",  "a`",  "a{",  "a/",  "a;",    "a,"})
		EXPECT_FALSE(cw_valid_name(name, strlen(name) + 1)) << name;
	EXPECT_FALSE(cw_valid_name((longest + "x").c_str(), 65));
}

TEST(Name, EndsAtItsNulOrAtTheSize)
{
	EXPECT_TRUE(cw_valid_name("ab/c", 2));
	EXPECT_TRUE(cw_valid_name("ab\0/", 4));
	EXPECT_FALSE(cw_valid_name("a", 0));
	const std::vector<char> unterminated(63, 'x'), full(64, 'x');
	EXPECT_TRUE(cw_valid_name(unterminated.data(), unterminated.size()));
	EXPECT_FALSE(cw_valid_name(full.data(), full.size()));
}

// ---- keys ----

TEST(Key, HasSixteenToSixtyFourBytesThatAreNotAllZero)
{
	std::vector<u8> key(80, 7);
	for (size_t len = 0; len <= key.size(); len++)
		EXPECT_EQ(cw_valid_key(key.data(), len), len >= 16 && len <= 64) << len;
	EXPECT_FALSE(cw_valid_key(nullptr, 0));

	const std::vector<u8> zero(64);
	for (size_t len = 16; len <= 64; len++)
		EXPECT_FALSE(cw_valid_key(zero.data(), len)) << len;
	for (size_t at : {0, 15}) {
		std::vector<u8> one(16);
		one[at] = 1;
		EXPECT_TRUE(cw_valid_key(one.data(), one.size())) << at;
	}
	std::vector<u8> behind(17);
	behind[16] = 1;
	EXPECT_FALSE(cw_valid_key(behind.data(), 16));
}

// ---- hello ----

void hello_arrives_as_sent(const cw_hello &h)
{
	cw_hello out{};
	ASSERT_EQ(parse_hello(packed(cw_pack_hello, h), &out), 0);
	EXPECT_EQ(out.flags, h.flags);
	EXPECT_EQ(out.features_offered, h.features_offered);
	EXPECT_EQ(out.features_required, h.features_required);
	EXPECT_EQ(memcmp(out.host, h.host, 16), 0);
	EXPECT_EQ(memcmp(out.boot, h.boot, 16), 0);
	EXPECT_EQ(memcmp(out.session, h.session, 16), 0);
	EXPECT_EQ(out.epoch, h.epoch);
	EXPECT_EQ(memcmp(out.nonce, h.nonce, 32), 0);
	EXPECT_STREQ(out.export_name, h.export_name);
	EXPECT_STREQ(out.host_name, h.host_name);
	EXPECT_EQ(out.queues, h.queues);
	EXPECT_EQ(out.depth, h.depth);
	EXPECT_EQ(out.inline_size, h.inline_size);
	EXPECT_EQ(out.max_io, h.max_io);
	EXPECT_EQ(out.area, h.area);
	EXPECT_EQ(out.messages, h.messages);
	EXPECT_EQ(out.serial, h.serial);
	EXPECT_EQ(out.last, h.last);
	EXPECT_EQ(out.generation, h.generation);
	EXPECT_EQ(memcmp(out.receipt, h.receipt, 16), 0);
	EXPECT_EQ(out.path, h.path);
}

TEST(Hello, ArrivesAsSent)
{
	hello_arrives_as_sent(samples::hello());
	hello_arrives_as_sent(samples::returning());
}

// The session was never live, so these fields can have any content.
TEST(Hello, OnlyAReturningOneSaysWhatItRemembers)
{
	cw_hello h = samples::returning(), out{};
	h.flags = 0;
	h.features_offered = h.features_required = 0;
	ASSERT_EQ(parse_hello(packed(cw_pack_hello, h), &out), 0);
	EXPECT_EQ(out.last, 0U);
	EXPECT_EQ(out.generation, 0U);
	EXPECT_EQ(out.receipt[0], 0);
	EXPECT_EQ(out.path, 0);
}

TEST(Hello, RulesOfAReturn)
{
	using Rec = cw_wire_hello;
	each_harm_is_refused<cw_hello, Rec>(
		packed(cw_pack_hello, samples::returning()), parse_hello,
		{
			{"last 0", [](Rec &r) { r.last = 0; }},
			{"last as new", [](Rec &r) { r.last = r.epoch; }},
			{"last above", [](Rec &r) { r.last = le64(6); }},
			{"not returning", [](Rec &r) { r.flags = 0; }},
			{"path beyond", [](Rec &r) { r.path = CW_WIRE_PATHS; }},
			{"a path without the feature",
			 [](Rec &r) { r.features_offered = le64(CW_FEATURE_CRC); }},
		});
	each_change_is_fine<cw_hello, Rec>(
		packed(cw_pack_hello, samples::returning()), parse_hello,
		{
			{"last just below", [](Rec &r) { r.last = le64(4); }},
			{"last is the first", [](Rec &r) { r.last = le64(1); }},
			{"no ledger",
			 [](Rec &r) {
				 r.generation = 0;
				 memset(r.receipt, 0, sizeof(r.receipt));
			 }},
			{"the newest of all",
			 [](Rec &r) {
				 r.epoch = le64(~0ULL);
				 r.last = le64(~0ULL - 1);
			 }},
			{"path 0", [](Rec &r) { r.path = 0; }},
		});
	each_harm_is_refused<cw_hello, Rec>(
		packed(cw_pack_hello, samples::hello()), parse_hello,
		{
			{"last of a new one", [](Rec &r) { r.last = le64(1); }},
			{"generation of a new one", [](Rec &r) { r.generation = le64(1); }},
			{"receipt of a new one", [](Rec &r) { r.receipt[0] = 1; }},
			{"receipt's last byte of a new one", [](Rec &r) { r.receipt[15] = 1; }},
			{"a path of one", [](Rec &r) { r.path = 1; }},
		});
}

TEST(Hello, Rules)
{
	using Rec = cw_wire_hello;
	each_harm_is_refused<cw_hello, Rec>(
		packed(cw_pack_hello, samples::hello()), parse_hello,
		{
			{"magic", [](Rec &r) { r.magic = le32(1); }},
			{"version 0", [](Rec &r) { r.version = 0; }},
			{"version before", [](Rec &r) { r.version = le16(1); }, -EPROTONOSUPPORT},
			{"version", [](Rec &r) { r.version = le16(3); }, -EPROTONOSUPPORT},
			{"flag unknown", [](Rec &r) { r.flags |= le16(4); }},
			{"flag far", [](Rec &r) { r.flags |= le16(0x8000); }},
			{"required, not offered",
			 [](Rec &r) { r.features_required = le64(CW_FEATURE_PATHS); }},
			{"required beyond 32 bits",
			 [](Rec &r) { r.features_required = le64(1ULL << 63); }},
			{"no host", [](Rec &r) { memset(r.host, 0, sizeof(r.host)); }},
			{"no boot", [](Rec &r) { memset(r.boot, 0, sizeof(r.boot)); }},
			{"no session", [](Rec &r) { memset(r.session, 0, sizeof(r.session)); }},
			{"no name", [](Rec &r) { set(r.export_name, ""); }},
			{"name with a slash", [](Rec &r) { set(r.export_name, "a/b"); }},
			{"name without end",
			 [](Rec &r) { set(r.export_name, std::string(64, 'x')); }},
			{"bytes behind the name",
			 [](Rec &r) { set(r.export_name, std::string("a\0b", 3)); }},
			{"last byte behind it", [](Rec &r) { r.export_name[63] = 1; }},
			{"no queue", [](Rec &r) { r.queues = 0; }},
			{"no depth", [](Rec &r) { r.depth = 0; }},
			{"inline size", [](Rec &r) { r.inline_size = le32(512); }},
			{"no max_io", [](Rec &r) { r.max_io = 0; }},
			{"max_io", [](Rec &r) { r.max_io = le32(4096 + 512); }},
			{"max_io below a page", [](Rec &r) { r.max_io = le32(4095); }},
			{"no area", [](Rec &r) { r.area = 0; }},
			{"too few messages", [](Rec &r) { r.messages = le16(3); }},
			{"too many messages", [](Rec &r) { r.messages = le16(65); }},
			{"epoch 0", [](Rec &r) { r.epoch = 0; }},
			{"serial 0", [](Rec &r) { r.serial = 0; }},
			{"reserved", [](Rec &r) { r.reserved[0] = 1; }},
			{"reserved last", [](Rec &r) { r.reserved[6] = 1; }},
		});
	each_change_is_fine<cw_hello, Rec>(
		packed(cw_pack_hello, samples::hello()), parse_hello,
		{
			{"no key", [](Rec &r) { r.flags = 0; }},
			{"first epoch", [](Rec &r) { r.epoch = le64(1); }},
			{"last epoch", [](Rec &r) { r.epoch = le64(~0ULL); }},
			{"first serial", [](Rec &r) { r.serial = le64(1); }},
			{"one page of area", [](Rec &r) { r.area = le16(1); }},
			{"fewest messages", [](Rec &r) { r.messages = le16(4); }},
			{"most messages", [](Rec &r) { r.messages = le16(64); }},
			{"longest name", [](Rec &r) { set(r.export_name, std::string(63, 'x')); }},
			{"no host name", [](Rec &r) { set(r.host_name, ""); }},
			{"no inline data", [](Rec &r) { r.inline_size = 0; }},
			{"one page", [](Rec &r) { r.max_io = le32(4096); }},
			{"features of the future",
			 [](Rec &r) { r.features_offered = r.features_required = le64(~0ULL); }},
		});
}

TEST(Hello, WishesAreClamped)
{
	cw_hello h = samples::hello(), out{};
	h.queues = h.depth = 65535;
	h.inline_size = h.max_io = 0xffffffff;
	h.area = 65535;
	ASSERT_EQ(parse_hello(packed(cw_pack_hello, h), &out), 0);
	EXPECT_EQ(out.queues, CW_WIRE_QUEUES_MAX);
	EXPECT_EQ(out.depth, CW_WIRE_DEPTH_MAX);
	EXPECT_EQ(out.inline_size, u32(CW_WIRE_INLINE_MAX));
	EXPECT_EQ(out.max_io, CW_WIRE_IO_MAX);
	EXPECT_EQ(out.area, CW_WIRE_AREA_MAX);

	h.queues = CW_WIRE_QUEUES_MAX + 1;
	h.depth = CW_WIRE_DEPTH_MAX + 1;
	h.inline_size = CW_WIRE_INLINE_MAX + 1;
	h.max_io = CW_WIRE_IO_MAX + 1;
	h.area = CW_WIRE_AREA_MAX + 1;
	ASSERT_EQ(parse_hello(packed(cw_pack_hello, h), &out), 0);
	EXPECT_EQ(out.queues, CW_WIRE_QUEUES_MAX);
	EXPECT_EQ(out.depth, CW_WIRE_DEPTH_MAX);
	EXPECT_EQ(out.inline_size, u32(CW_WIRE_INLINE_MAX));
	EXPECT_EQ(out.max_io, CW_WIRE_IO_MAX);
	EXPECT_EQ(out.area, CW_WIRE_AREA_MAX);
}

TEST(Hello, HostNameIsMadeFitToPrint)
{
	cw_wire_hello rec = packed(cw_pack_hello, samples::hello());
	cw_hello out{};
	set(rec.host_name, "a\x1b[2J\nb\x80\xff\x7f ~");
	ASSERT_EQ(parse_hello(rec, &out), 0);
	EXPECT_STREQ(out.host_name, "a?[2J?b??? ~");

	memset(rec.host_name, 'x', sizeof(rec.host_name));
	memset(out.host_name, 0x5a, sizeof(out.host_name));
	ASSERT_EQ(parse_hello(rec, &out), 0);
	EXPECT_EQ(out.host_name, std::string(63, 'x'));

	set(rec.host_name, std::string("a\0secret", 8));
	ASSERT_EQ(parse_hello(rec, &out), 0);
	EXPECT_STREQ(out.host_name, "a");
	EXPECT_EQ(std::string(out.host_name + 1, 63), std::string(63, '\0'));
}

TEST(Hello, NothingBehindANameIsSent)
{
	cw_hello h = samples::hello();
	memset(h.export_name, 'y', sizeof(h.export_name));
	strcpy(h.export_name, "ab");
	memset(h.host_name, 'y', sizeof(h.host_name)); // without a terminating zero
	const cw_wire_hello rec = packed(cw_pack_hello, h);
	for (size_t i = 2; i < sizeof(rec.export_name); i++)
		EXPECT_EQ(rec.export_name[i], 0);
	EXPECT_EQ(rec.host_name[62], 'y');
	EXPECT_EQ(rec.host_name[63], 0);
}

// ---- challenge and proof ----

TEST(Challenge, ArrivesAsSent)
{
	const cw_challenge c = samples::challenge();
	cw_challenge out{};
	ASSERT_EQ(parse_challenge(packed(cw_pack_challenge, c), &out), 0);
	EXPECT_EQ(out.flags, c.flags);
	EXPECT_EQ(out.features, c.features);
	EXPECT_EQ(memcmp(out.instance, c.instance, 16), 0);
	EXPECT_EQ(memcmp(out.nonce, c.nonce, 32), 0);
}

TEST(Challenge, Rules)
{
	using Rec = cw_wire_challenge;
	each_harm_is_refused<cw_challenge, Rec>(
		packed(cw_pack_challenge, samples::challenge()), parse_challenge,
		{
			{"magic", [](Rec &r) { r.magic = 0; }},
			{"version 0", [](Rec &r) { r.version = 0; }},
			{"version", [](Rec &r) { r.version = le16(7); }, -EPROTONOSUPPORT},
			{"flag unknown", [](Rec &r) { r.flags |= le16(2); }},
			{"feature not offered",
			 [](Rec &r) { r.features |= le64(CW_FEATURE_PATHS); }},
			{"feature far", [](Rec &r) { r.features |= le64(1ULL << 63); }},
			{"required feature not chosen", [](Rec &r) { r.features = 0; }},
			{"another one than required",
			 [](Rec &r) { r.features = le64(CW_FEATURE_BARE); }},
			{"no instance", [](Rec &r) { memset(r.instance, 0, sizeof(r.instance)); }},
		});
	each_change_is_fine<cw_challenge, Rec>(
		packed(cw_pack_challenge, samples::challenge()), parse_challenge,
		{
			{"no key", [](Rec &r) { r.flags = 0; }},
			{"only what is required", [](Rec &r) { r.features = le64(REQUIRED); }},
			{"all offered", [](Rec &r) { r.features = le64(OFFERED); }},
		});
}

TEST(Challenge, MayChooseNothingWhereNothingIsRequired)
{
	cw_challenge c = samples::challenge(), out{};
	c.features = 0;
	const cw_wire_challenge rec = packed(cw_pack_challenge, c);
	EXPECT_EQ(cw_parse_challenge(&rec, sizeof(rec), OFFERED, 0, &out), 0);
	EXPECT_EQ(out.features, 0U);
}

TEST(Proof, IsItsBytes)
{
	u8 sent[CW_WIRE_MAC], mac[CW_WIRE_MAC] = {};
	samples::fill(sent, 7);
	ASSERT_EQ(cw_parse_proof(sent, sizeof(sent), mac), 0);
	EXPECT_EQ(memcmp(mac, sent, sizeof(mac)), 0);
}

// ---- welcome ----

TEST(Welcome, ArrivesAsSent)
{
	const cw_welcome w = samples::welcome();
	cw_welcome out{};
	ASSERT_EQ(parse_welcome(packed(cw_pack_welcome, w), &out), 0);
	EXPECT_EQ(memcmp(out.mac, w.mac, 32), 0);
	EXPECT_EQ(out.number, w.number);
	EXPECT_EQ(out.queues, w.queues);
	EXPECT_EQ(out.depth, w.depth);
	EXPECT_EQ(out.export_id, w.export_id);
	EXPECT_EQ(out.inline_size, w.inline_size);
	EXPECT_EQ(out.max_io, w.max_io);
	EXPECT_EQ(out.probe_ms, w.probe_ms);
	EXPECT_EQ(out.dead_ms, w.dead_ms);
	EXPECT_EQ(out.area, w.area);
	EXPECT_EQ(out.messages, w.messages);
	EXPECT_EQ(out.generation, w.generation);
	EXPECT_EQ(memcmp(out.receipt, w.receipt, 16), 0);
	EXPECT_EQ(memcmp(out.identity, w.identity, 16), 0);
	EXPECT_EQ(out.geo.size, w.geo.size);
	EXPECT_EQ(out.geo.flags, w.geo.flags);
}

TEST(Welcome, Rules)
{
	using Rec = cw_wire_welcome;
	each_harm_is_refused<cw_welcome, Rec>(
		packed(cw_pack_welcome, samples::welcome()), parse_welcome,
		{
			{"no number", [](Rec &r) { r.number = 0; }},
			{"no queue", [](Rec &r) { r.queues = 0; }},
			{"queues above the wish", [](Rec &r) { r.queues = le16(5); }},
			{"no depth", [](Rec &r) { r.depth = 0; }},
			{"depth above the wish", [](Rec &r) { r.depth = le16(129); }},
			{"inline size above the wish", [](Rec &r) { r.inline_size = le32(8192); }},
			{"inline size", [](Rec &r) { r.inline_size = le32(512); }},
			{"no max_io", [](Rec &r) { r.max_io = 0; }},
			{"max_io above the wish",
			 [](Rec &r) { r.max_io = le32((1U << 20) + 4096); }},
			{"max_io", [](Rec &r) { r.max_io = le32(4096 + 512); }},
			{"no probes", [](Rec &r) { r.probe_ms = 0; }},
			{"probes too often", [](Rec &r) { r.probe_ms = le32(9); }},
			{"dead before its probe", [](Rec &r) { r.dead_ms = le32(999); }},
			{"dead before a second probe", [](Rec &r) { r.dead_ms = le32(1999); }},
			{"dead never", [](Rec &r) { r.dead_ms = le32(CW_WIRE_DEAD_MAX + 1); }},
			{"times that wrap",
			 [](Rec &r) {
				 r.probe_ms = le32(0x80000001);
				 r.dead_ms = le32(2);
			 }},
			{"no identity", [](Rec &r) { memset(r.identity, 0, sizeof(r.identity)); }},
			{"no area", [](Rec &r) { r.area = 0; }},
			{"too few messages", [](Rec &r) { r.messages = le16(3); }},
			{"too many messages", [](Rec &r) { r.messages = le16(65); }},
			{"reserved", [](Rec &r) { r.reserved[0] = 1; }},
			{"reserved last", [](Rec &r) { r.reserved[1] = 1; }},
			{"geometry", [](Rec &r) { r.geometry.logical_block = 0; }},
		});
	each_change_is_fine<cw_welcome, Rec>(
		packed(cw_pack_welcome, samples::welcome()), parse_welcome,
		{
			{"everything wished",
			 [](Rec &r) {
				 r.queues = le16(4);
				 r.depth = le16(128);
			 }},
			{"no inline data", [](Rec &r) { r.inline_size = 0; }},
			{"no proof", [](Rec &r) { memset(r.mac, 0, sizeof(r.mac)); }},
			{"a number for the export", [](Rec &r) { r.export_id = le16(65535); }},
			{"the shortest times",
			 [](Rec &r) {
				 r.probe_ms = le32(10);
				 r.dead_ms = le32(20);
			 }},
			{"the longest times",
			 [](Rec &r) {
				 r.probe_ms = le32(300000);
				 r.dead_ms = le32(600000);
			 }},
			{"dead at the second probe", [](Rec &r) { r.dead_ms = le32(2000); }},
			{"one page for a command", [](Rec &r) { r.max_io = le32(4096); }},
			{"a large area", [](Rec &r) { r.area = le16(65535); }},
			{"a read-only export's zeroes",
			 [](Rec &r) {
				 r.generation = 0;
				 memset(r.receipt, 0, sizeof(r.receipt));
			 }},
		});
}

TEST(Welcome, GrantsStayBelowTheProtocolsMaximaWhateverWasWished)
{
	cw_hello wish = samples::hello();
	wish.queues = wish.depth = 65535;
	wish.inline_size = wish.max_io = 0xfffff000;
	const auto parse = [&wish](const cw_wire_welcome &rec) {
		cw_welcome out;
		return cw_parse_welcome(&rec, sizeof(rec), &wish, &out);
	};
	cw_welcome w = samples::welcome();
	w.queues = CW_WIRE_QUEUES_MAX;
	w.depth = CW_WIRE_DEPTH_MAX;
	w.inline_size = CW_WIRE_INLINE_MAX;
	w.max_io = CW_WIRE_IO_MAX;
	const cw_wire_welcome most = packed(cw_pack_welcome, w);
	EXPECT_EQ(parse(most), 0);
	cw_wire_welcome rec = most;
	rec.queues = le16(CW_WIRE_QUEUES_MAX + 1);
	EXPECT_EQ(parse(rec), -EPROTO);
	rec = most;
	rec.depth = le16(CW_WIRE_DEPTH_MAX + 1);
	EXPECT_EQ(parse(rec), -EPROTO);
	rec = most;
	rec.inline_size = le32(CW_WIRE_INLINE_MAX + 4096);
	EXPECT_EQ(parse(rec), -EPROTO);
	rec = most;
	rec.max_io = le32(CW_WIRE_IO_MAX + 4096);
	EXPECT_EQ(parse(rec), -EPROTO);
}

TEST(Welcome, InlineDataFitsWhatEitherSideTakes)
{
	cw_hello wish = samples::hello();
	cw_welcome w = samples::welcome(), out;
	wish.inline_size = w.inline_size = 4 * 4096;
	const auto parse = [&] {
		const cw_wire_welcome rec = packed(cw_pack_welcome, w);
		return cw_parse_welcome(&rec, sizeof(rec), &wish, &out);
	};
	wish.area = w.area = 4;
	EXPECT_EQ(parse(), 0);
	wish.area = 3;
	EXPECT_EQ(parse(), -EPROTO);
	wish.area = 4;
	w.area = 3;
	EXPECT_EQ(parse(), -EPROTO);
}

// ---- refused ----

TEST(Refused, ArrivesAsSent)
{
	cw_refused r = samples::refused(), out{};
	ASSERT_EQ(parse_refused(packed(cw_pack_refused, r), &out), 0);
	EXPECT_EQ(memcmp(out.mac, r.mac, 32), 0);
	EXPECT_EQ(out.reason, r.reason);
	EXPECT_EQ(out.epoch, r.epoch);
	EXPECT_EQ(memcmp(out.identity, r.identity, 16), 0);
	EXPECT_STREQ(out.text, r.text);

	r.reason = CW_REFUSED_KEY; // the sender left an epoch in it
	ASSERT_EQ(parse_refused(packed(cw_pack_refused, r), &out), 0);
	EXPECT_EQ(out.reason, CW_REFUSED_KEY);
	EXPECT_EQ(out.epoch, 0U);
	EXPECT_EQ(memcmp(out.identity, r.identity, 16), 0);

	r = samples::refused(); // a refusal before PROOF
	memset(r.identity, 0, sizeof(r.identity));
	ASSERT_EQ(parse_refused(packed(cw_pack_refused, r), &out), 0);
	EXPECT_EQ(out.reason, CW_REFUSED_STALE);
	EXPECT_EQ(out.epoch, 0U);
}

TEST(Refused, EveryReasonArrives)
{
	cw_refused r{}, out{};
	for (r.reason = CW_REFUSED_MALFORMED; r.reason <= CW_REFUSED_TRANSPORT; r.reason++) {
		ASSERT_EQ(parse_refused(packed(cw_pack_refused, r), &out), 0) << r.reason;
		EXPECT_EQ(out.reason, r.reason);
	}
}

TEST(Refused, Rules)
{
	using Rec = cw_wire_refused;
	each_harm_is_refused<cw_refused, Rec>(
		packed(cw_pack_refused, samples::refused()), parse_refused,
		{
			{"no reason", [](Rec &r) { r.reason = 0; }},
			{"reason unknown", [](Rec &r) { r.reason = le16(CW_REFUSED_TRANSPORT + 1); }},
			{"epoch of another reason",
			 [](Rec &r) { r.reason = le16(CW_REFUSED_LIMIT); }},
			{"epoch without a disk",
			 [](Rec &r) { memset(r.identity, 0, sizeof(r.identity)); }},
			{"reserved", [](Rec &r) { r.reserved[0] = 1; }},
			{"reserved last", [](Rec &r) { r.reserved[5] = 1; }},
		});
	each_change_is_fine<cw_refused, Rec>(
		packed(cw_pack_refused, samples::refused()), parse_refused,
		{
			{"no epoch", [](Rec &r) { r.epoch = 0; }},
			{"no proof", [](Rec &r) { memset(r.mac, 0, sizeof(r.mac)); }},
		});
}

TEST(Refused, TextIsMadeFitToPrint)
{
	cw_wire_refused rec = packed(cw_pack_refused, samples::refused());
	cw_refused out{};
	memset(rec.text, '\n', sizeof(rec.text));
	ASSERT_EQ(parse_refused(rec, &out), 0);
	EXPECT_EQ(out.text, std::string(127, '?'));
}

// ---- waiting and probes ----

TEST(Waiting, ArrivesAsSent)
{
	cw_waiting w = samples::waiting(), out{};
	ASSERT_EQ(parse_waiting(packed(cw_pack_waiting, w), &out), 0);
	EXPECT_EQ(out.reason, CW_WAITING_COMMANDS);
	EXPECT_EQ(out.path, 0);
	EXPECT_EQ(out.commands, 12U);

	w = samples::fence_waiting();
	ASSERT_EQ(parse_fence_waiting(packed(cw_pack_waiting, w), &out), 0);
	EXPECT_EQ(out.reason, CW_WAITING_COMMANDS);
	EXPECT_EQ(out.path, 3);
	EXPECT_EQ(out.commands, 2U);

	for (w.reason = CW_WAITING_OWNER; w.reason <= CW_WAITING_FENCE; w.reason++) {
		ASSERT_EQ(parse_waiting(packed(cw_pack_waiting, w), &out), 0);
		EXPECT_EQ(out.reason, w.reason);
		EXPECT_EQ(out.path, 0); // not sent, whatever the caller left in these fields
		EXPECT_EQ(out.commands, 0U);
	}
}

TEST(Waiting, Rules)
{
	using Rec = cw_wire_waiting;
	each_harm_is_refused<cw_waiting, Rec>(
		packed(cw_pack_waiting, samples::waiting()), parse_waiting,
		{
			{"no reason", [](Rec &r) { r.reason = 0; }},
			{"reason unknown", [](Rec &r) { r.reason = le16(CW_WAITING_FENCE + 1); }},
			{"commands of an owner", [](Rec &r) { r.reason = le16(CW_WAITING_OWNER); }},
			{"commands of a fence", [](Rec &r) { r.reason = le16(CW_WAITING_FENCE); }},
			{"path of an owner",
			 [](Rec &r) {
				 r.reason = le16(CW_WAITING_OWNER);
				 r.commands = 0;
				 r.path = 1;
			 }},
			{"path of a login", [](Rec &r) { r.path = 1; }},
			{"reserved0", [](Rec &r) { r.reserved0 = 1; }},
			{"reserved1", [](Rec &r) { r.reserved1[0] = 1; }},
			{"reserved1 last", [](Rec &r) { r.reserved1[7] = 1; }},
		});
	each_change_is_fine<cw_waiting, Rec>(
		packed(cw_pack_waiting, samples::waiting()), parse_waiting,
		{
			{"none left", [](Rec &r) { r.commands = 0; }},
			{"very many", [](Rec &r) { r.commands = le32(~0U); }},
		});
}

TEST(Waiting, RulesForAFence)
{
	using Rec = cw_wire_waiting;
	each_harm_is_refused<cw_waiting, Rec>(
		packed(cw_pack_waiting, samples::fence_waiting()), parse_fence_waiting,
		{
			{"path", [](Rec &r) { r.path = CW_WIRE_PATHS; }},
			{"a reason of logins",
			 [](Rec &r) {
				 r = {};
				 r.reason = le16(CW_WAITING_OWNER);
			 }},
		});
	each_change_is_fine<cw_waiting, Rec>(
		packed(cw_pack_waiting, samples::fence_waiting()), parse_fence_waiting,
		{
			{"path of the login", [](Rec &r) { r.path = 0; }},
			{"last path", [](Rec &r) { r.path = CW_WIRE_PATHS - 1; }},
			{"none left", [](Rec &r) { r.commands = 0; }},
		});
}

TEST(Probe, HasACookie)
{
	u64 out = 0;
	ASSERT_EQ(parse_probe(samples::probe(), &out), 0);
	EXPECT_EQ(out, 0x1122334455667788U);
	each_harm_is_refused<u64, cw_wire_probe>(
		samples::probe(), parse_probe,
		{
			{"reserved", [](auto &r) { r.reserved[0] = 1; }},
			{"reserved last", [](auto &r) { r.reserved[7] = 1; }},
		});
	each_change_is_fine<u64, cw_wire_probe>(samples::probe(), parse_probe,
						{{"no cookie", [](auto &r) { r.cookie = 0; }}});
}

// ---- discovery ----

TEST(Discover, Rules)
{
	using Rec = cw_wire_discover;
	cw_discover out{};
	ASSERT_EQ(parse_discover(samples::discover(), &out), 0);
	EXPECT_EQ(out.first, 42U);
	each_harm_is_refused<cw_discover, Rec>(
		samples::discover(), parse_discover,
		{
			{"magic", [](Rec &r) { r.magic = 0; }},
			{"version 0", [](Rec &r) { r.version = 0; }},
			{"version", [](Rec &r) { r.version = le16(1); }, -EPROTONOSUPPORT},
			{"reserved", [](Rec &r) { r.reserved[1] = 1; }},
			{"reserved1", [](Rec &r) { r.reserved1 = le32(1); }},
		});
}

TEST(Export, ArrivesAsSent)
{
	const cw_export_info e = samples::export_info();
	cw_export_info out{};
	ASSERT_EQ(parse_export(packed(cw_pack_export, e), &out), 0);
	EXPECT_STREQ(out.name, e.name);
	EXPECT_EQ(memcmp(out.identity, e.identity, 16), 0);
	EXPECT_EQ(out.size, e.size);
	EXPECT_EQ(out.logical_block, e.logical_block);
	EXPECT_EQ(out.flags, e.flags);
	EXPECT_EQ(out.more, e.more);
	EXPECT_EQ(out.nr_addresses, 2);
	EXPECT_EQ(memcmp(out.addresses, e.addresses, sizeof(e.addresses)), 0);
}

TEST(Export, Rules)
{
	using Rec = cw_wire_export;
	each_harm_is_refused<cw_export_info, Rec>(
		packed(cw_pack_export, samples::export_info()), parse_export,
		{
			{"no name", [](Rec &r) { set(r.name, ""); }},
			{"name", [](Rec &r) { set(r.name, "../../etc"); }},
			{"name without end", [](Rec &r) { set(r.name, std::string(64, 'x')); }},
			{"bytes behind the name", [](Rec &r) { r.name[63] = 1; }},
			{"no identity", [](Rec &r) { memset(r.identity, 0, sizeof(r.identity)); }},
			{"no size", [](Rec &r) { r.size = 0; }},
			{"half a block", [](Rec &r) { r.size = le64(700); }},
			{"beyond loff_t", [](Rec &r) { r.size = le64(1ULL << 63); }},
			{"block 0", [](Rec &r) { r.logical_block = 0; }},
			{"block", [](Rec &r) { r.logical_block = le32(8192); }},
			{"flag unknown", [](Rec &r) { r.flags |= le16(1 << 8); }},
			{"address", [](Rec &r) { r.addresses[7].port = 1; }},
		});
}

TEST(Export, RecordsOfAMessage)
{
	cw_wire_export rec[3];
	cw_export_info out{};
	for (auto &r : rec)
		r = packed(cw_pack_export, samples::export_info());
	set(rec[2].name, "last");
	ASSERT_EQ(cw_parse_export(rec, sizeof(rec), 2, &out), 0);
	EXPECT_STREQ(out.name, "last");
	EXPECT_EQ(cw_parse_export(rec, sizeof(rec), 3, &out), -ENOENT);
	EXPECT_EQ(cw_parse_export(rec, sizeof(rec), ~size_t(0), &out), -ENOENT);
	EXPECT_EQ(cw_parse_export(rec, sizeof(rec) - 1, 0, &out), -EPROTO);
	EXPECT_EQ(cw_parse_export(rec, sizeof(rec) - 16, 0, &out), -EPROTO);
	EXPECT_EQ(cw_parse_export(rec, 0, 0, &out), -ENOENT); // a server without exports
	EXPECT_EQ(cw_parse_export(nullptr, 0, 0, &out), -ENOENT);

	rec[1].more = le16(6); // `more` must be the same in all records
	EXPECT_EQ(cw_parse_export(rec, sizeof(rec), 0, &out), 0);
	EXPECT_EQ(cw_parse_export(rec, sizeof(rec), 1, &out), -EPROTO);
}

// ---- notices ----

void notice_arrives_as_sent(const cw_notice &n)
{
	cw_notice out{};
	ASSERT_EQ(parse_notice(packed(cw_pack_notice, n), &out), 0);
	EXPECT_EQ(out.kind, n.kind);
	EXPECT_EQ(out.flags, n.flags);
	EXPECT_EQ(out.sequence, n.sequence);
	EXPECT_EQ(out.geo.size, n.geo.size);
}

TEST(Notice, ArrivesAsSent)
{
	notice_arrives_as_sent(samples::notice());
	notice_arrives_as_sent(samples::stopping());
}

TEST(Notice, Rules)
{
	using Rec = cw_wire_notice;
	for (const cw_notice &notice : {samples::notice(), samples::stopping()})
		each_harm_is_refused<cw_notice, Rec>(
			packed(cw_pack_notice, notice), parse_notice,
			{
				{"kind 0", [](Rec &r) { r.kind = 0; }},
				{"kind unknown",
				 [](Rec &r) { r.kind = le16(CW_NOTICE_STOPPING + 1); }},
				{"flag unknown", [](Rec &r) { r.flags |= le16(2); }},
				{"sequence 0", [](Rec &r) { r.sequence = 0; }},
				{"geometry", [](Rec &r) { r.geometry.size = 0; }},
				{"no geometry",
				 [](Rec &r) { memset(&r.geometry, 0, sizeof(r.geometry)); }},
			});
	each_change_is_fine<cw_notice, Rec>(
		packed(cw_pack_notice, samples::notice()), parse_notice,
		{
			{"gone", [](Rec &r) { r.kind = le16(CW_NOTICE_GONE); }},
			{"not flushed", [](Rec &r) { r.flags = 0; }},
			{"a later one", [](Rec &r) { r.sequence = le32(~0U); }},
		});
}

// ---- lengths ----

TEST(Control, LengthsAreExact)
{
	only_its_own_length(packed(cw_pack_hello, samples::hello()), [](const void *p, size_t n) {
		cw_hello out;
		return cw_parse_hello(p, n, &out);
	});
	only_its_own_length(packed(cw_pack_challenge, samples::challenge()),
			    [](const void *p, size_t n) {
				    cw_challenge out;
				    return cw_parse_challenge(p, n, OFFERED, REQUIRED, &out);
			    });
	only_its_own_length(cw_wire_proof{}, [](const void *p, size_t n) {
		u8 mac[CW_WIRE_MAC];
		return cw_parse_proof(p, n, mac);
	});
	only_its_own_length(packed(cw_pack_welcome, samples::welcome()),
			    [](const void *p, size_t n) {
				    const cw_hello wish = samples::hello();
				    cw_welcome out;
				    return cw_parse_welcome(p, n, &wish, &out);
			    });
	only_its_own_length(packed(cw_pack_refused, samples::refused()),
			    [](const void *p, size_t n) {
				    cw_refused out;
				    return cw_parse_refused(p, n, &out);
			    });
	only_its_own_length(packed(cw_pack_waiting, samples::waiting()),
			    [](const void *p, size_t n) {
				    cw_waiting out;
				    return cw_parse_waiting(p, n, false, &out);
			    });
	only_its_own_length(samples::probe(), [](const void *p, size_t n) {
		u64 out;
		return cw_parse_probe(p, n, &out);
	});
	only_its_own_length(samples::discover(), [](const void *p, size_t n) {
		cw_discover out;
		return cw_parse_discover(p, n, &out);
	});
	only_its_own_length(packed(cw_pack_notice, samples::notice()), [](const void *p, size_t n) {
		cw_notice out;
		return cw_parse_notice(p, n, &out);
	});
}

} // namespace
