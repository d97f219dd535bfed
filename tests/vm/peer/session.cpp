// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <asm/byteorder.h>

#include <cstring>

#include "names.h"

namespace peer
{

namespace
{

Bytes sign_of_life(u64 cookie)
{
	cw_wire_probe rec;
	cw_pack_probe(&rec, cookie);
	return raw(rec);
}

void append(Bytes &to, const Bytes &more)
{
	to.insert(to.end(), more.begin(), more.end());
}

} // namespace

// ---- messages ----

Bytes Message::bytes() const
{
	Bytes all = data;
	append(all, records);
	append(all, raw(tail));
	return all;
}

Message message(Link &link, u8 type, const Bytes &data, u16 count, const Bytes &records)
{
	Message m{data, records, {}};
	cw_pack_tail(&m.tail, type, count, u32(data.size()), link.ordinal++, 0);
	return m;
}

Message commands(Link &link, const std::vector<cw_cmd> &cmds, const Bytes &data)
{
	Bytes records;
	for (const cw_cmd &cmd : cmds) {
		cw_wire_cmd rec;
		cw_pack_cmd(&rec, &cmd, 0);
		append(records, raw(rec));
	}
	return message(link, CW_MSG_COMMANDS, data, u16(cmds.size()), records);
}

// ---- connecting ----

cw_wire_req control_request()
{
	cw_req req{};
	req.version = CW_WIRE_VERSION;
	req.kind = CW_KIND_CONTROL;
	req.transport = CW_WIRE_RDMA;
	cw_wire_req rec;
	cw_pack_req(&rec, &req);
	return rec;
}

cw_wire_req control_request(u16 version_min, u16 version_max)
{
	cw_wire_req rec = control_request();
	rec.version_min = __cpu_to_le16(version_min);
	rec.version_max = __cpu_to_le16(version_max);
	return rec;
}

std::unique_ptr<Link> connect_control(const Target &target, Rings rings)
{
	return std::make_unique<Link>(target.server, raw(control_request()), rings);
}

cw_wire_req data_request(u32 number, u64 epoch, u16 index, const Secret &secret)
{
	cw_req req{};
	req.version = CW_WIRE_VERSION;
	req.kind = CW_KIND_DATA;
	req.transport = CW_WIRE_RDMA;
	req.index = index;
	req.number = number;
	Bytes named = raw(__cpu_to_le32(number));
	append(named, raw(__cpu_to_le64(epoch)));
	append(named, raw(req.kind));
	append(named, raw(__cpu_to_le16(index)));
	memcpy(req.token, hmac({secret.begin(), secret.end()}, "link", named).data(), sizeof(req.token));
	cw_wire_req rec;
	cw_pack_req(&rec, &req);
	return rec;
}

// ---- login ----

cw_hello make_hello(const Target &target)
{
	cw_hello hello{};
	fill_random(hello.host, sizeof(hello.host));
	fill_random(hello.boot, sizeof(hello.boot));
	fill_random(hello.session, sizeof(hello.session));
	fill_random(hello.nonce, sizeof(hello.nonce));
	hello.epoch = 1;
	hello.serial = 1;
	snprintf(hello.export_name, sizeof(hello.export_name), "%s", target.name.c_str());
	strcpy(hello.host_name, "peer");
	hello.queues = 1;
	hello.depth = 8;
	hello.inline_size = CW_WIRE_PAGE;
	hello.max_io = 1 << 20;
	hello.area = 1;
	hello.messages = Link::RECEIVES; // more than any case hears on a data link: no credit to give
	return hello;
}

cw_wire_hello packed(const cw_hello &hello)
{
	cw_wire_hello rec;
	cw_pack_hello(&rec, &hello);
	return rec;
}

void send_hello(Link &control, const cw_wire_hello &hello)
{
	control.send(message(control, CW_MSG_HELLO, raw(hello)).bytes());
}

void send_proof(Link &control, u8 byte)
{
	control.send(message(control, CW_MSG_PROOF, Bytes(CW_WIRE_MAC, byte)).bytes());
}

void send_probe(Link &control, u64 cookie)
{
	control.send(message(control, CW_MSG_PROBE, sign_of_life(cookie)).bytes());
}

void send_alive(Link &control, u64 cookie)
{
	control.send(message(control, CW_MSG_ALIVE, sign_of_life(cookie)).bytes());
}

cw_frame frame_of(const Bytes &bytes, u32 area, u8 kind, bool to_server)
{
	cw_wire_tail tail;
	cw_frame frame;
	if (bytes.size() < sizeof(tail))
		throw Failure("a message without a tail");
	memcpy(&tail, bytes.data() + bytes.size() - sizeof(tail), sizeof(tail));
	if (cw_parse_tail(&tail, bytes.size(), area, kind, to_server, &frame))
		throw Failure("a malformed message");
	return frame;
}

Bytes expect(Link &link, u8 type, u8 kind)
{
	const std::optional<Bytes> bytes = link.receive();
	if (!bytes)
		throw Ended("closed");
	const cw_frame frame = frame_of(*bytes, CW_WIRE_PAGE, kind, false);
	if (kind == CW_KIND_CONTROL && frame.type == CW_MSG_PROBE) {
		u64 cookie;
		if (cw_parse_probe(bytes->data(), frame.data_len, &cookie))
			throw Failure("the server's probe is malformed");
		send_alive(link, cookie);
		return expect(link, type, kind);
	}
	if (frame.type == CW_MSG_WAITING && type != CW_MSG_WAITING)
		return expect(link, type, kind);
	if (frame.type == type)
		return {bytes->begin(), bytes->begin() + frame.data_len};
	cw_refused refused;
	if (frame.type == CW_MSG_REFUSED &&
	    !cw_parse_refused(bytes->data(), frame.data_len, &refused))
		throw Ended("refused: " + refusal_name(refused.reason) + ": " + refused.text);
	throw Failure("message " + std::to_string(frame.type) + " instead of " +
		      std::to_string(type));
}

void show_presence(Link &control)
{
	constexpr u64 COOKIE = 0x0102030405060708;
	send_probe(control, COOKIE);
	const Bytes alive = expect(control, CW_MSG_ALIVE);
	u64 cookie;
	if (cw_parse_probe(alive.data(), alive.size(), &cookie) || cookie != COOKIE)
		throw Failure("the server's ALIVE does not answer the probe");
}

Session::Session(const Target &to, const cw_hello &wish, Rings rings)
    : target(to), hello(wish), control(connect_control(to, rings))
{
	const cw_wire_hello wire = packed(hello);
	send_hello(*control, wire);
	const Bytes challenge = expect(*control, CW_MSG_CHALLENGE);
	cw_challenge parsed;
	if (cw_parse_challenge(challenge.data(), challenge.size(), hello.features_offered,
			       hello.features_required, &parsed))
		throw Failure("the server's challenge is malformed");
	secret = hmac(
		{}, "session",
		transcript(raw(control_request()), control->acceptance(), raw(wire), challenge));

	send_proof(*control);
	const Bytes got = expect(*control, CW_MSG_WELCOME);
	if (cw_parse_welcome(got.data(), got.size(), &hello, &welcome))
		throw Failure("the server's welcome is malformed");
}

std::unique_ptr<Link> Session::connect_data(u16 index, Rings rings) const
{
	return std::make_unique<Link>(target.server, raw(request(index)), rings);
}

cw_hello Session::next_hello() const
{
	cw_hello next = hello;
	next.flags |= CW_HELLO_RETURNING;
	next.last = hello.epoch;
	next.epoch = hello.epoch + 1;
	next.generation = welcome.generation;
	memcpy(next.receipt, welcome.receipt, sizeof(next.receipt));
	fill_random(next.nonce, sizeof(next.nonce));
	return next;
}

// ---- commands ----

std::optional<Answer> answer(Link &data, const Session &session)
{
	const std::optional<Bytes> bytes = data.receive();
	if (!bytes)
		return std::nullopt;
	const cw_frame frame = frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_DATA, false);
	const cw_limits limits{.depth = session.welcome.depth,
			       .inline_size = session.welcome.inline_size,
			       .max_io = session.welcome.max_io,
			       .export_id = session.welcome.export_id,
			       .features = session.hello.features_offered,
			       .discard_ranges = 0,
			       .needs_rkey = false};
	Answer got;
	for (u16 i = 0; i < frame.count; i++) {
		cw_wire_done rec;
		cw_done done;
		memcpy(&rec, bytes->data() + frame.data_len + i * sizeof(rec), sizeof(rec));
		if (cw_parse_done(&rec, &frame, &limits, &done))
			throw Failure("the server sent a malformed completion");
		got.done.push_back(done);
	}
	got.data.assign(bytes->begin(), bytes->begin() + frame.data_len);
	return got;
}

cw_cmd inline_read(u16 slot, u64 offset, u32 len)
{
	cw_cmd cmd{};
	cmd.op = CW_OP_READ;
	cmd.flags = CW_CMD_INLINE;
	cmd.slot = slot;
	cmd.offset = offset;
	cmd.len = len;
	return cmd;
}

cw_cmd inline_write(u16 slot, u64 offset, u32 len)
{
	cw_cmd cmd = inline_read(slot, offset, len);
	cmd.op = CW_OP_WRITE;
	cmd.data_len = len;
	return cmd;
}

cw_cmd transfer_command(u8 op, u16 slot, u64 offset, u32 len, u64 addr, u32 rkey)
{
	cw_cmd cmd = inline_read(slot, offset, len);
	cmd.op = op;
	cmd.flags = CW_CMD_BULK;
	cmd.addr = addr;
	cmd.rkey = rkey;
	return cmd;
}

} // namespace peer
