// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs_relay.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <sstream>

namespace peer
{

namespace
{

using namespace std::chrono_literals;

constexpr u16 NFS_PORT = 2049, NFS_RDMA_PORT = 20049;
// Local port of each TCP connection to the server: nfsd's reply cache matches the port of a call.
constexpr u16 OWN_PORT = 2050;
constexpr size_t CALLBACKS = 16; // at once, as many as the client grants
constexpr u32 NFS = 100003, READ = 6, CALLBACK = 0x40000000;
constexpr u32 CALL = 0, LAST_FRAGMENT = 0x80000000;
constexpr u32 PIECE = 16 * CW_WIRE_PAGE;
constexpr size_t INLINE = 4096, HEADER = 28;
constexpr size_t ATTRIBUTES = 21; // words of NFS 3's fattr3

u32 word(const Bytes &bytes, size_t index)
{
	u32 value;
	if ((index + 1) * sizeof(value) > bytes.size())
		throw Failure("an RPC message that ends early");
	memcpy(&value, bytes.data() + index * sizeof(value), sizeof(value));
	return ntohl(value);
}

Words words_of(const Bytes &bytes)
{
	Words words;
	for (size_t i = 0; i < bytes.size() / sizeof(u32); i++)
		words += {word(bytes, i)};
	return words;
}

void send_all(int fd, const Bytes &bytes)
{
	for (size_t at = 0; at < bytes.size();) {
		const ssize_t n = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
		if (n <= 0)
			throw Ended("the server over TCP is gone");
		at += size_t(n);
	}
}

bool contains(const Bytes &bytes, const std::string &text)
{
	return std::search(bytes.begin(), bytes.end(), text.begin(), text.end()) != bytes.end();
}

Bytes fetch(Link &link, const Segment &from)
{
	Bytes all;
	for (u32 at = 0; at < from.length; at += PIECE) {
		const Bytes some = link.read_from(from.offset + at, from.handle,
						  std::min(PIECE, from.length - at));
		all.insert(all.end(), some.begin(), some.end());
	}
	return all;
}

// Into the segments, in their order.
void scatter(Link &link, const std::vector<Segment> &to, const Bytes &data)
{
	size_t at = 0;
	for (const Segment &segment : to) {
		for (u32 done = 0; done < segment.length && at < data.size();) {
			const size_t n = std::min<size_t>({PIECE, segment.length - done,
							   data.size() - at});
			link.write_to(segment.offset + done, segment.handle,
				      {data.begin() + long(at), data.begin() + long(at + n)});
			at += n;
			done += u32(n);
		}
	}
	if (at < data.size())
		throw Failure("an answer that is larger than its chunk");
}

Segment segment_at(const Words &words, size_t at)
{
	return {words.at(at), words.at(at + 1),
		u64(words.at(at + 2)) << 32 | words.at(at + 3)};
}

std::vector<Segment> segments_at(const Words &words, size_t &at)
{
	std::vector<Segment> segments(words.at(at++));
	for (Segment &segment : segments) {
		segment = segment_at(words, at);
		at += 4;
	}
	return segments;
}

Words with_lengths(const std::vector<Segment> &segments, u32 length)
{
	std::vector<Segment> shown = segments;
	for (Segment &segment : shown) {
		segment.length = std::min(segment.length, length);
		length -= segment.length;
	}
	return chunk(shown);
}

// 4 KiB both ways, and remote invalidation, of which no use is made.
Bytes acceptance()
{
	return (Words{0xf6ab0e18, 0x01000303}).bytes();
}

sockaddr_in local(u16 port)
{
	sockaddr_in address{};
	address.sin_family = AF_INET;
	address.sin_port = htons(port);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

int connect_to_server()
{
	const sockaddr_in from = local(OWN_PORT), to = local(NFS_PORT);
	const int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	const linger at_once{1, 0}; // the next connection has the same port
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) ||
	    bind(fd, reinterpret_cast<const sockaddr *>(&from), sizeof(from)) ||
	    connect(fd, reinterpret_cast<const sockaddr *>(&to), sizeof(to))) {
		const std::string why = strerror(errno);
		close(fd);
		throw Failure("no connection to the server over TCP: " + why);
	}
	return fd;
}

std::string read_order(int orders)
{
	char line[256];
	const ssize_t n = read(orders, line, sizeof(line));
	if (n <= 0)
		throw Ended("no more orders");
	return {line, size_t(n)};
}

// Returns true and stores the mode if @order names one.
bool take_mode(const std::string &order, Mode &mode)
{
	std::istringstream said(order);
	std::string what, text;
	said >> what >> text;
	const std::map<std::string, Mode> modes = {
		{"serve", {}},
		{"drop", {.drops = true}},
		{"hold-requests", {.holds_requests = true}},
		{"hold-calls", {.holds_calls = true}},
		{"print-rkeys", {.prints_rkeys = true}},
		{"hold-answers", {.holds_answers = text}},
	};
	const auto found = modes.find(what);
	if (found == modes.end())
		return false;
	mode = found->second;
	std::cout << "ready to " << what << std::endl;
	return true;
}

void wait_for_mode(int orders, Mode &mode)
{
	if (!take_mode(read_order(orders), mode))
		throw Failure("an order for a connection that is not there");
}

} // namespace

