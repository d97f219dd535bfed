// SPDX-License-Identifier: GPL-2.0-or-later
// Wrong answers by a server (PROTOCOL, sections 3 and 8).
#include <asm/byteorder.h>

#include <iostream>

#include "host_cases.h"

namespace peer
{

namespace
{

cw_done done_of(u16 slot, u8 status = CW_STATUS_OK)
{
	cw_done done{};
	done.slot = slot;
	done.status = status;
	return done;
}

cw_done inline_done(u16 slot, u32 len, u32 off = 0)
{
	cw_done done = done_of(slot);
	done.flags = CW_DONE_INLINE;
	done.data_off = off;
	done.data_len = len;
	return done;
}

// Answers the first command beyond the honest part like this.
template <class Act> Conduct first_command(Act act)
{
	Conduct conduct;
	conduct.command = [act](Visit &visit, const cw_cmd &cmd) {
		act(visit, cmd);
		return true;
	};
	return conduct;
}

// Sends the honest answer to an inline read with something harmed.
template <class Harm> Conduct harmed(Harm harm)
{
	return first_command([harm](Visit &visit, const cw_cmd &cmd) {
		Message m = visit.completions({inline_done(cmd.slot, cmd.len)},
					      visit.content(cmd.offset, cmd.len));
		harm(m);
		visit.data().send(m.bytes());
	});
}

// Waits for two commands, which this deals with.
template <class Act> Conduct two_commands(Act act)
{
	return first_command([act](Visit &visit, const cw_cmd &cmd) {
		visit.held.push_back(cmd);
		if (visit.held.size() == 2)
			act(visit, visit.held[0], visit.held[1]);
	});
}

void write_content(Visit &visit, const cw_cmd &cmd)
{
	visit.data().write_to(cmd.addr, cmd.rkey, visit.content(cmd.offset, cmd.len));
}

Conduct silent_on_data()
{
	Conduct conduct;
	conduct.command = [](Visit &visit, const cw_cmd &) {
		// Probes of the data link are not answered either, those of the control link are.
		visit.muted = true;
		return true;
	};
	return conduct;
}

Conduct never_answers()
{
	return first_command([](Visit &visit, const cw_cmd &) { visit.control().wait_closed(); });
}

Conduct bare_unasked()
{
	return first_command([](Visit &visit, const cw_cmd &cmd) {
		visit.data().send_immediate(visit.content(cmd.offset, CW_WIRE_PAGE), cmd.slot);
	});
}

Conduct stray(u8 type, size_t len)
{
	return first_command([=](Visit &visit, const cw_cmd &) {
		visit.data().send(message(visit.data(), type, Bytes(len)).bytes());
	});
}

Conduct control_stray(u8 type, size_t len, int times)
{
	return first_command([=](Visit &visit, const cw_cmd &) {
		for (int i = 0; i < times; i++)
			visit.control().send(message(visit.control(), type, Bytes(len)).bytes());
	});
}

Conducts inline_cases()
{
	return {
		{"idle-slot", first_command([](Visit &visit, const cw_cmd &cmd) {
			 visit.complete((cmd.slot + 1) % Visit::DEPTH);
		 })},
		{"slot-beyond-the-depth", first_command([](Visit &visit, const cw_cmd &) {
			 visit.complete(Visit::DEPTH);
		 })},
		{"slot-of-a-bare-write", first_command([](Visit &visit, const cw_cmd &) {
			 visit.complete(2 * Visit::DEPTH - 1);
		 })},
		{"answered-twice", first_command([](Visit &visit, const cw_cmd &cmd) {
			 visit.answer(cmd);
			 visit.answer(cmd);
		 })},
		{"twice-in-one", first_command([](Visit &visit, const cw_cmd &cmd) {
			 visit.complete({inline_done(cmd.slot, cmd.len), inline_done(cmd.slot, cmd.len)},
					visit.content(cmd.offset, cmd.len));
		 })},
		{"ok-without-data", first_command([](Visit &visit, const cw_cmd &cmd) {
			 visit.complete(cmd.slot);
		 })},
		{"less-data", first_command([](Visit &visit, const cw_cmd &cmd) {
			 visit.complete({inline_done(cmd.slot, cmd.len / 2)},
					visit.content(cmd.offset, cmd.len / 2));
		 })},
		{"data-beyond-the-message", first_command([](Visit &visit, const cw_cmd &cmd) {
			 visit.complete({inline_done(cmd.slot, cmd.len, 16)},
					visit.content(cmd.offset, cmd.len));
		 })},
		{"unknown-status", first_command([](Visit &visit, const cw_cmd &cmd) {
			 visit.complete(cmd.slot, 200);
		 })},
		{"length-too-large", harmed([](Message &m) {
			 m.tail.data_len = __cpu_to_le32(2 * CW_WIRE_PAGE);
		 })},
		{"length-too-small", harmed([](Message &m) { m.tail.data_len = 0; })},
		{"too-many-records", harmed([](Message &m) { m.tail.count = __cpu_to_le16(65); })},
		{"no-records", harmed([](Message &m) { m.tail.count = 0; })},
		{"ordinal-gap", harmed([](Message &m) {
			 m.tail.ordinal = __cpu_to_le32(__le32_to_cpu(m.tail.ordinal) + 1);
		 })},
		{"credit-beyond-what-was-sent", harmed([](Message &m) {
			 m.tail.credit = __cpu_to_le32(__le32_to_cpu(m.tail.credit) + 100);
		 })},
		{"credit-goes-back", harmed([](Message &m) {
			 m.tail.credit = __cpu_to_le32(__le32_to_cpu(m.tail.credit) - 2);
		 })},
		{"cut-message", first_command([](Visit &visit, const cw_cmd &) {
			 visit.data().send(Bytes(7));
		 })},
		{"empty-message", first_command([](Visit &visit, const cw_cmd &) {
			 visit.data().send({});
		 })},
		{"larger-than-any-receive", first_command([](Visit &visit, const cw_cmd &) {
			 visit.data().send(Bytes(17 * CW_WIRE_PAGE));
		 })},
		{"bare-unasked", bare_unasked()},
		{"commands-back", stray(CW_MSG_COMMANDS, 0)},
		{"welcome-on-data", stray(CW_MSG_WELCOME, sizeof(cw_wire_welcome))},
		{"welcome-again", control_stray(CW_MSG_WELCOME, sizeof(cw_wire_welcome), 1)},
		{"farewell-unasked", control_stray(CW_MSG_FAREWELL, 0, 1)},
		{"waiting-when-live", control_stray(CW_MSG_WAITING, sizeof(cw_wire_waiting), 1)},
		{"fenced-unasked", control_stray(CW_MSG_FENCED, sizeof(cw_wire_incarnation), 1)},
		{"malformed-notice", control_stray(CW_MSG_NOTICE, sizeof(cw_wire_notice), 1)},
		{"flood-of-notices", control_stray(CW_MSG_NOTICE, sizeof(cw_wire_notice), 40)},
		{"hangs-up", first_command([](Visit &visit, const cw_cmd &) {
			 visit.data().disconnect();
		 })},
		{"silent-on-data", silent_on_data()},
		{"ignores-a-command", first_command([](Visit &, const cw_cmd &) {})},
		{"never-answers", never_answers()},
	};
}

// Commands of more than a page, whose memory the client registers.
Conducts transfer_cases()
{
	return {
		{"transfer-answered-inline", first_command([](Visit &visit, const cw_cmd &cmd) {
			 visit.complete({inline_done(cmd.slot, CW_WIRE_PAGE)},
					visit.content(cmd.offset, CW_WIRE_PAGE));
		 })},
		{"transfer-wrong-key",
		 two_commands([](Visit &visit, const cw_cmd &a, const cw_cmd &b) {
			 write_content(visit, a);
			 visit.data().send_invalidate(visit.completions({done_of(a.slot)}).bytes(),
						      b.rkey);
		 })},
		{"transfer-one-key-for-two",
		 two_commands([](Visit &visit, const cw_cmd &a, const cw_cmd &b) {
			 write_content(visit, a);
			 write_content(visit, b);
			 visit.data().send_invalidate(
				 visit.completions({done_of(a.slot), done_of(b.slot)}).bytes(),
				 a.rkey);
		 })},
		{"transfer-key-in-a-probe",
		 two_commands([](Visit &visit, const cw_cmd &a, const cw_cmd &b) {
			 visit.data().send_invalidate(
				 message(visit.data(), CW_MSG_PROBE).bytes(), a.rkey);
			 visit.answer(b);
		 })},
		{"transfer-unknown-key", first_command([](Visit &visit, const cw_cmd &cmd) {
			 write_content(visit, cmd);
			 visit.data().send_invalidate(visit.completions({done_of(cmd.slot)}).bytes(),
						      cmd.rkey ^ 0x5a5a5a00);
		 })},
		{"transfer-beyond-the-memory", first_command([](Visit &visit, const cw_cmd &cmd) {
			 visit.data().write_to(cmd.addr + cmd.len, cmd.rkey, Bytes(CW_WIRE_PAGE));
		 })},
		{"transfer-written-late", first_command([](Visit &visit, const cw_cmd &cmd) {
			 write_content(visit, cmd);
			 visit.data().send_invalidate(visit.completions({done_of(cmd.slot)}).bytes(),
						      cmd.rkey);
			 visit.data().write_to(cmd.addr, cmd.rkey, Bytes(cmd.len, 0xbd));
		 })},
	};
}

// Writes to the memory of a command through a link that the command did not come by, and prints the
// result. If the client's adapter lets the server do so, the memory is the data that is read.
Conduct key_on_another_link(Link &(Visit::*other)(), u16 queues)
{
	Conduct conduct = first_command([=](Visit &visit, const cw_cmd &cmd) {
		const ibv_wc_status result = (visit.*other)().result_of_write(
			cmd.addr, cmd.rkey, Bytes(cmd.len, 0xbd));
		std::cout << visit.hello().export_name << ": " << ibv_wc_status_str(result)
			  << std::endl;
		if (result == IBV_WC_SUCCESS)
			visit.complete(cmd.slot);
	});
	conduct.queues = queues;
	return conduct;
}

// An honest server that prints the rkey of each BULK command beyond the honest part.
Conduct prints_rkeys()
{
	Conduct conduct;
	conduct.command = [](Visit &visit, const cw_cmd &cmd) {
		if (!(cmd.flags & CW_CMD_INLINE))
			std::cout << "rkey " << cmd.rkey << std::endl;
		visit.answer(cmd);
		return true;
	};
	return conduct;
}

} // namespace

Conducts host_data_cases()
{
	Conducts all = inline_cases();
	const Conducts more = transfer_cases();
	all.insert(more.begin(), more.end());
	all["transfer-key-on-another-data-link"] = key_on_another_link(&Visit::other_data, 2);
	all["transfer-key-on-the-control-link"] = key_on_another_link(&Visit::control, 1);
	all["prints-rkeys"] = prints_rkeys();
	return all;
}

} // namespace peer
