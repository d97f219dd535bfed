// SPDX-License-Identifier: GPL-2.0-or-later
// Inputs of tcp.cpp: both directions of a control link and of a data link.
#include "samples.h"
#include "seed.h"

#include "include/wire/causeway_tcp.h"

using namespace fuzz;

namespace
{

constexpr char TO_SERVER = 1, TO_CLIENT = 0, DATA_LINK = 2;
constexpr u32 RKEY = 1 << 16; // that of slot 0, as cw_tcp_rkey() makes it first

u32 no_crc(const void *, size_t)
{
	return 0;
}

// A stream of frames, whose sequence it counts.
class Stream
{
      public:
	Stream(char end, char pieces) : bytes_{end, pieces}
	{
	}
	Stream &add(u8 kind, const std::string &data, u32 rkey = 0, u64 addr = 0)
	{
		return add(kind, u32(data.size()), data, rkey, addr);
	}
	Stream &get(u32 len, u32 rkey, u64 addr)
	{
		return add(CW_TCP_GET, len, "", rkey, addr);
	}
	void write(const std::string &name) const
	{
		write_seed("tcp", name, bytes_);
	}

      private:
	Stream &add(u8 kind, u32 len, const std::string &data, u32 rkey, u64 addr)
	{
		const cw_tcp_frame frame{
			.kind = kind, .len = len, .rkey = rkey, .addr = addr, .data_crc = 0};
		cw_wire_tcp rec;
		cw_pack_tcp(&rec, &frame, sequence_++, no_crc);
		bytes_ += raw(rec) + data;
		return *this;
	}

	std::string bytes_;
	u32 sequence_ = 0;
};

std::string request(cw_req req)
{
	cw_wire_req rec;
	req.transport = CW_WIRE_TCP;
	cw_pack_req(&rec, &req);
	return raw(rec);
}

std::string acceptance(cw_rep rep)
{
	cw_wire_rep rec;
	rep.transport = CW_WIRE_TCP;
	cw_pack_rep(&rec, &rep);
	return raw(rec);
}

std::string message(const std::string &data)
{
	cw_wire_tail tail;
	cw_pack_tail(&tail, CW_MSG_PROBE, 0, u32(data.size()), 0, 0);
	return data + raw(tail);
}

} // namespace

void fuzz::tcp_seeds()
{
	const std::string page(CW_WIRE_PAGE, 'd'), sector(512, 's');

	Stream(TO_SERVER, 7)
		.add(CW_TCP_REQUEST, request(samples::control_req()))
		.add(CW_TCP_MESSAGE, message(std::string(16, 'p')))
		.add(CW_TCP_MESSAGE, message(""))
		.write("control-to-server");
	Stream(TO_CLIENT, 63)
		.add(CW_TCP_ACCEPTANCE, acceptance(samples::control_rep()))
		.add(CW_TCP_MESSAGE, message(sector))
		.write("control-to-client");
	Stream(TO_SERVER, 30)
		.add(CW_TCP_REQUEST, request(samples::req()))
		.add(CW_TCP_MESSAGE, message(page))
		.add(CW_TCP_GOT, sector, RKEY | 1, 4096)
		.add(CW_TCP_GOT, page, RKEY | 3, 12288)
		.write("data-to-server");
	Stream(TO_CLIENT | DATA_LINK, 0)
		.add(CW_TCP_ACCEPTANCE, acceptance(samples::rep()))
		.add(CW_TCP_PUT, sector, RKEY, 0)
		.add(CW_TCP_PUT, page, RKEY, 512)
		.get(512, RKEY | 1, 4096)
		.get(4096, RKEY | 1, 4096 + 512)
		.get(3 * 4096, RKEY | 3, 3 * 4096)
		.add(CW_TCP_PUT, page + page + sector, RKEY | 2, 8192)
		.add(CW_TCP_MESSAGE, message(sector))
		.write("data-to-client");
	cw_wire_rej rej;
	cw_pack_rej(&rej, CW_REFUSED_TOKEN);
	Stream(TO_CLIENT | DATA_LINK, 9).add(CW_TCP_REJECTION, raw(rej)).write("rejection");
	cw_wire_req other;
	const cw_req req = samples::req();
	cw_pack_req(&other, &req);
	other.version_min = other.version_max = __cpu_to_le16(3);
	Stream(TO_SERVER, 9)
		.add(CW_TCP_REQUEST, raw(other) + std::string(100, '3'))
		.write("request-version-3");
	write_seed("tcp", "http", std::string("\1\5GET / HTTP/1.1\r\nHost: storage1\r\n\r\n"));
}
