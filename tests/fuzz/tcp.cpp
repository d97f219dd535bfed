// SPDX-License-Identifier: GPL-2.0-or-later
// One direction of a TCP connection, from its first byte: however the bytes are cut into pieces,
// the same frames arrive, and no frame reaches beyond what was offered for it.
//
// The input has a byte for the end and the link, a byte for the sizes of the pieces, and the
// stream.
#include <vector>

#include "fuzz.h"
#include "samples.h"

#include "include/wire/causeway_tcp.h"

using namespace fuzz;

namespace
{

constexpr u32 AREA = 4 * CW_WIRE_PAGE;

// A fuzzer finds no checksum, so each is right here.
u32 no_crc(const void *, size_t)
{
	return 0;
}

constexpr u32 SLOTS = 4, LEN = 3 * CW_WIRE_PAGE;

// A frame, and its bytes that arrived.
struct Arrived {
	cw_tcp_frame frame;
	std::vector<u8> bytes;
};

struct Result {
	std::vector<Arrived> frames;
	bool malformed = false;
};

// Memory that a client offers: that of even slots for PUT, that of odd ones for GET.
struct Client {
	cw_tcp_memory memory[SLOTS];
	std::vector<bool> moved[SLOTS];
	cw_tcp_gets gets{};

	Client()
	{
		for (u32 i = 0; i < SLOTS; i++) {
			u16 turn = 0;
			const u32 rkey = cw_tcp_rkey(u16(i), &turn);
			CHECK(rkey && cw_tcp_rkey_slot(rkey) == i);
			memory[i] = {.rkey = rkey,
				     .to_peer = i % 2 == 1,
				     .addr = 4096 * i,
				     .len = LEN,
				     .moved = 0,
				     .answered = 0};
			moved[i].resize(LEN);
		}
	}

	void answer(cw_tcp_frame got)
	{
		cw_tcp_memory &of = memory[cw_tcp_rkey_slot(got.rkey)];
		got.kind = CW_TCP_GOT;
		CHECK(!cw_tcp_gets_answer(&gets, &got));
		of.answered += got.len;
		CHECK(of.answered <= of.moved);
	}