Relay::Relay(Request request, Mode &mode)
    : mode_(mode), link_(std::move(request.id), acceptance()), server_(connect_to_server())
{
}

Relay::~Relay()
{
	close(server_);
}

void Relay::run(int orders)
{
	for (;;) {
		try {
			Link::wait_any({&link_}, {server_, orders});
		} catch (const Failure &) {
			continue; // an idle mount
		}
		pollfd fds[2] = {{server_, POLLIN, 0}, {orders, POLLIN, 0}};
		poll(fds, 2, 0);
		if (fds[1].revents)
			take_order(read_order(orders));
		if (link_.closed())
			throw Ended("closed");
		if (link_.ready())
			take_message();
		if (fds[0].revents)
			from_server();
	}
}

void Relay::take_order(const std::string &order)
{
	std::istringstream said(order);
	std::string what;
	said >> what;
	if (what == "burst") {
		size_t first = 0;
		said >> first >> second_burst_;
		burst(first);
		return;
	}
	if (what == "hold-receives") {
		link_.hold_receives();
		use_up_receives();
		return;
	}
	if (take_mode(order, mode_)) {
		release();
		return;
	}
	const Misdeeds all = nfs_misdeeds();
	const auto found = all.find(what);
	if (found == all.end())
		throw Failure("there is no misdeed " + what);
	next_ = found->second;
	std::cout << "ready for " << what << std::endl;
}

void Relay::release()
{
	link_.release_receives();
	for (; !mode_.holds_calls && !held_calls_.empty(); held_calls_.pop_front())
		from_client(held_calls_.front());
	for (; !held_answers_.empty(); held_answers_.pop_front())
		to_client(held_answers_.front());
}

// ---- calls of the client, and answers to callbacks ----

// The RPC message: what follows the lists, or what the first read chunk holds, with the data of the
// other chunks in its places.
Bytes Relay::whole_call(const NfsMessage &answer, size_t &at, Offer &offer)
{
	struct Part {
		u32 position;
		Bytes data;
	};
	std::vector<Part> parts;
	Bytes call;
	while (answer.words.at(at++)) {
		const u32 position = answer.words.at(at);
		const Bytes data = fetch(link_, segment_at(answer.words, at + 1));
		at += 5;
		if (answer.proc == NOMSG && !position)
			call.insert(call.end(), data.begin(), data.end());
		else if (!parts.empty() && parts.back().position == position)
			parts.back().data.insert(parts.back().data.end(), data.begin(), data.end());
		else
			parts.push_back({position, data});
	}
	bool first = true;
	while (answer.words.at(at++)) {
		const std::vector<Segment> segments = segments_at(answer.words, at);
		if (first)
			offer.write = segments;
		first = false;
	}
	if (answer.words.at(at++))
		offer.reply = segments_at(answer.words, at);
	if (answer.proc == MSG) {
		const Bytes &all = answer.words.bytes();
		call.assign(all.begin() + long(at * sizeof(u32)), all.end());
	}
	for (Part &part : parts) {
		part.data.resize((part.data.size() + 3) / 4 * 4);
		if (part.position > call.size())
			throw Failure("a chunk behind the end of its call");
		call.insert(call.begin() + part.position, part.data.begin(), part.data.end());
	}
	return call;
}

void Relay::take_message()
{
	const std::optional<Bytes> message = link_.receive();
	if (!message)
		throw Ended("closed");
	if (mode_.drops)
		throw Ended("dropped");
	if (mode_.holds_calls) {
		held_calls_.push_back(*message);
		std::cout << "holds a call" << std::endl;
		return;
	}
	from_client(*message);
	if (unanswered_ && !link_.receives_left() && !receives_used_up_) {
		receives_used_up_ = true;
		std::cout << "no receive is left" << std::endl;
	}
}

void Relay::from_client(const Bytes &message)
{
	const NfsMessage answer = answer_of(message);
	Offer offer;
	size_t at = 4;
	if (answer.proc != MSG && answer.proc != NOMSG)
		throw Failure("procedure " + std::to_string(answer.proc) + " of the client");
	const Bytes call = whole_call(answer, at, offer);
	for (const Segment &segment : offer.write)
		if (mode_.prints_rkeys)
			std::cout << "rkey " << segment.handle << std::endl;
	if (word(call, 1) != CALL && (answer.xid & 0xff000000) == 0xcb000000 && unanswered_) {
		if (!--unanswered_)
			burst_answered();
		return;
	}
	if (word(call, 1) == CALL) {
		offer.held =
			!mode_.holds_answers.empty() && contains(call, mode_.holds_answers);
		offer.reads = word(call, 3) == NFS && word(call, 4) == 3 && word(call, 5) == READ;
		offers_[answer.xid] = offer;
	}
	send_all(server_, (Words{u32(call.size()) | LAST_FRAGMENT}).bytes());
	send_all(server_, call);
}

