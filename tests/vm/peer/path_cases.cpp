// SPDX-License-Identifier: GPL-2.0-or-later
// Paths that join, and paths that must not (PROTOCOL, section 7).
#include <asm/byteorder.h>
#include <unistd.h>

#include <cstring>
#include <iostream>

#include "cases.h"
#include "input.h"
#include "path.h"

namespace peer
{

namespace
{

constexpr u8 SECOND = 1, THIRD = 2; // the numbers of paths that join; the login is path 0

std::string closed(Link &link)
{
	link.wait_closed();
	return "closed";
}

std::string served(const Session &session, Link &data)
{
	data.send(commands(data, {inline_read(0, 0)}).bytes());
	const std::optional<Answer> got = answer(data, session);
	return got && got->done.size() == 1 && got->done[0].status == CW_STATUS_OK ? "served" : "not served";
}

std::string outcome(Path &path)
{
	path.take_joined();
	return "joined";
}

void say_goodbye(Link &control)
{
	control.send(message(control, CW_MSG_GOODBYE).bytes());
	expect(control, CW_MSG_FAREWELL);
}

// The data of the next message of this type. Shows the server meanwhile that this client is there.
Bytes wait_for(Link &control, u8 type)
{
	for (;;) {
		send_probe(control);
		const std::optional<Bytes> bytes = control.receive();
		if (!bytes)
			throw Ended("closed");
		const cw_frame frame = frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, false);
		if (frame.type == type)
			return {bytes->begin(), bytes->begin() + frame.data_len};
		usleep(200'000);
	}
}

// ---- paths that join ----

std::string joins(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const Path path = join(session, *session.control, SECOND, 2);
	const auto data = path.connect_data();
	return served(session, *data);
}

std::string joins_before_its_fence(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const cw_join wish = make_join(session, SECOND, 2);
	Path path(session, wish);
	show_presence(*path.control);
	send_fence(*session.control, SECOND, 1, cw_join_tag(wish.nonce));
	return outcome(path);
}

// The path of the login is fenced, and joins again.
std::string outlives_its_login(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const Path path = join(session, *session.control, SECOND, 2);
	const auto data = path.connect_data();
	const cw_join wish = make_join(session, 0, 3);
	announce(*path.control, wish);
	session.control->wait_closed();
	Path again(session, wish);
	again.take_joined();
	return served(session, *data) + ", " + served(session, *again.connect_data());
}

// For a server that has no room for another session.
std::string counts_without_its_login(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const Path path = join(session, *session.control, SECOND, 2);
	const auto data = path.connect_data();
	fence(*path.control, 0, 2);
	const Session stranger(target);
	return "another session was let in";
}

std::string goodbye_on_a_path(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const Path path = join(session, *session.control, SECOND, 2);
	const auto data = session.connect_data();
	say_goodbye(*path.control);
	data->wait_closed();
	session.control->wait_closed();
	Path late(session, make_join(session, 2, 3));
	return outcome(late);
}

std::string path_bye(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const auto data = session.connect_data();
	const Path path = join(session, *session.control, SECOND, 2);
	send_path_bye(*path.control, SECOND, 2);
	path.control->wait_closed();
	return "closed, " + served(session, *data);
}

// The other path may have ended at the server before the client sees that.
std::string last_path_bye(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	send_path_bye(*session.control, 0, 1);
	return closed(*session.control);
}

std::string fences_of_an_idle_path(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const auto data = session.connect_data(); // without one, the server ends the session after 10 s
	for (u64 epoch = 1; epoch <= 1000; epoch++)
		fence(*session.control, SECOND, epoch);
	return "fenced";
}

// More than a server keeps. It may also be fast enough to answer them all.
std::string flood_of_fences(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	for (u64 epoch = 1; epoch <= 1000; epoch++)
		send_fence(*session.control, SECOND, epoch);
	for (cw_incarnation which{}; which.epoch != 1000;) {
		const std::optional<Bytes> bytes = session.control->receive();
		if (!bytes)
			return "closed";
		const cw_frame frame = frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, false);
		if (frame.type == CW_MSG_FENCED && cw_parse_incarnation(bytes->data(), frame.data_len, &which))
			throw Failure("FENCED is malformed");
	}
	return "answered";
}

// For an export whose disk does not answer until "waits" was printed.
std::string fence_behind_commands(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const auto idle = session.connect_data();
	const Path path = join(session, *session.control, SECOND, 2);
	const auto data = path.connect_data();
	data->send(commands(*data, {inline_read(0, 0)}).bytes());
	// Beyond the end of every export: answered at once, after the first was taken.
	data->send(commands(*data, {inline_read(1, 1ULL << 60)}).bytes());
	const std::optional<Answer> refused = answer(*data, session);
	if (!refused || refused->done.size() != 1 || refused->done[0].slot != 1)
		throw Failure("the disk of the export answers");

	send_fence(*session.control, SECOND, 2);
	wait_for(*session.control, CW_MSG_WAITING);
	const Bytes got = wait_for(*session.control, CW_MSG_WAITING); // it comes again and again
	cw_waiting waiting;
	if (cw_parse_waiting(got.data(), got.size(), true, &waiting))
		throw Failure("WAITING is malformed");
	std::cout << "waits for " << waiting.commands << " of path " << unsigned(waiting.path) << std::endl;
	wait_for(*session.control, CW_MSG_FENCED);
	return "fenced";
}

// For an export that is resized when "live" was printed.
std::string missed_notice(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const auto data = session.connect_data();
	const Path early = join(session, *session.control, SECOND, 2);
	const auto early_data = early.connect_data();
	std::cout << "live" << std::endl;
	const Bytes first = wait_for(*session.control, CW_MSG_NOTICE);
	expect(*session.control, CW_MSG_ALIVE); // of the last probe
	const Bytes second = wait_for(*early.control, CW_MSG_NOTICE);
	const Path late = join(session, *session.control, THIRD, 3);
	const Bytes missed = expect(*late.control, CW_MSG_NOTICE);
	return second == first && missed == first ? "noticed" : "another notice";
}

// For a server that ends the session when "live" was printed.
std::string ends_together(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const auto data = session.connect_data();
	const Path second = join(session, *session.control, SECOND, 2);
	const auto second_data = second.connect_data();
	const Path third = join(session, *second.control, THIRD, 3);
	const auto third_data = third.connect_data();
	std::cout << "live" << std::endl;
	for (Link *link : {session.control.get(), second.control.get(), third.control.get()})
		link->wait_closed();
	for (Link *link : {data.get(), second_data.get(), third_data.get()})
		link->wait_closed();
	Path late(session, make_join(session, SECOND, 4));
	return outcome(late);
}

// ---- paths that must not join ----

Case harmed(const std::function<void(cw_wire_join &)> &harm)
{
	return [harm](const Target &target) {
		const Session session(target, hello_with_paths(target));
		const cw_join wish = make_join(session, SECOND, 2);
		announce(*session.control, wish);
		cw_wire_join wire;
		cw_pack_join(&wire, &wish);
		Path path(target, wire, session.secret, harm);
		return outcome(path);
	};
}

// The MAC is right for what was changed.
Case changed(const std::function<void(cw_join &)> &change)
{
	return [change](const Target &target) {
		const Session session(target, hello_with_paths(target));
		cw_join wish = make_join(session, SECOND, 2);
		announce(*session.control, wish);
		change(wish);
		Path path(session, wish);
		return outcome(path);
	};
}

std::string secret_of_another(const Target &target)
{
	const Session session(target, hello_with_paths(target)), other(target, hello_with_paths(target));
	const cw_join wish = make_join(session, SECOND, 2);
	announce(*session.control, wish);
	cw_wire_join wire;
	cw_pack_join(&wire, &wish);
	Path path(target, wire, other.secret);
	return outcome(path);
}

std::string replayed(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const Path path = join(session, *session.control, SECOND, 2);
	fence(*session.control, SECOND, 2);
	const auto control = connect_control(target);
	control->send(message(*control, CW_MSG_JOIN, raw(path.wire)).bytes());
	expect(*control, CW_MSG_JOINED);
	return "joined";
}

// A FENCE with the tag 0 names the floor, and announces no JOIN.
std::string behind_a_silent_fence(const Target &target)
{
	Session session(target, hello_with_paths(target));
	const auto data = session.connect_data();
	fence(*session.control, SECOND, 1);
	Path(session, make_join(session, SECOND, 2)).wait_refused(session);
}

// As a copy of the client would, which knows the secret and the epoch.
std::string announced_for_another(const Target &target)
{
	Session session(target, hello_with_paths(target));
	const auto data = session.connect_data();
	announce(*session.control, make_join(session, SECOND, 2));
	Path(session, make_join(session, SECOND, 2)).wait_refused(session);
}

std::string twice_on_a_floor(const Target &target)
{
	Session session(target, hello_with_paths(target));
	const auto data = session.connect_data();
	const cw_join wish = make_join(session, SECOND, 2);
	announce(*session.control, wish);
	Path first(session, wish);
	first.take_joined();
	first.control->disconnect();
	// As a client sends FENCE again when the path that sent it has ended.
	announce(*session.control, wish);
	Path(session, wish).wait_refused(session);
}

std::string below_the_floor(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	fence(*session.control, SECOND, 5);
	Path path(session, make_join(session, SECOND, 3));
	return outcome(path);
}

std::string during_login(const Target &target)
{
	const auto control = connect_control(target);
	const cw_hello hello = hello_with_paths(target);
	const cw_wire_hello wire_hello = packed(hello);
	send_hello(*control, wire_hello);
	const Bytes challenge = expect(*control, CW_MSG_CHALLENGE);
	const Secret secret = hmac({}, "session",
				   transcript(raw(control_request()), control->acceptance(), raw(wire_hello), challenge));
	cw_join wish{};
	wish.path = SECOND;
	wish.features = CW_FEATURE_PATHS;
	std::copy(std::begin(hello.host), std::end(hello.host), wish.host);
	std::copy(std::begin(hello.boot), std::end(hello.boot), wish.boot);
	std::copy(std::begin(hello.session), std::end(hello.session), wish.session);
	wish.epoch = 2;
	fill_random(wish.nonce, sizeof(wish.nonce));
	wish.queues = wish.depth = wish.area = 1;
	wish.max_io = CW_WIRE_PAGE;
	wish.messages = Link::RECEIVES;
	cw_wire_join wire;
	cw_pack_join(&wire, &wish);
	Path path(target, wire, secret);
	return outcome(path);
}

std::string login_without_paths(const Target &target)
{
	const Session session(target);
	Path path(session, make_join(session, SECOND, 2));
	return outcome(path);
}

// ---- messages that break the protocol ----

std::string fence_of_its_own_path(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	send_fence(*session.control, 0, 1);
	return closed(*session.control);
}

std::string bye_of_another(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	send_path_bye(*session.control, 0, 2);
	return closed(*session.control);
}

std::string fence_without_paths(const Target &target)
{
	const Session session(target);
	send_fence(*session.control, SECOND, 1);
	return closed(*session.control);
}

std::string bye_without_paths(const Target &target)
{
	const Session session(target);
	send_path_bye(*session.control, 0, 1);
	return closed(*session.control);
}

std::string fence_before_joined(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const Path path(session, make_join(session, SECOND, 2));
	send_fence(*path.control, 0, 1);
	return closed(*path.control);
}

std::string join_again(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const Path path = join(session, *session.control, SECOND, 2);
	path.control->send(message(*path.control, CW_MSG_JOIN, raw(path.wire)).bytes());
	return closed(*path.control);
}

std::string join_of_path_8(const Target &target)
{
	const Session session(target, hello_with_paths(target));
	const Path path(session, make_join(session, CW_WIRE_PATHS, 2));
	return closed(*path.control);
}

} // namespace

