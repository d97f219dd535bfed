// SPDX-License-Identifier: GPL-2.0-or-later
// Checks of geometries, and of commands against them: PROTOCOL, sections 8 and 11.
#include "wire.h"

using namespace wire;

namespace
{

using Rec = cw_wire_geometry;

int parse(const Rec &rec, cw_geometry *out)
{
	return cw_parse_geometry(&rec, out);
}

TEST(Geometry, ArrivesAsSent)
{
	for (const cw_geometry &geo : {samples::geometry(), samples::plain_geometry()}) {
		cw_geometry out{};
		ASSERT_EQ(parse(packed(cw_pack_geometry, geo), &out), 0);
		EXPECT_EQ(out.size, geo.size);
		EXPECT_EQ(out.logical_block, geo.logical_block);
		EXPECT_EQ(out.physical_block, geo.physical_block);
		EXPECT_EQ(out.io_min, geo.io_min);
		EXPECT_EQ(out.io_opt, geo.io_opt);
		EXPECT_EQ(out.discard_max, geo.discard_max);
		EXPECT_EQ(out.discard_granularity, geo.discard_granularity);
		EXPECT_EQ(out.zeroes_max, geo.zeroes_max);
		EXPECT_EQ(out.discard_ranges, geo.discard_ranges);
		EXPECT_EQ(out.flags, geo.flags);
	}
}

TEST(Geometry, Rules)
{
	each_harm_is_refused<cw_geometry, Rec>(
		packed(cw_pack_geometry, samples::geometry()), parse,
		{
			{"no size", [](Rec &r) { r.size = 0; }},
			{"half a block", [](Rec &r) { r.size = le64((1ULL << 30) + 256); }},
			{"beyond loff_t", [](Rec &r) { r.size = le64(1ULL << 63); }},
			{"far beyond", [](Rec &r) { r.size = le64(~511ULL); }},
			{"block 0", [](Rec &r) { r.logical_block = 0; }},
			{"block small", [](Rec &r) { r.logical_block = le32(256); }},
			{"block odd", [](Rec &r) { r.logical_block = le32(520); }},
			{"block not a power", [](Rec &r) { r.logical_block = le32(1536); }},
			{"block large", [](Rec &r) { r.logical_block = le32(8192); }},
			{"physical 0", [](Rec &r) { r.physical_block = 0; }},
			{"physical below logical", [](Rec &r) { r.physical_block = le32(256); }},
			{"physical not a power", [](Rec &r) { r.physical_block = le32(4608); }},
			{"physical large", [](Rec &r) { r.physical_block = le32(2U << 20); }},
			{"io_min", [](Rec &r) { r.io_min = le32(100); }},
			{"io_opt", [](Rec &r) { r.io_opt = le32(4097); }},
			{"flag unknown", [](Rec &r) { r.flags |= le16(1 << 8); }},
			{"flag far", [](Rec &r) { r.flags |= le16(1 << 15); }},
			{"flag of discovery", [](Rec &r) { r.flags |= le16(CW_EXPORT_KEY); }},
			{"discard of nothing", [](Rec &r) { r.discard_max = 0; }},
			{"discard_max", [](Rec &r) { r.discard_max = le32(1000); }},
			{"no granularity", [](Rec &r) { r.discard_granularity = 0; }},
			{"granularity", [](Rec &r) { r.discard_granularity = le32(100); }},
			{"no ranges", [](Rec &r) { r.discard_ranges = 0; }},
			{"discards without the flag",
			 [](Rec &r) { r.flags &= le16(u16(~CW_EXPORT_DISCARD)); }},
			{"zeroes of nothing", [](Rec &r) { r.zeroes_max = 0; }},
			{"zeroes_max", [](Rec &r) { r.zeroes_max = le32(1000); }},
			{"zeroes without the flag",
			 [](Rec &r) { r.flags &= le16(u16(~CW_EXPORT_WRITE_ZEROES)); }},
		});
	each_harm_is_refused<cw_geometry, Rec>(
		packed(cw_pack_geometry, samples::plain_geometry()), parse,
		{
			{"discard_max alone", [](Rec &r) { r.discard_max = le32(4096); }},
			{"granularity alone", [](Rec &r) { r.discard_granularity = le32(4096); }},
			{"ranges alone", [](Rec &r) { r.discard_ranges = le16(1); }},
			{"flag of discard alone",
			 [](Rec &r) { r.flags = le16(CW_EXPORT_DISCARD); }},
			{"zeroes alone", [](Rec &r) { r.zeroes_max = le32(4096); }},
			{"flag of zeroes alone",
			 [](Rec &r) { r.flags = le16(CW_EXPORT_WRITE_ZEROES); }},
			{"size of another block", [](Rec &r) { r.size = le64(4096 + 512); }},
		});
	each_change_is_fine<cw_geometry, Rec>(
		packed(cw_pack_geometry, samples::plain_geometry()), parse,
		{
			{"one block", [](Rec &r) { r.size = le64(4096); }},
			{"the largest", [](Rec &r) { r.size = le64((1ULL << 63) - 4096); }},
			{"small blocks",
			 [](Rec &r) { r.logical_block = r.physical_block = le32(512); }},
			{"large physical blocks",
			 [](Rec &r) { r.physical_block = le32(1U << 20); }},
			{"other flags",
			 [](Rec &r) {
				 r.flags = le16(CW_EXPORT_READ_ONLY | CW_EXPORT_ROTATIONAL |
						CW_EXPORT_EXCLUSIVE);
			 }},
		});
}

int check(cw_cmd cmd, cw_geometry geo, const std::function<void(cw_cmd &, cw_geometry &)> &change)
{
	change(cmd, geo);
	return cw_check_cmd(&cmd, &geo);
}

TEST(Check, CommandsThatFit)
{
	const cw_geometry geo = samples::geometry();
	for (const cw_cmd &cmd :
	     {samples::read_inline(), samples::read_bulk(), samples::write_inline(),
	      samples::write_bulk(), samples::flush(), samples::discard(), samples::write_zeroes()})
		EXPECT_EQ(cw_check_cmd(&cmd, &geo), 0) << int(cmd.op);
}

TEST(Check, RangesOfCommands)
{
	const cw_geometry geo = samples::geometry();
	for (const cw_cmd &cmd :
	     {samples::read_inline(), samples::write_bulk(), samples::write_zeroes()}) {
		SCOPED_TRACE(int(cmd.op));
		EXPECT_EQ(check(cmd, geo, [](auto &c, auto &g) { c.offset = g.size - c.len; }), 0);
		EXPECT_EQ(
			check(cmd, geo, [](auto &c, auto &g) { c.offset = g.size - c.len + 512; }),
			-ERANGE);
		EXPECT_EQ(check(cmd, geo, [](auto &c, auto &g) { c.offset = g.size; }), -ERANGE);
		EXPECT_EQ(check(cmd, geo, [](auto &c, auto &) { c.offset = 1ULL << 62; }), -ERANGE);
		EXPECT_EQ(check(cmd, geo, [](auto &c, auto &) { c.offset = ~511ULL; }), -ERANGE);
		EXPECT_EQ(check(cmd, geo, [](auto &c, auto &) { c.offset = 256; }), -ERANGE);
		EXPECT_EQ(check(cmd, geo, [](auto &c, auto &) { c.len -= 1; }), -ERANGE);
		EXPECT_EQ(check(cmd, geo, [](auto &c, auto &g) { g.size = c.len - 512; }), -ERANGE);
		EXPECT_EQ(check(cmd, geo,
				[](auto &c, auto &g) {
					g.size = c.len;
					c.offset = 0;
				}),
			  0);
		EXPECT_EQ(check(cmd, geo,
				[](auto &c, auto &g) {
					g.logical_block = 4096;
					c.offset = 512;
				}),
			  -ERANGE);
	}
}

TEST(Check, ADiskThatOnlyReads)
{
	const auto read_only = [](auto &, auto &g) { g.flags |= CW_EXPORT_READ_ONLY; };
	const cw_geometry geo = samples::geometry();
	EXPECT_EQ(check(samples::read_inline(), geo, read_only), 0);
	EXPECT_EQ(check(samples::flush(), geo, read_only), 0);
	EXPECT_EQ(check(samples::write_inline(), geo, read_only), -EROFS);
	EXPECT_EQ(check(samples::discard(), geo, read_only), -EROFS);
	EXPECT_EQ(check(samples::write_zeroes(), geo, read_only), -EROFS);

	const cw_range range{0, 4096};
	cw_geometry g = geo;
	g.flags |= CW_EXPORT_READ_ONLY;
	EXPECT_EQ(cw_check_range(&range, &g), -EROFS);
}

TEST(Check, WhatTheDiskCannot)
{
	const cw_geometry plain = samples::plain_geometry();
	const auto same = [](auto &, auto &) {};
	EXPECT_EQ(check(samples::discard(), plain, same), -EOPNOTSUPP);
	EXPECT_EQ(check(samples::write_zeroes(), plain, same), -EOPNOTSUPP);
	EXPECT_EQ(check(samples::write_bulk(), plain, same), -EOPNOTSUPP); // the write is FUA
	EXPECT_EQ(check(samples::write_bulk(), plain,
			[](auto &c, auto &) {
				c.flags = CW_CMD_BULK;
				c.offset = c.len = 4096;
			}),
		  0);
	EXPECT_EQ(check(samples::flush(), plain, same), 0);
	EXPECT_EQ(check(samples::write_zeroes(), samples::geometry(),
			[](auto &, auto &g) { g.flags &= u16(~CW_EXPORT_FUA); }),
		  -EOPNOTSUPP);
	EXPECT_EQ(check(samples::flush(), plain, [](auto &c, auto &) { c.op = 77; }), -EOPNOTSUPP);
	const cw_range range{0, 4096};
	EXPECT_EQ(cw_check_range(&range, &plain), -EOPNOTSUPP);
}

TEST(Check, LimitsOfTheDisk)
{
	const cw_geometry geo = samples::geometry();
	EXPECT_EQ(
		check(samples::write_zeroes(), geo, [](auto &c, auto &g) { g.zeroes_max = c.len; }),
		0);
	EXPECT_EQ(check(samples::write_zeroes(), geo,
			[](auto &c, auto &g) { g.zeroes_max = c.len - 512; }),
		  -ERANGE);
	EXPECT_EQ(check(samples::discard(), geo, [](auto &, auto &g) { g.discard_ranges = 3; }), 0);
	EXPECT_EQ(check(samples::discard(), geo, [](auto &, auto &g) { g.discard_ranges = 2; }),
		  -ERANGE);
}

TEST(Check, RangesOfADiscard)
{
	cw_geometry geo = samples::geometry();
	geo.discard_max = 1U << 20;
	const auto at = [&geo](u64 offset, u64 len) {
		const cw_range range{offset, len};
		return cw_check_range(&range, &geo);
	};
	EXPECT_EQ(at(0, 512), 0);
	EXPECT_EQ(at(0, 1U << 20), 0);
	EXPECT_EQ(at(0, (1U << 20) + 512), -ERANGE);
	EXPECT_EQ(at(0, (1ULL << 32) + 512), -ERANGE);
	EXPECT_EQ(at(geo.size - 512, 512), 0);
	EXPECT_EQ(at(geo.size - 512, 1024), -ERANGE);
	EXPECT_EQ(at(geo.size, 512), -ERANGE);
	EXPECT_EQ(at(~511ULL, 512), -ERANGE);
	EXPECT_EQ(at(0, 100), -ERANGE);
	EXPECT_EQ(at(100, 512), -ERANGE);
}

} // namespace
