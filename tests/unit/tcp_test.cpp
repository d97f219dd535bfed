// SPDX-License-Identifier: GPL-2.0-or-later
// Links over TCP: PROTOCOL, section 12.
#include "include/wire/causeway_tcp.h"

#include "crc32c.h"
#include "wire.h"

#include <limits>
#include <set>

using namespace wire;

namespace
{

constexpr bool CLIENT = true, SERVER = false;
constexpr u32 AREA = 16 * CW_WIRE_PAGE;

// The receiver's end of an established link.
cw_tcp_stream stream(u8 link, bool from_client)
{
	cw_tcp_stream s{};
	s.link = link;
	s.area = link == CW_KIND_DATA ? AREA : CW_WIRE_PAGE;
	s.to_server = from_client;
	s.opened = true;
	return s;
}

// The same before its first frame.
cw_tcp_stream fresh(u8 link, bool from_client)
{
	cw_tcp_stream s = stream(link, from_client);
	s.opened = false;
	return s;
}

cw_tcp_frame frame(u8 kind, u32 len)
{
	return {.kind = kind, .len = len, .rkey = 0, .addr = 0, .data_crc = 0};
}

cw_tcp_frame frame(u8 kind, u32 len, u32 rkey, u64 addr)
{
	return {.kind = kind, .len = len, .rkey = rkey, .addr = addr, .data_crc = 0};
}

// Gives a changed header the checksum that its sender would have given it.
cw_wire_tcp sealed(cw_wire_tcp rec)
{
	rec.crc = le32(crc32c(&rec, offsetof(cw_wire_tcp, crc)));
	return rec;
}

int take(cw_tcp_stream &s, const cw_wire_tcp &rec)
{
	return cw_tcp_take_header(&s, &rec, sizeof(rec), crc32c);
}

int take(cw_tcp_stream &s, const cw_tcp_frame &f, u32 sequence = 0)
{
	cw_wire_tcp rec;
	cw_pack_tcp(&rec, &f, sequence, crc32c);
	return take(s, rec);
}

constexpr int ACCEPTED = sizeof(cw_wire_tcp);

TEST(Tcp, FramesArriveAsSent)
{
	cw_tcp_stream s = stream(CW_KIND_DATA, SERVER);
	ASSERT_EQ(take(s, frame(CW_TCP_PUT, 4096, 0xabcd1234, 0x1122334455667600)), ACCEPTED);
	EXPECT_TRUE(cw_tcp_in_frame(&s));
	EXPECT_EQ(s.frame.kind, CW_TCP_PUT);
	EXPECT_EQ(s.frame.len, 4096U);
	EXPECT_EQ(s.left, 4096U);
	EXPECT_EQ(s.frame.rkey, 0xabcd1234U);
	EXPECT_EQ(s.frame.addr, 0x1122334455667600U);
	cw_tcp_end_frame(&s);
	EXPECT_FALSE(cw_tcp_in_frame(&s));
	ASSERT_EQ(take(s, frame(CW_TCP_GET, 512, 1, 0), 1), ACCEPTED);
	EXPECT_EQ(s.frame.len, 512U);
	EXPECT_EQ(s.left, 0U) << "no bytes follow a GET";
	cw_tcp_end_frame(&s);
	cw_tcp_frame message = frame(CW_TCP_MESSAGE, 16);
	message.data_crc = 0x12345678;
	ASSERT_EQ(take(s, message, 2), ACCEPTED);
	EXPECT_EQ(s.frame.data_crc, 0x12345678U);
}

TEST(Tcp, AHeaderMayArriveInPieces)
{
	const cw_wire_tcp rec = packed(cw_pack_tcp, frame(CW_TCP_GOT, 512, 7, 8), 0U, &crc32c);
	const auto from = reinterpret_cast<const u8 *>(&rec);
	for (size_t first = 1; first <= sizeof(rec); first++) {
		cw_tcp_stream s = stream(CW_KIND_DATA, CLIENT);
		// Each buffer has exactly its size, so that ASan detects a read behind its end.
		const std::vector<u8> one(from, from + first),
			two(from + first, from + sizeof(rec));
		ASSERT_EQ(cw_tcp_take_header(&s, one.data(), one.size(), crc32c), int(first));
		EXPECT_EQ(cw_tcp_in_frame(&s), first == sizeof(rec));
		if (first == sizeof(rec))
			break;
		ASSERT_EQ(cw_tcp_take_header(&s, two.data(), two.size(), crc32c), int(two.size()));
		EXPECT_TRUE(cw_tcp_in_frame(&s));
		EXPECT_EQ(s.frame.rkey, 7U);
	}
}

TEST(Tcp, NoByteBehindTheHeaderIsTaken)
{
	std::vector<u8> more(sizeof(cw_wire_tcp) + 100, 0xff);
	const cw_wire_tcp rec = packed(cw_pack_tcp, frame(CW_TCP_MESSAGE, 16), 0U, &crc32c);
	memcpy(more.data(), &rec, sizeof(rec));
	cw_tcp_stream s = stream(CW_KIND_CONTROL, CLIENT);
	EXPECT_EQ(cw_tcp_take_header(&s, more.data(), more.size(), crc32c), ACCEPTED);
	EXPECT_EQ(s.left, 16U);
	EXPECT_EQ(cw_tcp_take_header(&s, more.data(), more.size(), crc32c), -EPROTO) << "in a frame";
	EXPECT_EQ(s.left, 16U);
}

TEST(Tcp, EachChangedBitOfAHeaderIsDetected)
{
	cw_tcp_frame f = frame(CW_TCP_MESSAGE, 64);
	f.data_crc = 0x5a5a5a5a;
	const cw_wire_tcp rec = packed(cw_pack_tcp, f, 0U, &crc32c);
	for (size_t bit = 0; bit < 8 * sizeof(rec); bit++) {
		cw_wire_tcp changed = rec;
		reinterpret_cast<u8 *>(&changed)[bit / 8] ^= u8(1U << bit % 8);
		cw_tcp_stream s = stream(CW_KIND_DATA, CLIENT);
		EXPECT_EQ(take(s, changed), -EPROTO) << bit;
	}
}

TEST(Tcp, AfterAMalformedHeaderNoFrameArrives)
{
	cw_tcp_stream s = stream(CW_KIND_DATA, CLIENT);
	ASSERT_EQ(take(s, frame(CW_TCP_MESSAGE, 64)), ACCEPTED);
	cw_tcp_end_frame(&s);
	s.left = 0;
	ASSERT_EQ(take(s, frame(CW_TCP_MESSAGE, 64), 7), -EPROTO);
	EXPECT_FALSE(cw_tcp_in_frame(&s)) << "the frame before would be taken again";
	EXPECT_EQ(s.left, 0U);
	EXPECT_EQ(take(s, frame(CW_TCP_MESSAGE, 64), 1), -EPROTO);
}

TEST(Tcp, HeaderRules)
{
	const auto parse = [](const cw_wire_tcp &rec, cw_tcp_frame *out) {
		cw_tcp_stream s = stream(CW_KIND_DATA, SERVER);
		const int ret = take(s, sealed(rec));
		if (ret < 0)
			return ret;
		*out = s.frame;
		return 0;
	};
	using Rec = cw_wire_tcp;
	const std::vector<Case<Rec>> always = {
		{"kind 0", [](auto &r) { r.kind = 0; }},
		{"kind unknown", [](auto &r) { r.kind = CW_TCP_GOT + 1; }},
		{"kind far away", [](auto &r) { r.kind = 255; }},
		{"reserved0", [](auto &r) { r.reserved0[0] = 1; }},
		{"reserved0 last", [](auto &r) { r.reserved0[2] = 1; }},
		{"sequence", [](auto &r) { r.sequence = le32(1); }},
		{"sequence before", [](auto &r) { r.sequence = le32(0xffffffff); }},
		{"no length", [](auto &r) { r.len = 0; }},
		{"longest length", [](auto &r) { r.len = le32(0xffffffff); }},
	};
	const auto with = [&](std::vector<Case<Rec>> more) {
		more.insert(more.end(), always.begin(), always.end());
		return more;
	};
	each_harm_is_refused<cw_tcp_frame, Rec>(
		packed(cw_pack_tcp, frame(CW_TCP_MESSAGE, 16), 0U, &crc32c), parse,
		with({
			{"shorter than a tail", [](auto &r) { r.len = le32(15); }},
			{"longer than a receive",
			 [](auto &r) { r.len = le32(AREA + CW_WIRE_TRAILER + 1); }},
			{"rkey", [](auto &r) { r.rkey = le32(1); }},
			{"addr", [](auto &r) { r.addr = le64(1); }},
			{"the client's GOT",
			 [](auto &r) {
				 r.kind = CW_TCP_GOT;
				 r.len = le32(512);
				 r.rkey = le32(1);
			 }},
			{"a second acceptance",
			 [](auto &r) {
				 r.kind = CW_TCP_ACCEPTANCE;
				 r.len = le32(sizeof(cw_wire_rep));
			 }},
			{"a late rejection", [](auto &r) { r.kind = CW_TCP_REJECTION; }},
		}));
	for (const u8 kind : {CW_TCP_PUT, CW_TCP_GET})
		each_harm_is_refused<cw_tcp_frame, Rec>(
			packed(cw_pack_tcp, frame(kind, 512, 1, 0), 0U, &crc32c), parse,
			with({
				{"too long",
				 [](auto &r) { r.len = le32(CW_WIRE_TCP_DATA_MAX + 512); }},
				{"one byte", [](auto &r) { r.len = le32(1); }},
				{"no multiple of 512", [](auto &r) { r.len = le32(1023); }},
				{"a checksum", [](auto &r) { r.data_crc = le32(1); }},
				{"no rkey", [](auto &r) { r.rkey = 0; }},
				{"memory wraps", [](auto &r) { r.addr = le64(u64(-511)); }},
			}));
	each_change_is_fine<cw_tcp_frame, Rec>(
		packed(cw_pack_tcp, frame(CW_TCP_MESSAGE, 16), 0U, &crc32c), parse,
		{
			{"a checksum of the message", [](auto &r) { r.data_crc = le32(1); }},
			{"longest message", [](auto &r) { r.len = le32(AREA + CW_WIRE_TRAILER); }},
			{"longest PUT",
			 [](auto &r) {
				 r.kind = CW_TCP_PUT;
				 r.len = le32(CW_WIRE_TCP_DATA_MAX);
				 r.rkey = le32(0xffffffff);
				 r.addr = le64(u64(-1) - CW_WIRE_TCP_DATA_MAX);
			 }},
		});
}

TEST(Tcp, EachKindHasItsSenderAndItsLink)
{
	for (const u8 link : {CW_KIND_CONTROL, CW_KIND_DATA}) {
		for (const bool sender : {CLIENT, SERVER}) {
			std::set<int> may;
			for (int kind = 0; kind <= 255; kind++) {
				const bool memory = kind >= CW_TCP_PUT && kind <= CW_TCP_GOT;
				const u32 len = memory ? 512 : 48;
				cw_tcp_stream s = stream(link, sender);
				if (take(s, frame(u8(kind), len, memory ? 1 : 0, 0)) == ACCEPTED)
					may.insert(kind);
			}
			std::set<int> expected = {CW_TCP_MESSAGE};
			if (link == CW_KIND_DATA && sender == CLIENT)
				expected.insert(CW_TCP_GOT);
			if (link == CW_KIND_DATA && sender == SERVER)
				expected.insert({CW_TCP_PUT, CW_TCP_GET});
			EXPECT_EQ(may, expected) << "link " << int(link) << " client " << sender;
		}
	}
}

TEST(Tcp, AControlLinkHasOnePageOfData)
{
	cw_tcp_stream s = stream(CW_KIND_CONTROL, CLIENT);
	s.area = AREA;
	EXPECT_EQ(take(s, frame(CW_TCP_MESSAGE, CW_WIRE_PAGE + CW_WIRE_TRAILER)), ACCEPTED);
	s = stream(CW_KIND_CONTROL, CLIENT);
	s.area = AREA;
	EXPECT_EQ(take(s, frame(CW_TCP_MESSAGE, CW_WIRE_PAGE + CW_WIRE_TRAILER + 1)), -EPROTO);
}

TEST(Tcp, ARequestComesFirstAndOnce)
{
	// The server does not know the kind of the link yet.
	cw_tcp_stream s = fresh(0, CLIENT);
	for (int kind = 0; kind <= 255; kind++) {
		cw_tcp_stream other = fresh(0, CLIENT);
		EXPECT_EQ(take(other, frame(u8(kind), 40)),
			  kind == CW_TCP_REQUEST ? ACCEPTED : -EPROTO)
			<< kind;
	}
	ASSERT_EQ(take(s, frame(CW_TCP_REQUEST, sizeof(cw_wire_req))), ACCEPTED);
	EXPECT_EQ(s.left, sizeof(cw_wire_req));
	cw_tcp_end_frame(&s);
	cw_tcp_stream again = s;
	EXPECT_EQ(take(again, frame(CW_TCP_REQUEST, sizeof(cw_wire_req)), 1), -EPROTO);
	// Before the server has judged the request, no frame is read.
	cw_tcp_stream early = s;
	EXPECT_EQ(take(early, frame(CW_TCP_MESSAGE, 16), 1), -EPROTO);
	s.link = CW_KIND_CONTROL;
	EXPECT_EQ(take(s, frame(CW_TCP_MESSAGE, 16), 1), ACCEPTED);
}

TEST(Tcp, ARequestOfAnotherVersionMayHaveAnotherLength)
{
	for (const auto &[len, ret] : std::vector<std::pair<u32, int>>{
		     {0, -EPROTO}, {7, -EPROTO}, {8, ACCEPTED}, {256, ACCEPTED}, {257, -EPROTO}}) {
		cw_tcp_stream s = fresh(0, CLIENT);
		EXPECT_EQ(take(s, frame(CW_TCP_REQUEST, len)), ret) << len;
	}
}

TEST(Tcp, TheAnswerComesFirstAndOnce)
{
	for (int kind = 0; kind <= 255; kind++) {
		cw_tcp_stream s = fresh(CW_KIND_DATA, SERVER);
		const u32 len = kind == CW_TCP_ACCEPTANCE ? 48 : 16;
		const bool answer = kind == CW_TCP_ACCEPTANCE || kind == CW_TCP_REJECTION;
		const bool memory = kind >= CW_TCP_PUT && kind <= CW_TCP_GOT;
		EXPECT_EQ(take(s, frame(u8(kind), len, memory ? 1 : 0, 0)),
			  answer ? ACCEPTED : -EPROTO)
			<< kind;
	}
	for (const u32 len : {15U, 17U, 47U, 49U}) {
		cw_tcp_stream s = fresh(CW_KIND_DATA, SERVER), t = s;
		EXPECT_EQ(take(s, frame(CW_TCP_ACCEPTANCE, len)), -EPROTO) << len;
		EXPECT_EQ(take(t, frame(CW_TCP_REJECTION, len)), -EPROTO) << len;
	}
}

TEST(Tcp, NothingFollowsARejection)
{
	cw_tcp_stream rejected = fresh(CW_KIND_DATA, SERVER);
	ASSERT_EQ(take(rejected, frame(CW_TCP_REJECTION, sizeof(cw_wire_rej))), ACCEPTED);
	cw_tcp_end_frame(&rejected);
	for (int kind = 0; kind <= 255; kind++) {
		for (const u32 len : {16U, 48U}) {
			cw_tcp_stream s = rejected;
			EXPECT_EQ(take(s, frame(u8(kind), len), 1), -EPROTO) << kind;
		}
	}
}

TEST(Tcp, SequenceCountsFramesAndWraps)
{
	cw_tcp_stream s = stream(CW_KIND_CONTROL, CLIENT);
	s.sequence = std::numeric_limits<u32>::max();
	ASSERT_EQ(take(s, frame(CW_TCP_MESSAGE, 16), std::numeric_limits<u32>::max()), ACCEPTED);
	cw_tcp_end_frame(&s);
	cw_tcp_stream repeated = s, lost = s;
	EXPECT_EQ(take(repeated, frame(CW_TCP_MESSAGE, 16), std::numeric_limits<u32>::max()),
		  -EPROTO);
	EXPECT_EQ(take(lost, frame(CW_TCP_MESSAGE, 16), 1), -EPROTO);
	EXPECT_EQ(take(s, frame(CW_TCP_MESSAGE, 16), 0), ACCEPTED);
}

// ---- the request ----

TEST(Tcp, ALaterClientMayHaveALongerRequest)
{
	cw_req req = samples::req(), out{};
	req.transport = CW_WIRE_TCP;
	cw_wire_req rec = packed(cw_pack_req, req);
	rec.version_max = le16(3);
	for (const size_t len : {sizeof(rec), sizeof(rec) + 1, size_t(CW_WIRE_TCP_SETUP_MAX)}) {
		std::vector<u8> longer(len, 0x33);
		memcpy(longer.data(), &rec, sizeof(rec));
		ASSERT_EQ(cw_parse_tcp_req(longer.data(), len, &out), 0) << len;
		EXPECT_EQ(out.version, 2) << len;
		EXPECT_EQ(out.number, req.number) << len;
	}
	EXPECT_EQ(cw_parse_tcp_req(&rec, sizeof(rec) - 1, &out), -EPROTO);
}

TEST(Tcp, AnAcceptanceAnswersItsRequest)
{
	cw_req req = samples::req();
	req.transport = CW_WIRE_TCP;
	cw_rep rep = samples::rep(), out{};
	rep.kind = req.kind;
	rep.index = req.index;
	rep.transport = CW_WIRE_TCP;
	const cw_wire_rep rec = packed(cw_pack_rep, rep);
	const auto parse = [&](const cw_wire_rep &r, cw_rep *to) {
		return cw_parse_tcp_rep(&r, sizeof(r), &req, to);
	};
	each_harm_is_refused<cw_rep, cw_wire_rep>(
		rec, parse,
		{
			{"RDMA", [](auto &r) { r.transport = CW_WIRE_RDMA; }},
			{"another index", [&](auto &r) { r.index = le16(req.index + 1); }},
			{"another kind",
			 [](auto &r) {
				 r.kind = CW_KIND_CONTROL;
				 r.index = 0;
			 }},
		});
	only_its_own_length(rec, [&](const void *data, size_t len) {
		cw_rep r;
		return cw_parse_tcp_rep(data, len, &req, &r);
	});
	EXPECT_EQ(parse(rec, &out), 0);
	EXPECT_EQ(out.transport, CW_WIRE_TCP);
}

TEST(Tcp, RequestNamesTcpAndHasItsExactLength)
{
	cw_req req = samples::req(), out{};
	cw_wire_req rec = packed(cw_pack_req, req);
	EXPECT_EQ(cw_parse_tcp_req(&rec, sizeof(rec), &out), -EPROTO) << "RDMA";
	EXPECT_EQ(out.number, 0U) << "wrote a result";
	req.transport = CW_WIRE_TCP;
	rec = packed(cw_pack_req, req);
	only_its_own_length(rec, [](const void *data, size_t len) {
		cw_req r;
		return cw_parse_tcp_req(data, len, &r);
	});
	ASSERT_EQ(cw_parse_tcp_req(&rec, sizeof(rec), &out), 0);
	EXPECT_EQ(out.number, req.number);
	rec.version_min = rec.version_max = le16(3);
	EXPECT_EQ(cw_parse_tcp_req(&rec, sizeof(rec), &out), -EPROTONOSUPPORT);
	EXPECT_EQ(cw_parse_tcp_req(&rec, 8, &out), -EPROTONOSUPPORT);
}

// ---- memory ----

constexpr u64 ADDR = 0x7000;
constexpr u32 LEN = 3 * 4096;

cw_tcp_memory memory(bool to_peer)
{
	return {.rkey = 5, .to_peer = to_peer, .addr = ADDR, .len = LEN, .moved = 0, .answered = 0};
}

int move(cw_tcp_memory &m, const cw_tcp_frame &f, u32 *offset)
{
	return cw_tcp_move(&m, &f, offset);
}

TEST(Tcp, DataMovesInOrderUpToTheEnd)
{
	for (const bool to_peer : {false, true}) {
		const u8 kind = to_peer ? CW_TCP_GET : CW_TCP_PUT;
		cw_tcp_memory m = memory(to_peer);
		u32 offset = 99;
		ASSERT_EQ(move(m, frame(kind, 4096, 5, ADDR), &offset), 0);
		EXPECT_EQ(offset, 0U);
		ASSERT_EQ(move(m, frame(kind, 1, 5, ADDR + 4096), &offset), 0);
		EXPECT_EQ(offset, 4096U);
		ASSERT_EQ(move(m, frame(kind, LEN - 4097, 5, ADDR + 4097), &offset), 0);
		EXPECT_EQ(offset, 4097U);
		EXPECT_EQ(m.moved, LEN);
		EXPECT_EQ(move(m, frame(kind, 1, 5, ADDR + LEN), &offset), -EPROTO) << "beyond";
		EXPECT_EQ(move(m, frame(kind, 4096, 5, ADDR), &offset), -EPROTO) << "again";
	}
}

TEST(Tcp, NoOtherMemoryIsReached)
{
	struct Wrong {
		const char *rule;
		cw_tcp_frame frame;
	};
	for (const bool to_peer : {false, true}) {
		const u8 kind = to_peer ? CW_TCP_GET : CW_TCP_PUT;
		const u8 other = to_peer ? CW_TCP_PUT : CW_TCP_GET;
		for (const Wrong &w : std::vector<Wrong>{
			     {"the other direction", frame(other, 512, 5, ADDR)},
			     {"an answer", frame(CW_TCP_GOT, 512, 5, ADDR)},
			     {"another rkey", frame(kind, 512, 6, ADDR)},
			     {"no rkey", frame(kind, 512, 0, ADDR)},
			     {"before the memory", frame(kind, 512, 5, ADDR - 512)},
			     {"a gap", frame(kind, 512, 5, ADDR + 512)},
			     {"a gap of all of it", frame(kind, 512, 5, ADDR + LEN)},
			     {"one byte too many", frame(kind, LEN + 1, 5, ADDR)},
			     {"a length that wraps", frame(kind, 0xffffffff, 5, ADDR)},
		     }) {
			cw_tcp_memory m = memory(to_peer);
			const std::string before = bytes(m);
			u32 offset = 99;
			EXPECT_EQ(move(m, w.frame, &offset), -EPROTO) << w.rule;
			EXPECT_EQ(offset, 99U) << w.rule;
			EXPECT_EQ(bytes(m), before) << w.rule;
		}
		cw_tcp_memory closed = memory(to_peer);
		closed.rkey = 0;
		u32 offset;
		EXPECT_EQ(move(closed, frame(kind, 512, 0, ADDR), &offset), -EPROTO)
			<< "memory that is not offered";
	}
}

TEST(Tcp, MemoryMayLieAtAnyAddress)
{
	for (const u64 addr : {u64(0), u64(-LEN) - 1}) {
		cw_tcp_memory m = memory(false);
		u32 offset;
		m.addr = addr;
		EXPECT_EQ(move(m, frame(CW_TCP_PUT, LEN, 5, addr), &offset), 0);
	}
}

TEST(Tcp, ACommandEndsOnlyWhenItsDataHasMoved)
{
	u32 offset;
	cw_tcp_memory read = memory(false);
	EXPECT_FALSE(cw_tcp_may_complete(&read, true)) << "a read that got no data";
	EXPECT_TRUE(cw_tcp_may_complete(&read, false));
	ASSERT_EQ(move(read, frame(CW_TCP_PUT, LEN - 512, 5, ADDR), &offset), 0);
	EXPECT_FALSE(cw_tcp_may_complete(&read, true)) << "the last block is missing";
	EXPECT_TRUE(cw_tcp_may_complete(&read, false)) << "an error after a part";
	ASSERT_EQ(move(read, frame(CW_TCP_PUT, 512, 5, ADDR + LEN - 512), &offset), 0);
	EXPECT_TRUE(cw_tcp_may_complete(&read, true));

	cw_tcp_memory write = memory(true);
	EXPECT_TRUE(cw_tcp_may_complete(&write, false)) << "no GET";
	ASSERT_EQ(move(write, frame(CW_TCP_GET, LEN, 5, ADDR), &offset), 0);
	for (const bool succeeded : {false, true})
		EXPECT_FALSE(cw_tcp_may_complete(&write, succeeded)) << "its GOT reads the memory";
	write.answered = LEN;
	for (const bool succeeded : {false, true})
		EXPECT_TRUE(cw_tcp_may_complete(&write, succeeded));
}

TEST(Tcp, RkeysNameTheirSlotAndDoNotComeBackSoon)
{
	std::set<u32> seen;
	u16 turn = 0xfff0;
	for (int i = 0; i < 65535; i++) {
		const u32 rkey = cw_tcp_rkey(1023, &turn);
		EXPECT_EQ(cw_tcp_rkey_slot(rkey), 1023);
		ASSERT_TRUE(seen.insert(rkey).second) << i;
	}
	// The first rkey of slot 0 after a wrap would be zero.
	turn = 0xffff;
	EXPECT_NE(cw_tcp_rkey(0, &turn), 0U);
	EXPECT_EQ(turn, 1);
}

// ---- GETs ----

TEST(Tcp, GetsAreAnsweredInTheirOrder)
{
	cw_tcp_gets gets{};
	EXPECT_EQ(cw_tcp_gets_oldest(&gets), nullptr);
	// More than once around the ring.
	for (u32 round = 0; round < 5; round++) {
		for (u32 i = 0; i < 40; i++) {
			const cw_tcp_frame get = frame(CW_TCP_GET, 512 + i, 7, 1000 * round + i);
			ASSERT_EQ(cw_tcp_gets_add(&gets, &get), 0);
		}
		for (u32 i = 0; i < 40; i++) {
			ASSERT_NE(cw_tcp_gets_oldest(&gets), nullptr);
			EXPECT_EQ(cw_tcp_gets_oldest(&gets)->len, 512 + i);
			const cw_tcp_frame got = frame(CW_TCP_GOT, 512 + i, 7, 1000 * round + i);
			ASSERT_EQ(cw_tcp_gets_answer(&gets, &got), 0);
		}
	}
	EXPECT_EQ(cw_tcp_gets_oldest(&gets), nullptr);
}

TEST(Tcp, NoMoreGetsThanTheBound)
{
	cw_tcp_gets gets{};
	const cw_tcp_frame get = frame(CW_TCP_GET, 512, 7, 0), got = frame(CW_TCP_GOT, 512, 7, 0);
	for (int i = 0; i < CW_WIRE_TCP_GETS; i++)
		ASSERT_EQ(cw_tcp_gets_add(&gets, &get), 0);
	EXPECT_EQ(cw_tcp_gets_add(&gets, &get), -EPROTO);
	ASSERT_EQ(cw_tcp_gets_answer(&gets, &got), 0);
	EXPECT_EQ(cw_tcp_gets_add(&gets, &get), 0);
}

// A server that always has as many GETs unanswered as it may, and a client. Each GOT is cut at any
// byte: the server's header arrives while the client still sends.
TEST(Tcp, TheServerNeverExceedsTheBoundOfItsClient)
{
	cw_tcp_gets server{}, client{};
	u32 sent = 0, answered = 0;
	const auto get = [](u32 i) { return frame(CW_TCP_GET, 512, 7, u64(i) * 512); };
	const auto got = [](u32 i) { return frame(CW_TCP_GOT, 512, 7, u64(i) * 512); };
	const auto ask = [&] {
		while (server.count < CW_WIRE_TCP_GETS) {
			const cw_tcp_frame f = get(sent++);
			ASSERT_EQ(cw_tcp_gets_add(&server, &f), 0);
			ASSERT_EQ(cw_tcp_gets_add(&client, &f), 0) << "the client ends the link";
		}
	};
	for (int round = 0; round < 200; round++) {
		ask();
		const cw_tcp_frame f = got(answered++);
		ASSERT_EQ(cw_tcp_gets_answer(&client, &f), 0); // before its first byte
		ask();
		ASSERT_EQ(cw_tcp_gets_match(&server, &f), 0); // the header is there
		ask();
		ASSERT_EQ(server.count, u32(CW_WIRE_TCP_GETS)) << "it is unanswered until its end";
		ASSERT_EQ(cw_tcp_gets_answer(&server, &f), 0);
	}
}

TEST(Tcp, OnlyItsAnswerEndsAGet)
{
	const cw_tcp_frame get = frame(CW_TCP_GET, 512, 7, 4096),
			   next = frame(CW_TCP_GET, 512, 8, 0);
	struct Wrong {
		const char *rule;
		cw_tcp_frame frame;
	};
	for (const Wrong &w : std::vector<Wrong>{
		     {"another kind", get},
		     {"another length", frame(CW_TCP_GOT, 511, 7, 4096)},
		     {"another rkey", frame(CW_TCP_GOT, 512, 6, 4096)},
		     {"another address", frame(CW_TCP_GOT, 512, 7, 4097)},
		     {"the answer to the next one", frame(CW_TCP_GOT, 512, 8, 0)},
	     }) {
		cw_tcp_gets gets{};
		ASSERT_EQ(cw_tcp_gets_add(&gets, &get), 0);
		ASSERT_EQ(cw_tcp_gets_add(&gets, &next), 0);
		EXPECT_EQ(cw_tcp_gets_match(&gets, &w.frame), -EPROTO) << w.rule;
		EXPECT_EQ(cw_tcp_gets_answer(&gets, &w.frame), -EPROTO) << w.rule;
		EXPECT_EQ(gets.count, 2U) << w.rule;
	}
	cw_tcp_gets none{};
	const cw_tcp_frame zero = frame(CW_TCP_GOT, 0, 0, 0);
	EXPECT_EQ(cw_tcp_gets_answer(&none, &zero), -EPROTO) << "no GET is unanswered";
}

} // namespace
