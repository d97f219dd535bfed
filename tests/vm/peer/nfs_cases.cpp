// SPDX-License-Identifier: GPL-2.0-or-later
// Sends headers that break RFC 8166, or that are odd and do not break it, and reports what the
// server does.
#include "nfs_cases.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include "nfs_header.h"

namespace peer
{

namespace
{

constexpr u32 XID = 0x1000, PROBE = 0x2000; // of the message that a case is about, of the next one
constexpr u32 HUGE_COUNT = 0x10000001; // times 16 it is 16
constexpr u32 MUCH = 0xfffffff0;
const Segment NOWHERE = {0xdead0000, 4096, 0x1000};
// Three empty lists.
const Words EMPTY = NOTHING + NOTHING + NOTHING;

std::string word_of(const NfsMessage &answer)
{
	if (answer.proc == ERROR && answer.words.at(4) == ERR_CHUNK)
		return "error chunk";
	if (answer.proc == ERROR && answer.words.at(4) == ERR_VERS)
		return "error versions " + std::to_string(answer.words.at(5)) + " to " +
		       std::to_string(answer.words.at(6));
	if (answer.proc == MSG)
		return "answered";
	if (answer.proc == NOMSG)
		return "answered by chunk";
	return "procedure " + std::to_string(answer.proc);
}

// The answer to the call XID that comes before the answer to a whole call PROBE. No answer comes later.
std::string outcome(Link &link)
{
	link.send((fixed(PROBE) + EMPTY + null_call(PROBE)).bytes());
	std::string said = "dropped";
	while (const auto message = link.receive()) {
		const NfsMessage answer = answer_of(*message);
		if (answer.version != 1 && answer.xid != XID)
			throw Failure("an answer of version " + std::to_string(answer.version));
		if (!answer.credits)
			throw Failure("a grant of no credit");
		if (answer.xid == PROBE && answer.proc == MSG)
			return said;
		if (answer.xid != XID || said != "dropped")
			throw Failure("an answer that nobody waits for");
		said = word_of(answer);
	}
	return "closed";
}

std::string sent(const sockaddr_in &server, const Bytes &message)
{
	Link link(server, modest_request());
	link.send(message);
	return outcome(link);
}

NfsCase bytes(const Bytes &message)
{
	return [message](const sockaddr_in &server) { return sent(server, message); };
}

NfsCase words(const Words &message)
{
	return bytes(message.bytes());
}

// A whole call with these lists.
NfsCase lists(const Words &all)
{
	return words(fixed(XID) + all + null_call(XID));
}

NfsCase reads(const Words &list)
{
	return lists(list + NOTHING + NOTHING + NOTHING);
}

NfsCase cut(size_t length)
{
	Bytes message = (fixed(XID) + EMPTY + null_call(XID)).bytes();
	message.resize(length);
	return bytes(message);
}

template <class List> Words times(size_t count, const List &list)
{
	Words all;
	while (count--)
		all += list;
	return all;
}

// ---- the long answer of a folder ----

struct Region {
	Region(Link &link, size_t size) : memory(size), key(link.register_memory(memory))
	{
	}
	Segment segment(u32 length) const
	{
		return {key, length, reinterpret_cast<u64>(memory.data())};
	}

