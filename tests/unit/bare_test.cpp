// SPDX-License-Identifier: GPL-2.0-or-later
// Bare messages: pages with 32 bits of immediate data (PROTOCOL, section 8).
#include "wire.h"

namespace
{

using namespace wire;

cw_limits limits()
{
	cw_limits lim = samples::limits();
	lim.features = CW_FEATURE_BARE;
	return lim;
}

cw_cmd write_of_a_page(u64 offset = 8192)
{
	cw_cmd c = samples::read_inline();
	c.op = CW_OP_WRITE;
	c.offset = offset;
	c.data_len = CW_WIRE_PAGE;
	return c;
}

cw_done page_read(u16 slot)
{
	cw_done d{};
	d.slot = slot;
	d.flags = CW_DONE_INLINE;
	d.data_len = CW_WIRE_PAGE;
	return d;
}

// A bare message as its receiver parses it.
template <class Rec, auto parse> struct Parsed {
	cw_frame frame{};
	Rec rec{};
	int err;

	explicit Parsed(u32 imm, size_t len = CW_WIRE_PAGE, u32 ordinal = 0, u32 credited = 0,
			const cw_limits &lim = limits())
	    : err(parse(imm, len, ordinal, credited, &lim, &frame, &rec))
	{
	}
};
using Write = Parsed<cw_wire_cmd, cw_parse_bare_write>;
using Read = Parsed<cw_wire_done, cw_parse_bare_read>;

TEST(Bare, AWriteArrivesAsTheCommandThatItWas)
{
	const cw_limits lim = limits();
	for (const u64 offset : {u64(0), u64(4096), u64(0xffffffff) * 4096}) {
		const auto sent = packed(cw_pack_cmd, write_of_a_page(offset), lim.export_id);
		u32 imm = 0;
		ASSERT_TRUE(cw_bare_write(&sent, &imm));
		const Write got(imm, CW_WIRE_PAGE, 1000, 41);
		ASSERT_EQ(got.err, 0);
		EXPECT_EQ(got.frame.type, CW_MSG_COMMANDS);
		EXPECT_EQ(got.frame.count, 1);
		EXPECT_EQ(got.frame.record, sizeof(cw_wire_cmd));
		EXPECT_EQ(got.frame.data_len, u32(CW_WIRE_PAGE));
		EXPECT_EQ(got.frame.ordinal, 1000U);
		EXPECT_EQ(got.frame.credit, 42U); // a bare write gives one more credit
		cw_cmd out{};
		ASSERT_EQ(cw_parse_cmd(&got.rec, &got.frame, &lim, &out), 0);
		cw_cmd want = write_of_a_page(offset);
		want.slot = u16(lim.depth + 1000 % lim.depth);
		EXPECT_EQ(bytes(out), bytes(want));
	}
}

TEST(Bare, AReadArrivesAsTheCompletionThatItWas)
{
	const cw_limits lim = limits();
	for (const u16 slot : {u16(0), u16(lim.depth - 1)}) {
		const auto sent = packed(cw_pack_done, page_read(slot));
		u32 imm = 0;
		ASSERT_TRUE(cw_bare_read(&sent, 0x12345, &imm));
		const Read got(imm, CW_WIRE_PAGE, 7, 0x12340);
		ASSERT_EQ(got.err, 0);
		EXPECT_EQ(got.frame.type, CW_MSG_COMPLETIONS);
		EXPECT_EQ(got.frame.credit, 0x12345U);
		cw_done out{};
		ASSERT_EQ(cw_parse_done(&got.rec, &got.frame, &lim, &out), 0);
		EXPECT_EQ(bytes(out), bytes(page_read(slot)));
	}
}

TEST(Bare, CreditGoesOnWhereItsLowerHalfWraps)
{
	const auto sent = packed(cw_pack_done, page_read(1));
	u32 imm = 0;
	ASSERT_TRUE(cw_bare_read(&sent, 0x20003, &imm));
	EXPECT_EQ(Read(imm, CW_WIRE_PAGE, 0, 0x1fffe).frame.credit, 0x20003U);
	EXPECT_EQ(Read(imm, CW_WIRE_PAGE, 0, 0x20003).frame.credit, 0x20003U);
	ASSERT_TRUE(cw_bare_read(&sent, 2, &imm));
	EXPECT_EQ(Read(imm, CW_WIRE_PAGE, 0, 0xfffffffe).frame.credit, 2U);
	EXPECT_EQ(Write(0, CW_WIRE_PAGE, 0, 0xffffffff).frame.credit, 0U);
}

TEST(Bare, IsOnePageAndOnlyWhenAgreedUpon)
{
	for (const size_t len : {0, 16, 4080, 4095, 4097, 4160, 8192}) {
		EXPECT_EQ(Write(0, len).err, -EPROTO) << len;
		EXPECT_EQ(Read(0, len).err, -EPROTO) << len;
	}
	cw_limits lim = limits();
	lim.features = ~u64(CW_FEATURE_BARE);
	EXPECT_EQ(Write(0, CW_WIRE_PAGE, 0, 0, lim).err, -EPROTO);
	EXPECT_EQ(Read(0, CW_WIRE_PAGE, 0, 0, lim).err, -EPROTO);
}

TEST(Bare, ReadsNameSlotsThatTheClientGave)
{
	const u16 depth = limits().depth;
	EXPECT_EQ(Read(depth - 1U).err, 0);
	for (const u32 slot : {u32(depth), 2U * depth - 1, 0xffffU})
		EXPECT_EQ(Read(slot).err, -EPROTO) << slot;
}

TEST(Bare, SlotsOfWritesAreForNothingElse)
{
	cw_limits lim = limits();
	const auto above = [&](cw_cmd c, bool bare) {
		c.slot = lim.depth;
		const auto rec = packed(cw_pack_cmd, c, lim.export_id);
		cw_frame frame = frame_of(CW_WIRE_PAGE);
		frame.bare = bare;
		cw_cmd out{};
		return cw_parse_cmd(&rec, &frame, &lim, &out);
	};
	EXPECT_EQ(above(write_of_a_page(), true), 0);
	EXPECT_EQ(above(write_of_a_page(), false), -EPROTO);
	EXPECT_EQ(above(samples::read_inline(), false), -EPROTO);

	// A completion may name an extra slot, if there are any.
	cw_done d{};
	d.slot = u16(2 * lim.depth - 1);
	const auto rec = packed(cw_pack_done, d);
	const cw_frame frame = frame_of(0);
	cw_done out{};
	EXPECT_EQ(cw_parse_done(&rec, &frame, &lim, &out), 0);
	lim.features = 0;
	EXPECT_EQ(cw_parse_done(&rec, &frame, &lim, &out), -EPROTO);
}

TEST(Bare, WhatTheLimitsDoNotAllowIsRefusedByTheParserOfRecords)
{
	cw_limits lim = limits();
	lim.inline_size = 0;
	const Write got(0, CW_WIRE_PAGE, 0, 0, lim);
	cw_cmd out{};
	EXPECT_EQ(cw_parse_cmd(&got.rec, &got.frame, &lim, &out), -EPROTO);
	const Read read(0, CW_WIRE_PAGE, 0, 0, lim);
	cw_done done{};
	EXPECT_EQ(cw_parse_done(&read.rec, &read.frame, &lim, &done), -EPROTO);
}

TEST(Bare, OnlyWhatThe32BitsCanSayGoesBare)
{
	u32 imm;
	const auto write = [&](auto harm) {
		cw_cmd c = write_of_a_page();
		harm(c);
		const auto rec = packed(cw_pack_cmd, c, u16(7));
		return cw_bare_write(&rec, &imm);
	};
	EXPECT_TRUE(write([](auto &) {}));
	EXPECT_FALSE(write([](auto &c) { c.op = CW_OP_DISCARD; }));
	EXPECT_FALSE(write([](auto &c) { c.flags |= CW_CMD_FUA; }));
	EXPECT_FALSE(write([](auto &c) { c.flags |= CW_CMD_CRC; }));
	EXPECT_FALSE(write([](auto &c) { c.offset = 512; }));
	EXPECT_FALSE(write([](auto &c) { c.offset = u64(1) << 44; }));
	EXPECT_FALSE(write([](auto &c) { c.data_len = 512; }));
	EXPECT_FALSE(write([](auto &c) { c.data_off = 4096; }));

	const auto read = [&](auto harm) {
		cw_done d = page_read(3);
		harm(d);
		const auto rec = packed(cw_pack_done, d);
		return cw_bare_read(&rec, 0, &imm);
	};
	EXPECT_TRUE(read([](auto &) {}));
	EXPECT_FALSE(read([](auto &d) { d.status = CW_STATUS_IO; }));
	EXPECT_FALSE(read([](auto &d) { d.flags = 0; }));
	EXPECT_FALSE(read([](auto &d) { d.flags |= CW_DONE_CRC; }));
	EXPECT_FALSE(read([](auto &d) { d.data_len = 8192; }));
	EXPECT_FALSE(read([](auto &d) { d.data_off = 16; }));
}

} // namespace
