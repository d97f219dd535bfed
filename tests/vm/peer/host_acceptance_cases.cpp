// SPDX-License-Identifier: GPL-2.0-or-later
// Wrong acceptances by a server (PROTOCOL, section 2).
#include <asm/byteorder.h>

#include <climits>
#include <cstddef>

#include "host_cases.h"

namespace peer
{

namespace
{

Acceptance harmed(std::function<void(cw_wire_rep &)> harm)
{
	return [harm = std::move(harm)](u8 kind) {
		Bytes words = accept_words(kind);
		harm(*reinterpret_cast<cw_wire_rep *>(words.data()));
		return words;
	};
}

// The connection manager of InfiniBand and RoCE fills what is missing with zeros.
Acceptance cut(size_t length)
{
	return [length](u8 kind) {
		Bytes words = accept_words(kind);
		words.resize(length);
		return words;
	};
}

// One that a link of the other kind would be accepted with.
Bytes other_kind(u8 kind)
{
	return accept_words(kind == CW_KIND_DATA ? CW_KIND_CONTROL : CW_KIND_DATA);
}

Conduct on_data_link(Acceptance acceptance)
{
	Conduct conduct;
	conduct.times = UINT_MAX;
	conduct.data_link = std::move(acceptance);
	return conduct;
}

// The first connection is good and ends at a command. The data links of the next three are accepted
// wrongly, and the one behind them is good again.
Conduct comes_back_wrong()
{
	const auto all = wrong_acceptances();
	const std::vector<Acceptance> wrong = {all.at("nothing"), all.at("version-1"),
					       all.at("other-index")};
	Conduct conduct;
	conduct.times = unsigned(wrong.size()) + 1;
	conduct.data_link = [wrong, visits = size_t{0}](u8 kind) mutable {
		const size_t nr = visits++;
		return nr ? wrong.at(nr - 1)(kind) : accept_words(kind);
	};
	conduct.command = [](Visit &visit, const cw_cmd &) {
		visit.data().disconnect();
		return true;
	};
	return conduct;
}

} // namespace

std::map<std::string, Acceptance> wrong_acceptances()
{
	return {
		{"nothing", cut(0)},
		{"too-short", cut(offsetof(cw_wire_rep, kind))},
		{"wrong-magic", harmed([](cw_wire_rep &rec) { rec.magic ^= 1; })},
		{"version-0", harmed([](cw_wire_rep &rec) { rec.version = 0; })},
		{"version-1", harmed([](cw_wire_rep &rec) { rec.version = __cpu_to_le16(1); })},
		{"version-3", harmed([](cw_wire_rep &rec) { rec.version = __cpu_to_le16(3); })},
		{"unknown-kind", harmed([](cw_wire_rep &rec) { rec.kind = 3; })},
		{"other-kind", other_kind},
		// Within the limits, but no link with this index was asked for.
		{"other-index", harmed([](cw_wire_rep &rec) { rec.index = __cpu_to_le16(1); })},
		{"huge-index",
		 harmed([](cw_wire_rep &rec) { rec.index = __cpu_to_le16(CW_WIRE_QUEUES_MAX); })},
		// A data link of version 1 had credits at this place.
		{"credits-of-version-1", harmed([](cw_wire_rep &rec) { rec.reserved0[0] = 8; })},
		// A data link has no nonce. That of a control link may be any.
		{"nonce-on-data", harmed([](cw_wire_rep &rec) {
			 if (rec.kind == CW_KIND_DATA)
				 rec.nonce[31] = 1;
			 else
				 rec.index = __cpu_to_le16(1);
		 })},
		{"other-transport", harmed([](cw_wire_rep &rec) { rec.transport = CW_WIRE_TCP; })},
		{"unknown-transport", harmed([](cw_wire_rep &rec) { rec.transport = 3; })},
		{"reserved-tail", harmed([](cw_wire_rep &rec) { rec.reserved0[5] = 1; })},
	};
}

Conducts host_acceptance_cases()
{
	Conducts all = {{"comes-back-wrong", comes_back_wrong()}};
	for (const auto &[name, acceptance] : wrong_acceptances())
		all.emplace("data-link-" + name, on_data_link(acceptance));
	return all;
}

} // namespace peer
