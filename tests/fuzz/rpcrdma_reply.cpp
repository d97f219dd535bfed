// SPDX-License-Identifier: GPL-2.0-or-later
// A reply of a server: every accepted reply must be safe for a client that registered three
// segments.
#include "kmod/rpcrdma/wire/private_data.h"
#include "rpcrdma.h"

using namespace fuzz;

static const cwr_segment REGISTERED[] = {{1, 4096, 0}, {2, 4096, 0}, {3, 100, 0}};

static void check_used(const Arrived &a, const cwr_chunk &chunk)
{
	u32 used = 0;
	const int err = cwr_used(REGISTERED, 3, &a.segment[chunk.first], chunk.count, &used);
	CHECK(!err || err == -EPROTO);
	CHECK(err || (used == chunk.length && used <= 8292));
}

static void private_data(const Bytes &in)
{
	cwr_private p;
	cwr_parse_private(in.data(), in.size(), &p);
	CHECK(p.send >= 1024 && p.send <= CWR_INLINE_MAX && p.send % 1024 == 0);
	CHECK(p.receive >= 1024 && p.receive <= CWR_INLINE_MAX && p.receive % 1024 == 0);
	if (!p.present)
		return;
	std::array<u8, CWR_PRIVATE_BYTES> again;
	cwr_put_private(again.data(), &p);
	CHECK(!memcmp(again.data(), in.data(), 5) && !memcmp(&again[6], in.data() + 6, 2));
}

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	if (!len)
		return 0;
	Arrived a(data, len);
	private_data(a.message);
	const int err = cwr_parse_reply(a.message.data(), a.message.size(), &a.room, &a.header);
	CHECK(!err || err == -EBADMSG);
	if (err)
		return 0;
	CHECK(!a.header.reads && !a.header.has_call);
	CHECK(a.header.has_reply || a.header.proc != CWR_NOMSG);
	CHECK(!a.header.has_reply || !a.header.reply.length || a.header.proc == CWR_NOMSG);
	check_chunks(a);
	for (u16 i = 0; i < a.header.writes; i++)
		check_used(a, a.header.write[i]);
	if (a.header.has_reply)
		check_used(a, a.header.reply);
	if (a.header.proc == CWR_ERROR)
		CHECK(a.header.error == CWR_ERR_VERS || a.header.error == CWR_ERR_CHUNK);
	return 0;
}