// ---- answers of the server, and its calls ----

void Relay::from_server()
{
	Bytes buffer(1 << 16);
	const ssize_t n = recv(server_, buffer.data(), buffer.size(), 0);
	if (n <= 0)
		throw Ended("the server over TCP is gone");
	partial_.insert(partial_.end(), buffer.begin(), buffer.begin() + n);
	while (partial_.size() >= sizeof(u32)) {
		const u32 mark = word(partial_, 0);
		const size_t length = mark & ~LAST_FRAGMENT;
		if (!(mark & LAST_FRAGMENT))
			throw Failure("a record of several fragments");
		if (partial_.size() < sizeof(u32) + length)
			return;
		const Bytes rpc(partial_.begin() + sizeof(u32),
				partial_.begin() + long(sizeof(u32) + length));
		partial_.erase(partial_.begin(), partial_.begin() + long(sizeof(u32) + length));
		if (word(rpc, 1) == CALL) {
			send(fixed(word(rpc, 0)) + NOTHING + NOTHING + NOTHING + words_of(rpc));
			continue;
		}
		const auto found = offers_.find(word(rpc, 0));
		if (found != offers_.end() && found->second.held) {
			held_answers_.push_back(rpc);
			std::cout << "holds an answer" << std::endl;
		} else {
			to_client(rpc);
		}
	}
}

void Relay::to_client(const Bytes &rpc)
{
	const auto found = offers_.find(word(rpc, 0));
	const Offer offer = found == offers_.end() ? Offer{} : found->second;
	offers_.erase(word(rpc, 0));
	if (next_ && offer.reads) {
		const Misdeed misdeed = std::move(next_);
		next_ = nullptr;
		misdeed(*this, rpc, offer);
	} else {
		answer(rpc, offer);
	}
}

Words Relay::used(const Offer &offer, u32 length)
{
	return offer.write.empty() ? NOTHING : with_lengths(offer.write, length) + NOTHING;
}

std::optional<Words> Relay::place(const Bytes &reply, const Offer &offer)
{
	// Accepted, no verifier, done, and NFS is content; then attributes or none.
	if (!offer.reads || offer.write.empty() || word(reply, 6))
		return std::nullopt;
	const size_t head = 8 + (word(reply, 7) ? ATTRIBUTES : 0) + 3;
	const u32 length = word(reply, head - 1);
	const auto begin = reply.begin() + long(head * sizeof(u32));
	scatter(link_, offer.write, {begin, begin + length});
	return words_of({reply.begin(), begin});
}

void Relay::answer(const Bytes &reply, const Offer &offer)
{
	const u32 xid = word(reply, 0);
	if (const std::optional<Words> rest = place(reply, offer)) {
		const u32 length = rest->at(rest->size() / sizeof(u32) - 1);
		send(fixed(xid) + NOTHING + used(offer, length) + NOTHING + *rest);
		return;
	}
	const Words lists = NOTHING + used(offer, 0);
	if (lists.size() + HEADER + reply.size() <= INLINE) {
		send(fixed(xid) + lists + NOTHING + words_of(reply));
		return;
	}
	scatter(link_, offer.reply, reply);
	send(fixed(xid, NOMSG) + lists + with_lengths(offer.reply, u32(reply.size())));
}

// Callbacks that do nothing: procedure 0.
void Relay::burst(size_t count)
{
	unanswered_ = count;
	for (size_t i = 0; i < count; i++) {
		const u32 xid = back_xid_++;
		send(fixed(xid) + NOTHING + NOTHING + NOTHING +
		     Words{xid, CALL, 2, CALLBACK, 1, 0, 0, 0, 0, 0});
	}
}

void Relay::burst_answered()
{
	std::cout << "burst answered" << std::endl;
	if (link_.holds_receives()) {
		use_up_receives();
		return;
	}
	burst(second_burst_);
	second_burst_ = 0;
}

// The reply to the last callback finds no receive.
void Relay::use_up_receives()
{
	burst(std::clamp<size_t>(link_.receives_left(), 1, CALLBACKS));
}

int nfs_relay_main()
{
	Listener listener(NFS_RDMA_PORT);
	std::cout << "listening" << std::endl;
	Mode mode;
	for (;;) {
		try {
			Request request = listener.next(1h);
			while (mode.holds_requests) {
				std::cout << "holds a request" << std::endl;
				wait_for_mode(STDIN_FILENO, mode);
			}
			Relay relay(std::move(request), mode);
			std::cout << "connected" << std::endl;
			relay.run(STDIN_FILENO);
		} catch (const Ended &ended) {
			std::cout << "ended: " << ended.what() << std::endl;
			if (std::string(ended.what()) == "no more orders")
				return 0;
		} catch (const Failure &failure) {
			std::cout << "failure: " << failure.what() << std::endl;
		}
	}
}

} // namespace peer
