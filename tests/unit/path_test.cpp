// SPDX-License-Identifier: GPL-2.0-or-later
// Control messages of sessions with several paths: PROTOCOL, section 7.
#include "wire.h"

using namespace wire;

namespace
{

int parse_join(const cw_wire_join &rec, cw_join *out)
{
	return cw_parse_join(&rec, sizeof(rec), out);
}

int parse_joined(const cw_wire_joined &rec, cw_joined *out)
{
	const cw_join wish = samples::join();
	return cw_parse_joined(&rec, sizeof(rec), &wish, samples::CHOSEN, out);
}

int parse_fence(const cw_wire_incarnation &rec, cw_incarnation *out)
{
	return cw_parse_fence(&rec, sizeof(rec), out);
}

int parse_incarnation(const cw_wire_incarnation &rec, cw_incarnation *out)
{
	return cw_parse_incarnation(&rec, sizeof(rec), out);
}

TEST(Join, ArrivesAsSent)
{
	const cw_join j = samples::join();
	cw_join out{};
	ASSERT_EQ(parse_join(packed(cw_pack_join, j), &out), 0);
	EXPECT_EQ(memcmp(out.mac, j.mac, 32), 0);
	EXPECT_EQ(out.path, j.path);
	EXPECT_EQ(out.features, j.features);
	EXPECT_EQ(memcmp(out.host, j.host, 16), 0);
	EXPECT_EQ(memcmp(out.boot, j.boot, 16), 0);
	EXPECT_EQ(memcmp(out.session, j.session, 16), 0);
	EXPECT_EQ(out.epoch, j.epoch);
	EXPECT_EQ(memcmp(out.nonce, j.nonce, 32), 0);
	EXPECT_EQ(out.queues, j.queues);
	EXPECT_EQ(out.depth, j.depth);
	EXPECT_EQ(out.inline_size, j.inline_size);
	EXPECT_EQ(out.max_io, j.max_io);
	EXPECT_EQ(out.area, j.area);
	EXPECT_EQ(out.messages, j.messages);
}

TEST(Join, Rules)
{
	using Rec = cw_wire_join;
	each_harm_is_refused<cw_join, Rec>(
		packed(cw_pack_join, samples::join()), parse_join,
		{
			{"magic", [](Rec &r) { r.magic = 0; }},
			{"version 0", [](Rec &r) { r.version = 0; }},
			{"version before", [](Rec &r) { r.version = le16(1); }, -EPROTONOSUPPORT},
			{"version", [](Rec &r) { r.version = le16(3); }, -EPROTONOSUPPORT},
			{"path", [](Rec &r) { r.path = CW_WIRE_PATHS; }},
			{"reserved", [](Rec &r) { r.reserved[0] = 1; }},
			{"reserved last", [](Rec &r) { r.reserved[8] = 1; }},
			{"no host", [](Rec &r) { memset(r.host, 0, sizeof(r.host)); }},
			{"no boot", [](Rec &r) { memset(r.boot, 0, sizeof(r.boot)); }},
			{"no session", [](Rec &r) { memset(r.session, 0, sizeof(r.session)); }},
			{"epoch 0", [](Rec &r) { r.epoch = 0; }},
			{"a nonce without a tag",
			 [](Rec &r) { memset(r.nonce, 0, CW_WIRE_JOIN_TAG); }},
			{"no queue", [](Rec &r) { r.queues = 0; }},
			{"no depth", [](Rec &r) { r.depth = 0; }},
			{"inline size", [](Rec &r) { r.inline_size = le32(512); }},
			{"no max_io", [](Rec &r) { r.max_io = 0; }},
			{"max_io below a page", [](Rec &r) { r.max_io = le32(4095); }},
			{"max_io", [](Rec &r) { r.max_io = le32(4097); }},
			{"no area", [](Rec &r) { r.area = 0; }},
			{"too few messages", [](Rec &r) { r.messages = le16(3); }},
			{"too many messages", [](Rec &r) { r.messages = le16(65); }},
		});
	each_change_is_fine<cw_join, Rec>(
		packed(cw_pack_join, samples::join()), parse_join,
		{
			{"path 0", [](Rec &r) { r.path = 0; }},
			{"last path", [](Rec &r) { r.path = CW_WIRE_PATHS - 1; }},
			{"first epoch", [](Rec &r) { r.epoch = le64(1); }},
			{"features of the future", [](Rec &r) { r.features = le64(~0ULL); }},
			{"no inline data", [](Rec &r) { r.inline_size = 0; }},
		});
}

TEST(Join, WishesAreClamped)
{
	cw_join j = samples::join(), out{};
	j.queues = j.depth = j.area = 65535;
	j.inline_size = j.max_io = 0xffffffff;
	ASSERT_EQ(parse_join(packed(cw_pack_join, j), &out), 0);
	EXPECT_EQ(out.queues, CW_WIRE_QUEUES_MAX);
	EXPECT_EQ(out.depth, CW_WIRE_DEPTH_MAX);
	EXPECT_EQ(out.inline_size, u32(CW_WIRE_INLINE_MAX));
	EXPECT_EQ(out.max_io, CW_WIRE_IO_MAX);
	EXPECT_EQ(out.area, CW_WIRE_AREA_MAX);
}

TEST(Joined, ArrivesAsSent)
{
	const cw_joined j = samples::joined();
	cw_joined out{};
	ASSERT_EQ(parse_joined(packed(cw_pack_joined, j), &out), 0);
	EXPECT_EQ(memcmp(out.mac, j.mac, 32), 0);
	EXPECT_EQ(out.number, j.number);
	EXPECT_EQ(out.queues, j.queues);
	EXPECT_EQ(out.depth, j.depth);
	EXPECT_EQ(out.inline_size, j.inline_size);
	EXPECT_EQ(out.max_io, j.max_io);
	EXPECT_EQ(out.probe_ms, j.probe_ms);
	EXPECT_EQ(out.dead_ms, j.dead_ms);
	EXPECT_EQ(out.export_id, j.export_id);
	EXPECT_EQ(out.area, j.area);
	EXPECT_EQ(out.messages, j.messages);
	EXPECT_EQ(out.path, j.path);
	EXPECT_EQ(out.features, j.features);
	EXPECT_EQ(out.epoch, j.epoch);
	EXPECT_EQ(memcmp(out.instance, j.instance, 16), 0);
}

TEST(Joined, Rules)
{
	using Rec = cw_wire_joined;
	each_harm_is_refused<cw_joined, Rec>(
		packed(cw_pack_joined, samples::joined()), parse_joined,
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
			{"probes too often", [](Rec &r) { r.probe_ms = le32(9); }},
			{"dead before a second probe", [](Rec &r) { r.dead_ms = le32(1999); }},
			{"dead never", [](Rec &r) { r.dead_ms = le32(CW_WIRE_DEAD_MAX + 1); }},
			{"no area", [](Rec &r) { r.area = 0; }},
			{"too few messages", [](Rec &r) { r.messages = le16(3); }},
			{"too many messages", [](Rec &r) { r.messages = le16(65); }},
			{"another path", [](Rec &r) { r.path = 2; }},
			{"reserved", [](Rec &r) { r.reserved = 1; }},
			{"feature not offered", [](Rec &r) { r.features |= le64(1ULL << 40); }},
			{"without PATHS", [](Rec &r) { r.features = le64(CW_FEATURE_CRC); }},
			{"without the login's CRC",
			 [](Rec &r) { r.features = le64(CW_FEATURE_PATHS); }},
			{"epoch before", [](Rec &r) { r.epoch = le64(5); }},
			{"epoch behind", [](Rec &r) { r.epoch = le64(7); }},
			{"no instance", [](Rec &r) { memset(r.instance, 0, sizeof(r.instance)); }},
		});
	each_change_is_fine<cw_joined, Rec>(
		packed(cw_pack_joined, samples::joined()), parse_joined,
		{
			{"everything wished",
			 [](Rec &r) {
				 r.queues = le16(4);
				 r.depth = le16(128);
			 }},
			{"BARE, which the login did not choose",
			 [](Rec &r) { r.features |= le64(CW_FEATURE_BARE); }},
			{"no inline data", [](Rec &r) { r.inline_size = 0; }},
			{"the longest times",
			 [](Rec &r) {
				 r.probe_ms = le32(300000);
				 r.dead_ms = le32(600000);
			 }},
		});
}

