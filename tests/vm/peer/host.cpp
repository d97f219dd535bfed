// SPDX-License-Identifier: GPL-2.0-or-later
#include "host.h"

#include <asm/byteorder.h>

#include <algorithm>
#include <cstring>
#include <iostream>

namespace peer
{

namespace
{

using namespace std::chrono_literals;

constexpr u32 NUMBER = 77;
constexpr u16 MESSAGES = Link::RECEIVES / 2;
constexpr u32 PROBE_MS = 500, DEAD_MS = 3000;

template <class T> T struct_of(const Bytes &bytes)
{
	T t{};
	if (bytes.size() < sizeof(t))
		throw Failure("a struct that is cut");
	memcpy(&t, bytes.data(), sizeof(t));
	return t;
}

void append(Bytes &to, const Bytes &more)
{
	to.insert(to.end(), more.begin(), more.end());
}

} // namespace

Bytes accept_words(u8 kind, u16 index)
{
	cw_rep rep{};
	rep.version = CW_WIRE_VERSION;
	rep.kind = kind;
	rep.transport = CW_WIRE_RDMA;
	rep.index = index;
	fill_random(rep.nonce, sizeof(rep.nonce));
	cw_wire_rep rec;
	cw_pack_rep(&rec, &rep);
	return raw(rec);
}

Visit::Visit(Listener &listener, Request request, const Bytes &key, const Bytes &acceptance)
    : listener_(listener), key_(key),
      control_(std::make_unique<Link>(std::move(request.id), acceptance)),
      request_(std::move(request.words)), acceptance_(acceptance)
{
	const std::optional<Bytes> bytes = control_->receive();
	if (!bytes)
		throw Ended("closed before a hello");
	const cw_frame frame = frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, true);
	if (frame.type != CW_MSG_HELLO)
		throw Ended("no hello but message " + std::to_string(frame.type));
	wire_hello_ = struct_of<cw_wire_hello>(*bytes);
	if (cw_parse_hello(bytes->data(), frame.data_len, &hello_))
		throw Failure("a malformed hello");
}

// With the MAC at the beginning of the struct as zero.
Secret Visit::answer_mac(const char *label, Bytes rec) const
{
	Bytes all = transcript_;
	append(all, proof_);
	std::fill_n(rec.begin(), CW_WIRE_MAC, u8{0});
	append(all, rec);
	return hmac(key_, label, all);
}

void Visit::refuse(u16 reason, const std::string &text, u8 identity,
		   const std::function<void(cw_wire_refused &)> &harm)
{
	cw_refused refused{};
	cw_wire_refused rec;
	refused.reason = reason;
	memset(refused.identity, identity, sizeof(refused.identity));
	snprintf(refused.text, sizeof(refused.text), "%s", text.c_str());
	cw_pack_refused(&rec, &refused);
	if (!proof_.empty() && hello_.flags & CW_HELLO_KEY) {
		const Secret mac = answer_mac("refused", raw(rec));
		memcpy(rec.mac, mac.data(), mac.size());
	}
	if (harm)
		harm(rec);
	control_->send(message(*control_, CW_MSG_REFUSED, raw(rec)).bytes());
	wait_closed();
}

void Visit::wait(u16 reason, u32 commands)
{
	const cw_waiting waiting{.reason = reason, .path = 0, .commands = commands};
	cw_wire_waiting rec;
	cw_pack_waiting(&rec, &waiting);
	control_->send(message(*control_, CW_MSG_WAITING, raw(rec)).bytes());
}

void Visit::wait_closed()
{
	control_->wait_closed();
}

// ---- login ----

bool Visit::answered_probe(const Bytes &bytes)
{
	const cw_frame frame = frame_of(bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, true);
	u64 cookie;
	if (frame.type != CW_MSG_PROBE)
		return false;
	if (cw_parse_probe(bytes.data(), frame.data_len, &cookie))
		throw Failure("a malformed probe");
	send_alive(*control_, cookie);
	return true;
}

