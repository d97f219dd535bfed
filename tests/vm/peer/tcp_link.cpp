// SPDX-License-Identifier: GPL-2.0-or-later
#include "tcp_link.h"

#include <asm/byteorder.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "names.h"
#include "tests/unit/crc32c.h"

namespace peer
{

TcpFrame tcp_frame(u8 kind, const Bytes &bytes, u32 rkey, u64 addr)
{
	const bool data = kind >= CW_TCP_PUT;
	return {{.kind = kind,
		 .len = u32(bytes.size()),
		 .rkey = rkey,
		 .addr = addr,
		 .data_crc = data ? 0 : crc32c(bytes.data(), bytes.size())},
		bytes};
}

TcpLink::TcpLink(const Target &target) : fd_(socket(AF_INET, SOCK_STREAM, 0))
{
	sockaddr_in to = target.server;
	const timeval patience{60, 0};
	to.sin_port = htons(CW_WIRE_TCP_PORT);
	setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd_, reinterpret_cast<sockaddr *>(&to), sizeof(to))) {
		close(fd_);
		throw Failure(std::string("connect: ") + strerror(errno));
	}
}

TcpLink::TcpLink(int fd) : fd_(fd)
{
	const timeval patience{60, 0};
	setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	stream_.to_server = true;
}

TcpLink::~TcpLink()
{
	close(fd_);
}

void TcpLink::send_raw(const void *data, size_t len)
{
	const auto *at = static_cast<const u8 *>(data);
	while (len) {
		const ssize_t n = ::send(fd_, at, len, MSG_NOSIGNAL);
		if (n <= 0)
			return;
		at += n;
		len -= size_t(n);
	}
}

void TcpLink::send(const TcpFrame &frame)
{
	cw_wire_tcp rec;
	cw_pack_tcp(&rec, &frame.head, sequence++, crc32c);
	Bytes all = raw(rec);
	all.insert(all.end(), frame.bytes.begin(), frame.bytes.end());
	send_raw(all.data(), all.size());
}

void TcpLink::send_message(u8 type, const Bytes &data, u16 count, const Bytes &records, u32 credit)
{
	Message m{data, records, {}};
	cw_pack_tail(&m.tail, type, count, u32(data.size()), ordinal++, credit);
	send(tcp_frame(CW_TCP_MESSAGE, m.bytes()));
}

bool TcpLink::read(void *to, size_t len)
{
	auto *at = static_cast<u8 *>(to);
	while (len) {
		const ssize_t n = recv(fd_, at, len, 0);
		if (n < 0 && errno == EAGAIN)
			throw Failure("the server neither sends nor closes the connection");
		if (n <= 0)
			return false;
		at += n;
		len -= size_t(n);
	}
	return true;
}

std::optional<TcpFrame> TcpLink::receive()
{
	u8 header[sizeof(cw_wire_tcp)];
	if (!read(header, sizeof(header)))
		return std::nullopt;
	if (cw_tcp_take_header(&stream_, header, sizeof(header), crc32c) < 0)
		throw Failure("the server sent a malformed frame");
	TcpFrame frame{stream_.frame, Bytes(stream_.left)};
	if (!read(frame.bytes.data(), frame.bytes.size()))
		return std::nullopt;
	if (frame.head.kind < CW_TCP_PUT &&
	    crc32c(frame.bytes.data(), frame.bytes.size()) != frame.head.data_crc)
		throw Failure("the server sent a wrong checksum");
	stream_.left = 0;
	cw_tcp_end_frame(&stream_);
	return frame;
}

Bytes TcpLink::request(const Bytes &request, u8 kind)
{
	stream_.link = kind;
	stream_.area = CW_WIRE_PAGE;
	send(tcp_frame(CW_TCP_REQUEST, request));
	const std::optional<TcpFrame> got = receive();
	if (!got)
		throw Ended("closed");
	cw_rej rej;
	if (got->head.kind == CW_TCP_REJECTION &&
	    !cw_parse_rej(got->bytes.data(), got->bytes.size(), &rej))
		throw Ended("rejected: " + refusal_name(rej.reason));
	if (got->head.kind != CW_TCP_ACCEPTANCE)
		throw Failure("no acceptance");
	return got->bytes;
}

std::pair<cw_req, Bytes> TcpLink::accept_request()
{
	const std::optional<TcpFrame> got = receive();
	cw_req req;
	if (!got || cw_parse_tcp_req(got->bytes.data(), got->bytes.size(), &req))
		throw Failure("no request");
	cw_rep rep{};
	rep.version = req.version;
	rep.kind = req.kind;
	rep.transport = req.transport;
	rep.index = req.index;
	if (req.kind == CW_KIND_CONTROL)
		fill_random(rep.nonce, sizeof(rep.nonce));
	cw_wire_rep rec;
	cw_pack_rep(&rec, &rep);
	stream_.link = req.kind;
	stream_.area = CW_WIRE_PAGE;
	send(tcp_frame(CW_TCP_ACCEPTANCE, raw(rec)));
	return {req, raw(rec)};
}

std::pair<bool, bool> TcpLink::wait_either(TcpLink &one, TcpLink &other)
{
	pollfd fds[] = {{one.fd_, POLLIN, 0}, {other.fd_, POLLIN, 0}};
	poll(fds, 2, -1);
	return {fds[0].revents, fds[1].revents};
}

bool TcpLink::closed()
{
	pollfd fd{fd_, POLLIN, 0};
	u8 byte;
	return poll(&fd, 1, 0) == 1 && recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

cw_wire_req over_tcp(cw_wire_req req)
{
	req.transport = CW_WIRE_TCP;
	return req;
}

Bytes tcp_expect(TcpLink &link, u8 type, bool to_server)
{
	for (;;) {
		const std::optional<TcpFrame> got = link.receive();
		if (!got)
			throw Ended("closed");
		const cw_frame frame = frame_of(got->bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, to_server);
		if (frame.type == type)
			return {got->bytes.begin(), got->bytes.begin() + frame.data_len};
		if (frame.type != CW_MSG_WAITING && frame.type != CW_MSG_PROBE)
			throw Failure("message " + std::to_string(frame.type) + " instead of " +
				      std::to_string(type));
	}
}

TcpSession::TcpSession(const Target &target)
    : control(target), data(target), hello(make_hello(target))
{
	const Bytes req = raw(over_tcp(control_request()));
	const Bytes rep = control.request(req, CW_KIND_CONTROL);
	const Bytes wire = raw(packed(hello));
	control.send_message(CW_MSG_HELLO, wire);
	const Bytes challenge = tcp_expect(control, CW_MSG_CHALLENGE);
	const Secret secret = hmac({}, "session", transcript(req, rep, wire, challenge));
	control.send_message(CW_MSG_PROOF, Bytes(CW_WIRE_MAC, 0));
	const Bytes got = tcp_expect(control, CW_MSG_WELCOME);
	if (cw_parse_welcome(got.data(), got.size(), &hello, &welcome))
		throw Failure("the server's welcome is malformed");
	data.request(raw(over_tcp(data_request(welcome.number, hello.epoch, 0, secret))),
		     CW_KIND_DATA);
}

void TcpSession::command(const cw_cmd &cmd)
{
	cw_wire_cmd rec;
	cw_pack_cmd(&rec, &cmd, 0);
	data.send_message(CW_MSG_COMMANDS, {}, 1, raw(rec));
}

} // namespace peer
