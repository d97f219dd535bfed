// SPDX-License-Identifier: GPL-2.0-or-later
// A client that asks for much data and takes no answer: the server keeps the data for it.
#include <poll.h>
#include <unistd.h>

#include <iostream>

#include "cases.h"

namespace peer
{

std::string hoard(const Target &target, unsigned count)
{
	constexpr u32 LEN = 1 << 20;
	constexpr int PROBE_MS = 200;
	cw_hello hello = make_hello(target);
	hello.queues = u16(count);
	hello.depth = 32;
	const Session session(target, hello);
	Bytes memory(LEN);
	std::vector<std::unique_ptr<Link>> links;
	for (u16 i = 0; i < session.welcome.queues; i++) {
		// Without receives, so no answer arrives, and none frees what was read for it.
		links.push_back(session.connect_data(i, {.receives = 0}));
		const u32 rkey = links.back()->lend(memory);
		std::vector<cw_cmd> cmds;
		for (u16 slot = 0; slot < session.welcome.depth; slot++)
			cmds.push_back(bulk(CW_OP_READ, slot, 0, LEN,
					    reinterpret_cast<u64>(memory.data()), rkey));
		links.back()->send(commands(*links.back(), cmds).bytes());
	}
	std::cout << "asked for " << links.size() * size_t(session.welcome.depth) * LEN / (1 << 20)
		  << " MiB" << std::endl;
	// The control link shows that this client is there.
	pollfd input{STDIN_FILENO, POLLIN, 0};
	while (!poll(&input, 1, PROBE_MS)) {
		session.control->send(message(*session.control, CW_MSG_PROBE).bytes());
		expect(*session.control, CW_MSG_ALIVE);
	}
	return "left";
}

} // namespace peer
