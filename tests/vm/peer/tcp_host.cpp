// SPDX-License-Identifier: GPL-2.0-or-later
// A server of disks over TCP that breaks the rules of section 12 of PROTOCOL once: at the first
// transfer beyond HONEST_UP_TO, as the name of the export says. It serves one client at a time.
#include <asm/byteorder.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <set>

#include "cases.h"
#include "tcp_link.h"

namespace peer
{

namespace
{

constexpr u64 SIZE = 8 << 20, HONEST_UP_TO = 3 << 20, HONEST_FROM = 4 << 20;
constexpr u16 DEPTH = 8;
constexpr u32 MAX_IO = 16 * CW_WIRE_PAGE;

Bytes content(u64 offset, u32 len)
{
	Bytes bytes(len);
	for (u32 i = 0; i < len; i++)
		bytes[i] = u8((offset + i) / CW_WIRE_PAGE % 251);
	return bytes;
}

TcpFrame put(const cw_cmd &cmd, u32 from, u32 len)
{
	return tcp_frame(CW_TCP_PUT, content(cmd.offset + from, len), cmd.rkey, cmd.addr + from);
}

TcpFrame get(const cw_cmd &cmd, u32 from, u32 len)
{
	return {{.kind = CW_TCP_GET, .len = len, .rkey = cmd.rkey, .addr = cmd.addr + from, .data_crc = 0},
		{}};
}

class TcpVisit
{
      public:
	TcpVisit(int listener, TcpLink &control);

	std::string name() const
	{
		return hello_.export_name;
	}
	void serve(bool misbehaves);

	void complete(u16 slot, u8 flags = 0, const Bytes &data = {});
	TcpLink &data()
	{
		return *data_;
	}

      private:
	bool take_control();
	bool take_data(bool &misbehaves);
	void answer(const cw_cmd &cmd);

