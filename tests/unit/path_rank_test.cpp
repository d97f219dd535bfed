// SPDX-License-Identifier: GPL-2.0-or-later
// Which live paths of a session carry I/O.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "include/uapi/causeway.h"
#include "kmod/core/session/client/path_rank.h"

namespace
{

constexpr u8 rdma = 0, tcp = 1;
cw_rank_wait wait;

// Returns the paths that carry I/O, as a number of which each bit is a path.
u32 choose(const std::vector<cw_rank_path> &paths)
{
	return cw_rank_choose(paths.data(), static_cast<unsigned>(paths.size()), &wait);
}

// A live path.
cw_rank_path live(u8 rank, bool carries, u8 relapses = 0, u32 ms = 0, bool answers = false)
{
	return {true, carries, answers, rank, relapses, ms};
}

constexpr cw_rank_path lost{false, false, true, rdma, 0, 9}, lost_now{false, true, true, tcp, 1, 9};

void waits(u32 ms, u32 ask)
{
	EXPECT_EQ(wait.ms, ms);
	EXPECT_EQ(wait.ask, ask);
}

TEST(PathRank, TransportsHaveRanks)
{
	EXPECT_EQ(cw_rank_of(CW_TRANSPORT_RDMA), rdma);
	EXPECT_EQ(cw_rank_of(CW_TRANSPORT_TCP), tcp);
}

TEST(PathRank, LivePathsOfTheBestRankCarryIo)
{
	EXPECT_EQ(choose({}), 0U);
	EXPECT_EQ(choose({lost}), 0U);
	EXPECT_EQ(choose({live(tcp, false, 9)}), 1U);
	EXPECT_EQ(choose({live(rdma, false), live(tcp, false, 0, 99)}), 1U);
	waits(CW_RANK_NEVER, 0);
	EXPECT_EQ(choose({live(rdma, true), live(rdma, false), live(tcp, false)}), 3U);
	EXPECT_EQ(choose({live(tcp, true), lost, live(tcp, false)}), 5U);
	waits(CW_RANK_NEVER, 0);
	// The last path that carried I/O was lost: no time and no answer is waited for.
	EXPECT_EQ(choose({lost_now, live(rdma, false, 200), live(tcp, false, 1)}), 2U);
	waits(CW_RANK_NEVER, 0);
	EXPECT_EQ(choose({lost_now, live(tcp, false, 200), live(tcp, false, 1)}), 6U);
	waits(CW_RANK_NEVER, 0);
	// One that has settled comes before a better one that has not.
	EXPECT_EQ(choose({lost_now, live(rdma, false, 1, 1000), live(tcp, false)}), 4U);
	waits(2000, 0);
	EXPECT_EQ(choose({lost_now, live(rdma, false, 1, 3000), live(tcp, false)}), 4U);
	waits(CW_RANK_NEVER, 2);
	EXPECT_EQ(choose({lost_now, live(rdma, false, 1, 3000, true), live(tcp, false)}), 2U);
	waits(CW_RANK_NEVER, 0);
	EXPECT_EQ(choose({lost_now, live(rdma, false, 1, 3000), live(tcp, false, 1)}), 2U);
	EXPECT_EQ(choose({lost_now, live(rdma, false, 1, 3000), live(rdma, false, 1, 2000)}), 2U);
	waits(1000, 0);
}

TEST(PathRank, ABetterPathTakesOverWhenItHasSettledAndAnswers)
{
	EXPECT_EQ(choose({live(rdma, false, 1, 2999, true), live(tcp, true)}), 2U);
	waits(1, 0);
	EXPECT_EQ(choose({live(rdma, false, 1, 3000), live(tcp, true)}), 2U);
	waits(CW_RANK_NEVER, 1);
	EXPECT_EQ(choose({live(rdma, false, 1, 3000, true), live(tcp, true)}), 1U);
	waits(CW_RANK_NEVER, 0);
	// It was never lost: it only connected later.
	EXPECT_EQ(choose({live(rdma, false), live(tcp, true)}), 1U);
	waits(CW_RANK_NEVER, 0);
	// The first of those that have not settled is looked at.
	EXPECT_EQ(choose({live(rdma, false, 3), live(tcp, true), live(rdma, false, 2, 500)}), 2U);
	waits(5500, 0);
	EXPECT_EQ(choose({live(rdma, false, 3), live(tcp, true), live(rdma, false, 2, 6000)}), 2U);
	waits(12000, 4);
	// Paths of a worse rank never take over, and are not waited for.
	EXPECT_EQ(choose({live(rdma, true), live(tcp, false, 1, 5, true), live(tcp, false, 1, 9000)}), 1U);
	waits(CW_RANK_NEVER, 0);
}

TEST(PathRank, APathSettlesBesideThoseOfItsRank)
{
	EXPECT_EQ(choose({live(rdma, true), live(rdma, false, 1, 1000, true)}), 1U);
	waits(2000, 0);
	EXPECT_EQ(choose({live(rdma, true), live(rdma, false, 1, 3000)}), 1U);
	waits(CW_RANK_NEVER, 2);
	EXPECT_EQ(choose({live(rdma, true), live(rdma, false, 1, 3000, true)}), 3U);
	waits(CW_RANK_NEVER, 0);
	// Also beside one that has just taken over.
	EXPECT_EQ(choose({live(tcp, true), live(rdma, false, 1, 3000, true), live(rdma, false, 2, 4000)}), 2U);
	waits(2000, 0);
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
	std::vector<cw_rank_path> paths{{false, false, false, rdma, 0, 0}, {false, false, false, rdma, 0, 0}, {false, false, false, tcp, 0, 0},
					{false, false, false, tcp, 0, 0}};

	for (int step = 0; step < 20'000; step++) {
		random = random * 1664525 + 1013904223;
		cw_rank_path &path = paths[(random >> 8) % paths.size()];

		for (auto &each : paths) {
			each.live_ms += each.live ? (random >> 16) % 4000 : 0;
			each.answers = each.live && (each.answers || random >> 28 == 0);
		}
		if (path.live)
			path.relapses = cw_rank_relapses(path.relapses, path.live_ms);
		path.live = !path.live;
		path.live_ms = 0;
		path.answers = false;
		const bool carried = std::any_of(paths.begin(), paths.end(), [](const cw_rank_path &each) { return each.live && each.carries; });
		const u32 chosen = choose(paths);
		bool any = false;

		for (size_t i = 0; i < paths.size(); i++) {
			any |= paths[i].live;
			if (chosen >> i & 1) {
				ASSERT_TRUE(paths[i].live);
				ASSERT_TRUE(!carried || paths[i].carries || !paths[i].relapses || paths[i].answers);
			}
			for (size_t j = 0; j < paths.size(); j++) {
				if (chosen >> i & 1 && chosen >> j & 1) {
					ASSERT_EQ(paths[i].rank, paths[j].rank);
				}
			}
			paths[i].carries = chosen >> i & 1;
		}
		// No path is forgotten.
		for (size_t i = 0; i < paths.size(); i++) {
			const bool as_good = any && paths[i].rank <= paths[static_cast<size_t>(std::countr_zero(chosen))].rank;

			if (paths[i].live && as_good && !(chosen >> i & 1)) {
				ASSERT_TRUE(wait.ask >> i & 1 || wait.ms != CW_RANK_NEVER);
			}
		}
		ASSERT_EQ(chosen != 0, any);
		ASSERT_EQ(wait.ask & chosen, 0U);
		ASSERT_EQ(choose(paths), chosen); // the decision is stable
		ASSERT_GT(wait.ms, 0U);
	}
}

TEST(PathRank, LoginsBeginWithTheBestRank)
{
	const cw_rank_login gone{false, false, false, rdma};
	const auto next = [](const std::vector<cw_rank_login> &paths, unsigned first) {
		return cw_rank_next_login(paths.data(), static_cast<unsigned>(paths.size()), first);
	};
	const cw_rank_login over_rdma{true, false, false, rdma}, over_tcp{true, false, false, tcp};
	const cw_rank_login down{true, false, true, rdma}, tried{true, true, true, rdma}, tcp_tried{true, true, true, tcp};

	EXPECT_EQ(next({over_tcp, over_rdma}, 0), 1U);
	EXPECT_EQ(next({over_tcp, over_rdma, over_rdma}, 2), 2U);
	EXPECT_EQ(next({over_rdma, over_rdma, over_rdma}, 1), 1U);
	// One that could not connect comes after the path that carried I/O.
	EXPECT_EQ(next({over_tcp, down}, 1), 0U);
	EXPECT_EQ(next({down, over_tcp, gone}, 2), 1U);
	// Each has a turn.
	EXPECT_EQ(next({tried, over_tcp, down}, 1), 1U);
	EXPECT_EQ(next({tried, tcp_tried, down}, 1), 2U);
	EXPECT_EQ(next({tcp_tried, tried, gone}, 2), 1U);
	EXPECT_EQ(next({gone, gone}, 1), 1U);
	EXPECT_EQ(next({gone, tcp_tried}, 0), 1U);
}

} // namespace
