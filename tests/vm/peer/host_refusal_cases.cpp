// SPDX-License-Identifier: GPL-2.0-or-later
// Refusals of a session that was live, and of one that never was (PROTOCOL, section 5, rules 20 to
// 22). The name of a case is refused-REASON-HOW. HOW is "right" for a refusal that a client has to
// believe, "new" for one of a HELLO that is not RETURNING, or what is wrong with it.
#include <algorithm>

#include "host_cases.h"

namespace peer
{

namespace
{

const std::map<std::string, u16> REASONS = {
	{"stale", CW_REFUSED_STALE},	 {"superseded", CW_REFUSED_SUPERSEDED},
	{"evicted", CW_REFUSED_EVICTED}, {"in-use", CW_REFUSED_IN_USE},
	{"ledger", CW_REFUSED_LEDGER},
};

struct Refusal {
	Step step = Step::welcome; // PROOF was read
	u8 identity = Visit::IDENTITY;
	std::function<void(cw_wire_refused &)> harm{}; // behind the proof
	bool returning = true; // of the HELLO that is answered so
};

const std::map<std::string, Refusal> HOW = {
	{"right", {}},
	{"right-with-key", {}},
	{"before-proof", {.step = Step::challenge}},
	{"wrong-mac-with-key", {.harm = [](cw_wire_refused &rec) { rec.mac[31] ^= 1; }}},
	{"zero-mac-with-key",
	 {.harm = [](cw_wire_refused &rec) { std::fill_n(rec.mac, CW_WIRE_MAC, u8{0}); }}},
	{"mac-without-key", {.harm = [](cw_wire_refused &rec) { rec.mac[0] = 1; }}},
	{"zero-identity", {.identity = 0}},
	{"other-identity", {.identity = 0x33}},
	{"new", {.identity = 0, .returning = false}},
	{"new-with-key", {.identity = 0, .returning = false}},
	{"new-wrong-mac-with-key",
	 {.identity = 0,
	  .harm = [](cw_wire_refused &rec) { rec.mac[0] ^= 1; },
	  .returning = false}},
};

// The first connection ends at the first command between the honest parts. A client that comes once
// more after the refusal is met honestly.
Conduct refuses(u16 reason, const Refusal &how)
{
	Conduct conduct;
	conduct.times = how.returning ? 2 : 1;
	conduct.before = [reason, how](Visit &visit, Step step) {
		const bool returning = visit.hello().flags & CW_HELLO_RETURNING;
		if (step != how.step || returning != how.returning)
			return true;
		visit.refuse(reason, "said on purpose", how.identity, how.harm);
		return false;
	};
	conduct.command = [](Visit &visit, const cw_cmd &) {
		visit.data().disconnect();
		return true;
	};
	return conduct;
}

} // namespace

Conducts host_refusal_cases()
{
	Conducts all;
	for (const auto &[reason, number] : REASONS)
		for (const auto &[name, how] : HOW)
			all["refused-" + reason + "-" + name] = refuses(number, how);
	return all;
}

} // namespace peer
