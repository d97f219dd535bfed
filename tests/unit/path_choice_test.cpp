// SPDX-License-Identifier: GPL-2.0-or-later
// The choice of the path that takes the next message of a hardware queue.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kmod/disk/path_choice.h"

namespace
{

constexpr u32 ms = 1'000'000 >> CW_CHOICE_SHIFT;
constexpr u32 page = 4096 + CW_CHOICE_COMMAND;

unsigned best(const std::vector<cw_choice> &paths, unsigned current, u32 load = page)
{
	return cw_choice_best(paths.data(), static_cast<unsigned>(paths.size()), current, load);
}

unsigned next(const std::vector<cw_choice> &paths, unsigned current)
{
	return cw_choice_next(paths.data(), static_cast<unsigned>(paths.size()), current);
}

TEST(PathChoice, TakesTheUsablePathWithTheLowestExpectedCompletion)
{
	EXPECT_EQ(best({{true, 0, 30 * ms, 0, 0}, {true, 0, 100, 0, 0}}, 0), 1U);
	EXPECT_EQ(best({{true, 0, 30 * ms, 0, 0}, {true, 0, 100, 0, 0}}, 1), 1U);
	EXPECT_EQ(best({{true, 0, 30 * ms, 0, 0}, {false, 0, 100, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{false, 0, 30 * ms, 0, 0}, {true, 0, 100, 0, 0}, {true, 0, 99, 0, 0}}, 0), 2U);
	EXPECT_EQ(best({{true, 0, 90 * ms, 0, 0}, {true, 0, 100, 0, 0}, {true, 0, 101, 0, 0}}, 0), 1U);
	EXPECT_EQ(best({{false, 0, 1, 0, 0}, {false, 0, 1, 0, 0}}, 1), 2U);
	EXPECT_EQ(best({{true, 0, 0, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{true, 0, 0, 0, 0}}, 5), 0U);
}

TEST(PathChoice, CountsTheLoadAndTheNextCommand)
{
	// Seven pages in 100 are as much as the next one in 800.
	EXPECT_EQ(best({{true, 7 * page, 100, 0, 0}, {true, 0, 800, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{true, 20 * page, 100, 0, 0}, {true, 0, 800, 0, 0}}, 0), 1U);
	EXPECT_EQ(best({{true, 7 * page, 100, 0, 0}, {true, page, 100, 0, 0}}, 0), 1U);
	// Loads and latencies are large at most.
	EXPECT_EQ(best({{true, 1U << 30, ~0U, 0, 0}, {true, 1U << 29, ~0U, 0, 0}}, 0, 1U << 20), 1U);
	EXPECT_EQ(best({{true, 1U << 29, ~0U, 0, 0}, {true, 1U << 30, ~0U, 0, 0}}, 0, 1U << 20), 0U);
}

TEST(PathChoice, LeavesAPathOnlyForAClearlyBetterOne)
{
	EXPECT_EQ(best({{true, 0, 100, 0, 0}, {true, 0, 75, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{true, 0, 100, 0, 0}, {true, 0, 74, 0, 0}}, 0), 1U);
}

TEST(PathChoice, JudgesAnIdlePathByItsProbes)
{
	cw_choice slowed{true, 0, 100, CW_CHOICE_STALE + 1, 30 * ms};
	cw_choice recovered{true, 0, 30 * ms, CW_CHOICE_STALE + 1, 50};

	EXPECT_EQ(cw_choice_latency(&slowed), 30 * ms);
	EXPECT_EQ(cw_choice_latency(&recovered), 50U);
	slowed.age = recovered.age = CW_CHOICE_STALE;
	EXPECT_EQ(cw_choice_latency(&slowed), 100U);
	EXPECT_EQ(cw_choice_latency(&recovered), 30 * ms);
	slowed.latency = 0;
	EXPECT_EQ(cw_choice_latency(&slowed), 30 * ms);
}

TEST(PathChoice, DoesNotUseAPathThatWasNeverMeasuredBesideAnother)
{
	EXPECT_EQ(best({{true, 9 * page, 30 * ms, 0, 0}, {true, 0, 0, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{false, 0, 0, 0, 0}, {true, 0, 0, 0, 0}}, 0), 1U);
}

TEST(PathChoice, ThinksAPathSlowThatDoesNotAnswer)
{
	cw_choice silent{true, page, 100, 30 * ms, 50};

	EXPECT_EQ(cw_choice_latency(&silent), 30 * ms);
	silent.latency = 0;
	EXPECT_EQ(cw_choice_latency(&silent), 30 * ms);
	silent.age = 10;
	EXPECT_EQ(cw_choice_latency(&silent), 50U);
	// Without a command, nothing is to be answered.
	silent = {true, 0, 100, 30 * ms, 50};
	EXPECT_EQ(cw_choice_latency(&silent), 100U);
	// A long wait of commands does not make the mean of the past count less.
	silent = {true, page, 100, 0, 50};
	EXPECT_EQ(cw_choice_latency(&silent), 100U);
}

TEST(PathChoice, TheMeanFollowsTheSamples)
{
	u32 mean = cw_choice_mean(0, 800, 0);

	EXPECT_EQ(mean, 800U);
	mean = cw_choice_mean(mean, 1600, 0);
	EXPECT_EQ(mean, 900U);
	for (int i = 0; i < 100; i++)
		mean = cw_choice_mean(mean, 1600, 0);
	EXPECT_NEAR(mean, 1600, 16);
	EXPECT_EQ(cw_choice_mean(mean, 80, CW_CHOICE_STALE + 1), 80U);
	EXPECT_EQ(cw_choice_mean(0, 0, 0), 1U);
	EXPECT_EQ(cw_choice_mean(1, 0, 0), 1U);
	EXPECT_GT(cw_choice_mean(~0U, ~0U, 0), 1U << 31);
}

TEST(PathChoice, NextGoesAround)
{
	const std::vector<cw_choice> paths{{true, 0, 1, 0, 0}, {false, 0, 1, 0, 0}, {true, 0, 9, 0, 0}};

	EXPECT_EQ(next(paths, 0), 2U);
	EXPECT_EQ(next(paths, 2), 0U);
	EXPECT_EQ(next(paths, 1), 2U);
	EXPECT_EQ(next({{true, 0, 0, 0, 0}, {false, 0, 0, 0, 0}}, 0), 0U);
	EXPECT_EQ(next({{false, 0, 0, 0, 0}, {false, 0, 0, 0, 0}}, 0), 2U);
}

// A hardware queue with a number of commands in flight, over paths that take a time for each
// command and delay it by another time.
struct Simulated {
	struct Path {
		u32 service, delay;
		u32 load, latency, at, free_at;
		u32 taken;
		u32 rtt() const { return 2 + delay; }
	};
	struct Command {
		u32 sent, done;
		unsigned path;
	};
	std::vector<Path> paths;
	std::vector<Command> flying{};
	u32 now = 10 * CW_CHOICE_STALE;
	unsigned current = 0;

	void answer()
	{
		const auto first = std::min_element(
			flying.begin(), flying.end(),
			[](const auto &a, const auto &b) { return a.done < b.done; });
		const Command command = *first;
		Path &path = paths[command.path];

		flying.erase(first);
		now = std::max(now, command.done);
		path.load -= page;
		path.latency = cw_choice_mean(path.latency, now - command.sent, now - path.at);
		path.at = now;
	}

	void send()
	{
		std::vector<cw_choice> known;

		for (const auto &path : paths)
			known.push_back({true, path.load, path.latency, now - path.at, path.rtt()});
		current = best(known, current);
		Path &path = paths[current];
		if (!path.load) {
			if (now - path.at > CW_CHOICE_STALE)
				path.latency = 0;
			path.at = now;
		}
		path.load += page;
		path.taken++;
		path.free_at = std::max(path.free_at, now) + path.service;
		flying.push_back({now, path.free_at + path.delay, current});
	}

	// Returns the commands that were answered in @time.
	u32 run(size_t depth, u32 time)
	{
		const u32 end = now + time;
		u32 answers = 0;

		for (auto &path : paths)
			path.taken = 0;
		for (; now < end; answers++) {
			while (flying.size() < depth)
				send();
			answer();
		}
		return answers;
	}
};

constexpr u32 second = 1000 * ms;

TEST(PathChoice, ASlowPathGetsFewAndCostsLittle)
{
	for (const size_t depth : {1U, 4U, 16U, 64U}) {
		Simulated alone{{{80, 120, 0, 0, 0, 0, 0}}};
		Simulated both{{{80, 120, 0, 0, 0, 0, 0}, {80, 120 + 30 * ms, 0, 0, 0, 0, 0}}};
		const u32 fast = alone.run(depth, 2 * second);

		EXPECT_GE(both.run(depth, 2 * second) * 100ULL, fast * 95ULL) << depth;
		EXPECT_LE(both.paths[1].taken * 20, both.paths[0].taken) << depth;
		if (depth == 1) {
			EXPECT_EQ(both.paths[1].taken, 0U);
		}
	}
}

TEST(PathChoice, EqualPathsShare)
{
	Simulated one{{{80, 120, 0, 0, 0, 0, 0}}};
	Simulated two{{{80, 120, 0, 0, 0, 0, 0}, {80, 120, 0, 0, 0, 0, 0}}};
	const u32 alone = one.run(16, 2 * second);

	EXPECT_GE(two.run(16, 2 * second) * 10ULL, alone * 18ULL);
	EXPECT_NEAR(two.paths[0].taken, two.paths[1].taken, alone / 5);
}

TEST(PathChoice, APathThatBecomesSlowIsLeftAndOneThatRecoversIsUsedAgain)
{
	Simulated both{{{80, 120, 0, 0, 0, 0, 0}, {80, 120, 0, 0, 0, 0, 0}}};

	both.run(16, 2 * second);
	both.paths[0].delay = 30 * ms;
	both.run(16, second);
	both.run(16, 2 * second);
	EXPECT_LE(both.paths[0].taken * 20, both.paths[1].taken);
	both.paths[0].delay = 120;
	both.run(16, 2 * second);
	both.run(16, 2 * second);
	EXPECT_GE(both.paths[0].taken * 2, both.paths[1].taken);
}

} // namespace