std::string fences(const Target &target, unsigned count)
{
	const Session session(target, hello_with_paths(target));
	const auto data = session.connect_data(); // without one, the server ends the session after 10 s
	unsigned done = 0;
	while (!input_has_ended(0)) {
		const u64 epoch = 2 + done;
		const Path path = join(session, *session.control, SECOND, epoch);
		const auto link = path.connect_data();
		fence(*session.control, SECOND, epoch);
		if (++done % count == 0)
			std::cout << "fenced " << done << std::endl;
	}
	return std::to_string(done) + " fenced";
}

Cases path_cases()
{
	return {
		{"path-joins", joins},
		{"path-joins-before-its-fence", joins_before_its_fence},
		{"path-outlives-its-login", outlives_its_login},
		{"path-counts-without-its-login", counts_without_its_login},
		{"path-says-goodbye", goodbye_on_a_path},
		{"path-bye", path_bye},
		{"path-bye-last", last_path_bye},
		{"path-bye-of-another", bye_of_another},
		{"fences-of-an-idle-path", fences_of_an_idle_path},
		{"fence-flood", flood_of_fences},
		{"fence-behind-commands", fence_behind_commands},
		{"fence-of-its-own-path", fence_of_its_own_path},
		{"fence-before-joined", fence_before_joined},
		{"fence-without-paths", fence_without_paths},
		{"path-bye-without-paths", bye_without_paths},
		{"path-missed-notice", missed_notice},
		{"paths-end-together", ends_together},
		{"join-wrong-mac", harmed([](cw_wire_join &j) { j.mac[31] ^= 1; })},
		{"join-changed", harmed([](cw_wire_join &j) { j.depth = __cpu_to_le16(4); })},
		{"join-other-host", changed([](cw_join &j) { j.host[0] ^= 1; })},
		{"join-other-boot", changed([](cw_join &j) { j.boot[0] ^= 1; })},
		{"join-other-session", changed([](cw_join &j) { j.session[0] ^= 1; })},
		{"join-no-features", changed([](cw_join &j) { j.features = 0; })},
		{"join-no-tag", changed([](cw_join &j) { memset(j.nonce, 0, CW_WIRE_JOIN_TAG); })},
		{"join-other-secret", secret_of_another},
		{"join-replayed", replayed},
		{"join-behind-a-silent-fence", behind_a_silent_fence},
		{"join-announced-for-another", announced_for_another},
		{"join-twice-on-a-floor", twice_on_a_floor},
		{"join-below-the-floor", below_the_floor},
		{"join-during-login", during_login},
		{"join-login-without-paths", login_without_paths},
		{"join-again", join_again},
		{"join-path-8", join_of_path_8},
	};
}

} // namespace peer
