// SPDX-License-Identifier: GPL-2.0-or-later
// A whole message from a server: every accepted message must be safe for the client to act on.
#include "message.h"

using namespace fuzz;

static void check_done(const cw_done &d, const cw_frame &frame, const cw_limits &lim)
{
	CHECK(d.slot < cw_slots(&lim) && d.status <= CW_STATUS_GONE);
	CHECK(u64(d.data_off) + d.data_len <= frame.data_len && d.data_off % 16 == 0);
	CHECK(d.data_len <= lim.inline_size);
	CHECK(!(d.flags & CW_DONE_INLINE) == !d.data_len);
	CHECK(d.status == CW_STATUS_OK || (!d.flags && !d.data_len && !d.crc));
	CHECK(!(d.flags & CW_DONE_CRC) || lim.features & CW_FEATURE_CRC);
}

static void bare_read(const Bytes &message, const Negotiated &n)
{
	const cw_limits lim = limits(n);
	cw_frame frame;
	cw_wire_done rec;
	cw_done d;
	u32 imm;
	if (!bare_frame_of(message, n, cw_parse_bare_read, &frame, &rec) ||
	    cw_parse_done(&rec, &frame, &lim, &d))
		return;
	check_done(d, frame, lim);
	CHECK(d.slot < lim.depth && d.flags == CW_DONE_INLINE && !d.data_off);
	CHECK(cw_bare_read(&rec, frame.credit, &imm) && !memcmp(&imm, message.data(), sizeof(imm)));
}

static void completions(const Bytes &message, const cw_frame &frame, const Negotiated &n)
{
	const auto rec = reinterpret_cast<const cw_wire_done *>(message.data() + frame.data_len);
	const cw_limits lim = limits(n);
	CHECK(frame.record == sizeof(*rec));
	for (u16 i = 0; i < frame.count; i++) {
		cw_done d;
		const int err = cw_parse_done(&rec[i], &frame, &lim, &d);
		CHECK(!err || err == -EPROTO);
		if (err)
			return;
		check_done(d, frame, lim);
		cw_wire_done again;
		cw_pack_done(&again, &d);
		CHECK(same(again, &rec[i]));
		touch(message.data() + d.data_off, d.data_len);
	}
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
		bare_read(message, n);
		return 0;
	}
	if (!frame_of(message, n, false, &frame))
		return 0;
	switch (frame.type) {
	case CW_MSG_CHALLENGE:
		challenge(message.data(), frame.data_len, n.features, n.features & CW_FEATURE_CRC);
		break;
	case CW_MSG_WELCOME:
		welcome(message.data(), frame.data_len, samples::hello());
		break;
	case CW_MSG_REFUSED:
		refused(message.data(), frame.data_len);
		break;
	case CW_MSG_EXPORTS:
		exports(message.data(), frame.data_len);
		break;
	case CW_MSG_NOTICE:
		notice(message.data(), frame.data_len);
		break;
	case CW_MSG_WAITING:
		waiting(message.data(), frame.data_len);
		break;
	case CW_MSG_JOINED:
		joined(message.data(), frame.data_len, samples::join(), samples::CHOSEN);
		break;
	case CW_MSG_FENCED:
		incarnation(message.data(), frame.data_len);
		break;
	case CW_MSG_PROBE:
	case CW_MSG_ALIVE:
		sign_of_life(message, frame, n);
		break;
	case CW_MSG_FAREWELL:
		CHECK(message.size() == sizeof(cw_wire_tail));
		break;
	case CW_MSG_COMPLETIONS:
		completions(message, frame, n);
		break;
	default:
		CHECK(!"a type that no server sends");
	}
	return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(u8 *data, size_t len, size_t max, unsigned int seed)
{
	return mutate(data, len, max, seed, CW_MSG_COMPLETIONS, sizeof(cw_wire_done));
}
