// SPDX-License-Identifier: GPL-2.0-or-later
// RPC-over-RDMA messages, word by word, for the tests of their parser and for the fuzzers.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "kmod/rpcrdma/wire/header.h"

namespace rpcrdma
{

constexpr u32 XID = 0x11223344;
constexpr u32 READ_BYTES = 1U << 20; // limit of the data in the read chunks of a call
constexpr u32 WRITE_BYTES = 1U << 20; // limit of each write chunk
constexpr u16 SEGMENTS = 40;

class Message
{
      public:
	Message &word(u32 value)
	{
		for (int shift = 24; shift >= 0; shift -= 8)
			bytes_ += static_cast<char>(value >> shift);
		return *this;
	}
	Message &words(std::initializer_list<u32> values)
	{
		for (const u32 value : values)
			word(value);
		return *this;
	}
	Message &segment(u32 handle, u32 length, u64 offset)
	{
		return words({handle, length, static_cast<u32>(offset >> 32),
			      static_cast<u32>(offset)});
	}
	Message &read(u32 position, u32 length, u32 handle = 7, u64 offset = 0x1000)
	{
		return words({1, position}).segment(handle, length, offset);
	}
	Message &body(size_t len)
	{
		bytes_.append(len, 'b');
		return *this;
	}
	// The first words of an RPC message: @direction 0 is a call.
	Message &rpc(u32 direction, u32 xid = XID)
	{
		return words({xid, direction});
	}
	const std::string &bytes() const
	{
		return bytes_;
	}

      private:
	std::string bytes_;
};

inline Message fixed(u32 proc, u32 credits = 32, u32 version = CWR_VERSION)
{
	return Message().words({XID, version, credits, proc});
}

// A call of the procedure READ, with a write chunk of two segments.
inline Message read_call()
{
	Message m = fixed(CWR_MSG).words({0, 1, 2});
	return m.segment(1, 4096, 0x10000).segment(2, 8192, 0x20000).words({0, 0}).rpc(0).body(100);
}

// A call of the procedure WRITE. A read chunk of two segments, @length and 100 bytes, has the data.
inline Message write_call(u32 position = 40, u32 length = 4096)
{
	Message m = fixed(CWR_MSG).read(position, length).read(position, 100, 8, 0x9000);
	return m.words({0, 0, 0}).rpc(0).body(40);
}

// A call that is itself in a read chunk, with data inside it from another read chunk, and a reply
// chunk.
inline Message long_call()
{
	Message m = fixed(CWR_NOMSG).read(0, 2000).read(1200, 4096, 9);
	return m.words({0, 0, 1, 1}).segment(3, 65536, 0x30000);
}

} // namespace rpcrdma
