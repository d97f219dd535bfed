// SPDX-License-Identifier: GPL-2.0-or-later
// The choice of the path that takes the next message of a hardware queue.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kmod/disk/path_choice.h"

namespace
{

constexpr u32 ms = 1'000'000 >> CW_CHOICE_SHIFT; // of the clock
constexpr u32 page = 4096 + CW_CHOICE_COMMAND;

// The mean of a path on which a page takes this time, when no other command is there.
constexpr u32 mean_of(u64 ns)
{
	return static_cast<u32>(ns / 2 / 16);
}

constexpr u32 fast = mean_of(100'000);
constexpr u32 slow = mean_of(30'000'000);

unsigned best(const std::vector<cw_choice> &paths, unsigned last, u32 load = page, u32 together = 0)
{
	return cw_choice_best(paths.data(), static_cast<unsigned>(paths.size()), last, load, together);
}

unsigned next(const std::vector<cw_choice> &paths, unsigned last)
{
	return cw_choice_next(paths.data(), static_cast<unsigned>(paths.size()), last);
}

// In nanoseconds.
u64 expected(const cw_choice &path, u32 load = page)
{
	return cw_choice_expected(&path, &path, load) * 16;
}

TEST(PathChoice, TakesTheUsablePathWithTheLowestExpectedCompletion)
{
	EXPECT_EQ(best({{true, 0, slow, 0, 0}, {true, 0, fast, 0, 0}}, 0), 1U);
	EXPECT_EQ(best({{true, 0, slow, 0, 0}, {true, 0, fast, 0, 0}}, 1), 1U);
	EXPECT_EQ(best({{true, 0, slow, 0, 0}, {false, 0, fast, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{false, 0, slow, 0, 0}, {true, 0, fast, 0, 0}, {true, 0, fast - 1, 0, 0}}, 0), 2U);
	EXPECT_EQ(best({{true, 0, slow, 0, 0}, {true, 0, fast, 0, 0}, {true, 0, fast + 1, 0, 0}}, 0), 1U);
	EXPECT_EQ(best({{false, 0, 1, 0, 0}, {false, 0, 1, 0, 0}}, 1), 2U);
	EXPECT_EQ(best({{true, 0, 0, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{true, 0, 0, 0, 0}}, 5), 0U);
}

TEST(PathChoice, CountsTheLoadAndTheNextCommand)
{
	EXPECT_EQ(expected({true, 0, fast, 0, 0}), 100'000U);
	EXPECT_EQ(expected({true, 7 * page, fast, 0, 0}), 800'000U);
	EXPECT_EQ(expected({true, 7 * page, fast, 0, 0}, 9 * page), 1'600'000U);
	EXPECT_EQ(best({{true, 7 * page, fast, 0, 0}, {true, page, fast, 0, 0}}, 0), 1U);
	// No load and no time is too large.
	EXPECT_EQ(best({{true, 1U << 31, ~0U, 0, 0}, {true, 1U << 30, ~0U, 0, 0}}, 0, 1U << 20), 1U);
	EXPECT_EQ(best({{true, 1U << 30, ~0U, 0, 0}, {true, 1U << 31, ~0U, 0, 0}}, 0, 1U << 20), 0U);
}

TEST(PathChoice, LeavesAPathOnlyForAClearlyBetterOne)
{
	EXPECT_EQ(best({{true, page, 100, 0, 0}, {true, 0, 150, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{true, page, 100, 0, 0}, {true, 0, 149, 0, 0}}, 0), 1U);
	// Without a command, there is no message to share.
	EXPECT_EQ(best({{true, 0, 320, 0, 0}, {true, 0, 310, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{true, 0, 320, 0, 0}, {true, 0, 309, 0, 0}}, 0), 1U);
}

TEST(PathChoice, JudgesAnIdlePathByItsProbes)
{
	cw_choice slowed{true, 0, fast, CW_CHOICE_STALE, 0};
	cw_choice recovered{true, 0, slow, CW_CHOICE_STALE, 50};

	EXPECT_EQ(expected(slowed), 100'000U);
	EXPECT_EQ(expected(recovered), 30'000'000U);
	recovered.age++;
	EXPECT_EQ(expected(recovered), 50U * 1024);
	recovered.age = 0;
	recovered.mean = 0;
	EXPECT_EQ(expected(recovered), 50U * 1024);
	// No command is faster than a probe.
	slowed.rtt = 30 * ms;
	EXPECT_EQ(expected(slowed), 30U * ms * 1024);
	EXPECT_EQ(expected(slowed, 1000 * page), 100'000'000U);
}

TEST(PathChoice, AddsTheTimeOfTheDiskToTheProbesOfAnIdlePath)
{
	const cw_choice used{true, 0, mean_of(60'000'000), 0, 100};
	cw_choice idle{true, 0, slow, CW_CHOICE_STALE + 1, 100 + 30 * ms};

	EXPECT_NEAR(cw_choice_expected(&idle, &used, page) * 16, 60'000'000 + 30 * ms * 1024, 64);
	// Commands that had no answer yet count.
	idle = {true, page, 0, 0, 100 + 30 * ms};
	EXPECT_NEAR(cw_choice_expected(&idle, &used, page) * 16, 2 * (60'000'000 + 30 * ms * 1024), 64);
	idle = {true, 0, 0, 0, 1};
	EXPECT_NEAR(cw_choice_expected(&idle, &used, page) * 16, 60'000'000 - 99 * 1024, 2 * 1024);
	// The mean is lower than the probe, or is not known.
	EXPECT_EQ(best({{true, 0, fast, 0, 200}, {true, 0, 0, 0, 100}}, 0), 1U);
	EXPECT_EQ(best({{true, 0, fast, CW_CHOICE_STALE + 1, 200}, {true, 0, 0, 0, 100}}, 0), 1U);
	EXPECT_EQ(best({{true, 0, fast, CW_CHOICE_STALE + 1, 100}, {true, 0, 0, 0, 200}}, 0), 0U);
	// A large command is expected to take longer than the longest time that is measured.
	const cw_choice busy{true, 0, mean_of(100'000'000), 0, 100};
	const u32 large = (1U << 20) + CW_CHOICE_COMMAND;
	idle = {true, 0, 0, 0, 100 + 30 * ms};
	EXPECT_GT(cw_choice_expected(&idle, &busy, large), cw_choice_expected(&busy, &busy, large));
	EXPECT_EQ(best({busy, idle}, 0, large), 0U);
	// No time is too long.
	idle = {true, 1U << 31, 0, 0, ~0U};
	for (const u32 load : {0U, 1U, 4096U, 1U << 31})
		EXPECT_LT(cw_choice_expected(&idle, &idle, load), 1ULL << 58);
}

TEST(PathChoice, DoesNotUseAPathThatWasNeverMeasuredBesideAnother)
{
	EXPECT_EQ(best({{true, 9 * page, slow, 0, 0}, {true, 0, 0, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{true, 1U << 31, ~0U, 0, 0}, {true, 0, 0, 0, 0}}, 0), 0U);
	EXPECT_EQ(best({{true, 0, 0, 0, 0}, {true, 9 * page, slow, 0, 0}}, 0), 1U);
	EXPECT_EQ(best({{false, 0, 0, 0, 0}, {true, 0, 0, 0, 0}}, 0), 1U);
}

TEST(PathChoice, ThinksAPathSlowThatDoesNotAnswer)
{
	cw_choice silent{true, page, fast, 30 * ms, 50};

	EXPECT_EQ(expected(silent), 30U * ms * 1024);
	silent.mean = 0;
	EXPECT_EQ(expected(silent), 30U * ms * 1024);
	silent.age = 10;
	EXPECT_EQ(expected(silent), 50U * 1024);
	// Without a command, nothing is to be answered.
	silent = {true, 0, fast, 30 * ms, 50};
	EXPECT_EQ(expected(silent), 100'000U);
}

TEST(PathChoice, TheMeanFollowsTheSamples)
{
	u32 mean = cw_choice_mean(0, 100'000, page);

	EXPECT_EQ(mean, fast);
	// A command that found others on the path has waited for them.
	EXPECT_EQ(cw_choice_mean(0, 800'000, 8 * page), fast);
	mean = cw_choice_mean(mean, 200'000, page);
	EXPECT_NEAR(mean, mean_of(112'500), 1);
	for (int i = 0; i < 100; i++)
		mean = cw_choice_mean(mean, 200'000, page);
	EXPECT_NEAR(mean, mean_of(200'000), 16);
	for (const u32 from : {7U, 31U, 1000U}) {
		for (mean = from; mean != cw_choice_mean(mean, 24 * 32, page);)
			mean = cw_choice_mean(mean, 24 * 32, page);
		EXPECT_EQ(mean, 24U);
	}
	EXPECT_EQ(cw_choice_mean(0, 0, page), 1U);
	EXPECT_EQ(cw_choice_mean(1, 0, page), 1U);
	EXPECT_EQ(cw_choice_mean(0, ~0ULL, 0), 1U << 30);
	EXPECT_LE(cw_choice_mean(1U << 30, ~0ULL, 0), 1U << 30);
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
		u32 load, mean, at, free_at;
		u32 taken;
		u32 disk = 0; // the same by each path
		u32 rtt() const { return 2 + delay; }
	};
	struct Command {
		u32 sent, done;
		unsigned path;
		u32 queued;
	};
	std::vector<Path> paths;
	std::vector<Command> flying{};
	u32 now = 10 * CW_CHOICE_STALE;
	unsigned current = 0;
	u32 together = 0;

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
		path.mean = cw_choice_mean(path.mean, (now - command.sent) * 1024ULL, command.queued);
		path.at = now;
	}

	void send()
	{
		std::vector<cw_choice> known;

		for (const auto &path : paths)
			known.push_back({true, path.load, path.mean, now - path.at, path.rtt()});
		current = best(known, current, page, together);
		Path &path = paths[current];
		if (!path.load) {
			if (now - path.at > CW_CHOICE_STALE)
				path.mean = 0;
			path.at = now;
		}
		path.load += page;
		path.taken++;
		path.free_at = std::max(path.free_at, now) + path.service;
		flying.push_back({now, path.free_at + path.delay + path.disk, current, path.load});
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
	for (const u32 together : {0U, CW_CHOICE_TOGETHER})
		for (const size_t depth : {1U, 4U, 16U, 64U}) {
			Simulated alone{{{80, 120, 0, 0, 0, 0, 0}}};
			Simulated both{{{80, 120, 0, 0, 0, 0, 0}, {80, 120 + 30 * ms, 0, 0, 0, 0, 0}}};
			const u32 most = alone.run(depth, 2 * second);

			both.together = together;
			EXPECT_GE(both.run(depth, 2 * second) * 100ULL, most * 95ULL) << depth;
			EXPECT_LE(both.paths[1].taken * 20, both.paths[0].taken) << depth;
			if (depth == 1) {
				EXPECT_EQ(both.paths[1].taken, 0U);
			}
		}
}

TEST(PathChoice, AQueueLeavesASlowPathThatItWasGiven)
{
	for (const size_t depth : {1U, 4U, 16U, 64U}) {
		Simulated both{{{80, 120, 0, 0, 0, 0, 0}, {80, 120 + 30 * ms, 0, 0, 0, 0, 0}}};

		both.together = CW_CHOICE_TOGETHER;
		both.current = 1;
		both.run(depth, 2 * second);
		EXPECT_LE(both.paths[1].taken * 20, both.paths[0].taken) << depth;
	}
}

TEST(PathChoice, ASlowPathIsNotTriedAgainAndAgain)
{
	for (const u32 together : {0U, CW_CHOICE_TOGETHER})
		for (const size_t depth : {1U, 16U})
			for (const u32 disk : {20U, 10 * ms, 60 * ms, 100 * ms, 500 * ms})
				for (const u32 longer : {30U, 3 * ms, 30 * ms}) {
					Simulated alone{{{20, 20, 0, 0, 0, 0, 0, disk}}};
					Simulated both{{{20, 20 + longer, 0, 0, 0, 0, 0, disk}, {20, 20, 0, 0, 0, 0, 0, disk}}};

					both.together = together;
					both.run(depth, 2 * second);
					EXPECT_GE(both.run(depth, 20 * second) * 100ULL, alone.run(depth, 20 * second) * 95ULL)
						<< depth << ' ' << disk << ' ' << longer;
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

TEST(PathChoice, CommandsStayTogetherUntilTheirLoadIsLarge)
{
	Simulated two{{{20, 120, 0, 0, 0, 0, 0}, {20, 120, 0, 0, 0, 0, 0}}};

	two.together = CW_CHOICE_TOGETHER;
	two.run(16, second);
	EXPECT_GT(two.run(16, 2 * second), 0U);
	EXPECT_EQ(std::min(two.paths[0].taken, two.paths[1].taken), 0U);
	const u32 most = two.run(64, 2 * second);
	EXPECT_NEAR(two.paths[0].taken, two.paths[1].taken, most / 5);
}

// Its probes are as fast as those of the other one.
TEST(PathChoice, CommandsDoNotStayTogetherOnACongestedPath)
{
	Simulated both{{{320, 120, 0, 0, 0, 0, 0}, {20, 120, 0, 0, 0, 0, 0}}};

	both.together = CW_CHOICE_TOGETHER;
	both.run(16, second);
	both.run(16, 2 * second);
	EXPECT_LE(both.paths[0].taken * 8, both.paths[1].taken);
}

TEST(PathChoice, APathThatBecomesSlowIsLeftThoughCommandsStayTogether)
{
	Simulated both{{{20, 120, 0, 0, 0, 0, 0}, {20, 120, 0, 0, 0, 0, 0}}};

	both.together = CW_CHOICE_TOGETHER;
	both.run(16, 2 * second);
	const unsigned used = both.current;
	both.paths[used].delay = 30 * ms;
	both.run(16, second);
	both.run(16, 2 * second);
	EXPECT_LE(both.paths[used].taken * 20, both.paths[1 - used].taken);
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
