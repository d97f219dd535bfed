// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "kmod/core/session/client/path_state.h"
#include "kmod/core/session/client/state.h"
#include "kmod/core/session/server/state.h"
#include "kmod/core/verbs/endpoint_state.h"

namespace
{

template <typename State> using Table = std::set<std::pair<State, State>>;

// Asks for every pair of states of a machine, so that a transition that is missing in the table
// fails as well as one that should not be there.
template <typename State, typename May>
void expect_exactly(const Table<State> &legal, int first, int last, May may)
{
	for (int from = first; from <= last; from++)
		for (int to = first; to <= last; to++) {
			const auto pair = std::make_pair(State(from), State(to));
			EXPECT_EQ(may(pair.first, pair.second), legal.count(pair) != 0)
				<< from << " -> " << to;
		}
}

// New settings of an export end these sessions with force only.
TEST(States, OfAClientThatUsesItsExportOrWaits)
{
	EXPECT_FALSE(cw_server_is_client(CW_SERVER_LOGIN, false));
	EXPECT_TRUE(cw_server_is_client(CW_SERVER_PROVED, false));
	EXPECT_FALSE(cw_server_is_client(CW_SERVER_PROVED, true));
	EXPECT_TRUE(cw_server_is_client(CW_SERVER_LIVE, false));
	EXPECT_FALSE(cw_server_is_client(CW_SERVER_ENDING, false));
}

TEST(States, OfAnEndpoint)
{
	expect_exactly<cw_endpoint_state>({{CW_EP_NEW, CW_EP_ADDRESS},
					   {CW_EP_ADDRESS, CW_EP_ROUTE},
					   {CW_EP_NEW, CW_EP_CONNECTING},
					   {CW_EP_ROUTE, CW_EP_CONNECTING},
					   {CW_EP_CONNECTING, CW_EP_LIVE},
					   {CW_EP_NEW, CW_EP_DEAD},
					   {CW_EP_ADDRESS, CW_EP_DEAD},
					   {CW_EP_ROUTE, CW_EP_DEAD},
					   {CW_EP_CONNECTING, CW_EP_DEAD},
					   {CW_EP_LIVE, CW_EP_DEAD}},
					  CW_EP_NEW, CW_EP_DEAD, cw_endpoint_may);
}

TEST(States, OfASessionAtTheClient)
{
	expect_exactly<cw_state>({{CW_STATE_HELD, CW_STATE_CONNECTING},
				  {CW_STATE_FAILING, CW_STATE_CONNECTING},
				  {CW_STATE_CONNECTING, CW_STATE_LIVE},
				  {CW_STATE_CONNECTING, CW_STATE_HELD},
				  {CW_STATE_CONNECTING, CW_STATE_REFUSED},
				  {CW_STATE_LIVE, CW_STATE_HELD},
				  {CW_STATE_HELD, CW_STATE_FAILING},
				  {CW_STATE_CONNECTING, CW_STATE_CLOSING},
				  {CW_STATE_LIVE, CW_STATE_CLOSING},
				  {CW_STATE_HELD, CW_STATE_CLOSING},
				  {CW_STATE_FAILING, CW_STATE_CLOSING},
				  {CW_STATE_REFUSED, CW_STATE_CONNECTING},
				  {CW_STATE_REFUSED, CW_STATE_CLOSING},
				  // A final refusal answers a login, and only detach ends it.
				  {CW_STATE_CONNECTING, CW_STATE_REVOKED},
				  {CW_STATE_REVOKED, CW_STATE_CLOSING}},
				 CW_STATE_CONNECTING, CW_STATE_REVOKED, cw_session_may);
}

TEST(States, OfAPathAtTheClient)
{
	expect_exactly<cw_path_state>({{CW_PATH_DOWN, CW_PATH_CONNECTING},
				       {CW_PATH_CONNECTING, CW_PATH_LIVE},
				       // A failed attempt, or one that another thread gives up.
				       {CW_PATH_CONNECTING, CW_PATH_DYING},
				       {CW_PATH_LIVE, CW_PATH_DYING},
				       {CW_PATH_DYING, CW_PATH_DOWN},
				       // Only a path whose links are drained and freed is closed.
				       {CW_PATH_DOWN, CW_PATH_CLOSED},
				       {CW_PATH_DYING, CW_PATH_CLOSED},
				       // A path that was removed may be added again.
				       {CW_PATH_DOWN, CW_PATH_REMOVED},
				       {CW_PATH_REMOVED, CW_PATH_DOWN},
				       {CW_PATH_REMOVED, CW_PATH_CLOSED}},
				      CW_PATH_DOWN, CW_PATH_REMOVED, cw_path_may);
}

TEST(States, OfASessionAtTheServer)
{
	expect_exactly<cw_server_state>({{CW_SERVER_LOGIN, CW_SERVER_PROVED},
					 {CW_SERVER_PROVED, CW_SERVER_LIVE},
					 {CW_SERVER_LOGIN, CW_SERVER_ENDING},
					 {CW_SERVER_PROVED, CW_SERVER_ENDING},
					 {CW_SERVER_LIVE, CW_SERVER_ENDING}},
					CW_SERVER_LOGIN, CW_SERVER_ENDING, cw_server_may);
}

} // namespace
