// SPDX-License-Identifier: GPL-2.0-or-later
// A client's connection of a link over TCP, which sends whatever it is given, and a login over it.
#ifndef PEER_TCP_LINK_H
#define PEER_TCP_LINK_H

#include <utility>

#include "session.h"

#include "include/wire/causeway_tcp.h"

namespace peer
{

struct TcpFrame {
	cw_tcp_frame head;
	Bytes bytes;
};

// The frame of a kind with these bytes, and their checksum where the kind has one.
TcpFrame tcp_frame(u8 kind, const Bytes &bytes, u32 rkey = 0, u64 addr = 0);

class TcpLink
{
      public:
	explicit TcpLink(const Target &target);
	// A connection that a server has accepted.
	explicit TcpLink(int fd);
	~TcpLink();
	TcpLink(const TcpLink &) = delete;
	TcpLink &operator=(const TcpLink &) = delete;

	// Nothing happens on a connection that the server has closed.
	void send_raw(const void *data, size_t len);
	void send(const TcpFrame &frame);
	void send_message(u8 type, const Bytes &data = {}, u16 count = 0, const Bytes &records = {},
			  u32 credit = 0);
	// The next frame; none: the server closed the connection.
	std::optional<TcpFrame> receive();
	// Sends a REQUEST and takes the acceptance, whose bytes are returned. Throws Ended on a
	// rejection.
	Bytes request(const Bytes &request, u8 kind);
	// Server: takes a REQUEST and accepts it; returns it, and the bytes of the acceptance.
	std::pair<cw_req, Bytes> accept_request();
	// Waits until frames have come by one of them, or it was closed. Says which.
	static std::pair<bool, bool> wait_either(TcpLink &one, TcpLink &other);
	// Returns true if the server has closed the connection. Does not wait.
	bool closed();

	u32 sequence = 0; // of the next frame
	u32 ordinal = 0; // of the next message

      private:
	bool read(void *to, size_t len);

	int fd_;
	cw_tcp_stream stream_{};
};

// A session with one data link.
struct TcpSession {
	explicit TcpSession(const Target &target);

	// Sends one command.
	void command(const cw_cmd &cmd);

	TcpLink control, data;
	cw_hello hello;
	cw_welcome welcome{};
};

// The request of an RDMA link, as that of one over TCP.
cw_wire_req over_tcp(cw_wire_req req);
// The data of the next message but probes and WAITING; it must be of this type.
Bytes tcp_expect(TcpLink &link, u8 type, bool to_server = false);

} // namespace peer

#endif
