// SPDX-License-Identifier: GPL-2.0-or-later
// Wrong logins by a server (PROTOCOL, section 4).
#include <asm/byteorder.h>

#include <climits>
#include <thread>

#include "clock.h"
#include "host_cases.h"

namespace peer
{

namespace
{

constexpr unsigned ALWAYS = UINT_MAX;

Conduct on_challenge(std::function<void(cw_wire_challenge &)> harm)
{
	Conduct conduct;
	conduct.times = ALWAYS;
	conduct.challenge = std::move(harm);
	return conduct;
}

Conduct on_welcome(std::function<void(cw_wire_welcome &)> harm)
{
	Conduct conduct;
	conduct.times = ALWAYS;
	conduct.welcome = std::move(harm);
	return conduct;
}

// With a proof that is right for what was harmed.
Conduct on_proved_welcome(std::function<void(cw_wire_welcome &)> harm)
{
	Conduct conduct;
	conduct.times = ALWAYS;
	conduct.proved_welcome = std::move(harm);
	return conduct;
}

// The login waits for longer than a client bears silence, and is told so.
Conduct waits_long()
{
	Conduct conduct;
	conduct.before = [](Visit &visit, Step step) {
		if (step != Step::welcome)
			return true;
		for (u32 left = 12; left; left--) {
			visit.wait(CW_WAITING_COMMANDS, left);
			const auto until = Clock::now() + std::chrono::seconds(1);
			while (Clock::now() < until && !visit.control().closed()) {
				if (!visit.control().ready()) {
					std::this_thread::sleep_for(std::chrono::milliseconds(20));
					continue;
				}
				const std::optional<Bytes> bytes = visit.control().receive();
				if (bytes && !visit.answered_probe(*bytes))
					throw Failure("not a probe while the login waits");
			}
		}
		return true;
	};
	return conduct;
}

// Nothing is said from this step on.
Conduct silent(Step from)
{
	Conduct conduct;
	conduct.times = ALWAYS;
	conduct.before = [from](Visit &, Step step) { return step != from; };
	return conduct;
}

Conduct hangs_up(Step at)
{
	Conduct conduct;
	conduct.times = ALWAYS;
	conduct.before = [at](Visit &visit, Step step) {
		if (step == at)
			visit.control().disconnect();
		return step != at;
	};
	return conduct;
}

// Sends this on the control link, and nothing behind it.
Conduct says(Step at, u8 type, const Bytes &data)
{
	Conduct conduct;
	conduct.times = ALWAYS;
	conduct.before = [=](Visit &visit, Step step) {
		if (step == at)
			visit.control().send(message(visit.control(), type, data).bytes());
		return step != at;
	};
	return conduct;
}

// A login waits for no FENCE, so its WAITING names no path.
Bytes waiting_with_a_path()
{
	const cw_waiting waiting{.reason = CW_WAITING_COMMANDS, .path = 3, .commands = 1};
	cw_wire_waiting rec;
	cw_pack_waiting(&rec, &waiting);
	return raw(rec);
}

// HELLO is answered only when a PROBE came after it.
Conduct waits_for_a_probe()
{
	Conduct conduct;
	conduct.before = [](Visit &visit, Step step) {
		if (step != Step::challenge)
			return true;
		const std::optional<Bytes> bytes = visit.control().receive();
		return bytes && visit.answered_probe(*bytes);
	};
	return conduct;
}

// Behind a malformed welcome lies one challenge more, for the client's next attempt to find.
Conduct late_challenge()
{
	Conduct conduct;
	conduct.before = [](Visit &visit, Step step) {
		if (step != Step::welcome)
			return true;
		cw_challenge stale{};
		cw_wire_challenge rec;
		stale.flags = visit.hello().flags & CW_HELLO_KEY ? CW_CHALLENGE_KEY : 0;
		stale.instance[0] = 1;
		cw_pack_challenge(&rec, &stale);
		Link &control = visit.control();
		control.send(message(control, CW_MSG_WELCOME, Bytes(sizeof(cw_wire_welcome))).bytes());
		control.send(message(control, CW_MSG_CHALLENGE, raw(rec)).bytes());
		return false;
	};
	return conduct;
}

// The second connection of a session has a welcome that grants less; the third is granted all
// again.
Conduct less_on_return(std::function<void(cw_wire_welcome &)> harm)
{
	Conduct conduct;
	conduct.times = 2;
	conduct.proved_welcome = [visits = 0,
				  harm = std::move(harm)](cw_wire_welcome &rec) mutable {
		if (++visits == 2)
			harm(rec);
	};
	// And it is asked for again because the first one ends.
	conduct.command = [](Visit &visit, const cw_cmd &) {
		visit.data().disconnect();
		return true;
	};
	return conduct;
}

// The second connection of a session is refused behind PROOF, by a server that names another disk.
Conduct another_disk_on_return()
{
	Conduct conduct;
	conduct.times = 2;
	conduct.before = [visits = 0](Visit &visit, Step step) mutable {
		if (step != Step::welcome || ++visits != 2)
			return true;
		visit.refuse(CW_REFUSED_IN_USE, "it is not here", 0x33);
		return false;
	};
	conduct.command = [](Visit &visit, const cw_cmd &) {
		visit.data().disconnect();
		return true;
	};
	return conduct;
}

} // namespace

Conducts host_login_cases()
{
	Bytes refused(sizeof(cw_wire_refused), 'x');
	return {
		{"wrong-mac", on_welcome([](cw_wire_welcome &rec) { rec.mac[31] ^= 1; })},
		{"unproved-mac", on_welcome([](cw_wire_welcome &rec) { rec.mac[0] = 1; })},
		// Every byte of it is proved: what the client would take without the key.
		{"changed-on-the-way", on_welcome([](cw_wire_welcome &rec) {
			 rec.depth = __cpu_to_le16(Visit::DEPTH / 2);
		 })},
		{"waits-long", waits_long()},
		{"waiting-first",
		 says(Step::challenge, CW_MSG_WAITING, Bytes(sizeof(cw_wire_waiting)))},
		{"malformed-waiting",
		 says(Step::welcome, CW_MSG_WAITING, Bytes(sizeof(cw_wire_waiting)))},
		{"waiting-with-a-path", says(Step::welcome, CW_MSG_WAITING, waiting_with_a_path())},
		{"farewell-first", says(Step::welcome, CW_MSG_FAREWELL, {})},
		{"joined-first",
		 says(Step::challenge, CW_MSG_JOINED, Bytes(sizeof(cw_wire_joined)))},
		{"no-key", on_challenge([](cw_wire_challenge &rec) { rec.flags = 0; })},
		{"key-wanted", on_challenge([](cw_wire_challenge &rec) {
			 rec.flags = __cpu_to_le16(CW_CHALLENGE_KEY);
		 })},
		{"wrong-magic", on_challenge([](cw_wire_challenge &rec) { rec.magic ^= 1; })},
		{"feature-not-offered", on_challenge([](cw_wire_challenge &rec) {
			 rec.features = __cpu_to_le64(CW_FEATURE_CRC);
		 })},
		{"more-depth-than-wished", on_proved_welcome([](cw_wire_welcome &rec) {
			 rec.depth = __cpu_to_le16(CW_WIRE_DEPTH_MAX);
		 })},
		{"more-queues-than-wished", on_proved_welcome([](cw_wire_welcome &rec) {
			 rec.queues = __cpu_to_le16(CW_WIRE_QUEUES_MAX);
		 })},
		{"no-queues", on_proved_welcome([](cw_wire_welcome &rec) { rec.queues = 0; })},
		{"odd-blocks", on_proved_welcome([](cw_wire_welcome &rec) {
			 rec.geometry.logical_block = __cpu_to_le32(520);
		 })},
		{"huge-disk", on_proved_welcome([](cw_wire_welcome &rec) {
			 rec.geometry.size = __cpu_to_le64(~0xfffULL);
		 })},
		{"no-messages", on_proved_welcome([](cw_wire_welcome &rec) { rec.messages = 0; })},
		{"never-dead", on_proved_welcome([](cw_wire_welcome &rec) {
			 rec.probe_ms = __cpu_to_le32(0x7ffffffe);
			 rec.dead_ms = __cpu_to_le32(0x7fffffff);
		 })},
		{"dead-before-a-second-probe", on_proved_welcome([](cw_wire_welcome &rec) {
			 rec.probe_ms = __cpu_to_le32(1001);
			 rec.dead_ms = __cpu_to_le32(2001);
		 })},
		{"refused-without-end", says(Step::challenge, CW_MSG_REFUSED, refused)},
		{"welcome-first",
		 says(Step::challenge, CW_MSG_WELCOME, Bytes(sizeof(cw_wire_welcome)))},
		{"notice-first",
		 says(Step::challenge, CW_MSG_NOTICE, Bytes(sizeof(cw_wire_notice)))},
		{"hello-back", says(Step::challenge, CW_MSG_HELLO, Bytes(sizeof(cw_wire_hello)))},
		{"short-challenge", says(Step::challenge, CW_MSG_CHALLENGE, Bytes(16))},
		{"challenge-twice",
		 says(Step::welcome, CW_MSG_CHALLENGE, Bytes(sizeof(cw_wire_challenge)))},
		{"silent-to-hello", silent(Step::challenge)},
		{"silent-to-proof", silent(Step::welcome)},
		{"silent-to-data-link", silent(Step::data_link)},
		{"hangs-up-on-hello", hangs_up(Step::challenge)},
		{"hangs-up-on-proof", hangs_up(Step::welcome)},
		{"hangs-up-on-data-link", hangs_up(Step::data_link)},
		{"waits-for-a-probe", waits_for_a_probe()},
		{"late-challenge", late_challenge()},
		{"export-read-only", on_proved_welcome([](cw_wire_welcome &rec) {
			 rec.generation = 0;
			 rec.geometry.flags |= __cpu_to_le16(CW_EXPORT_READ_ONLY);
		 })},
		{"disk-read-only", on_proved_welcome([](cw_wire_welcome &rec) {
			 rec.geometry.flags |= __cpu_to_le16(CW_EXPORT_READ_ONLY);
		 })},
		{"fewer-grants", less_on_return([](cw_wire_welcome &rec) {
			 rec.depth = __cpu_to_le16(Visit::DEPTH / 2);
			 rec.geometry.size = __cpu_to_le64(Visit::SIZE / 2);
		 })},
		{"refused-by-another-disk", another_disk_on_return()},
		{"refused-by-another-disk-with-key", another_disk_on_return()},
		{"no-inline-on-return",
		 less_on_return([](cw_wire_welcome &rec) { rec.inline_size = 0; })},
		{"smaller-commands-on-return", less_on_return([](cw_wire_welcome &rec) {
			 rec.max_io = __cpu_to_le32(Visit::MAX_IO / 2);
		 })},
		{"larger-blocks-on-return", less_on_return([](cw_wire_welcome &rec) {
			 rec.geometry.logical_block = __cpu_to_le32(CW_WIRE_PAGE);
		 })},
	};
}

} // namespace peer
