// SPDX-License-Identifier: GPL-2.0-or-later
// Which live paths of a session carry I/O.
#include <gtest/gtest.h>

#include <vector>

#include "include/uapi/causeway.h"
#include "kmod/core/session/client/path_rank.h"

namespace
{

constexpr u8 rdma = 0, tcp = 1;
u32 next_ms;

// Returns the paths that carry I/O, as a number of which each bit is a path.
u32 choose(const std::vector<cw_rank_path> &paths)
{
	return cw_rank_choose(paths.data(), static_cast<unsigned>(paths.size()), &next_ms);
}

TEST(PathRank, TransportsHaveRanks)
{
	EXPECT_EQ(cw_rank_of(CW_TRANSPORT_RDMA), rdma);
	EXPECT_EQ(cw_rank_of(CW_TRANSPORT_TCP), tcp);
}

TEST(PathRank, LivePathsOfTheBestRankCarryIo)
{
	EXPECT_EQ(choose({}), 0U);
	EXPECT_EQ(choose({{false, false, rdma, 0, 9}}), 0U);
	EXPECT_EQ(choose({{true, false, tcp, 9, 0}}), 1U);
	EXPECT_EQ(choose({{true, false, rdma, 9, 0}, {true, false, tcp, 0, 99}}), 1U);
	EXPECT_EQ(next_ms, CW_RANK_NEVER);
	EXPECT_EQ(choose({{true, true, rdma, 0, 9}, {true, false, rdma, 5, 0}, {true, false, tcp, 0, 9}}), 3U);
	EXPECT_EQ(choose({{true, true, tcp, 0, 9}, {false, false, rdma, 1, 0}, {true, false, tcp, 5, 0}}), 5U);
	EXPECT_EQ(next_ms, CW_RANK_NEVER);
	// The last path that carried I/O was lost: no time is waited for.
	EXPECT_EQ(choose({{false, true, tcp, 1, 9}, {true, false, rdma, 200, 0}, {true, false, tcp, 0, 9}}), 2U);
}

TEST(PathRank, ABetterPathTakesOverWhenItHasSettled)
{
	EXPECT_EQ(choose({{true, false, rdma, 1, 2999}, {true, true, tcp, 0, 9}}), 2U);
	EXPECT_EQ(next_ms, 1U);
	EXPECT_EQ(choose({{true, false, rdma, 1, 3000}, {true, true, tcp, 0, 9}}), 1U);
	EXPECT_EQ(next_ms, CW_RANK_NEVER);
	// It was never lost: it only connected later.
	EXPECT_EQ(choose({{true, false, rdma, 0, 0}, {true, true, tcp, 0, 9}}), 1U);
	// One path that has settled is enough, and the first of those that have not is looked at.
	EXPECT_EQ(choose({{true, false, rdma, 3, 0}, {true, true, tcp, 0, 9}, {true, false, rdma, 2, 6000}}), 5U);
	EXPECT_EQ(choose({{true, false, rdma, 3, 0}, {true, true, tcp, 0, 9}, {true, false, rdma, 2, 500}}), 2U);
	EXPECT_EQ(next_ms, 5500U);
	// Paths of a worse rank never take over.
	EXPECT_EQ(choose({{true, true, rdma, 9, 0}, {true, true, tcp, 0, CW_RANK_NEVER}}), 1U);
}

TEST(PathRank, EachRelapseDoublesTheTime)
{
	u8 relapses = 0;

	EXPECT_EQ(cw_rank_settle_ms(0), 0U);
	for (const u32 settle : {3000U, 6000U, 12000U, 24000U, 48000U, 60000U, 60000U}) {
		relapses = cw_rank_relapses(relapses, CW_RANK_RELAPSE_MS - 1);
		EXPECT_EQ(cw_rank_settle_ms(relapses), settle);
	}
	EXPECT_EQ(cw_rank_relapses(255, 0), 255);
	EXPECT_EQ(cw_rank_settle_ms(255), CW_RANK_SETTLE_MOST_MS);
	EXPECT_EQ(cw_rank_relapses(relapses, CW_RANK_RELAPSE_MS), 1);
}

// The paths come and go in every order. I/O has a path whenever one is live, all of its paths have
// one rank, and no path is demoted for one that has not settled.
TEST(PathRank, HoldsInEveryOrder)
{
	u32 random = 1;
	std::vector<cw_rank_path> paths{{false, false, rdma, 0, 0}, {false, false, rdma, 0, 0}, {false, false, tcp, 0, 0}, {false, false, tcp, 0, 0}};

	for (int step = 0; step < 20'000; step++) {
		random = random * 1664525 + 1013904223;
		cw_rank_path &path = paths[(random >> 8) % paths.size()];

		for (auto &each : paths)
			each.live_ms += each.live ? (random >> 16) % 4000 : 0;
		if (path.live)
			path.relapses = cw_rank_relapses(path.relapses, path.live_ms);
		path.live = !path.live;
		path.live_ms = 0;
		const u32 before = choose(paths);
		bool live = false;

		for (size_t i = 0; i < paths.size(); i++) {
			live |= paths[i].live;
			if (before >> i & 1) {
				ASSERT_TRUE(paths[i].live);
			}
			for (size_t j = 0; j < paths.size(); j++) {
				if (before >> i & 1 && before >> j & 1) {
					ASSERT_EQ(paths[i].rank, paths[j].rank);
				}
			}
			paths[i].carries = before >> i & 1;
		}
		ASSERT_EQ(before != 0, live);
		ASSERT_EQ(choose(paths), before); // the decision is stable
		ASSERT_GT(next_ms, 0U);
	}
}

} // namespace
