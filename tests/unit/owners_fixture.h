// SPDX-License-Identifier: GPL-2.0-or-later
// The machine of the owners with a ledger in memory, for owners_test.cpp and owners_paths_test.cpp.
// It records the calls that the machine makes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kmod/core/owners/owners.h"

namespace owners_fixture
{

constexpr u32 dead_ms = 5000;

struct Uuid {
	u8 bytes[CW_WIRE_UUID];
};

inline Uuid named(char kind, int number)
{
	Uuid uuid{};
	uuid.bytes[0] = static_cast<u8>(kind);
	uuid.bytes[1] = static_cast<u8>(number);
	return uuid;
}

// The owners of one identity, and the calls that the state machine made since the last look.
class Owners : public ::testing::Test
{
      protected:
	cw_owners owners{};
	std::vector<cw_ledger_host> in_effect = std::vector<cw_ledger_host>(4),
				    next = std::vector<cw_ledger_host>(4);
	u64 now = 100000;

	inline static std::map<const cw_login *, u64> heard;
	inline static std::map<const cw_login *, std::string> names;
	inline static std::vector<std::string> asked;
	inline static std::vector<u64> cookies;
	inline static int written; // the result of a write
	inline static bool limited;
	inline static bool sendable; // whether a PROBE can be sent
	inline static int completed;

	static void ask(const std::string &what)
	{
		asked.push_back(what);
	}

	inline static const cw_owners_ops ops = {
		.heard = [](const cw_login *m) { return heard[m]; },
		.cookie =
			[] {
				cookies.push_back(1000 + cookies.size());
				return cookies.back();
			},
		.probe =
			[](cw_login *m, u64) {
				if (sendable)
					ask("probe " + names[m]);
				return sendable;
			},
		.end = [](cw_login *m, const char *) { ask("end " + names[m]); },
		.hasten = [](cw_login *m) { ask("hasten " + names[m]); },
		.refuse =
			[](cw_login *m, cw_owners_refusal refusal, u64 newest,
			   const cw_ledger_host *) {
				static const char *words[] = {
					"",	    "STALE",  "SUPERSEDED", "IN_USE",
					"EVICTED",  "LEDGER", "FULL",	    "LIMIT",
					"EXPORT",   "NOT_LIVE", "NO_FENCE"};
				ask("refuse " + names[m] + " " + words[refusal] +
				    (newest ? " " + std::to_string(newest) : ""));
			},
		.limited = [](cw_login *) { return limited; },
		.welcome = [](cw_login *m) { ask("welcome " + names[m]); },
		.fenced =
			[](cw_login *m, u8 path, u64 epoch) {
				ask("fenced " + names[m] + " " + std::to_string(path) + " " +
				    std::to_string(epoch));
			},
		.farewell = [](cw_login *m) { ask("farewell " + names[m]); },
		.write =
			[](cw_owners *, const cw_ledger *ledger) {
				ask("write " + std::to_string(ledger->generation));
				return written;
			},
		.completed =
			[](cw_owners_request *, int error) {
				completed = error;
				ask("completed");
			},
		.release = [](cw_login *m) { ask("release " + names[m]); },
		.seconds = [] { return static_cast<u64>(5000); },
	};

	void SetUp() override
	{
		heard.clear();
		names.clear();
		asked.clear();
		cookies.clear();
		written = 0;
		limited = false;
		sendable = true;
		completed = -1;
		owners.ops = &ops;
		owners.dead_ms = dead_ms;
		owners.ledger = {};
		owners.ledger.generation = 7;
		owners.ledger.hosts = in_effect.data();
		owners.ledger.room = static_cast<u32>(in_effect.size());
		owners.next.hosts = next.data();
		owners.next.room = static_cast<u32>(next.size());
		cw_owners_start(&owners, now);
	}

	// The calls of cw_owners_ops since the last look, in order.
	std::vector<std::string> took()
	{
		return std::exchange(asked, {});
	}

	using Asked = std::vector<std::string>;

	cw_login login(const std::string &name, int host, int boot, int session, u64 epoch,
		       u64 serial = 1)
	{
		cw_login m{};
		std::memcpy(m.owner.host, named('h', host).bytes, CW_WIRE_UUID);
		std::memcpy(m.owner.boot, named('b', boot).bytes, CW_WIRE_UUID);
		std::memcpy(m.owner.session, named('s', session).bytes, CW_WIRE_UUID);
		m.owner.serial = serial;
		m.epoch = m.login_epoch = epoch;
		m.dead_ms = dead_ms;
		pending = name;
		return m;
	}
	std::string pending;

	void enter(cw_login &m)
	{
		names[&m] = pending;
		m.hello_at = now;
		heard[&m] = now;
		cw_owners_enter(&owners, &m, now);
	}

	// A login that is welcomed at once, and whose client has shown that it has WELCOME.
	void attach(cw_login &m)
	{
		enter(m);
		ASSERT_EQ(m.state, CW_LOGIN_LIVE);
		cw_owners_confirm(&owners, &m, now);
		took();
	}

	void alive(cw_login *m, u64 cookie)
	{
		cw_owners_alive(&owners, m, cookie);
		cw_owners_step(&owners, now);
	}

	// The connection is lost, and all commands have ended.
	void leave(cw_login &m)
	{
		cw_owners_ending(&owners, &m, now);
		cw_owners_ended(&owners, &m, now);
		took();
	}

	// A login of a session that was live. @last is the epoch of its previous login.
	cw_login returning(const std::string &name, int host, int boot, int session, u64 epoch,
			   u64 last)
	{
		cw_login m = login(name, host, boot, session, epoch);
		m.returning = true;
		m.last = last;
		return m;
	}

	static cw_owners_request eviction(int host)
	{
		cw_owners_request request{};
		std::memcpy(request.host, named('h', host).bytes, CW_WIRE_UUID);
		return request;
	}

	static cw_owners_request readmission(int host)
	{
		cw_owners_request request = eviction(host);
		request.readmit = true;
		return request;
	}

	void pass(u64 ms)
	{
		now += ms;
		cw_owners_step(&owners, now);
	}

	cw_ledger_host *entry(int host)
	{
		return cw_ledger_find(&owners.ledger, named('h', host).bytes);
	}
};

} // namespace owners_fixture
