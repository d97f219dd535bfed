// SPDX-License-Identifier: GPL-2.0-or-later
#include "path.h"

#include <asm/byteorder.h>
#include <unistd.h>

#include <cstring>

namespace peer
{

namespace
{

void append(Bytes &to, const Bytes &more, size_t len)
{
	if (more.size() < len)
		throw Failure("a struct of the path is cut");
	to.insert(to.end(), more.begin(), more.begin() + ptrdiff_t(len));
}

// The MAC of @rec, whose own MAC is zero here, behind the set-up of @control and @before.
Secret mac_of(const Secret &secret, const char *label, const Link &control, const Bytes &before, const Bytes &rec)
{
	Bytes all;
	append(all, raw(control_request()), sizeof(cw_wire_req));
	append(all, control.acceptance(), sizeof(cw_wire_rep));
	append(all, before, before.size());
	append(all, Bytes(CW_WIRE_MAC), CW_WIRE_MAC);
	all.insert(all.end(), rec.begin() + CW_WIRE_MAC, rec.end());
	return hmac({secret.begin(), secret.end()}, label, all);
}

cw_wire_join packed_join(const cw_join &join)
{
	cw_wire_join wire;
	cw_pack_join(&wire, &join);
	return wire;
}

Bytes packed_incarnation(u8 path, u64 epoch, u64 tag = 0)
{
	const cw_incarnation which{.path = path, .tag = tag, .epoch = epoch};
	cw_wire_incarnation wire;
	cw_pack_incarnation(&wire, &which);
	return raw(wire);
}

} // namespace

cw_hello hello_with_paths(const Target &target)
{
	cw_hello hello = make_hello(target);
	hello.features_offered = CW_FEATURE_PATHS;
	return hello;
}

cw_join make_join(const Session &session, u8 path, u64 epoch)
{
	const cw_hello &hello = session.hello;
	cw_join join{};
	join.path = path;
	join.features = CW_FEATURE_PATHS;
	memcpy(join.host, hello.host, sizeof(join.host));
	memcpy(join.boot, hello.boot, sizeof(join.boot));
	memcpy(join.session, hello.session, sizeof(join.session));
	join.epoch = epoch;
	fill_random(join.nonce, sizeof(join.nonce));
	join.queues = hello.queues;
	join.depth = hello.depth;
	join.inline_size = hello.inline_size;
	join.max_io = hello.max_io;
	join.area = hello.area;
	join.messages = hello.messages;
	return join;
}

void send_fence(Link &control, u8 path, u64 epoch, u64 tag)
{
	control.send(message(control, CW_MSG_FENCE, packed_incarnation(path, epoch, tag)).bytes());
}

void fence(Link &control, u8 path, u64 epoch, u64 tag)
{
	send_fence(control, path, epoch, tag);
	if (expect(control, CW_MSG_FENCED) != packed_incarnation(path, epoch))
		throw Failure("FENCED names another incarnation than FENCE");
}

void announce(Link &control, const cw_join &join)
{
	fence(control, join.path, join.epoch - 1, cw_join_tag(join.nonce));
}

void send_path_bye(Link &control, u8 path, u64 epoch)
{
	control.send(message(control, CW_MSG_PATH_BYE, packed_incarnation(path, epoch)).bytes());
}

Path::Path(const Session &session, const cw_join &join) : Path(session.target, packed_join(join), session.secret)
{
}

Path::Path(const Target &to, cw_wire_join join, const Secret &s, const std::function<void(cw_wire_join &)> &harm)
    : target(to), wire(join), secret(s), control(connect_control(to))
{
	const Secret mac = mac_of(secret, "join", *control, {}, raw(wire));
	memcpy(wire.mac, mac.data(), sizeof(wire.mac));
	if (harm)
		harm(wire);
	control->send(message(*control, CW_MSG_JOIN, raw(wire)).bytes());
}

void Path::take_joined()
{
	const Bytes got = expect(*control, CW_MSG_JOINED);
	cw_join wish;
	if (cw_parse_join(&wire, sizeof(wire), &wish) ||
	    cw_parse_joined(got.data(), got.size(), &wish, CW_FEATURE_PATHS, &joined))
		throw Failure("the server's JOINED is malformed");
	const Secret mac = mac_of(secret, "joined", *control, raw(wire), got);
	if (memcmp(mac.data(), joined.mac, sizeof(joined.mac)) != 0)
		throw Failure("the MAC of JOINED is wrong");
}

void Path::wait_refused(Session &session)
{
	for (;;) {
		show_presence(*session.control);
		show_presence(*control); // throws Ended at REFUSED
		usleep(200'000);
	}
}

std::unique_ptr<Link> Path::connect_data() const
{
	return std::make_unique<Link>(target.server,
				      raw(data_request(joined.number, joined.epoch, 0, secret)));
}

Path join(const Session &session, Link &by, u8 path, u64 epoch)
{
	const cw_join wish = make_join(session, path, epoch);
	announce(by, wish);
	Path joined(session, wish);
	joined.take_joined();
	return joined;
}

} // namespace peer
