// SPDX-License-Identifier: GPL-2.0-or-later
// Paths that join a session (PROTOCOL, section 7). Every part of a JOIN may be harmed.
#ifndef PEER_PATH_H
#define PEER_PATH_H

#include <functional>

#include "session.h"

namespace peer
{

// A HELLO that offers PATHS.
cw_hello hello_with_paths(const Target &target);
// The JOIN of a path with @epoch. The MAC is missing.
cw_join make_join(const Session &session, u8 path, u64 epoch);

// @tag: of the JOIN that this FENCE announces; 0: none.
void send_fence(Link &control, u8 path, u64 epoch, u64 tag = 0);
// Sends FENCE and waits for its FENCED.
void fence(Link &control, u8 path, u64 epoch, u64 tag = 0);
// Announces @join by a FENCE and waits for its FENCED.
void announce(Link &control, const cw_join &join);
void send_path_bye(Link &control, u8 path, u64 epoch);

// A path up to its JOIN.
struct Path {
	Path(const Session &session, const cw_join &join);
	// With this secret, and changed after the MAC was computed.
	Path(const Target &target, cw_wire_join join, const Secret &secret,
	     const std::function<void(cw_wire_join &)> &harm = {});

	// Waits for JOINED and checks it.
	void take_joined();
	// Waits until the server refuses JOIN, while @session shows its presence too.
	[[noreturn]] void wait_refused(Session &session);
	std::unique_ptr<Link> connect_data() const;

	Target target;
	cw_wire_join wire;
	Secret secret;
	std::unique_ptr<Link> control;
	cw_joined joined{};
};

// A path that FENCE has announced on @by, and that joined.
Path join(const Session &session, Link &by, u8 path, u64 epoch);

} // namespace peer

#endif
