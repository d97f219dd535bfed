// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that a client cannot rightly send, commands that a disk cannot do, and those that it can
// (PROTOCOL, section 8).
#include <asm/byteorder.h>

#include <numeric>

#include "cases.h"
#include "names.h"

namespace peer
{

namespace
{

// One message, and the status of its first answer, after which a read must still be served.
std::string outcome(const Session &session, Link &data, const Message &m)
{
	data.send(m.bytes());
	const auto first = answer(data, session);
	if (!first)
		return "closed";
	const std::string status = "status " + status_name(first->done.front().status);
	data.send(commands(data, {inline_read(7, 0)}).bytes());
	const auto second = answer(data, session);
	return second && second->done.front().status == CW_STATUS_OK
		       ? status
		       : status + ", and then nothing";
}

std::string outcome(const Target &target, const std::vector<cw_cmd> &cmds, const Bytes &bytes = {})
{
	const Session session(target);
	const auto data = session.connect_data();
	return outcome(session, *data, commands(*data, cmds, bytes));
}

template <class Harm> Case read_case(Harm harm)
{
	return [harm](const Target &target) {
		cw_cmd cmd = inline_read(0, 0);
		harm(cmd);
		return outcome(target, {cmd});
	};
}

template <class Harm> Case write_case(Harm harm)
{
	return [harm](const Target &target) {
		cw_cmd cmd = inline_write(0, 0, 512);
		harm(cmd);
		return outcome(target, {cmd}, Bytes(512, 0x5a));
	};
}

// Sends a record that the pack functions would not make.
template <class Harm> Case record_case(Harm harm)
{
	return [harm](const Target &target) {
		const Session session(target);
		const auto data = session.connect_data();
		Message m = commands(*data, {inline_read(0, 0)});
		harm(*reinterpret_cast<cw_wire_cmd *>(m.records.data()));
		return outcome(session, *data, m);
	};
}

Case discard_case(std::vector<cw_wire_range> ranges)
{
	return [ranges](const Target &target) {
		const auto *p = reinterpret_cast<const u8 *>(ranges.data());
		const Bytes bytes(p, p + ranges.size() * sizeof(ranges[0]));
		cw_cmd cmd{};
		cmd.op = CW_OP_DISCARD;
		cmd.flags = CW_CMD_INLINE;
		cmd.data_len = u32(bytes.size());
		return outcome(target, {cmd}, bytes);
	};
}

cw_wire_range range(u64 offset, u64 len)
{
	return {__cpu_to_le64(offset), __cpu_to_le64(len)};
}

// Two BULK reads on one slot: the first cannot be done before the second is looked at.
std::string busy_slot(const Target &target)
{
	Bytes memory(1 << 20);
	const Session session(target);
	const auto data = session.connect_data();
	const u32 rkey = data->register_memory(memory);
	const cw_cmd cmd = transfer_command(CW_OP_READ, 3, 0, u32(memory.size()),
					    reinterpret_cast<u64>(memory.data()), rkey);
	data->send(commands(*data, {cmd, cmd}).bytes());
	data->wait_closed();
	return "closed";
}

Case rkey_case(u8 op)
{
	return [op](const Target &target) {
		return outcome(target, {transfer_command(op, 0, 0, 65536, 0x10000, 0x4242)});
	};
}

// The registered memory is smaller than the command has it.
std::string short_memory(const Target &target)
{
	Bytes memory(4096);
	const Session session(target);
	const auto data = session.connect_data();
	const u32 rkey = data->register_memory(memory);
	return outcome(
		session, *data,
		commands(*data, {transfer_command(CW_OP_READ, 0, 0, 65536,
						  reinterpret_cast<u64>(memory.data()), rkey)}));
}

// Commands without a receive for the answers; then gone without a word.
std::string deaf(const Target &target)
{
	Bytes memory(1 << 20);
	const Session session(target);
	const auto data = session.connect_data(0, {.receives = 0});
	const u32 rkey = data->register_memory(memory);
	std::vector<cw_cmd> cmds;
	for (u16 slot = 0; slot < session.welcome.depth; slot++)
		cmds.push_back(slot % 2 ? inline_read(slot, 0)
					: transfer_command(CW_OP_READ, slot, 0, u32(memory.size()),
							   reinterpret_cast<u64>(memory.data()),
							   rkey));
	data->send(commands(*data, cmds).bytes());
	/* The control link, which can hear, shows that the server is still there. */
	for (int i = 0; i < 3; i++) {
		show_presence(*session.control);
	}
	return data->closed() ? "closed" : "left";
}

} // namespace

Cases command_cases()
{
	return {
		{"cmd-slot", read_case([](auto &c) { c.slot = 8; })},
		{"cmd-slot-huge", read_case([](auto &c) { c.slot = 0xffff; })},
		{"cmd-slot-busy", busy_slot},
		{"cmd-op", read_case([](auto &c) { c.op = 77; })},
		{"cmd-flags", read_case([](auto &c) { c.flags |= CW_CMD_FUA; })},
		{"cmd-inline-and-bulk", read_case([](auto &c) { c.flags |= CW_CMD_BULK; })},
		{"cmd-neither", read_case([](auto &c) { c.flags = 0; })},
		{"cmd-inline-too-much", read_case([](auto &c) { c.len = 8192; })},
		{"cmd-len-none", read_case([](auto &c) { c.len = 0; })},
		{"cmd-len-max",
		 [](const Target &t) {
			 return outcome(t, {transfer_command(CW_OP_READ, 0, 0, (1 << 20) + 4096,
							     4096, 1)});
		 }},
		{"cmd-addr-wraps",
		 [](const Target &t) {
			 return outcome(
				 t, {transfer_command(CW_OP_READ, 0, 0, 65536, ~0ULL - 4095, 1)});
		 }},
		{"cmd-offset-wraps", read_case([](auto &c) { c.offset = ~0ULL - 4095; })},
		{"cmd-export", record_case([](auto &r) { r.export_id = __cpu_to_le16(9); })},
		{"cmd-reserved", record_case([](auto &r) { r.reserved[5] = 1; })},
		{"cmd-crc", record_case([](auto &r) { r.crc = 1; })},
		{"write-data-beyond", write_case([](auto &c) { c.data_off = 512; })},
		{"write-data-straddles", write_case([](auto &c) { c.data_off = 16; })},
		{"write-data-wraps", write_case([](auto &c) { c.data_off = 0xfffffff0; })},
		{"write-data-odd", write_case([](auto &c) { c.data_off = 8; })},
		{"write-data-less", write_case([](auto &c) { c.data_len = 256; })},
		{"discard-wraps", discard_case({range(0, 4096), range(~0ULL - 4095, 8192)})},
		{"discard-nothing", discard_case({range(0, 4096), range(4096, 0)})},
		{"rkey-read", rkey_case(CW_OP_READ)},
		{"rkey-write", rkey_case(CW_OP_WRITE)},
		{"rkey-short", short_memory},
		{"deaf", deaf},

		// The server answers these commands, because the message has no fault.
		{"read-beyond", read_case([](auto &c) { c.offset = 1ULL << 62; })},
		{"read-unaligned", read_case([](auto &c) { c.offset = 1; })},
		{"write-beyond", write_case([](auto &c) { c.offset = 1ULL << 40; })},
		{"write", write_case([](auto &) {})},
		{"discard-beyond", discard_case({range(0, 4096), range(1ULL << 40, 4096)})},
		// More zeroes than a command may ask for, though each range is small enough.
		{"discard-too-much",
		 discard_case(std::vector<cw_wire_range>(9, range(0, 32 << 20)))},
	};
}

// ---- an honest client ----

namespace
{

void must(const Session &session, Link &data, const std::vector<cw_cmd> &cmds, const Bytes &bytes,
	  Bytes *out = nullptr)
{
	data.send(commands(data, cmds, bytes).bytes());
	const auto got = answer(data, session);
	if (!got)
		throw Ended("closed");
	if (got->done.front().status != CW_STATUS_OK)
		throw Ended("status " + status_name(got->done.front().status));
	if (out)
		*out = got->data;
}

std::string honest(const Target &target)
{
	cw_hello hello = make_hello(target);
	hello.queues = 2;
	const Session session(target, hello);
	const auto first = session.connect_data(0);
	const auto second = session.connect_data(1);
	Bytes block(CW_WIRE_PAGE), back;
	std::iota(block.begin(), block.end(), u8(1));
	must(session, *first, {inline_write(0, 8192)}, block);
	must(session, *second, {inline_read(0, 8192)}, {}, &back);
	if (back != block)
		return "the data is not what was written";

	Bytes memory(1 << 17), copy(1 << 17);
	std::iota(memory.begin(), memory.end(), u8(7));
	must(session, *first,
	     {transfer_command(CW_OP_WRITE, 1, 1 << 20, u32(memory.size()),
			       reinterpret_cast<u64>(memory.data()),
			       first->register_memory(memory))},
	     {});
	must(session, *second,
	     {transfer_command(CW_OP_READ, 1, 1 << 20, u32(copy.size()),
			       reinterpret_cast<u64>(copy.data()), second->register_memory(copy))},
	     {});
	if (copy != memory)
		return "the transferred data is not what was written";
	second->send(message(*second, CW_MSG_PROBE).bytes());
	expect(*second, CW_MSG_ALIVE, CW_KIND_DATA);
	session.control->send(message(*session.control, CW_MSG_GOODBYE).bytes());
	expect(*session.control, CW_MSG_FAREWELL);
	return "served";
}

} // namespace

Cases honest_cases()
{
	return {{"honest", honest}};
}

} // namespace peer
