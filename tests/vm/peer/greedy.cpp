// SPDX-License-Identifier: GPL-2.0-or-later
// Clients that ask for much data and let no transfer end: the server keeps memory for them.
#include <iostream>

#include "cases.h"
#include "clock.h"
#include "input.h"

namespace peer
{

namespace
{

struct Greed {
	u8 op = CW_OP_READ;
	u16 messages = Link::RECEIVES; // that it says it takes
	Rings rings = {};
	u32 drips = 0; // credit for so many messages of the first link, one each two seconds
};

void give_credit(Link &link, u32 credit)
{
	Message m = message(link, CW_MSG_ALIVE);
	cw_pack_tail(&m.tail, CW_MSG_ALIVE, 0, 0, link.ordinal - 1, credit);
	link.send(m.bytes());
}

// Asks for as much as it may on @count links, and does nothing that would let a transfer end.
std::string ask_for_much(const Target &target, unsigned count, const Greed &greed)
{
	constexpr u32 LEN = 1 << 20;
	constexpr int PROBE_MS = 200;
	constexpr unsigned PROBES_A_DROP = 2000 / PROBE_MS;
	cw_hello hello = make_hello(target);
	hello.queues = u16(count);
	hello.depth = 32;
	hello.messages = greed.messages;
	const Session session(target, hello);
	Bytes memory(LEN);
	std::vector<std::unique_ptr<Link>> links;
	for (u16 i = 0; i < session.welcome.queues; i++) {
		links.push_back(session.connect_data(i, greed.rings));
		std::vector<cw_cmd> cmds;
		// An answer invalidates the key that it is for, so each command has its own.
		for (u16 slot = 0; slot < session.welcome.depth; slot++)
			cmds.push_back(transfer_command(greed.op, slot, 0, LEN,
							reinterpret_cast<u64>(memory.data()),
							links.back()->register_memory(memory)));
		links.back()->send(commands(*links.back(), cmds).bytes());
	}
	std::cout << "asked for " << links.size() * size_t(session.welcome.depth) * LEN / (1 << 20)
		  << " MiB" << std::endl;
	const auto start = Clock::now();
	try {
		for (unsigned probes = 1; !input_has_ended(PROBE_MS); probes++) {
			show_presence(*session.control);
			const u32 drops = probes / PROBES_A_DROP;
			if (probes % PROBES_A_DROP == 0 && drops <= greed.drips)
				give_credit(*links.front(), drops);
		}
	} catch (const Ended &) {
		return "closed after " + std::to_string(milliseconds_since(start)) + " ms";
	}
	return "left";
}

} // namespace

std::string hoard(const Target &target, unsigned count)
{
	// Without receives no answer arrives, and none frees what was read for it.
	return ask_for_much(target, count, {.rings = {.receives = 0}});
}

std::string drip(const Target &target, unsigned count)
{
	return ask_for_much(target, count, {.rings = {.receives = 0}, .drips = 4});
}

std::string withhold(const Target &target, unsigned count)
{
	return ask_for_much(target, count, {.messages = 4}); // the fewest that a client may take
}

std::string unread(const Target &target, unsigned count)
{
	return ask_for_much(target, count, {.op = CW_OP_WRITE, .rings = {.reads = 0}});
}

} // namespace peer
