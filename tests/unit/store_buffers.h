// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the code of two processors that have store buffers, in every possible order.
//
// A store goes into the buffer of its processor and reaches memory some time later. A load takes
// the newest value from the buffer of its own processor, or else from memory. A barrier waits until
// the buffer is empty. In an ordered buffer, like that of x86, stores reach memory in their order.
// In an unordered one only a release waits for the stores before it, and stores to one place stay
// in their order.
#ifndef CW_STORE_BUFFERS_H
#define CW_STORE_BUFFERS_H

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

namespace store_buffers
{

struct Access {
	enum { LOAD, STORE, RELEASE, ADD, EXCHANGE, BARRIER } kind;
	const void *place;
	long value;
	long expected = 0; // of EXCHANGE
};

// A side is run from its start for each of its accesses. This has the outcomes of the accesses that
// it made before.
struct Running {
	std::vector<long> outcomes;
	size_t done = 0;
	bool has_barriers = true;
};
inline Running running;

// Returns the outcome of an access. Throws the first access that has no outcome yet.
inline long access(const Access &access)
{
	if (running.done == running.outcomes.size())
		throw access;
	return running.outcomes[running.done++];
}

inline long number_of(const void *place)
{
	return static_cast<long>(reinterpret_cast<intptr_t>(place));
}

inline long number_of(long value)
{
	return value;
}

template <class T> T from_number(long value)
{
	if constexpr (std::is_pointer_v<T>)
		return reinterpret_cast<T>(static_cast<intptr_t>(value));
	else
		return static_cast<T>(value);
}

template <class T> T load(const T &place)
{
	return from_number<T>(access({Access::LOAD, &place, 0}));
}

inline void store(const void *place, long value)
{
	access({Access::STORE, place, value});
}

inline void store_release(const void *place, long value)
{
	access({Access::RELEASE, place, value});
}

// An exchange is a full barrier.
template <class T> T compare_exchange(T *place, T expected, T value)
{
	return from_number<T>(
		access({Access::EXCHANGE, place, number_of(value), number_of(expected)}));
}

inline void barrier()
{
	if (running.has_barriers)
		access({Access::BARRIER, nullptr, 0});
}

using Memory = std::map<const void *, long>;

inline void perform(Memory &memory, const Access &access)
{
	if (access.kind == Access::ADD)
		memory[access.place] += access.value;
	else
		memory[access.place] = access.value;
}

struct Side {
	std::vector<long> outcomes;
	std::vector<Access> buffer;

	// True if the store at @index may be the next that reaches memory.
	bool may_flush(size_t index, bool ordered) const
	{
		if (ordered || buffer[index].kind == Access::RELEASE)
			return index == 0;
		return std::none_of(buffer.begin(), buffer.begin() + static_cast<long>(index),
				    [&](const Access &earlier) {
					    return earlier.place == buffer[index].place;
				    });
	}
	void flush(size_t index, Memory &memory)
	{
		perform(memory, buffer[index]);
		buffer.erase(buffer.begin() + static_cast<long>(index));
	}
	// Makes the next access. Returns false if it must wait for the buffer.
	bool advance(Memory &memory, const Access &access)
	{
		Memory seen = memory;
		long before = 0;
		switch (access.kind) {
		case Access::BARRIER:
			if (!buffer.empty())
				return false;
			outcomes.push_back(0);
			break;
		case Access::EXCHANGE:
			if (!buffer.empty())
				return false;
			before = memory[access.place];
			if (before == access.expected)
				memory[access.place] = access.value;
			outcomes.push_back(before);
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

// The code of two sides, and the result of each.
struct Race {
	std::array<std::function<bool()>, 2> sides;
	Memory memory;
	bool ordered = true; // buffers
	std::array<bool, 2> has_barriers = {true, true};
	unsigned orders = 0; // number of orders explored
	unsigned wrong = 0; // of these, the orders with a wrong end

	struct State {
		Memory memory;
		std::array<Side, 2> sides;
	};
	// Judges an order by the results of the sides.
	std::function<bool(bool first, bool second)> is_wrong = {};

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

	// Explores the flushes of one side. Returns true if its buffer is empty.
	bool flush(size_t side, const State &state)
	{
		const Side &one = state.sides[side];
		for (size_t i = 0; i < one.buffer.size(); i++) {
			if (!one.may_flush(i, ordered))
				continue;
			State then = state;
			then.sides[side].flush(i, then.memory);
			explore(then);
		}
		return one.buffer.empty();
	}

	void explore(const State &state)
	{
		std::array<std::optional<bool>, 2> returned;
		bool flushed = true;

		for (size_t side = 0; side < 2; side++) {
			Access next{};
			if (!flush(side, state))
				flushed = false;
			returned[side] = run(side, state, next);
			if (State then = state;
			    !returned[side] && then.sides[side].advance(then.memory, next))
				explore(then);
		}
		if (returned[0] && returned[1] && flushed) {
			orders++;
			wrong += is_wrong(*returned[0], *returned[1]);
		}
	}

	// The number of orders with a wrong end.
	unsigned wrong_orders(bool first_barrier = true, bool second_barrier = true)
	{
		has_barriers = {first_barrier, second_barrier};
		orders = wrong = 0;
		explore({memory, {}});
		EXPECT_GT(orders, 10U);
		return wrong;
	}
};

} // namespace store_buffers

#endif