	// Returns false if the server broke the protocol.
	bool move(const cw_tcp_frame &frame)
	{
		const u16 slot = cw_tcp_rkey_slot(frame.rkey);
		u32 offset;
		if (slot >= SLOTS)
			return false;
		const int ret = cw_tcp_move(&memory[slot], &frame, &offset);
		CHECK(!ret || ret == -EPROTO);
		if (ret)
			return false;
		CHECK(frame.rkey == memory[slot].rkey);
		CHECK((frame.kind == CW_TCP_GET) == memory[slot].to_peer);
		CHECK(memory[slot].addr + offset == frame.addr);
		for (u32 i = 0; i < frame.len; i++) {
			CHECK(!moved[slot].at(offset + i)); // once each
			moved[slot][offset + i] = true;
		}
		bool all = true;
		for (const bool byte : moved[slot])
			all = all && byte;
		CHECK(cw_tcp_may_complete(&memory[slot], true) == (all && frame.kind == CW_TCP_PUT));
		CHECK(cw_tcp_may_complete(&memory[slot], false) == (frame.kind == CW_TCP_PUT));
		if (frame.kind == CW_TCP_PUT)
			return true;
		if (cw_tcp_gets_add(&gets, &frame))
			return false;
		// Each second GET is answered at once.
		if (gets.count % 2 == 0)
			answer(*cw_tcp_gets_oldest(&gets));
		return true;
	}
};

// Checks that the rules of the protocol allow the frame on this link.
void check(const cw_tcp_stream &s, const cw_tcp_frame &f, bool first)
{
	const bool opens = f.kind <= CW_TCP_REJECTION, memory = f.kind >= CW_TCP_PUT;
	CHECK(f.kind >= CW_TCP_REQUEST && f.kind <= CW_TCP_GOT);
	CHECK(first == opens);
	CHECK(memory == (f.rkey != 0) && (memory || !f.addr));
	CHECK(!memory || (s.link == CW_KIND_DATA && f.addr + f.len >= f.addr));
	CHECK(!memory || (f.len && f.len <= CW_WIRE_TCP_DATA_MAX && f.len % 512 == 0));
	CHECK(!memory || !f.data_crc);
	CHECK(f.kind != CW_TCP_MESSAGE || f.len >= sizeof(cw_wire_tail));
	const u32 area = s.link == CW_KIND_CONTROL ? CW_WIRE_PAGE : AREA;
	CHECK(f.kind != CW_TCP_MESSAGE || f.len <= area + CW_WIRE_TRAILER);
	CHECK(!opens || f.len <= CW_WIRE_TCP_SETUP_MAX);
	CHECK(s.left == (f.kind == CW_TCP_GET ? 0 : f.len));
	const bool from_client = f.kind == CW_TCP_REQUEST || f.kind == CW_TCP_GOT;
	CHECK(f.kind == CW_TCP_MESSAGE || from_client == s.to_server);
}

// The server learns the kind of a link from the request.
bool open(cw_tcp_stream &s, const Arrived &arrived)
{
	cw_req req;
	cw_rep rep;
	cw_rej rej;
	const auto &bytes = arrived.bytes;
	switch (arrived.frame.kind) {
	case CW_TCP_REQUEST: {
		const int ret = cw_parse_tcp_req(bytes.data(), bytes.size(), &req);
		CHECK(!ret || ret == -EPROTO || ret == -EPROTONOSUPPORT);
		if (ret)
			return false;
		CHECK(req.transport == CW_WIRE_TCP && bytes.size() >= sizeof(cw_wire_req));
		s.link = req.kind;
		s.area = AREA;
		return true;
	}
	case CW_TCP_ACCEPTANCE:
		req = {};
		req.kind = s.link;
		req.index = s.link == CW_KIND_DATA ? 3 : 0; // as the samples have it
		if (cw_parse_tcp_rep(bytes.data(), bytes.size(), &req, &rep))
			return false;
		CHECK(rep.transport == CW_WIRE_TCP && rep.kind == s.link);
		return true;
	case CW_TCP_REJECTION:
		cw_parse_rej(bytes.data(), bytes.size(), &rej);
		CHECK(s.closed);
		return true;
	}
	return true;
}

Result read(u8 end, const Bytes &in, size_t piece)
{
	cw_tcp_stream s{};
	Client client;
	Result result;
	s.to_server = end & 1;
	if (!s.to_server) {
		s.link = end & 2 ? CW_KIND_DATA : CW_KIND_CONTROL;
		s.area = AREA;
	}
	for (size_t at = 0; at < in.size();) {
		const Bytes part(in.data() + at, std::min(piece, in.size() - at));
		size_t used = 0;
		while (used < part.size()) {
			if (!cw_tcp_in_frame(&s)) {
				const int n = cw_tcp_take_header(&s, part.data() + used,
								 part.size() - used, no_crc);
				CHECK(n == -EPROTO || (n > 0 && size_t(n) <= part.size() - used));
				CHECK(n > 0 || (s.closed && !cw_tcp_in_frame(&s) && !s.left));
				result.malformed = n < 0;
				if (n < 0)
					return result;
				used += size_t(n);
				if (!cw_tcp_in_frame(&s))
					break;
				check(s, s.frame, result.frames.empty());
				result.frames.push_back({s.frame, {}});
				if (s.frame.kind == CW_TCP_PUT || s.frame.kind == CW_TCP_GET)
					result.malformed = !client.move(s.frame);
				if (result.malformed)
					return result;
			}
			const size_t n = std::min<size_t>(part.size() - used, s.left);
			auto &bytes = result.frames.back().bytes;
			bytes.insert(bytes.end(), part.data() + used, part.data() + used + n);
			used += n;
			s.left -= u32(n);
			if (s.left)
				break;
			cw_tcp_end_frame(&s);
			result.malformed = !open(s, result.frames.back());
			if (result.malformed)
				return result;
		}
		at += part.size();
	}
	return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	if (len < 2)
		return 0;
	const Bytes in(data + 2, len - 2);
	const Result whole = read(data[0], in, in.size() ? in.size() : 1);
	const Result pieces = read(data[0], in, 1 + data[1] % 64U);
	CHECK(whole.malformed == pieces.malformed);
	CHECK(whole.frames.size() == pieces.frames.size());
	for (size_t i = 0; i < whole.frames.size(); i++) {
		CHECK(same(whole.frames[i].frame, &pieces.frames[i].frame));
		CHECK(whole.malformed || whole.frames[i].bytes == pieces.frames[i].bytes);
	}
	// The parser accepts only bytes that cw_pack_tcp() makes of the same frame.
	size_t at = 0;
	for (u32 i = 0; i < whole.frames.size(); i++) {
		cw_wire_tcp rec;
		cw_pack_tcp(&rec, &whole.frames[i].frame, i, no_crc);
		CHECK(same(rec, in.data() + at));
		at += sizeof(rec) + whole.frames[i].bytes.size();
	}
	return 0;
}
