// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of a data link that are wrong as messages (PROTOCOL, section 3).
#include <asm/byteorder.h>

#include "cases.h"

namespace peer
{

namespace
{

std::string fate(Link &data, const Session &session)
{
	return answer(data, session) ? "answered" : "closed";
}

// A read, and what makes a malformed message of it.
template <class Harm> Case frame_case(Harm harm)
{
	return [harm](const Target &target) -> std::string {
		const Session session(target);
		const auto data = session.connect_data();
		Message m = commands(*data, {inline_read(0, 0)}, Bytes(64));
		harm(m);
		data->send(m.bytes());
		return fate(*data, session);
	};
}

Case bytes_case(size_t len)
{
	return [len](const Target &target) -> std::string {
		const Session session(target);
		const auto data = session.connect_data();
		data->send(Bytes(len, 0x11));
		return fate(*data, session);
	};
}

std::string ordinal_again(const Target &target)
{
	const Session session(target);
	const auto data = session.connect_data();
	const Message m = commands(*data, {inline_read(0, 0)});
	data->send(m.bytes());
	if (!answer(*data, session))
		return "closed too early";
	data->send(m.bytes());
	return fate(*data, session);
}

// Only an adapter that checks keys protects the memory of other peers from this.
std::string invalidate(const Target &target)
{
	const Session session(target);
	const auto data = session.connect_data();
	data->send_invalidate(commands(*data, {inline_read(0, 0)}).bytes(), 0x1234);
	/* The server need not see the difference, if its adapter does not. */
	return fate(*data, session);
}

Case rdma_case(ibv_wr_opcode opcode)
{
	return [opcode](const Target &target) -> std::string {
		for (const u32 rkey : {0x0U, 0x100U, 0x1ffU, 0xffffffffU}) {
			const Session session(target);
			const auto data = session.connect_data();
			data->rdma(opcode, 0xffff888000100000, rkey, 64);
			data->wait_closed();
		}
		return "closed";
	};
}

// A transfer of no bytes needs no key, so the queue pair itself must refuse it.
std::string rdma_without_access(const Target &target)
{
	for (const auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ}) {
		const Session session(target);
		const auto data = session.connect_data();
		data->rdma(opcode, 0, 0, 0);
		data->wait_closed();
	}
	const Session session(target);
	session.control->rdma(IBV_WR_RDMA_WRITE, 0, 0, 0);
	session.control->wait_closed();
	return "closed";
}

} // namespace

// The most data that causeway accepts in a message of a data link.
constexpr size_t SERVER_AREA = size_t(16) * CW_WIRE_PAGE;

Cases frame_cases()
{
	return {
		{"tail-data-len", frame_case([](auto &m) { m.tail.data_len = __cpu_to_le32(48); })},
		{"tail-data-len-odd",
		 frame_case([](auto &m) { m.tail.data_len = __cpu_to_le32(63); })},
		{"tail-data-beyond",
		 frame_case([](auto &m) { m.tail.data_len = __cpu_to_le32(0x10000); })},
		{"tail-data-wraps",
		 frame_case([](auto &m) { m.tail.data_len = __cpu_to_le32(0xfffffff0); })},
		{"tail-count-none", frame_case([](auto &m) { m.tail.count = 0; })},
		{"tail-count-more", frame_case([](auto &m) { m.tail.count = __cpu_to_le16(2); })},
		{"tail-count-huge",
		 frame_case([](auto &m) { m.tail.count = __cpu_to_le16(0xffff); })},
		{"tail-records-65", frame_case([](auto &m) {
			 m.data.clear();
			 m.records.resize(65 * sizeof(cw_wire_cmd));
			 m.tail.data_len = 0;
			 m.tail.count = __cpu_to_le16(65);
		 })},
		{"tail-type", frame_case([](auto &m) { m.tail.type = 99; })},
		{"tail-type-control", frame_case([](auto &m) { m.tail.type = CW_MSG_GOODBYE; })},
		{"tail-type-answer", frame_case([](auto &m) { m.tail.type = CW_MSG_COMPLETIONS; })},
		{"tail-flags", frame_case([](auto &m) { m.tail.flags = 1; })},
		{"tail-credit", frame_case([](auto &m) { m.tail.credit = __cpu_to_le32(1); })},
		{"tail-credit-back",
		 frame_case([](auto &m) { m.tail.credit = __cpu_to_le32(0xffffffff); })},
		{"tail-ordinal-gap",
		 frame_case([](auto &m) { m.tail.ordinal = __cpu_to_le32(1); })},
		{"tail-ordinal-again", ordinal_again},
		{"message-empty", bytes_case(0)},
		{"message-short", bytes_case(15)},
		{"message-full", bytes_case(SERVER_AREA + CW_WIRE_TRAILER)},
		{"message-too-long", bytes_case(SERVER_AREA + CW_WIRE_TRAILER + 64)},
		{"invalidate", invalidate},
		{"rdma-write", rdma_case(IBV_WR_RDMA_WRITE)},
		{"rdma-read", rdma_case(IBV_WR_RDMA_READ)},
		{"rdma-without-access", rdma_without_access},
	};
}

} // namespace peer
