// SPDX-License-Identifier: GPL-2.0-or-later
// Writes that are nothing but a page (PROTOCOL, section 8: the bare form), rightly and wrongly sent.
#include <asm/byteorder.h>

#include <algorithm>

#include "cases.h"
#include "names.h"

namespace peer
{

namespace
{

cw_hello wish(const Target &target, u64 features)
{
	cw_hello hello = make_hello(target);
	hello.features_offered = features;
	return hello;
}

void send_bare(Link &data, const Bytes &page, u32 imm)
{
	data.send_immediate(page, imm);
	data.ordinal++;
}

// One command and its answer; @credit: answers for which credit was returned before.
cw_done ask(const Session &session, Link &data, const cw_cmd &cmd, u32 credit,
	    Bytes *bytes = nullptr)
{
	Message m = commands(data, {cmd});
	m.tail.credit = __cpu_to_le32(credit);
	data.send(m.bytes());
	const auto got = answer(data, session);
	if (!got)
		throw Ended("closed");
	if (bytes)
		*bytes = got->data;
	return got->done.front();
}

// A write of @page after a command of which it can tell, and what came of it.
std::string written(const Target &target, const Bytes &page, u32 imm,
		    u64 features = CW_FEATURE_BARE)
{
	const Session session(target, wish(target, features));
	const auto data = session.connect_data();
	ask(session, *data, inline_read(0, 0, 512), 0);
	const u16 slot = cw_bare_slot(data->ordinal, session.welcome.depth);
	send_bare(*data, page, imm);
	const auto got = answer(*data, session);
	if (!got)
		return "closed";
	if (got->done.front().slot != slot)
		return "the answer is of slot " + std::to_string(got->done.front().slot);
	if (got->done.front().status != CW_STATUS_OK)
		return "status " + status_name(got->done.front().status);
	Bytes back;
	ask(session, *data, inline_read(1, u64(imm) * CW_WIRE_PAGE, 512), 1, &back);
	return std::equal(back.begin(), back.end(), page.begin()) ? "written" : "not what was sent";
}

std::string nothing_to_tell(const Target &target)
{
	const Session session(target, wish(target, CW_FEATURE_BARE));
	const auto data = session.connect_data();
	send_bare(*data, Bytes(CW_WIRE_PAGE), 0);
	data->wait_closed();
	return "closed";
}

std::string on_control(const Target &target)
{
	const auto control = connect_control(target);
	control->send_immediate(Bytes(CW_WIRE_PAGE), 0);
	control->wait_closed();
	return "closed";
}

} // namespace

Cases bare_cases()
{
	const auto with = [](size_t len, u32 imm) -> Case {
		return [len, imm](const Target &t) { return written(t, Bytes(len, 0x3c), imm); };
	};
	return {
		{"bare", with(CW_WIRE_PAGE, 5)},
		{"bare-beyond", with(CW_WIRE_PAGE, 0xffffffff)},
		{"bare-short", with(CW_WIRE_PAGE - 16, 5)},
		{"bare-long", with(CW_WIRE_PAGE + 16, 5)},
		{"bare-empty", with(0, 5)},
		{"bare-unasked",
		 [](const Target &t) { return written(t, Bytes(CW_WIRE_PAGE), 5, 0); }},
		{"bare-credit", nothing_to_tell},
		{"bare-control", on_control},
	};
}

} // namespace peer
