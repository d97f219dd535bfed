// SPDX-License-Identifier: GPL-2.0-or-later
// Clients that leave while the server still has discards of theirs (PROTOCOL, sections 8 and 9).
#include <asm/byteorder.h>

#include <iostream>

#include "cases.h"
#include "input.h"

namespace peer
{

namespace
{

using Ranges = std::vector<cw_wire_range>;

constexpr Rings FEW_SENDS = {.sends = 4};
constexpr u16 DEPTH = 128; // of each link
constexpr int PROBE_MS = 500;

cw_wire_range range(u64 offset, u64 len)
{
	return {__cpu_to_le64(offset), __cpu_to_le64(len)};
}

// As many commands as fit into one message, which say what to discard behind one another.
void send_discards(Link &link, u16 first_slot, const std::vector<Ranges> &discards)
{
	std::vector<cw_cmd> cmds;
	Bytes data;
	for (const Ranges &ranges : discards) {
		cw_cmd cmd{};
		cmd.op = CW_OP_DISCARD;
		cmd.flags = CW_CMD_INLINE;
		cmd.slot = u16(first_slot + cmds.size());
		cmd.data_off = u32(data.size());
		for (const cw_wire_range &each : ranges) {
			const Bytes bytes = raw(each);
			data.insert(data.end(), bytes.begin(), bytes.end());
		}
		cmd.data_len = u32(data.size()) - cmd.data_off;
		cmds.push_back(cmd);
	}
	link.send(commands(link, cmds, data).bytes());
}

// Sends @count discards on as many links as they need, and leaves at the end of the input. No
// answer is waited for.
std::string ask_and_leave(const Target &target, unsigned count,
			  const std::function<Ranges(unsigned nr)> &ranges_of)
{
	cw_hello hello = make_hello(target);
	hello.queues = u16((count + DEPTH - 1) / DEPTH);
	hello.depth = DEPTH;
	const Session session(target, hello);
	if (session.welcome.queues < hello.queues || session.welcome.depth < DEPTH)
		throw Failure("the server grants too little");
	std::vector<std::unique_ptr<Link>> links;
	for (u16 i = 0; i < session.welcome.queues; i++)
		links.push_back(session.connect_data(i, FEW_SENDS));
	for (unsigned nr = 0; nr < count;) {
		Link &link = *links.at(nr / DEPTH);
		const u16 slot = u16(nr % DEPTH);
		std::vector<Ranges> together;
		do {
			together.push_back(ranges_of(nr++));
		} while (nr < count && nr % CW_WIRE_RECORDS);
		send_discards(link, slot, together);
	}
	std::cout << "asked for " << count << " discards" << std::endl;
	while (!input_has_ended(PROBE_MS))
		show_presence(*session.control);
	return "left";
}

} // namespace

std::string discards(const Target &target, unsigned count)
{
	constexpr unsigned RANGES = 4;
	return ask_and_leave(target, count, [](unsigned nr) {
		Ranges ranges;
		for (u64 block = u64(nr) * RANGES; ranges.size() < RANGES; block++)
			ranges.push_back(range(block * CW_WIRE_PAGE, CW_WIRE_PAGE));
		return ranges;
	});
}

std::string wipes(const Target &target, unsigned count)
{
	// The most that one command may ask for: a smaller disk is discarded several times.
	return ask_and_leave(target, count, [](unsigned) { return Ranges(4, range(0, 64 << 20)); });
}

} // namespace peer