TEST(Joined, InlineDataFitsWhatEitherSideTakes)
{
	cw_join wish = samples::join();
	cw_joined j = samples::joined(), out;
	wish.inline_size = j.inline_size = 4 * 4096;
	const auto parse = [&] {
		const cw_wire_joined rec = packed(cw_pack_joined, j);
		return cw_parse_joined(&rec, sizeof(rec), &wish, samples::CHOSEN, &out);
	};
	wish.area = j.area = 4;
	EXPECT_EQ(parse(), 0);
	wish.area = 3;
	EXPECT_EQ(parse(), -EPROTO);
	wish.area = 4;
	j.area = 3;
	EXPECT_EQ(parse(), -EPROTO);
}

TEST(Incarnation, Rules)
{
	using Rec = cw_wire_incarnation;
	cw_incarnation out{};
	const Rec valid = packed(cw_pack_incarnation, samples::incarnation());
	ASSERT_EQ(parse_incarnation(valid, &out), 0);
	EXPECT_EQ(out.path, 1);
	EXPECT_EQ(out.epoch, 5U);
	each_harm_is_refused<cw_incarnation, Rec>(
		valid, parse_incarnation,
		{
			{"path", [](Rec &r) { r.path = CW_WIRE_PATHS; }},
			{"epoch 0", [](Rec &r) { r.epoch = 0; }},
			{"tag", [](Rec &r) { r.tag[0] = 1; }},
			{"end of the tag", [](Rec &r) { r.tag[6] = 1; }},
		});
	each_change_is_fine<cw_incarnation, Rec>(
		valid, parse_incarnation,
		{
			{"path 0", [](Rec &r) { r.path = 0; }},
			{"last path", [](Rec &r) { r.path = CW_WIRE_PATHS - 1; }},
			{"first epoch", [](Rec &r) { r.epoch = le64(1); }},
			{"last epoch", [](Rec &r) { r.epoch = le64(~0ULL); }},
		});
}

