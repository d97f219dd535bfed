// SPDX-License-Identifier: GPL-2.0-or-later
// A login as docs/PROTOCOL.md has it, and the messages that a client sends.
#ifndef PEER_SESSION_H
#define PEER_SESSION_H

#include "link.h"
#include "secrets.h"

namespace peer
{

struct Target {
	sockaddr_in server;
	std::string name; // of the export
};

// A message before it is sent: every part may be harmed.
struct Message {
	Bytes data, records;
	cw_wire_tail tail;

	Bytes bytes() const;
};

// The frame of a message that came. Throws Failure when it is malformed.
cw_frame frame_of(const Bytes &bytes, u32 area, u8 kind, bool to_server);

Message message(Link &link, u8 type, const Bytes &data = {}, u16 count = 0,
		const Bytes &records = {});
Message commands(Link &link, const std::vector<cw_cmd> &cmds, const Bytes &data = {});

// ---- connecting ----

// Make the private data of a control link's request, for version 2 or for other versions.
cw_wire_req control_request();
cw_wire_req control_request(u16 version_min, u16 version_max);
std::unique_ptr<Link> connect_control(const Target &target, Rings rings = {});

cw_wire_req data_request(u32 number, u64 epoch, u16 index, const Secret &secret);

// ---- login ----

// A new host, boot and session, and small wishes.
cw_hello make_hello(const Target &target);
cw_wire_hello packed(const cw_hello &hello);
void send_hello(Link &control, const cw_wire_hello &hello);
void send_proof(Link &control, u8 byte = 0);
void send_probe(Link &control, u64 cookie = 0);
// Answers a probe of a control link.
void send_alive(Link &control, u64 cookie);
// The data of the next message but probes, which are answered, and WAITING. It must be of this
// type. Throws Ended on REFUSED, and when the connection is closed.
Bytes expect(Link &link, u8 type, u8 kind = CW_KIND_CONTROL);
// Sends a probe and takes the answer: the server sees that this client is there.
void show_presence(Link &control);

struct Session {
	Session(const Target &target, const cw_hello &hello, Rings rings = {});
	explicit Session(const Target &to) : Session(to, make_hello(to))
	{
	}

	std::unique_ptr<Link> connect_data(u16 index = 0, Rings rings = {}) const;
	// The request of a data link of this session.
	cw_wire_req request(u16 index) const
	{
		return data_request(welcome.number, hello.epoch, index, secret);
	}
	// The HELLO of its next login.
	cw_hello next_hello() const;

	Target target;
	cw_hello hello;
	std::unique_ptr<Link> control;
	cw_welcome welcome;
	Secret secret;
};

// ---- commands ----

struct Answer {
	std::vector<cw_done> done;
	Bytes data;
};

// The next answer on a data link; none: the server closed the connection.
std::optional<Answer> answer(Link &data, const Session &session);

cw_cmd inline_read(u16 slot, u64 offset, u32 len = CW_WIRE_PAGE);
// Its data at the start of the message.
cw_cmd inline_write(u16 slot, u64 offset, u32 len = CW_WIRE_PAGE);
cw_cmd transfer_command(u8 op, u16 slot, u64 offset, u32 len, u64 addr, u32 rkey);

} // namespace peer

#endif
