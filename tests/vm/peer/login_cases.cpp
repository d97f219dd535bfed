// SPDX-License-Identifier: GPL-2.0-or-later
// Wrong control links (PROTOCOL, sections 3 and 4).
#include <asm/byteorder.h>

#include <iostream>

#include "cases.h"

namespace peer
{

namespace
{

std::string closed(Link &link)
{
	link.wait_closed();
	return "closed";
}

template <class Harm> Case hello_case(Harm harm)
{
	return [harm](const Target &target) -> std::string {
		const auto control = connect_control(target);
		cw_wire_hello hello = packed(make_hello(target));
		harm(hello);
		send_hello(*control, hello);
		expect(*control, CW_MSG_CHALLENGE);
		return "challenged";
	};
}

cw_hello returning(const Target &target)
{
	cw_hello hello = make_hello(target);
	hello.flags = CW_HELLO_RETURNING;
	hello.epoch = 9;
	hello.last = 8;
	return hello;
}

// The HELLO of a session that was live before.
template <class Harm> Case return_case(Harm harm)
{
	return [harm](const Target &target) -> std::string {
		const auto control = connect_control(target);
		cw_wire_hello hello = packed(returning(target));
		harm(hello);
		send_hello(*control, hello);
		expect(*control, CW_MSG_CHALLENGE);
		return "challenged";
	};
}

// A message that is well-formed and comes at the wrong time.
Case stray_case(u8 type, size_t data_len, bool logged_in)
{
	return [=](const Target &target) -> std::string {
		if (!logged_in) {
			const auto control = connect_control(target);
			control->send(message(*control, type, Bytes(data_len)).bytes());
			return closed(*control);
		}
		const Session session(target);
		Link &control = *session.control;
		control.send(message(control, type, Bytes(data_len)).bytes());
		return closed(control);
	};
}

std::string no_login(const Target &target)
{
	const auto control = connect_control(target);
	return closed(*control);
}

std::string half_a_login(const Target &target)
{
	const auto control = connect_control(target);
	send_hello(*control, packed(make_hello(target)));
	expect(*control, CW_MSG_CHALLENGE);
	return closed(*control);
}

std::string no_data_links(const Target &target)
{
	const Session session(target);
	return closed(*session.control);
}

std::string hello_twice(const Target &target)
{
	const auto control = connect_control(target);
	const cw_wire_hello hello = packed(make_hello(target));
	send_hello(*control, hello);
	expect(*control, CW_MSG_CHALLENGE);
	send_hello(*control, hello);
	return closed(*control);
}

std::string hello_after_refusal(const Target &target)
{
	const auto control = connect_control(target);
	const cw_wire_hello hello = packed(make_hello(target));
	send_hello(*control, hello);
	try {
		expect(*control, CW_MSG_CHALLENGE);
		return "challenged";
	} catch (const Ended &refused) {
		std::cerr << refused.what() << '\n';
	}
	send_hello(*control, hello);
	return closed(*control);
}

std::string wrong_proof(const Target &target)
{
	const auto control = connect_control(target);
	send_hello(*control, packed(make_hello(target)));
	expect(*control, CW_MSG_CHALLENGE);
	send_proof(*control, 1);
	expect(*control, CW_MSG_WELCOME);
	return "welcomed";
}

// The epoch of a session that is there already.
std::string stale(const Target &target)
{
	const Session session(target);
	const Session again(target, session.hello);
	return "welcomed";
}

// The same session comes back, as the protocol says.
std::string comes_back(const Target &target)
{
	const Session session(target);
	const Session again(target, session.next_hello());
	session.control->wait_closed();
	return "welcomed";
}

// The end in order: FAREWELL, and no data link from GOODBYE on.
std::string goodbye(const Target &target)
{
	const Session session(target);
	const auto data = session.connect_data();
	session.control->send(message(*session.control, CW_MSG_GOODBYE).bytes());
	expect(*session.control, CW_MSG_FAREWELL);
	data->wait_closed();
	try {
		session.connect_data();
		return "accepted";
	} catch (const Ended &ended) {
		return std::string("farewell, then ") + ended.what();
	}
}

// Behind GOODBYE nothing may come but signs of life.
std::string goodbye_twice(const Target &target)
{
	const Session session(target);
	Link &control = *session.control;
	control.send(message(control, CW_MSG_GOODBYE).bytes());
	send_probe(control);
	control.send(message(control, CW_MSG_GOODBYE).bytes());
	return closed(control);
}

std::string discover_after_hello(const Target &target)
{
	const auto control = connect_control(target);
	send_hello(*control, packed(make_hello(target)));
	expect(*control, CW_MSG_CHALLENGE);
	control->send(message(*control, CW_MSG_DISCOVER, Bytes(sizeof(cw_wire_discover))).bytes());
	return closed(*control);
}

void send_discovers(Link &control, int count)
{
	cw_wire_discover ask{};
	ask.magic = __cpu_to_le32(CW_WIRE_MAGIC);
	ask.version = __cpu_to_le16(CW_WIRE_VERSION);
	for (int i = 0; i < count; i++)
		control.send(message(control, CW_MSG_DISCOVER, raw(ask)).bytes());
}

// More letters at once than a server keeps. It may also be fast enough to answer them all.
std::string letter_flood(const Target &target)
{
	const auto control = connect_control(target);
	send_discovers(*control, 200);
	for (int i = 0; i < 200; i++)
		if (!control->receive())
			return "closed";
	return "answered";
}

// DISCOVER while its login waits for a command of the epoch before. For an export whose disk does
// not answer.
std::string discover_behind_a_fence(const Target &target)
{
	const Session before(target);
	const auto data = before.connect_data();
	data->send(commands(*data, {inline_read(0, 0)}).bytes());
	// Beyond the end of every export: answered at once, after the first was taken.
	data->send(commands(*data, {inline_read(1, 1ULL << 60)}).bytes());
	const std::optional<Answer> refused = answer(*data, before);
	if (!refused || refused->done.size() != 1 || refused->done[0].slot != 1)
		throw Failure("the disk of the export answers");

	const cw_hello hello = before.next_hello();
	const auto control = connect_control(target);
	send_hello(*control, packed(hello));
	expect(*control, CW_MSG_CHALLENGE);
	send_proof(*control);
	before.control->wait_closed();
	send_discovers(*control, 1);
	return closed(*control);
}

// As many signs of life as one likes; the data link is still served.
std::string probe_flood(const Target &target)
{
	const Session session(target);
	const auto data = session.connect_data();
	for (int i = 0; i < 300; i++)
		send_probe(*session.control, u64(i));
	data->send(commands(*data, {inline_read(0, 0)}).bytes());
	if (!answer(*data, session))
		return "closed";
	return session.control->closed() ? "closed" : "answered";
}

} // namespace

Cases login_cases()
{
	return {
		{"login-none", no_login},
		{"login-half", half_a_login},
		{"login-no-data-links", no_data_links},
		{"hello-twice", hello_twice},
		{"hello-after-refusal", hello_after_refusal},
		{"hello-magic", hello_case([](auto &h) { h.magic ^= 1; })},
		{"hello-version", hello_case([](auto &h) { h.version = __cpu_to_le16(3); })},
		{"hello-version-1", hello_case([](auto &h) { h.version = __cpu_to_le16(1); })},
		{"hello-epoch", hello_case([](auto &h) { h.epoch = 0; })},
		{"hello-serial", hello_case([](auto &h) { h.serial = 0; })},
		{"hello-last", hello_case([](auto &h) { h.last = __cpu_to_le64(1); })},
		{"hello-receipt", hello_case([](auto &h) { h.receipt[15] = 1; })},
		{"hello-path", hello_case([](auto &h) { h.path = 1; })},
		{"hello-reserved", hello_case([](auto &h) { h.reserved[6] = 1; })},
		{"return-last-none", return_case([](auto &h) { h.last = 0; })},
		{"return-last-above", return_case([](auto &h) { h.last = h.epoch; })},
		{"return-epoch", return_case([](auto &h) { h.epoch = 0; })},
		{"comes-back", comes_back},
		{"goodbye", goodbye},
		{"goodbye-twice", goodbye_twice},
		{"goodbye-first", stray_case(CW_MSG_GOODBYE, 0, false)},
		{"probe-first", stray_case(CW_MSG_PROBE, sizeof(cw_wire_probe), false)},
		{"alive-first", stray_case(CW_MSG_ALIVE, sizeof(cw_wire_probe), false)},
		{"probe-without-a-cookie", stray_case(CW_MSG_PROBE, 0, true)},
		{"join-first", stray_case(CW_MSG_JOIN, sizeof(cw_wire_join), false)},
		{"fence-when-live", stray_case(CW_MSG_FENCE, sizeof(cw_wire_incarnation), true)},
		{"path-bye-when-live",
		 stray_case(CW_MSG_PATH_BYE, sizeof(cw_wire_incarnation), true)},
		{"farewell-to-server", stray_case(CW_MSG_FAREWELL, 0, true)},
		{"discover-after-hello", discover_after_hello},
		{"hello-feature", hello_case([](auto &h) {
			 h.features_offered = __cpu_to_le64(1ULL << 40);
			 h.features_required = __cpu_to_le64(1ULL << 40);
		 })},
		{"hello-feature-not-offered",
		 hello_case([](auto &h) { h.features_required = __cpu_to_le64(1); })},
		{"hello-flags", hello_case([](auto &h) { h.flags = __cpu_to_le16(0x80); })},
		{"hello-name", hello_case([](auto &h) { h.export_name[0] = '/'; })},
		{"hello-name-unending",
		 hello_case([](auto &h) { memset(h.export_name, 'a', sizeof(h.export_name)); })},
		{"hello-host", hello_case([](auto &h) { memset(h.host, 0, sizeof(h.host)); })},
		{"hello-no-queues", hello_case([](auto &h) { h.queues = 0; })},
		{"hello-no-depth", hello_case([](auto &h) { h.depth = 0; })},
		{"hello-max-io", hello_case([](auto &h) { h.max_io = __cpu_to_le32(4097); })},
		{"hello-inline", hello_case([](auto &h) { h.inline_size = __cpu_to_le32(1); })},
		{"hello-stale", stale},
		{"proof-first", stray_case(CW_MSG_PROOF, CW_WIRE_MAC, false)},
		{"proof-wrong", wrong_proof},
		{"challenge-to-server",
		 stray_case(CW_MSG_CHALLENGE, sizeof(cw_wire_challenge), false)},
		{"commands-before-login", stray_case(CW_MSG_COMMANDS, 0, false)},
		{"hello-when-live", stray_case(CW_MSG_HELLO, sizeof(cw_wire_hello), true)},
		{"proof-when-live", stray_case(CW_MSG_PROOF, CW_WIRE_MAC, true)},
		{"discover-when-live", stray_case(CW_MSG_DISCOVER, sizeof(cw_wire_discover), true)},
		{"letter-flood", letter_flood},
		{"discover-behind-a-fence", discover_behind_a_fence},
		{"probe-flood", probe_flood},
	};
}

} // namespace peer
