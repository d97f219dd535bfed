// SPDX-License-Identifier: GPL-2.0-or-later
// Shows that no wake-up is lost: runs the two sides of a wait on two processors that have store
// buffers, in every possible order.
//
// A store goes into the buffer of its processor and reaches memory some time later, in order. A
// load takes the newest value from the buffer of its own processor, or else from memory. A barrier
// waits until the buffer is empty. x86 works like this. atomic_inc() is buffered here too, because
// some processors do not order it: on x86 it would hide a missing barrier after it.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "kmod/core/wire/integers.h"

struct atomic_t {
	int counter;
};
struct list_head {
	const list_head *next;
};

namespace
{

struct Access {
	enum { LOAD, STORE, ADD, BARRIER } kind;
	const void *place;
	long value;
};

// A side is run from its start for each of its accesses. This has the outcomes of the accesses that
// it made before.
struct Running {
	std::vector<long> outcomes;
	size_t done = 0;
	bool has_barriers = true;
};
Running running;

// Returns the outcome of an access. Throws the first access that has no outcome yet.
long access(const Access &access)
{
	if (running.done == running.outcomes.size())
		throw access;
	return running.outcomes[running.done++];
}

template <class T> T load(const T &place)
{
	return static_cast<T>(access({Access::LOAD, &place, 0}));
}

void store(const void *place, long value)
{
	access({Access::STORE, place, value});
}

void barrier()
{
	if (running.has_barriers)
		access({Access::BARRIER, nullptr, 0});
}

int atomic_read(const atomic_t *v)
{
	return load(v->counter);
}

void atomic_inc(atomic_t *v)
{
	access({Access::ADD, &v->counter, 1});
}

long number_of(const void *place)
{
	return static_cast<long>(reinterpret_cast<intptr_t>(place));
}

bool list_empty_careful(const list_head *head)
{
	return access({Access::LOAD, &head->next, 0}) == number_of(head);
}

#define READ_ONCE(place) load(place)
#define WRITE_ONCE(place, value) store(&(place), static_cast<long>(value))
#define likely(condition) (condition)
#define smp_mb() barrier()
#define smp_mb__after_atomic() barrier()
#include "kmod/core/link/wakeup.h"

using Memory = std::map<const void *, long>;

void perform(Memory &memory, const Access &access)
{
	if (access.kind == Access::STORE)
		memory[access.place] = access.value;
	else
		memory[access.place] += access.value;
}

struct Side {
	std::vector<long> outcomes;
	std::deque<Access> buffer;

	void flush(Memory &memory)
	{
		perform(memory, buffer.front());
		buffer.pop_front();
	}
	// Makes the next access. Returns false if it must wait for the buffer.
	bool advance(const Memory &memory, const Access &access)
	{
		Memory seen = memory;
		switch (access.kind) {
		case Access::BARRIER:
			if (!buffer.empty())
				return false;
			outcomes.push_back(0);
			break;
		case Access::LOAD:
			for (const Access &own : buffer)
				perform(seen, own);
			outcomes.push_back(seen[access.place]);
			break;
		default:
			buffer.push_back(access);
			outcomes.push_back(0);
		}
		return true;
	}
};

// A wait: the code of its two sides, and the result of each.
struct Wait {
	std::array<std::function<bool()>, 2> sides;
	Memory memory;
	std::array<bool, 2> has_barriers = {true, true};
	unsigned orders = 0; // number of orders explored
	unsigned lost = 0; // of these, the orders in which both sides returned false

	struct State {
		Memory memory;
		std::array<Side, 2> sides;
	};

	// Returns the result of the side, or nothing and in @next the access that it makes next.
	std::optional<bool> run(size_t side, const State &state, Access &next) const
	{
		running = {state.sides[side].outcomes, 0, has_barriers[side]};
		try {
			return sides[side]();
		} catch (const Access &access) {
			next = access;
			return std::nullopt;
		}
	}

	void explore(const State &state)
	{
		std::array<std::optional<bool>, 2> returned;
		bool flushed = true;

		for (size_t side = 0; side < 2; side++) {
			Access next{};
			if (!state.sides[side].buffer.empty()) {
				State then = state;
				then.sides[side].flush(then.memory);
				explore(then);
				flushed = false;
			}
			returned[side] = run(side, state, next);
			if (State then = state;
			    !returned[side] && then.sides[side].advance(then.memory, next))
				explore(then);
		}
		if (returned[0] && returned[1] && flushed) {
			orders++;
			lost += !*returned[0] && !*returned[1];
		}
	}

	// The number of orders in which a wake-up is lost.
	unsigned losses(bool first_barrier = true, bool second_barrier = true)
	{
		has_barriers = {first_barrier, second_barrier};
		orders = lost = 0;
		explore({memory, {}});
		EXPECT_GT(orders, 10U);
		return lost;
	}
};

TEST(Wakeup, CreditIsFoundOrItsWaiterIs)
{
	u32 credited = 0;
	const u32 sent = 8;
	bool waits = false;
	Wait wait{{[&] { return cw_wakeup_has_credit(&credited, &sent, 8, &waits); },
		   [&] { return cw_wakeup_give_credit(&credited, 4, &waits); }},
		  {{&credited, 0}, {&waits, 0}}};

	EXPECT_EQ(wait.losses(), 0U);
	EXPECT_GT(wait.losses(false, true), 0U) << "without the waiter's barrier";
	EXPECT_GT(wait.losses(true, false), 0U) << "without the giver's barrier";
}

TEST(Wakeup, AKickIsFoundOrWhatIsParkedIs)
{
	atomic_t kicks{};
	list_head parked{&parked}, command{};
	int room = 0;
	Wait wait{{[&] {
			   const int before = atomic_read(&kicks);
			   if (load(room))
				   return true;
			   store(&parked.next, number_of(&command));
			   return cw_wakeup_was_kicked(&kicks, before);
		   },
		   [&] {
			   store(&room, 1);
			   return cw_wakeup_kick(&kicks, &parked);
		   }},
		  {{&kicks.counter, 0}, {&parked.next, number_of(&parked)}, {&room, 0}}};

	EXPECT_EQ(wait.losses(), 0U);
	EXPECT_GT(wait.losses(false, true), 0U) << "without the barrier of what is parked";
	EXPECT_GT(wait.losses(true, false), 0U) << "without the kick's barrier";
}

} // namespace
