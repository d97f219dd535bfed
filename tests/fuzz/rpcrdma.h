// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the two fuzz targets of RPC-over-RDMA messages: a message in memory of exactly its
// size, its header, and the properties of an accepted one.
#pragma once

#include <algorithm>
#include <array>

#include "fuzz.h"
#include "rpcrdma_samples.h"

namespace fuzz
{

// A message, and the number of segments for which its receiver has room (first byte of the input).
struct Arrived {
	Bytes message;
	std::array<cwr_segment, 256> segment{};
	cwr_room room;
	cwr_header header{};

	Arrived(const u8 *data, size_t len)
	    : message(data + 1, len - 1),
	      room{segment.data(), data[0], rpcrdma::READ_BYTES, rpcrdma::WRITE_BYTES}
	{
	}
};

inline u64 bytes_of(const Arrived &a, const cwr_chunk &chunk)
{
	CHECK(u32(chunk.first) + chunk.count <= a.header.segments);
	u64 total = 0;
	for (u16 i = 0; i < chunk.count; i++) {
		const cwr_segment &s = a.segment[chunk.first + i];
		CHECK(s.offset + s.length >= s.offset);
		total += s.length;
	}
	CHECK(total == chunk.length);
	return total;
}

inline void check_chunks(const Arrived &a)
{
	const cwr_header &h = a.header;
	CHECK(h.len <= a.message.size() && h.segments <= a.room.segments);
	CHECK(h.reads <= CWR_READ_CHUNKS && h.writes <= CWR_WRITE_CHUNKS);
	u64 read = h.has_call ? bytes_of(a, h.call) : 0;
	for (u16 i = 0; i < h.reads; i++)
		read += bytes_of(a, h.read[i]);
	CHECK(read <= a.room.read_bytes);
	for (u16 i = 0; i < h.writes; i++)
		CHECK(bytes_of(a, h.write[i]) <= a.room.write_bytes);
	CHECK(!h.has_reply || bytes_of(a, h.reply) <= a.room.write_bytes);
	touch(a.message.data() + h.len, a.message.size() - h.len);
}

} // namespace fuzz
