// SPDX-License-Identifier: GPL-2.0-or-later
// Events of the machine of the owners: logins, JOINs, FENCEs and ends of three sessions. The first
// byte has the settings of the export, and each three bytes are one event. The target counts
// independently of the machine what may happen (PROTOCOL, sections 5 and 7).
#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <set>
#include <vector>

#include "fuzz.h"
#include "kmod/core/owners/owners.h"

using namespace fuzz;

namespace
{

constexpr u32 dead_ms = 5000;
constexpr size_t members_most = 16, events_most = 128;

struct Member {
	cw_login m{};
	unsigned session = 0;
	bool admitted = false, ended = false, released = false;
	bool ending = false; // the machine has ended it, or its control link has ended
	std::array<u64, CW_WIRE_PATHS> fences{}; // unanswered
};

// A session, and the fences since its last login.
struct Session {
	u64 epoch = 0, login = 0;
	bool live_before = false, said_goodbye = false;
	std::array<u64, CW_WIRE_PATHS> named{}, announced{}; // floors, and tags of JOINs
	std::set<std::pair<u8, u64>> joined; // paths and floors
};

struct Run {
	cw_owners owners{};
	std::array<cw_ledger_host, 4> in_effect{}, next{};
	std::array<Session, 3> sessions;
	std::vector<std::unique_ptr<Member>> members;
	std::vector<std::unique_ptr<cw_owners_request>> requests;
	std::set<u8> evicted; // hosts
	u64 now = 1000, cookies = 0;
	int write = 0;
	bool limited = false;
};

Run *run;

Member &of(const cw_login *m)
{
	return *reinterpret_cast<Member *>(const_cast<cw_login *>(m));
}

bool same_host(const Member &a, const Member &b)
{
	return a.m.owner.host[0] == b.m.owner.host[0];
}

bool is_named(const Member &by, u8 path, u64 epoch, const Member &other)
{
	return other.session == by.session && other.m.path == path && other.m.epoch <= epoch;
}

bool fence_waits(const Member &by, u8 path)
{
	for (const auto &other : run->members)
		if (other->admitted && !other->ended &&
		    is_named(by, path, by.fences[path], *other))
			return true;
	return false;
}

void login_admitted(Member &login)
{
	for (const auto &other : run->members) {
		if (other.get() == &login || !other->admitted || other->ended)
			continue;
		CHECK(other->session != login.session);
		CHECK(run->owners.read_only ||
		      (!run->owners.exclusive && !same_host(*other, login)));
	}
	Session &session = run->sessions[login.session];
	session.login = login.m.epoch;
	session.live_before = true;
	session.said_goodbye = false;
	session.named = session.announced = {};
	session.joined.clear();
}

void join_admitted(Member &join)
{
	Session &session = run->sessions[join.session];
	bool live = false;
	for (const auto &other : run->members)
		live |= other.get() != &join && other->session == join.session &&
			other->m.state == CW_LOGIN_LIVE &&
			other->m.login_epoch == join.m.login_epoch;
	CHECK(live && !session.said_goodbye && !run->owners.closed);
	CHECK(join.m.login_epoch == session.login && join.m.epoch > session.login);
	CHECK(session.named[join.m.path] == join.m.epoch - 1);
	CHECK(join.m.tag && session.announced[join.m.path] == join.m.tag);
	CHECK(session.joined.emplace(join.m.path, join.m.epoch - 1).second);
}

void welcome(cw_login *m)
{
	Member &member = of(m);
	CHECK(!member.admitted && !member.released);
	CHECK(!run->evicted.count(m->owner.host[0]));
	member.admitted = true;
	if (m->join)
		join_admitted(member);
	else
		login_admitted(member);
}

// The machine ends a member once, and none whose link has ended.
void end(cw_login *m)
{
	CHECK(m->state == CW_LOGIN_ENDING && !of(m).ending);
	of(m).ending = true;
}

void fenced(cw_login *m, u8 path, u64 epoch)
{
	Member &member = of(m);
	CHECK(m->state == CW_LOGIN_LIVE || m->state == CW_LOGIN_LEAVING);
	CHECK(path != m->path && epoch && member.fences[path] == epoch);
	CHECK(!fence_waits(member, path));
	member.fences[path] = 0;
}

void farewell(cw_login *m)
{
	end(m);
	for (const auto &other : run->members)
		CHECK(&other->m == m || other->ended || !other->admitted ||
		      other->session != of(m).session || other->m.login_epoch != m->login_epoch);
	CHECK(!cw_login_is_own(&run->owners, m) ||
	      run->sessions[of(m).session].login != m->login_epoch);
}

void completed(cw_owners_request *request, int error)
{
	const u8 host = request->host[0];
	if (error)
		return;
	if (request->readmit) {
		run->evicted.erase(host);
		return;
	}
	run->evicted.insert(host);
	for (const auto &member : run->members)
		CHECK(member->ended || !member->admitted || member->m.owner.host[0] != host);
}

const cw_owners_ops ops = {
	.heard = [](const cw_login *m) { return m->hello_at; },
	.cookie = [] { return ++run->cookies; },
	.probe = [](cw_login *, u64) { return true; },
	.end = [](cw_login *m, const char *) { end(m); },
	.hasten = [](cw_login *) {},
	.refuse =
		[](cw_login *m, cw_owners_refusal refusal, u64, const cw_ledger_host *) {
			CHECK(m->join || refusal != CW_OWNERS_NOT_LIVE);
			CHECK(!of(m).admitted);
			end(m);
		},
	.limited = [](cw_login *) { return run->limited; },
	.welcome = welcome,
	.fenced = fenced,
	.farewell = farewell,
	.write = [](cw_owners *, const cw_ledger *) { return run->write; },
	.completed = completed,
	.release =
		[](cw_login *m) {
			CHECK(!of(m).released && of(m).ended);
			of(m).released = true;
		},
	.seconds = [] { return run->now / 1000; },
};

Member *add(unsigned number)
{
	if (run->members.size() >= members_most)
		return nullptr;
	auto made = std::make_unique<Member>();
	made->session = number;
	cw_login &m = made->m;
	m.owner.host[0] = u8(1 + number / 2); // two sessions are of one host
	m.owner.boot[0] = 1;
	m.owner.session[0] = u8(1 + number);
	m.owner.serial = 1 + number;
	m.dead_ms = dead_ms;
	m.hello_at = run->now;
	run->members.push_back(std::move(made));
	return run->members.back().get();
}

void log_in(u8 arg)
{
	Session &session = run->sessions[arg % 3];
	Member *member = add(arg % 3);
	if (!member)
		return;
	member->m.path = arg / 3 % CW_WIRE_PATHS;
	member->m.epoch = member->m.login_epoch = ++session.epoch;
	member->m.returning = session.live_before;
	member->m.last = session.live_before ? session.login : 0;
	cw_owners_enter(&run->owners, &member->m, run->now);
}

void join(u8 arg)
{
	Session &session = run->sessions[arg % 3];
	Member *member = session.login ? add(arg % 3) : nullptr;
	if (!member)
		return;
	member->m.join = true;
	member->m.path = arg / 3 % CW_WIRE_PATHS;
	member->m.login_epoch = session.login - (arg >= 240);
	member->m.tag = 1 + (arg % 24 == 23);
	// Mostly a new epoch, sometimes one that was used.
	session.epoch += arg < 192;
	member->m.epoch = session.epoch;
	cw_owners_join(&run->owners, &member->m, run->now);
}

void fence(Member &member, u8 arg)
{
	Session &session = run->sessions[member.session];
	const u8 path = arg % 8;
	const u64 back = arg / 8 % 4;
	const u64 epoch = session.epoch > back ? session.epoch - back : 1;
	const u64 tag = arg < 192 ? 1 : arg < 224 ? 2 : 0;
	const bool live = member.m.state == CW_LOGIN_LIVE;
	if (live && path != member.m.path) {
		member.fences[path] = std::max(member.fences[path], epoch);
		if (epoch > session.named[path] || (epoch == session.named[path] && tag))
			session.announced[path] = tag;
		session.named[path] = std::max(session.named[path], epoch);
	}
	CHECK(cw_owners_fence(&run->owners, &member.m, path, epoch, tag, run->now) ==
	      (path == member.m.path ? -EPROTO : 0));
}

void ended(Member &member)
{
	member.ending = true;
	if (member.m.state == CW_LOGIN_JUDGED || member.m.state == CW_LOGIN_LIVE ||
	    member.m.state == CW_LOGIN_LEAVING)
		cw_owners_ending(&run->owners, &member.m, run->now);
	member.ended = true;
	cw_owners_ended(&run->owners, &member.m, run->now);
}

void ask(u8 arg)
{
	auto request = std::make_unique<cw_owners_request>();
	request->host[0] = u8(1 + arg % 2);
	request->readmit = arg & 2;
	run->requests.push_back(std::move(request));
	cw_owners_submit(&run->owners, run->requests.back().get(), run->now);
}

// An event of one member.
void member_event(u8 type, u8 which, u8 arg)
{
	if (run->members.empty())
		return;
	Member &member = *run->members[which % run->members.size()];
	cw_login *m = &member.m;
	if (member.ended)
		return;
	switch (type) {
	case 0:
	case 1:
		fence(member, arg);
		break;
	case 2:
		cw_owners_path_bye(&run->owners, m, arg % 8, m->epoch, run->now);
		break;
	case 3:
		if (m->state == CW_LOGIN_LIVE)
			run->sessions[member.session].said_goodbye = true;
		cw_owners_goodbye(&run->owners, m, run->now);
		break;
	case 4:
		if (m->state == CW_LOGIN_LEAVING)
			cw_owners_idle(&run->owners, m, run->now);
		break;
	case 5:
		member.ending = true;
		cw_owners_ending(&run->owners, m, run->now);
		break;
	case 6:
		ended(member);
		break;
	case 7:
		cw_owners_alive(&run->owners, m, cw_owners_cookie(m));
		cw_owners_confirm(&run->owners, m, run->now);
		cw_owners_step(&run->owners, run->now);
		break;
	}
}

void event(u8 type, u8 which, u8 arg)
{
	switch (type % 16) {
	case 0:
		log_in(arg);
		break;
	case 1:
	case 2:
		join(arg);
		break;
	case 3:
		run->now += arg * 100U;
		cw_owners_step(&run->owners, run->now);
		break;
	case 4:
		run->write = arg < 128 ? 0 : arg < 224 ? -EINPROGRESS : -EIO;
		run->limited = arg % 32 == 31;
		break;
	case 5:
		if (run->owners.writing != CW_OWNERS_WRITE_NONE)
			cw_owners_written(&run->owners, arg < 224 ? 0 : -EIO, run->now);
		break;
	case 6:
		ask(arg);
		break;
	case 7:
		if (arg == 255)
			cw_owners_close(&run->owners, run->now);
		break;
	default:
		member_event(type % 8, which, arg);
		break;
	}
}

// Each FENCE of a live path that is unanswered waits for an incarnation that was admitted and has
// not ended.
void check_fences()
{
	for (const auto &member : run->members)
		for (u8 path = 0; path < CW_WIRE_PATHS; path++)
			if (member->m.state == CW_LOGIN_LIVE && member->fences[path])
				CHECK(fence_waits(*member, path));
}

// Ends everything. Nothing may be left then.
void finish()
{
	run->write = 0;
	for (const auto &member : run->members)
		if (!member->ended)
			ended(*member);
	if (run->owners.writing != CW_OWNERS_WRITE_NONE)
		cw_owners_written(&run->owners, 0, run->now);
	run->now += CW_OWNERS_EPOCHS_MS + CW_OWNERS_REPAIR_MS;
	cw_owners_step(&run->owners, run->now);
	CHECK(!run->owners.members && !run->owners.requests);
	for (const auto &member : run->members)
		CHECK(member->released);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	if (!len)
		return 0;
	Run fresh;
	run = &fresh;
	cw_owners &owners = run->owners;
	owners.ops = &ops;
	owners.exclusive = data[0] & 1;
	owners.read_only = data[0] & 2;
	owners.takeover_after = data[0] & 4 ? 10 : 0;
	owners.dead_ms = dead_ms;
	owners.ledger.hosts = run->in_effect.data();
	owners.ledger.room = u32(run->in_effect.size());
	owners.next.hosts = run->next.data();
	owners.next.room = u32(run->next.size());
	cw_owners_start(&owners, run->now);
	for (size_t i = 1; i + 2 < len && i < 3 * events_most; i += 3) {
		event(data[i], data[i + 1], data[i + 2]);
		check_fences();
	}
	finish();
	run = nullptr;
	return 0;
}