TEST(Fence, AnnouncesAJoin)
{
	using Rec = cw_wire_incarnation;
	const cw_join join = samples::join();
	cw_incarnation fence = samples::incarnation(), out{};
	ASSERT_EQ(parse_fence(packed(cw_pack_incarnation, fence), &out), 0);
	EXPECT_EQ(out.tag, 0U);
	fence.tag = cw_join_tag(join.nonce);
	const Rec valid = packed(cw_pack_incarnation, fence);
	EXPECT_EQ(memcmp(valid.tag, join.nonce, CW_WIRE_JOIN_TAG), 0);
	ASSERT_EQ(parse_fence(valid, &out), 0);
	EXPECT_EQ(out.tag, fence.tag);
	EXPECT_EQ(out.path, fence.path);
	EXPECT_EQ(out.epoch, fence.epoch);
	each_harm_is_refused<cw_incarnation, Rec>(
		valid, parse_fence,
		{
			{"path", [](Rec &r) { r.path = CW_WIRE_PATHS; }},
			{"epoch 0", [](Rec &r) { r.epoch = 0; }},
		});
}

TEST(Path, LengthsAreExact)
{
	only_its_own_length(packed(cw_pack_join, samples::join()), [](const void *p, size_t n) {
		cw_join out;
		return cw_parse_join(p, n, &out);
	});
	only_its_own_length(packed(cw_pack_joined, samples::joined()), [](const void *p, size_t n) {
		const cw_join wish = samples::join();
		cw_joined out;
		return cw_parse_joined(p, n, &wish, samples::CHOSEN, &out);
	});
	only_its_own_length(packed(cw_pack_incarnation, samples::incarnation()),
			    [](const void *p, size_t n) {
				    cw_incarnation out;
				    return cw_parse_fence(p, n, &out);
			    });
	only_its_own_length(packed(cw_pack_incarnation, samples::incarnation()),
			    [](const void *p, size_t n) {
				    cw_incarnation out;
				    return cw_parse_incarnation(p, n, &out);
			    });
}

} // namespace