	TcpLink &control_;
	std::unique_ptr<TcpLink> data_;
	cw_hello hello_{};
	u32 taken_ = 0;
};

struct Misdeed {
	u8 op;
	std::function<void(TcpVisit &, const cw_cmd &)> act;
};

const std::map<std::string, Misdeed> &misdeeds()
{
	static const std::map<std::string, Misdeed> all = {
		{"put-second-half-first",
		 {CW_OP_READ,
		  [](TcpVisit &v, const cw_cmd &c) { v.data().send(put(c, c.len / 2, c.len / 2)); }}},
		{"put-beyond", {CW_OP_READ, [](TcpVisit &v, const cw_cmd &c) {
					v.data().send(put(c, 0, c.len + 512));
				}}},
		{"put-twice", {CW_OP_READ, [](TcpVisit &v, const cw_cmd &c) {
				       v.data().send(put(c, 0, c.len));
				       v.data().send(put(c, 0, c.len));
			       }}},
		{"put-other-rkey", {CW_OP_READ, [](TcpVisit &v, const cw_cmd &c) {
					    cw_cmd other = c;
					    other.rkey += 1 << 16;
					    v.data().send(put(other, 0, c.len));
				    }}},
		{"put-wrong-sequence", {CW_OP_READ, [](TcpVisit &v, const cw_cmd &c) {
						v.data().sequence++;
						v.data().send(put(c, 0, c.len));
					}}},
		{"put-after-the-end", {CW_OP_READ, [](TcpVisit &v, const cw_cmd &c) {
					       v.data().send(put(c, 0, c.len));
					       v.complete(c.slot);
					       v.data().send(put(c, 0, c.len));
				       }}},
		{"get-of-a-read", {CW_OP_READ, [](TcpVisit &v, const cw_cmd &c) {
					   v.data().send(get(c, 0, c.len));
				   }}},
		{"ok-without-data", {CW_OP_READ, [](TcpVisit &v, const cw_cmd &c) { v.complete(c.slot); }}},
		{"ok-without-the-last-block", {CW_OP_READ, [](TcpVisit &v, const cw_cmd &c) {
						       v.data().send(put(c, 0, c.len - 512));
						       v.complete(c.slot);
					       }}},
		{"put-to-a-write", {CW_OP_WRITE, [](TcpVisit &v, const cw_cmd &c) {
					    v.data().send(put(c, 0, c.len));
				    }}},
		{"get-beyond", {CW_OP_WRITE, [](TcpVisit &v, const cw_cmd &c) {
					v.data().send(get(c, 0, c.len));
					v.data().send(get(c, c.len, 512));
				}}},
		{"ok-without-a-get", {CW_OP_WRITE, [](TcpVisit &v, const cw_cmd &c) { v.complete(c.slot); }}},
	};
	return all;
}

void TcpVisit::complete(u16 slot, u8 flags, const Bytes &data)
{
	cw_done done{};
	cw_wire_done rec;
	done.slot = slot;
	done.flags = flags;
	done.data_len = u32(data.size());
	cw_pack_done(&rec, &done);
	data_->send_message(CW_MSG_COMPLETIONS, data, 1, raw(rec), taken_);
}

void TcpVisit::answer(const cw_cmd &cmd)
{
	if (cmd.flags & CW_CMD_BULK && cmd.op == CW_OP_READ) {
		data_->send(put(cmd, 0, cmd.len));
	} else if (cmd.flags & CW_CMD_BULK) {
		data_->send(get(cmd, 0, cmd.len));
		const std::optional<TcpFrame> got = data_->receive();
		if (!got || got->head.kind != CW_TCP_GOT)
			throw Failure("no GOT");
	} else if (cmd.op == CW_OP_READ) {
		complete(cmd.slot, CW_DONE_INLINE, content(cmd.offset, cmd.len));
		return;
	}
	complete(cmd.slot);
}

// Return true if the client stays.
bool TcpVisit::take_control()
{
	const std::optional<TcpFrame> got = control_.receive();
	if (!got)
		return false;
	const cw_frame frame = frame_of(got->bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, true);
	const Bytes data{got->bytes.begin(), got->bytes.begin() + frame.data_len};
	if (frame.type == CW_MSG_PROBE)
		control_.send_message(CW_MSG_ALIVE, data);
	if (frame.type != CW_MSG_GOODBYE)
		return true;
	control_.send_message(CW_MSG_FAREWELL);
	return false;
}

bool TcpVisit::take_data(bool &misbehaves)
{
	const std::optional<TcpFrame> got = data_->receive();
	if (!got)
		return false;
	if (got->head.kind != CW_TCP_MESSAGE)
		return true; // the GOT of a misdeed
	const cw_frame frame = frame_of(got->bytes, CW_WIRE_PAGE, CW_KIND_DATA, true);
	const cw_limits limits{.depth = DEPTH,
			       .inline_size = CW_WIRE_PAGE,
			       .max_io = MAX_IO,
			       .export_id = 3,
			       .features = 0,
			       .discard_ranges = 0,
			       .needs_rkey = true};
	if (frame.type == CW_MSG_PROBE)
		data_->send_message(CW_MSG_ALIVE, {}, 0, {}, taken_);
	if (frame.type != CW_MSG_COMMANDS)
		return true;
	taken_++;
	for (u16 i = 0; i < frame.count; i++) {
		cw_wire_cmd rec;
		cw_cmd cmd;
		memcpy(&rec, got->bytes.data() + frame.data_len + i * sizeof(rec), sizeof(rec));
		if (cw_parse_cmd(&rec, &frame, &limits, &cmd))
			throw Failure("a malformed command");
		const auto misdeed = misdeeds().find(name());
		if (misbehaves && misdeed != misdeeds().end() && cmd.op == misdeed->second.op &&
		    cmd.flags & CW_CMD_BULK && cmd.offset >= HONEST_UP_TO && cmd.offset < HONEST_FROM) {
			misbehaves = false;
			misdeed->second.act(*this, cmd);
			return true;
		}
		answer(cmd);
	}
	return true;
}

TcpVisit::TcpVisit(int listener, TcpLink &control) : control_(control)
{
	const auto [req, rep] = control.accept_request();
	if (req.kind != CW_KIND_CONTROL)
		throw Ended("a data link of a connection that is over");
	const Bytes hello = tcp_expect(control, CW_MSG_HELLO, true);
	if (cw_parse_hello(hello.data(), hello.size(), &hello_))
		throw Failure("a malformed hello");
	cw_challenge challenge{};
	cw_wire_challenge wire;
	memset(challenge.instance, 0x11, sizeof(challenge.instance));
	fill_random(challenge.nonce, sizeof(challenge.nonce));
	cw_pack_challenge(&wire, &challenge);
	control.send_message(CW_MSG_CHALLENGE, raw(wire));
	tcp_expect(control, CW_MSG_PROOF, true);
	cw_welcome plain{};
	plain.number = 7;
	plain.queues = 1;
	plain.depth = std::min<u16>(DEPTH, hello_.depth);
	plain.export_id = 3;
	plain.area = 1;
	plain.messages = 8;
	plain.inline_size = std::min<u32>(CW_WIRE_PAGE, hello_.inline_size);
	plain.max_io = std::min<u32>(MAX_IO, hello_.max_io);
	plain.probe_ms = 1000;
	plain.dead_ms = 5000;
	plain.generation = 1;
	memset(plain.identity, 0x22, sizeof(plain.identity));
	plain.geo.size = SIZE;
	plain.geo.logical_block = 512;
	plain.geo.physical_block = 4096;
	cw_wire_welcome welcome;
	cw_pack_welcome(&welcome, &plain);
	control.send_message(CW_MSG_WELCOME, raw(welcome));
	data_ = std::make_unique<TcpLink>(accept(listener, nullptr, nullptr));
	if (data_->accept_request().first.kind != CW_KIND_DATA)
		throw Failure("no data link");
}

void TcpVisit::serve(bool misbehaves)
{
	for (;;) {
		const auto ready = TcpLink::wait_either(control_, *data_);
		if (ready.first && !take_control())
			return;
		if (ready.second && !take_data(misbehaves))
			return;
	}
}

} // namespace

int tcp_host_main()
{
	const int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
	sockaddr_in any{};
	any.sin_family = AF_INET;
	any.sin_port = htons(CW_WIRE_TCP_PORT);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(listener, reinterpret_cast<sockaddr *>(&any), sizeof(any)) || listen(listener, 16)) {
		std::cerr << "cannot listen\n";
		return 1;
	}
	std::cout << "listening" << std::endl;
	std::set<std::string> met;
	for (;;) {
		try {
			TcpLink control(accept(listener, nullptr, nullptr));
			TcpVisit visit(listener, control);
			visit.serve(met.insert(visit.name()).second);
		} catch (const std::runtime_error &end) {
			std::cout << end.what() << std::endl;
		}
	}
}

int tcp_host_list()
{
	for (const auto &[name, misdeed] : misdeeds())
		std::cout << name << (misdeed.op == CW_OP_READ ? " read" : " write") << '\n';
	return 0;
}

} // namespace peer
