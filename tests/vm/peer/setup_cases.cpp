// SPDX-License-Identifier: GPL-2.0-or-later
// Wrong connection requests (PROTOCOL, section 2). All are refused before anything is made.
#include <asm/byteorder.h>

#include <random>

#include "cases.h"

namespace peer
{

namespace
{

template <class Harm> Case control_case(Harm harm)
{
	return [harm](const Target &target) -> std::string {
		cw_wire_req req = control_request();
		harm(req);
		Link link(target.server, raw(req));
		return "accepted";
	};
}

// The request of a second data link, harmed; the session must live on.
template <class Harm> Case data_case(Harm harm)
{
	return [harm](const Target &target) -> std::string {
		cw_hello hello = make_hello(target);
		hello.queues = 2;
		const Session session(target, hello);
		const auto first = session.connect_data(0);
		cw_wire_req req = session.request(1);
		harm(session, req);
		std::string end = "accepted";
		try {
			Link second(target.server, raw(req));
		} catch (const Ended &ended) {
			end = ended.what();
		}
		first->send(commands(*first, {inline_read(0, 0)}).bytes());
		if (!answer(*first, session))
			end += ", and the session is over";
		return end;
	};
}

// A link into the session of a control link that has not logged in, with the token that its empty
// secret would make. Numbers of sessions are given one after the other.
std::string data_unproved(const Target &target)
{
	const Session session(target);
	const auto stranger = connect_control(target);
	Link link(target.server, raw(data_request(session.welcome.number + 1, 0, 0, {})));
	return "accepted";
}

std::string no_data(const Target &target)
{
	Link link(target.server, {});
	return "accepted";
}

std::string random_requests(const Target &target)
{
	std::mt19937 random(1);
	for (int i = 0; i < 20; i++) {
		Bytes request(1 + random() % 56);
		for (u8 &byte : request)
			byte = u8(random());
		try {
			Link link(target.server, request);
			return "accepted";
		} catch (const Ended &ended) {
			if (std::string(ended.what()).find("malformed") == std::string::npos)
				return ended.what();
		}
	}
	return "all rejected: malformed";
}

} // namespace

Cases setup_cases()
{
	return {
		{"req-magic", control_case([](auto &r) { r.magic ^= 1; })},
		{"req-version", control_case([](auto &r) {
			 r.version_min = __cpu_to_le16(3);
			 r.version_max = __cpu_to_le16(4);
		 })},
		{"req-version-1", control_case([](auto &r) { r = control_request(1, 1); })},
		{"req-versions-reversed",
		 control_case([](auto &r) { r.version_min = __cpu_to_le16(3); })},
		{"req-kind", control_case([](auto &r) { r.kind = 9; })},
		{"req-transport", control_case([](auto &r) { r.transport = CW_WIRE_TCP; })},
		{"req-no-transport", control_case([](auto &r) { r.transport = 0; })},
		{"req-reserved", control_case([](auto &r) { r.reserved0[7] = 1; })},
		{"req-control-token", control_case([](auto &r) { r.token[0] = 1; })},
		{"req-none", no_data},
		{"req-random", random_requests},
		{"data-token", data_case([](auto &, auto &r) { r.token[15] ^= 1; })},
		// Version 1 would have sent a token without the epoch, or with another one.
		{"data-token-epoch", data_case([](auto &s, auto &r) {
			 r = data_request(s.welcome.number, s.hello.epoch + 1, 1, s.secret);
		 })},
		{"data-stranger", data_case([](auto &, auto &r) { r.number ^= 0x40; })},
		{"data-taken", data_case([](auto &s, auto &r) { r = s.request(0); })},
		{"data-index",
		 data_case([](auto &s, auto &r) { r = s.request(s.welcome.queues); })},
		{"data-index-huge",
		 data_case([](auto &, auto &r) { r.index = __cpu_to_le16(0xffff); })},
		{"data-unproved", data_unproved},
	};
}

} // namespace peer
