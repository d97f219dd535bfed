// SPDX-License-Identifier: GPL-2.0-or-later
// A call of a client: a server must be able to read and answer every accepted call safely.
#include "rpcrdma.h"

using namespace fuzz;

// Checks that the places of the chunks are in order and inside the message that is left without the
// chunks.
static void check_places(const Arrived &a)
{
	const cwr_header &h = a.header;
	const size_t body = h.has_call ? h.call.length : a.message.size() - h.len;
	u64 before = 0;
	for (u16 i = 0; i < h.reads; i++) {
		const cwr_chunk &c = h.read[i];
		CHECK(c.count && c.length && c.position && c.position % 4 == 0);
		CHECK(c.at >= before && c.at <= body);
		before = c.at;
	}
}

// Encodes the header again and checks that it is the same message to a parser.
static void check_encoding(const Arrived &a)
{
	const cwr_header &h = a.header;
	std::vector<u8> again(h.len);
	cwr_encoder enc;
	cwr_put_start(&enc, again.data(), again.size(), h.xid, h.credits, cwr_proc(h.proc));
	const auto reads = [&](const cwr_chunk &c) {
		for (u16 i = 0; i < c.count; i++)
			cwr_put_read(&enc, c.position, &a.segment[c.first + i]);
	};
	if (h.has_call)
		reads(h.call);
	std::for_each(h.read, h.read + h.reads, reads);
	cwr_put_none(&enc);
	for (u16 i = 0; i < h.writes; i++)
		cwr_put_write(&enc, &a.segment[h.write[i].first], h.write[i].count);
	cwr_put_none(&enc);
	if (h.has_reply)
		cwr_put_reply(&enc, &a.segment[h.reply.first], h.reply.count);
	else
		cwr_put_none(&enc);
	const int len = cwr_put_end(&enc);
	CHECK(len >= CWR_HEADER_MIN && u32(len) <= h.len);
	// The parser does not keep read segments without bytes.
	CHECK(u32(len) < h.len || !memcmp(again.data(), a.message.data(), h.len));
}

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	if (!len)
		return 0;
	Arrived a(data, len);
	const int err = cwr_parse_call(a.message.data(), a.message.size(), &a.room, &a.header);
	CHECK(!err || err == -EBADMSG || err == -EPROTO || err == -EPROTONOSUPPORT);
	if (err == -EPROTO || err == -EPROTONOSUPPORT) {
		std::array<u8, CWR_HEADER_MIN> report;
		const int size = cwr_put_error(report.data(), &a.header, 1, err);
		CHECK(size == (err == -EPROTO ? 20 : 28));
		CHECK(!memcmp(report.data(), a.message.data(), 8)); // xid and version
	}
	if (err)
		return 0;
	CHECK(a.header.version == CWR_VERSION && a.header.has_call == (a.header.proc == CWR_NOMSG));
	check_chunks(a);
	check_places(a);
	check_encoding(a);
	const int direction = cwr_direction(a.message.data(), a.message.size(), &a.header);
	CHECK(direction == CWR_CALL || direction == CWR_REPLY || direction == -EBADMSG);
	return 0;
}
