// SPDX-License-Identifier: GPL-2.0-or-later
// A whole message from a client: every accepted message must be safe for the server to act on.
#include <bitset>

#include "message.h"

using namespace fuzz;

// Geometries of several kinds of disks.
static cw_geometry disk(u8 which)
{
	cw_geometry geo = which & 1 ? samples::plain_geometry() : samples::geometry();
	if (which & 2)
		geo.flags |= CW_EXPORT_READ_ONLY;
	if (which & 4)
		geo.size = geo.logical_block;
	if (which & 8)
		geo.flags &= u16(~CW_EXPORT_FUA);
	return geo;
}

static bool on_disk(u64 offset, u64 len, const cw_geometry &geo)
{
	return offset % geo.logical_block == 0 && len % geo.logical_block == 0 &&
	       offset <= geo.size && len <= geo.size - offset;
}

// Checks what the message alone determines.
static void check_command(const cw_cmd &c, const cw_frame &frame, const cw_limits &lim)
{
	const bool in = c.flags & CW_CMD_INLINE, bulk = c.flags & CW_CMD_BULK;
	const bool moves = c.op == CW_OP_READ || c.op == CW_OP_WRITE;
	const bool brings = in && (c.op == CW_OP_WRITE || c.op == CW_OP_DISCARD);
	CHECK(c.op >= CW_OP_READ && c.op <= CW_OP_WRITE_ZEROES);
	CHECK(c.slot < cw_slots(&lim) && (c.slot >= lim.depth) == frame.bare);
	CHECK(!moves || (in != bulk && c.len <= lim.max_io));
	CHECK(!moves || !in || c.len <= lim.inline_size);
	CHECK((c.op == CW_OP_FLUSH || c.op == CW_OP_DISCARD) == !c.len);
	CHECK(c.len || !c.offset);
	CHECK(c.offset + c.len >= c.offset && c.addr + c.len >= c.addr);
	CHECK(bulk || (!c.rkey && !c.addr));
	CHECK(brings == (c.data_len > 0));
	CHECK(brings || !c.data_off);
	CHECK(u64(c.data_off) + c.data_len <= frame.data_len && c.data_off % 16 == 0);
	CHECK(c.op != CW_OP_WRITE || !in || c.data_len == c.len);
	CHECK(!(c.flags & CW_CMD_FUA) || c.op == CW_OP_WRITE || c.op == CW_OP_WRITE_ZEROES);
	CHECK(!(c.flags & CW_CMD_NOUNMAP) || c.op == CW_OP_WRITE_ZEROES);
	CHECK(!(c.flags & CW_CMD_CRC) || lim.features & CW_FEATURE_CRC);
}

// Checks what the disk determines. Returns true if the message is well-formed.
static bool check_disk(const cw_cmd &c, const u8 *data, const cw_geometry &geo)
{
	int err = cw_check_cmd(&c, &geo);
	CHECK(!err || err == -ERANGE || err == -EROFS || err == -EOPNOTSUPP);
	if (!err) {
		CHECK(on_disk(c.offset, c.len, geo));
		CHECK(!(geo.flags & CW_EXPORT_READ_ONLY) || c.op == CW_OP_READ ||
		      c.op == CW_OP_FLUSH);
		CHECK(!(c.flags & CW_CMD_FUA) || geo.flags & CW_EXPORT_FUA);
		CHECK(c.op != CW_OP_WRITE_ZEROES || c.len <= geo.zeroes_max);
	}
	if (c.op != CW_OP_DISCARD)
		return true;
	CHECK(err || c.data_len / 16 <= geo.discard_ranges);
	for (u32 i = 0; i < c.data_len / 16 && !err; i++) {
		const auto rec = reinterpret_cast<const cw_wire_range *>(data + c.data_off) + i;
		cw_range range;
		err = cw_parse_range(rec, &range);
		CHECK(!err || err == -EPROTO);
		if (err)
			return false;
		CHECK(range.len && range.offset + range.len > range.offset);
		err = cw_check_range(&range, &geo);
		CHECK(!err || err == -ERANGE);
		CHECK(err ||
		      (on_disk(range.offset, range.len, geo) && range.len <= geo.discard_max));
	}
	return true;
}

static void commands(const Bytes &message, const cw_frame &frame, const Negotiated &n)
{
	const auto rec = reinterpret_cast<const cw_wire_cmd *>(message.data() + frame.data_len);
	const cw_limits lim = limits(n);
	const cw_geometry geo = disk(n.disk);
	std::bitset<65536> busy;
	CHECK(frame.record == sizeof(*rec));
	for (u16 i = 0; i < frame.count; i++) {
		cw_cmd c;
		const int err = cw_parse_cmd(&rec[i], &frame, &lim, &c);
		CHECK(!err || err == -EPROTO);
		if (err || busy[c.slot])
			return;
		busy[c.slot] = true;
		check_command(c, frame, lim);
		cw_wire_cmd again;
		cw_pack_cmd(&again, &c, lim.export_id);
		CHECK(same(again, &rec[i]));
		if (!check_disk(c, message.data(), geo))
			return;
		touch(message.data() + c.data_off, c.data_len);
	}
}

static void bare_write(const Bytes &message, const Negotiated &n)
{
	const cw_limits lim = limits(n);
	cw_frame frame;
	cw_wire_cmd rec;
	cw_cmd c;
	u32 imm;
	if (!bare_frame_of(message, n, cw_parse_bare_write, &frame, &rec) ||
	    cw_parse_cmd(&rec, &frame, &lim, &c))
		return;
	check_command(c, frame, lim);
	CHECK(c.op == CW_OP_WRITE && c.flags == CW_CMD_INLINE && !c.data_off);
	CHECK(cw_bare_write(&rec, &imm) && !memcmp(&imm, message.data(), sizeof(imm)));
	check_disk(c, message.data() + sizeof(imm), disk(n.disk));
}

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	Negotiated n;
	cw_frame frame;
	if (len < sizeof(n))
		return 0;
	memcpy(&n, data, sizeof(n));
	const Bytes message(data + sizeof(n), len - sizeof(n));
	if (n.bare & 1) {
		bare_write(message, n);
		return 0;
	}
	if (!frame_of(message, n, true, &frame))
		return 0;
	switch (frame.type) {
	case CW_MSG_HELLO:
		hello(message.data(), frame.data_len);
		break;
	case CW_MSG_PROOF:
		CHECK(proof(message.data(), frame.data_len));
		break;
	case CW_MSG_DISCOVER:
		discover(message.data(), frame.data_len);
		break;
	case CW_MSG_JOIN:
		join(message.data(), frame.data_len);
		break;
	case CW_MSG_FENCE:
	case CW_MSG_PATH_BYE:
		incarnation(message.data(), frame.data_len);
		break;
	case CW_MSG_PROBE:
	case CW_MSG_ALIVE:
		sign_of_life(message, frame, n);
		break;
	case CW_MSG_GOODBYE:
		CHECK(message.size() == sizeof(cw_wire_tail));
		break;
	case CW_MSG_COMMANDS:
		commands(message, frame, n);
		break;
	default:
		CHECK(!"a type that no client sends");
	}
	return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(u8 *data, size_t len, size_t max, unsigned int seed)
{
	return mutate(data, len, max, seed, CW_MSG_COMMANDS, sizeof(cw_wire_cmd));
}
