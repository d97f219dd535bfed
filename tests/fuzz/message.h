// SPDX-License-Identifier: GPL-2.0-or-later
// A message as a link receives it. The first bytes of the input are what the sides negotiated, the
// rest is the message. It is parsed in the kernel's order: the tail, then each record, then the
// data of the record.
#pragma once

#include <algorithm>

#include "structs.h"

extern "C" size_t LLVMFuzzerMutate(u8 *data, size_t len, size_t max);

namespace fuzz
{

struct Negotiated {
	u8 kind;
	u8 pages; // pages of data; from 128 on, 12 more
	u8 depth; // in units of four
	u8 max_io; // in pages
	u8 discard_ranges;
	u8 features;
	u8 disk; // selects the geometry
	u8 bare; // odd: the message is 32 bits and a page
};

inline u8 link_kind(const Negotiated &n)
{
	return u8(CW_KIND_CONTROL + n.kind % 2);
}

inline u32 area(const Negotiated &n)
{
	const u32 pages = n.pages % 5U + (n.pages < 128 ? 0 : 12);
	return link_kind(n) == CW_KIND_CONTROL ? CW_WIRE_PAGE : pages * CW_WIRE_PAGE;
}

inline u32 inline_size(const Negotiated &n)
{
	return std::min<u32>(area(n), CW_WIRE_INLINE_MAX);
}

inline cw_limits limits(const Negotiated &n)
{
	cw_limits lim = samples::limits();
	lim.depth = u16(4 * (n.depth + 1));
	lim.inline_size = inline_size(n);
	lim.max_io = (n.max_io + 1U) * CW_WIRE_PAGE;
	lim.features = n.features;
	lim.discard_ranges = n.discard_ranges;
	return lim;
}

// Parses the tail of a message into @frame. Returns false if the message has no tail or is refused.
inline bool frame_of(const Bytes &message, const Negotiated &n, bool to_server, cw_frame *frame)
{
	const size_t len = message.size();
	if (len < sizeof(cw_wire_tail) || len > area(n) + CW_WIRE_TRAILER)
		return false;
	const u8 *tail = message.data() + len - sizeof(cw_wire_tail);
	const int err = cw_parse_tail(reinterpret_cast<const cw_wire_tail *>(tail), len,
				      area(n), link_kind(n), to_server, frame);
	CHECK(!err || err == -EPROTO);
	if (err)
		return false;
	CHECK(size_t(frame->data_len) + frame->trailer_len == len);
	CHECK(frame->data_len <= area(n));
	CHECK(frame->count <= CW_WIRE_RECORDS);
	CHECK(frame->trailer_len == frame->count * frame->record + sizeof(cw_wire_tail));
	const bool records = frame->type == CW_MSG_COMMANDS || frame->type == CW_MSG_COMPLETIONS;
	CHECK(records == (link_kind(n) != CW_KIND_CONTROL) || frame->type == CW_MSG_PROBE ||
	      frame->type == CW_MSG_ALIVE);
	CHECK(records == (frame->count > 0));
	cw_wire_tail again;
	cw_pack_tail(&again, frame->type, frame->count, frame->data_len, frame->ordinal,
		     frame->credit);
	CHECK(same(again, tail));
	return true;
}

// Parses a bare message into its frame and record. Returns false if it is refused.
template <class Rec, class Parse>
bool bare_frame_of(const Bytes &message, const Negotiated &n, Parse parse, cw_frame *frame, Rec *rec)
{
	const cw_limits lim = limits(n);
	u32 imm;
	if (message.size() < sizeof(imm))
		return false;
	memcpy(&imm, message.data(), sizeof(imm));
	const size_t len = message.size() - sizeof(imm);
	const int err = parse(imm, len, ~imm, imm, &lim, frame, rec);
	CHECK(!err || err == -EPROTO);
	if (err)
		return false;
	CHECK(lim.features & CW_FEATURE_BARE && len == CW_WIRE_PAGE && frame->bare);
	CHECK(frame->data_len == len && frame->count == 1 && frame->record == sizeof(Rec));
	return true;
}

// Checks a PROBE or an ALIVE, on either kind of link.
inline void sign_of_life(const Bytes &message, const cw_frame &frame, const Negotiated &n)
{
	if (link_kind(n) == CW_KIND_CONTROL)
		probe(message.data(), frame.data_len);
	else
		CHECK(message.size() == sizeof(cw_wire_tail));
}

// Mutates like libFuzzer, and mostly corrects the lengths in the tail afterwards. Otherwise few
// messages would be accepted.
inline size_t mutate(u8 *data, size_t len, size_t max, unsigned int seed, u8 type, size_t record)
{
	len = LLVMFuzzerMutate(data, len, max);
	if (seed % 8 == 0 || len < sizeof(Negotiated) + 16)
		return len;
	Negotiated n;
	memcpy(&n, data, sizeof(n));
	if (n.bare & 1)
		return len;
	len -= (len - sizeof(Negotiated)) % 16;

	const size_t message = len - sizeof(Negotiated);
	cw_wire_tail tail;
	memcpy(&tail, data + len - sizeof(tail), sizeof(tail));
	if (tail.type == type || seed % 8 == 1) {
		const size_t most = std::min<size_t>((message - 16) / record, CW_WIRE_RECORDS);
		const size_t count = std::min<size_t>(__le16_to_cpu(tail.count) % 65, most);
		cw_pack_tail(&tail, type, u16(count), u32(message - 16 - count * record), seed,
			     seed / 2);
	} else {
		cw_pack_tail(&tail, tail.type, 0, u32(message - 16), seed, 0);
	}
	memcpy(data + len - sizeof(tail), &tail, sizeof(tail));
	return len;
}

} // namespace fuzz