void Visit::challenge(const Conduct &conduct)
{
	const bool keyed = hello_.flags & CW_HELLO_KEY;
	cw_challenge plain{};
	plain.flags = keyed ? CW_CHALLENGE_KEY : 0;
	plain.features = features_ = conduct.features & hello_.features_offered;
	memset(plain.instance, 0x11, sizeof(plain.instance));
	fill_random(plain.nonce, sizeof(plain.nonce));
	cw_wire_challenge rec;
	cw_pack_challenge(&rec, &plain);
	transcript_ = transcript(request_, acceptance_, raw(wire_hello_), raw(rec));
	if (conduct.challenge)
		conduct.challenge(rec);
	control_->send(message(*control_, CW_MSG_CHALLENGE, raw(rec)).bytes());

	std::optional<Bytes> bytes;
	do {
		bytes = control_->receive();
		if (!bytes)
			throw Ended("closed before a proof");
	} while (answered_probe(*bytes));
	const Secret wanted = keyed ? hmac(key_, "client", transcript_) : Secret{};
	if (frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, true).type != CW_MSG_PROOF)
		throw Failure("no proof");
	if (memcmp(bytes->data(), wanted.data(), wanted.size()))
		throw Failure("a wrong proof");
	proof_.assign(bytes->begin(), bytes->begin() + CW_WIRE_MAC);
}

void Visit::welcome(const Conduct &conduct)
{
	cw_welcome plain{};
	plain.number = NUMBER;
	plain.queues = queues_ = std::min(conduct.queues, hello_.queues);
	plain.depth = std::min<u16>(DEPTH, hello_.depth);
	plain.export_id = 3;
	plain.area = 1;
	plain.messages = MESSAGES;
	plain.inline_size = std::min<u32>(CW_WIRE_PAGE, hello_.inline_size);
	plain.max_io = std::min<u32>(MAX_IO, hello_.max_io);
	plain.probe_ms = PROBE_MS;
	plain.dead_ms = DEAD_MS;
	plain.generation = 1; // a writable export has a ledger
	memset(plain.identity, IDENTITY, sizeof(plain.identity));
	plain.geo.size = SIZE;
	plain.geo.logical_block = 512;
	plain.geo.physical_block = 4096;
	cw_wire_welcome rec;
	cw_pack_welcome(&rec, &plain);
	if (conduct.proved_welcome)
		conduct.proved_welcome(rec);
	if (hello_.flags & CW_HELLO_KEY) {
		const Secret mac = answer_mac("welcome", raw(rec));
		memcpy(rec.mac, mac.data(), mac.size());
	}
	if (conduct.welcome)
		conduct.welcome(rec);
	control_->send(message(*control_, CW_MSG_WELCOME, raw(rec)).bytes());
}

void Visit::accept_data(const Conduct &conduct)
{
	while (!listener_.ready()) {
		if (control_->closed())
			throw Ended("closed before a data link");
		listener_.wait(100ms);
	}
	Request request = listener_.next(0ms);
	cw_req parsed;
	if (cw_parse_req(request.words.data(), request.words.size(), &parsed) ||
	    parsed.kind != CW_KIND_DATA)
		throw Ended("no data link but another control link");
	const Bytes words = conduct.data_link ? conduct.data_link(CW_KIND_DATA)
					      : accept_words(CW_KIND_DATA, parsed.index);
	data_.push_back({std::make_unique<Link>(std::move(request.id), words)});
}

void Visit::run(const Conduct &conduct)
{
	const auto goes_on = [&](Step step) {
		if (!conduct.before || conduct.before(*this, step))
			return true;
		wait_closed();
		return false;
	};
	if (!goes_on(Step::hello) || !goes_on(Step::challenge))
		return;
	challenge(conduct);
	if (!goes_on(Step::welcome))
		return;
	welcome(conduct);
	if (!goes_on(Step::data_link))
		return;
	while (data_.size() < queues_)
		accept_data(conduct);
	if (!goes_on(Step::serving))
		return;
	serve(conduct);
}

// ---- the disk ----