	Bytes memory;
	u32 key;
};

// The folder, with this chunk for the answer.
Words list_with(const Words &reply)
{
	return fixed(XID) + NOTHING + NOTHING + reply + list_call(XID);
}

// By the chunk comes what would have come inline: the answer to this call, which went well.
std::string listed(const sockaddr_in &server)
{
	Link link(server, modest_request());
	const Region region(link, 16384);
	link.send(list_with(chunk({region.segment(8000),
				   {region.key, 8000, region.segment(0).offset + 8000}}))
			  .bytes());
	const auto message = link.receive();
	if (!message)
		return "closed";
	const NfsMessage answer = answer_of(*message);
	if (answer.xid != XID || answer.proc != NOMSG)
		return word_of(answer);
	// Behind the empty lists: the chunk, with what was written into each segment.
	const u32 written = answer.words.at(6) == 1 ? answer.words.at(9) + answer.words.at(13) : 0;
	const NfsMessage inside = answer_of({region.memory.begin(), region.memory.begin() + 64});
	if (inside.xid != XID || inside.version != 1)
		return "something else was written";
	// A verifier, then that it was accepted; then that the compound went well.
	if (inside.words.at(5) || inside.words.at(6))
		return "status " + std::to_string(inside.words.at(6));
	return written > 1024 && written <= 16000 ? "listed" : "a wrong length";
}

std::string small_room(const sockaddr_in &server)
{
	Link link(server, modest_request());
	const Region region(link, 4096);
	link.send(list_with(chunk({region.segment(512)})).bytes());
	return outcome(link);
}

// The call itself lies in memory of the client's.
std::string called_by_chunk(const sockaddr_in &server)
{
	Link link(server, modest_request());
	const Words call = null_call(XID);
	Region region(link, 4096);
	std::copy(call.bytes().begin(), call.bytes().end(), region.memory.begin());
	link.send((fixed(XID, NOMSG) + read_entry(0, region.segment(u32(call.size()))) + EMPTY)
			  .bytes());
	/* A call behind it would overtake it while the server fetches. */
	const auto message = link.receive();
	return message ? word_of(answer_of(*message)) : "closed";
}

// Data in many small pieces: an adapter that reads through memory regions wants one for each.
std::string send_data_in_pieces(Link &link)
{
	constexpr u32 PIECES = 38, PIECE = 512; // as many as a message of 1 KiB has room for
	const Region region(link, size_t(PIECES) * PIECE);
	Words list;
	for (u32 i = 0; i < PIECES; i++)
		list += read_entry(40,
				   {region.key, PIECE, region.segment(0).offset + u64(i) * PIECE});
	link.send((fixed(XID) + list + EMPTY + null_call(XID)).bytes());
	const auto message = link.receive();
	return message ? word_of(answer_of(*message)) : "closed";
}

std::string data_in_pieces(const sockaddr_in &server)
{
	Link link(server, modest_request());
	return send_data_in_pieces(link);
}

// The call is sent when a line or the end of the input comes.
std::string data_in_pieces_on_order(const sockaddr_in &server)
{
	Link link(server, modest_request());
	std::cout << "connected" << std::endl;
	std::cin.get();
	return send_data_in_pieces(link);
}

// The server accepts the message as good, and the adapters find the fault afterwards.
NfsCase ends(const Words &message)
{
	return [message](const sockaddr_in &server) -> std::string {
		Link link(server, modest_request());
		link.send(message.bytes());
		link.wait_closed();
		return "closed";
	};
}

// ---- other ways to be rude ----

std::string flood(const sockaddr_in &server)
{
	constexpr u32 COUNT = 400;
	Link link(server, modest_request());
	for (u32 i = 0; i < COUNT; i++)
		link.send(
			(fixed(XID + i, MSG, 1, 0xffffffff) + EMPTY + null_call(XID + i)).bytes());
	for (u32 i = 0; i < COUNT; i++)
		if (!link.receive())
			return "closed";
	return "answered";
}

// Calls without receives for the answers.
std::string deaf(const sockaddr_in &server)
{
	Link link(server, modest_request(), Rings{.receives = 0});
	for (u32 i = 0; i < 60; i++)
		link.send((fixed(XID + i) + EMPTY + null_call(XID + i)).bytes());
	return "left";
}

NfsCase with_link(void (*rude)(Link &))
{
	return [rude](const sockaddr_in &server) {
		Link link(server, modest_request());
		rude(link);
		return outcome(link);
	};
}

NfsCase requested(const Bytes &request)
{
	return [request](const sockaddr_in &server) {
		Link link(server, request);
		link.send((fixed(XID) + EMPTY + null_call(XID)).bytes());
		return outcome(link);
	};
}

} // namespace

std::string nfs_strangers(const sockaddr_in &server, unsigned count)
{
	/* 16 KiB each way, as Causeway's own client asks for. */
	const Bytes request = (Words{0xf6ab0e18, 0x01000f0f}).bytes();
	std::vector<std::unique_ptr<Link>> links;
	while (count--) {
		links.push_back(std::make_unique<Link>(server, request));
		links.back()->send((fixed(XID) + EMPTY + null_call(XID)).bytes());
		if (!links.back()->receive())
			return "closed";
	}
	std::cout << "connected" << std::endl;
	std::cin.get();
	return "left";
}

NfsCases nfs_cases()
{
	const Words whole = fixed(XID) + EMPTY + null_call(XID);
	const u64 end = ~u64(0);
	return {
		{"honest", words(whole)},
		{"short-empty", cut(0)},
		{"short-fixed", cut(16)},
		{"short-lists", cut(27)},
		{"short-call", cut(32)},
		{"version-0", words(fixed(XID, MSG, 0) + EMPTY + null_call(XID))},
		{"version-2", words(fixed(XID, MSG, 2) + EMPTY + null_call(XID))},
		{"proc-msgp", words(fixed(XID, MSGP) + EMPTY + null_call(XID))},
		{"proc-done", words(fixed(XID, DONE) + EMPTY)},
		{"proc-huge", words(fixed(XID, ~0U) + EMPTY)},
		{"error-report", words(fixed(XID, ERROR) + Words{ERR_CHUNK, 0, 0, 0})},
		{"credits-none", words(fixed(XID, MSG, 1, 0) + EMPTY + null_call(XID))},
		{"credits-huge", words(fixed(XID, MSG, 1, ~0U) + EMPTY + null_call(XID))},

		{"list-word-2", lists(Words{2} + NOTHING + NOTHING)},
		{"list-word-2-write", lists(NOTHING + Words{2} + NOTHING)},
		{"list-word-2-reply", lists(NOTHING + NOTHING + Words{2})},
		{"list-unended", words(fixed(XID) + read_entry(4, NOWHERE) + Words{1, 4, 0, 0})},
		{"count-huge-write",
		 lists(NOTHING + Words{1, HUGE_COUNT} + segment(NOWHERE) + NOTHING + NOTHING)},
		{"count-huge-reply",
		 lists(NOTHING + NOTHING + Words{1, HUGE_COUNT} + segment(NOWHERE))},
		{"count-beyond", words(fixed(XID) + NOTHING + Words{1, 60} + segment(NOWHERE))},
		{"segments-many", reads(times(36, read_entry(4, {1, 4, 0})))},
		{"read-chunks-many", reads(read_entry(4, {1, 4, 0}) + read_entry(8, {1, 4, 0}) +
					   read_entry(12, {1, 4, 0}) + read_entry(16, {1, 4, 0}) +
					   read_entry(20, {1, 4, 0}))},
		{"write-chunks-many",
		 lists(NOTHING + times(5, chunk({NOWHERE})) + NOTHING + NOTHING)},
		{"length-huge", reads(read_entry(4, {1, MUCH, 0}))},
		{"length-sum", reads(times(2, read_entry(4, {1, 1U << 31, 0})))},
		{"length-sum-chunks",
		 reads(read_entry(4, {1, 1 << 20, 0}) + read_entry(8, {1, 1 << 20, 0}))},
		{"segment-wraps", reads(read_entry(4, {1, 4096, end - 100}))},
		{"segment-wraps-reply", lists(NOTHING + NOTHING + chunk({{1, 4096, end - 100}}))},
		{"position-odd", reads(read_entry(41, NOWHERE))},
		{"position-past", reads(read_entry(4096, NOWHERE))},
		{"position-inside", reads(read_entry(20, {1, 400, 0}) + read_entry(24, {1, 4, 0}))},
		{"position-back", reads(read_entry(24, {1, 4, 0}) + read_entry(20, {1, 4, 0}))},
		{"position-0-and-inline", reads(read_entry(0, NOWHERE))},
		{"nomsg-without-chunk", words(fixed(XID, NOMSG) + EMPTY)},
		{"nomsg-empty-chunk", words(fixed(XID, NOMSG) + read_entry(0, {1, 0, 0}) + EMPTY)},
		{"direction-2", words(fixed(XID) + EMPTY + Words{XID, 2, 0, 0, 0, 0})},
		{"direction-other-xid", words(fixed(XID) + EMPTY + null_call(XID + 1))},
		{"reply-unasked", words(fixed(XID) + EMPTY + Words{XID, 1, 0, 0, 0, 0})},

		{"chunks-unused", lists(NOTHING + chunk({NOWHERE}) + NOTHING + chunk({NOWHERE}))},
		{"call-by-chunk", called_by_chunk},
		{"data-in-pieces", data_in_pieces},
		{"data-in-pieces-on-order", data_in_pieces_on_order},
		{"call-by-bad-key", ends(fixed(XID, NOMSG) + read_entry(0, NOWHERE) + EMPTY)},
		{"data-by-bad-key",
		 ends(fixed(XID) + read_entry(40, NOWHERE) + EMPTY + null_call(XID))},
		{"list", listed},
		{"list-no-room", words(list_with(NOTHING))},
		{"list-small-room", small_room},
		{"list-bad-key", ends(list_with(chunk({{0xdead0000, 16000, 0x1000}})))},

		{"flood", flood},
		{"deaf", deaf},
		{"message-too-long", bytes(Bytes(17 * 4096, 0))},
		{"immediate", with_link([](Link &link) {
			 link.send_immediate((fixed(XID) + EMPTY + null_call(XID)).bytes(), 5);
		 })},
		{"invalidate", with_link([](Link &link) {
			 link.send_invalidate((fixed(XID) + EMPTY + null_call(XID)).bytes(),
					      0xdead0000);
		 })},
		{"rdma-write", with_link([](Link &link) {
			 link.rdma(IBV_WR_RDMA_WRITE, 0x1000, 0xdead0000, 64);
		 })},
		{"rdma-read", with_link([](Link &link) {
			 link.rdma(IBV_WR_RDMA_READ, 0x1000, 0xdead0000, 64);
		 })},
		{"request-none", requested({})},
		{"request-version", requested((Words{0xf6ab0e18, 0x02010000}).bytes())},
		{"request-huge", requested((Words{0xf6ab0e18, 0x01ffffff}).bytes())},
		{"request-noise", requested(Bytes(56, 0xee))},
	};
}

} // namespace peer
