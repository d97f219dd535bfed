// SPDX-License-Identifier: GPL-2.0-or-later
// Clients that exist twice, or that were replaced (docs/PROTOCOL.md, section 5). The first client
// is the original; it answers PROBEs only where a case says so.
#include "cases.h"

namespace peer
{

namespace
{

// A login up to its PROOF.
std::unique_ptr<Link> begin_login(const Target &target, const cw_hello &hello)
{
	auto control = connect_control(target);
	send_hello(*control, packed(hello));
	expect(*control, CW_MSG_CHALLENGE);
	send_proof(*control);
	return control;
}

// Answers the PROBE that is there. False: the server closed the link.
bool answer_probe(Link &control)
{
	const std::optional<Bytes> bytes = control.receive();
	if (!bytes)
		return false;
	const cw_frame frame = frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, false);
	u64 cookie;
	if (frame.type != CW_MSG_PROBE || cw_parse_probe(bytes->data(), frame.data_len, &cookie) || !cookie)
		throw Failure("message " + std::to_string(frame.type) + " instead of a PROBE with a cookie");
	send_alive(control, cookie);
	return true;
}

// Returns the server's answer to a login while @original answers probes.
std::string outcome_beside(Link &login, Link &original)
{
	for (bool open = true; !login.ready();) {
		if (open)
			Link::wait_any({&login, &original});
		else
			Link::wait_any({&login});
		if (open && original.ready())
			open = answer_probe(original);
	}
	expect(login, CW_MSG_WELCOME);
	return "welcomed";
}

std::string served(const Session &session, Link &data)
{
	data.send(commands(data, {inline_read(0, 0)}).bytes());
	const std::optional<Answer> got = answer(data, session);
	return got && got->done.size() == 1 && got->done[0].status == CW_STATUS_OK ? "served" : "not served";
}

// The result of a login, whatever it is.
template <class Login> std::string result(Login login)
{
	try {
		return login();
	} catch (const Ended &ended) {
		return ended.what();
	}
}

std::string log_in(const Target &target, const cw_hello &hello)
{
	return result([&] {
		const Session session(target, hello);
		return std::string("welcomed");
	});
}

cw_hello of_a_later_boot(const cw_hello &hello)
{
	cw_hello next = hello;
	fill_random(next.boot, sizeof(next.boot));
	fill_random(next.session, sizeof(next.session));
	fill_random(next.nonce, sizeof(next.nonce));
	return next;
}

// A copy of the client's memory runs beside the client.
std::string copy_beside(const Target &target)
{
	const Session original(target);
	const auto data = original.connect_data();
	const auto copy = begin_login(target, original.next_hello());
	const std::string said = result([&] { return outcome_beside(*copy, *original.control); });
	return said + "; the original is " + served(original, *data);
}

// The client lost its connection without noticing at the server, and logs in again.
std::string copy_absent(const Target &target)
{
	const Session original(target);
	const auto data = original.connect_data();
	const Session again(target, original.next_hello());
	original.control->wait_closed();
	return "welcomed";
}

// The copy was made before the client's last login.
std::string copy_older(const Target &target)
{
	const Session original(target);
	original.connect_data();
	const Session again(target, original.next_hello());
	again.connect_data();
	cw_hello copy = original.next_hello();
	copy.epoch = again.hello.epoch + 7;
	return log_in(target, copy);
}

// A generation that the server never had means nothing without its receipt.
std::string receipt_forged(const Target &target)
{
	const Session original(target);
	original.connect_data();
	cw_hello hello = original.next_hello();
	hello.generation += 1000;
	return log_in(target, hello);
}

// Another machine with the same host UUID attaches the disk.
std::string clone_beside(const Target &target)
{
	const Session original(target);
	const auto data = original.connect_data();
	const auto clone = begin_login(target, of_a_later_boot(original.hello));
	const std::string said = result([&] { return outcome_beside(*clone, *original.control); });
	return said + "; the original is " + served(original, *data);
}

// The machine was started elsewhere while the old one does not answer, and the old one comes back.
std::string clone_absent(const Target &target)
{
	const Session original(target);
	original.connect_data();
	const cw_hello later = of_a_later_boot(original.hello);
	const std::string said = log_in(target, later);
	return said + "; the original: " + log_in(target, original.next_hello());
}

// A second attachment of one boot has to have a higher serial, also after GOODBYE.
std::string serial_again(const Target &target)
{
	cw_hello hello;
	{
		const Session session(target);
		hello = session.hello;
		session.control->send(message(*session.control, CW_MSG_GOODBYE).bytes());
		expect(*session.control, CW_MSG_FAREWELL);
	}
	fill_random(hello.session, sizeof(hello.session));
	const std::string said = log_in(target, hello);
	hello.serial++;
	return said + "; a higher one: " + log_in(target, hello);
}

// A session that the server never knew says that it was live.
std::string return_unknown(const Target &target)
{
	cw_hello hello = make_hello(target);
	hello.flags = CW_HELLO_RETURNING;
	hello.epoch = 9;
	hello.last = 8;
	return log_in(target, hello);
}

} // namespace

Cases copy_cases()
{
	return {
		{"copy-beside", copy_beside},	{"copy-absent", copy_absent},
		{"copy-older", copy_older},	{"receipt-forged", receipt_forged},
		{"clone-beside", clone_beside}, {"clone-absent", clone_absent},
		{"serial-again", serial_again}, {"return-unknown", return_unknown},
	};
}

} // namespace peer