Bytes Visit::content(u64 offset, u32 len) const
{
	Bytes bytes(len);
	for (u32 i = 0; i < len; i++)
		bytes[i] = u8((offset + i) / CW_WIRE_PAGE % 251);
	return bytes;
}

Message Visit::completions(const std::vector<cw_done> &done, const Bytes &data)
{
	Bytes records;
	for (const cw_done &one : done) {
		cw_wire_done rec;
		cw_pack_done(&rec, &one);
		append(records, raw(rec));
	}
	Message m = message(this->data(), CW_MSG_COMPLETIONS, data, u16(done.size()), records);
	m.tail.credit = __cpu_to_le32(data_.at(at_).taken);
	return m;
}

void Visit::complete(const std::vector<cw_done> &done, const Bytes &data)
{
	this->data().send(completions(done, data).bytes());
}

void Visit::complete(u16 slot, u8 status)
{
	cw_done done{};
	done.slot = slot;
	done.status = status;
	complete(std::vector{done});
}

void Visit::answer(const cw_cmd &cmd)
{
	if (cmd.op != CW_OP_READ) {
		complete(cmd.slot, cmd.op == CW_OP_FLUSH ? CW_STATUS_OK : CW_STATUS_READONLY);
		return;
	}
	cw_done done{};
	done.slot = cmd.slot;
	if (cmd.flags & CW_CMD_INLINE) {
		done.flags = CW_DONE_INLINE;
		done.data_len = cmd.len;
		complete(std::vector{done}, content(cmd.offset, cmd.len));
		return;
	}
	data().write_to(cmd.addr, cmd.rkey, content(cmd.offset, cmd.len));
	data().send_invalidate(completions({done}).bytes(), cmd.rkey);
}

// Returns true if the client stays.
bool Visit::take_control()
{
	const std::optional<Bytes> bytes = control_->receive();
	if (!bytes)
		return false;
	if (answered_probe(*bytes))
		return true;
	if (frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, true).type != CW_MSG_GOODBYE)
		return true;
	control_->send(message(*control_, CW_MSG_FAREWELL).bytes());
	wait_closed();
	return false;
}

void Visit::take_data(const Conduct &conduct)
{
	const std::optional<Bytes> bytes = data().receive();
	if (!bytes)
		return;
	const cw_frame frame = frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_DATA, true);
	const cw_limits limits{.depth = DEPTH,
			       .inline_size = CW_WIRE_PAGE,
			       .max_io = MAX_IO,
			       .export_id = 3,
			       .features = features_,
			       .discard_ranges = 0,
			       .needs_rkey = false};
	if (muted)
		return;
	if (frame.type == CW_MSG_PROBE) {
		Message alive = message(data(), CW_MSG_ALIVE);
		alive.tail.credit = __cpu_to_le32(data_.at(at_).taken);
		data().send(alive.bytes());
	}
	if (frame.type != CW_MSG_COMMANDS)
		return;
	data_.at(at_).taken++;
	for (u16 i = 0; i < frame.count; i++) {
		cw_wire_cmd rec;
		cw_cmd cmd;
		memcpy(&rec, bytes->data() + frame.data_len + i * sizeof(rec), sizeof(rec));
		if (cw_parse_cmd(&rec, &frame, &limits, &cmd))
			throw Failure("a malformed command");
		if (cmd.offset < HONEST_UP_TO || cmd.offset >= HONEST_FROM || !conduct.command ||
		    !conduct.command(*this, cmd))
			answer(cmd);
	}
}

void Visit::serve(const Conduct &conduct)
{
	std::vector<Link *> links{control_.get()};
	for (const DataLink &one : data_)
		links.push_back(one.link.get());
	for (;;) {
		try {
			Link::wait_any(links);
		} catch (const Failure &) {
			continue; // a client that has nothing to do probes, one that is gone closes
		}
		if (std::any_of(links.begin(), links.end(), [](Link *link) { return link->closed(); }))
			return;
		if (control_->ready() && !take_control())
			return;
		for (at_ = 0; at_ < data_.size(); at_++)
			if (data().ready())
				take_data(conduct);
	}
}

} // namespace peer
