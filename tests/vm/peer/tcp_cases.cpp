// SPDX-License-Identifier: GPL-2.0-or-later
// Clients that break the rules of links over TCP (PROTOCOL, section 12).
#include <asm/byteorder.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iostream>

#include "cases.h"
#include "clock.h"
#include "input.h"
#include "names.h"
#include "tcp_link.h"

namespace peer
{

namespace
{

constexpr u32 RKEY = 1 << 16, LEN = 16 * CW_WIRE_PAGE;
constexpr u64 ADDR = 0x10000;

// Takes what comes until the server closes the connection.
std::string wait_closed(TcpLink &link)
{
	while (link.receive())
		;
	return "closed";
}

// The first frame of a connection.
Case first(const TcpFrame &frame)
{
	return [frame](const Target &target) {
		TcpLink link(target);
		link.send(frame);
		return wait_closed(link);
	};
}

Case request(const Bytes &bytes)
{
	return [bytes](const Target &target) -> std::string {
		TcpLink link(target);
		link.request(bytes, CW_KIND_CONTROL);
		return "accepted";
	};
}

template <class T> Bytes longer(const T &rec, size_t len)
{
	Bytes bytes = raw(rec);
	bytes.resize(len, 0x33);
	return bytes;
}

// A control link that was accepted.
template <class Act> Case accepted(Act act)
{
	return [act](const Target &target) {
		TcpLink link(target);
		link.request(raw(over_tcp(control_request())), CW_KIND_CONTROL);
		act(link);
		return wait_closed(link);
	};
}

TcpFrame hello_frame(TcpLink &link)
{
	Message m{Bytes(sizeof(cw_wire_hello)), {}, {}};
	cw_pack_tail(&m.tail, CW_MSG_HELLO, 0, u32(m.data.size()), link.ordinal++, 0);
	return tcp_frame(CW_TCP_MESSAGE, m.bytes());
}

// A data link of a session.
template <class Act> Case session(Act act)
{
	return [act](const Target &target) {
		TcpSession s(target);
		act(s);
		return wait_closed(s.data);
	};
}

Bytes content(u32 len)
{
	Bytes bytes(len);
	for (u32 i = 0; i < len; i++)
		bytes[i] = u8(i * 7 + i / 512);
	return bytes;
}

cw_cmd bulk(u8 op, u32 rkey = RKEY)
{
	return transfer_command(op, 0, 0, LEN, ADDR, rkey);
}

TcpFrame next_get(TcpSession &s)
{
	std::optional<TcpFrame> got = s.data.receive();
	if (!got || got->head.kind != CW_TCP_GET)
		throw Failure("the server does not ask for the data");
	return *got;
}

TcpFrame got(const TcpFrame &get, const Bytes &bytes)
{
	return tcp_frame(CW_TCP_GOT, bytes, get.head.rkey, get.head.addr);
}

// The next frame must be the message with the completion of the command; its status.
std::string status(TcpSession &s)
{
	const std::optional<TcpFrame> frame = s.data.receive();
	if (!frame)
		return "closed";
	const cw_frame f = frame_of(frame->bytes, CW_WIRE_PAGE, CW_KIND_DATA, false);
	if (f.type != CW_MSG_COMPLETIONS || f.count != 1)
		throw Failure("no completion");
	cw_wire_done rec;
	memcpy(&rec, frame->bytes.data() + f.data_len, sizeof(rec));
	return "status " + status_name(rec.status);
}

// A write and a read of the same blocks.
std::string honest(const Target &target)
{
	TcpSession s(target);
	const Bytes data = content(LEN);
	s.command(bulk(CW_OP_WRITE));
	for (u32 moved = 0; moved < LEN;) {
		const TcpFrame get = next_get(s);
		const auto from = data.begin() + ptrdiff_t(get.head.addr - ADDR);
		s.data.send(got(get, {from, from + get.head.len}));
		moved += get.head.len;
	}
	if (status(s) != "status ok")
		return "the write failed";
	s.command(bulk(CW_OP_READ));
	Bytes read;
	while (read.size() < LEN) {
		const std::optional<TcpFrame> put = s.data.receive();
		if (!put || put->head.kind != CW_TCP_PUT || put->head.addr != ADDR + read.size())
			return "the read failed";
		read.insert(read.end(), put->bytes.begin(), put->bytes.end());
	}
	if (status(s) != "status ok")
		return "the read failed";
	return read == data ? "served" : "other data";
}

// Changes the answer to the first GET of a write.
template <class Harm> Case answered(Harm harm)
{
	return session([harm](TcpSession &s) {
		s.command(bulk(CW_OP_WRITE));
		const TcpFrame get = next_get(s);
		TcpFrame answer = got(get, content(get.head.len));
		harm(answer);
		s.data.send(answer);
	});
}

// Sends one byte each half a second, for longer than a request may take.
std::string slow_request(const Target &target)
{
	TcpLink link(target);
	const TcpFrame frame = tcp_frame(CW_TCP_REQUEST, raw(over_tcp(control_request())));
	cw_wire_tcp rec;
	cw_pack_tcp(&rec, &frame.head, 0, [](const void *, size_t) { return 0U; });
	const Bytes header = raw(rec);
	for (size_t i = 0; i + 1 < header.size(); i++) {
		if (link.closed())
			return "closed in time";
		link.send_raw(&header[i], 1);
		usleep(500000);
	}
	return "still open";
}

} // namespace

Cases tcp_cases()
{
	const cw_wire_req req = over_tcp(control_request());
	cw_wire_req later = req;
	later.version_max = __cpu_to_le16(3);
	return {
		{"tcp-honest", honest},
		{"tcp-first-message", first(tcp_frame(CW_TCP_MESSAGE, Bytes(16)))},
		{"tcp-first-get", first(tcp_frame(CW_TCP_GOT, Bytes(512), RKEY, ADDR))},
		{"tcp-first-http",
		 [](const Target &target) {
			 const std::string words = "GET / HTTP/1.1\r\nHost: storage1.example\r\n\r\n";
			 TcpLink link(target);
			 link.send_raw(words.data(), words.size());
			 return wait_closed(link);
		 }},
		{"tcp-request-slow", slow_request},
		{"tcp-request-rdma", request(raw(control_request()))},
		{"tcp-request-short", request(longer(req, 39))},
		{"tcp-request-long", request(longer(req, 41))},
		{"tcp-request-later", request(longer(later, 200))},
		{"tcp-request-twice", accepted([&](TcpLink &l) {
			 l.send(tcp_frame(CW_TCP_REQUEST, raw(over_tcp(control_request()))));
		 })},
		{"tcp-sequence", accepted([](TcpLink &l) {
			 l.sequence++;
			 l.send(hello_frame(l));
		 })},
		{"tcp-crc", accepted([](TcpLink &l) {
			 TcpFrame frame = hello_frame(l);
			 frame.head.data_crc ^= 1;
			 l.send(frame);
		 })},
		{"tcp-message-long", accepted([](TcpLink &l) {
			 l.send(tcp_frame(CW_TCP_MESSAGE,
					  Bytes(CW_WIRE_PAGE + CW_WIRE_TRAILER + 1)));
		 })},
		{"tcp-got-control", accepted([](TcpLink &l) {
			 l.send(tcp_frame(CW_TCP_GOT, Bytes(512), RKEY, ADDR));
		 })},
		{"tcp-put", session([](TcpSession &s) {
			 s.data.send(tcp_frame(CW_TCP_PUT, Bytes(512), RKEY, ADDR));
		 })},
		{"tcp-got-unasked", session([](TcpSession &s) {
			 s.data.send(tcp_frame(CW_TCP_GOT, Bytes(512), RKEY, ADDR));
		 })},
		{"tcp-got-short", answered([](TcpFrame &f) {
			 f.bytes.resize(512);
			 f.head.len = 512;
		 })},
		{"tcp-got-elsewhere", answered([](TcpFrame &f) { f.head.addr += 512; })},
		{"tcp-got-other-rkey", answered([](TcpFrame &f) { f.head.rkey++; })},
		{"tcp-got-twice", session([](TcpSession &s) {
			 s.command(bulk(CW_OP_WRITE));
			 const TcpFrame get = next_get(s), answer = got(get, content(get.head.len));
			 s.data.send(answer);
			 s.data.send(answer);
		 })},
		{"tcp-rkey-none", session([](TcpSession &s) { s.command(bulk(CW_OP_READ, 0)); })},
	};
}

std::string tcp_guests(const Target &target, unsigned count)
{
	std::vector<std::unique_ptr<TcpLink>> crowd;
	const auto open = [&] {
		return std::count_if(crowd.begin(), crowd.end(),
				     [](const auto &link) { return !link->closed(); });
	};
	while (crowd.size() < count)
		crowd.push_back(std::make_unique<TcpLink>(target));
	long last = -1;
	std::cout << "there" << std::endl;
	while (!input_has_ended(100)) {
		const long now = open();
		if (now != last)
			std::cout << now << " are open" << std::endl;
		last = now;
	}
	return std::to_string(open()) + " were open";
}

} // namespace peer
