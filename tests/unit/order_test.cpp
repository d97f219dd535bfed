// SPDX-License-Identifier: GPL-2.0-or-later
// The order of control messages: PROTOCOL, section 3, rules 14 to 16.
#include "include/wire/causeway_order.h"

#include "wire.h"

#include <set>

namespace
{

constexpr bool CLIENT = true, SERVER = false;

struct Step {
	bool from_client;
	u8 type;
};

using Steps = std::vector<Step>;
using Types = std::set<int>;

cw_order after(const Steps &steps)
{
	cw_order order{};
	for (const Step &step : steps) {
		EXPECT_TRUE(cw_order_allows(&order, step.type, step.from_client))
			<< "message " << int(step.type);
		cw_order_note(&order, step.type, step.from_client);
	}
	return order;
}

// The types that may come next.
Types next(const Steps &steps, bool from_client)
{
	const cw_order order = after(steps);
	Types types;
	for (int type = 0; type < 256; type++)
		if (cw_order_allows(&order, u8(type), from_client))
			types.insert(type);
	return types;
}

constexpr int PROBE = CW_MSG_PROBE, ALIVE = CW_MSG_ALIVE;

const Steps HELLO = {{CLIENT, CW_MSG_HELLO}};

Steps with(Steps steps, const Steps &more)
{
	steps.insert(steps.end(), more.begin(), more.end());
	return steps;
}

const Steps CHALLENGED = with(HELLO, {{SERVER, CW_MSG_CHALLENGE}});
const Steps PROVED = with(CHALLENGED, {{CLIENT, CW_MSG_PROOF}});
const Steps LIVE = with(PROVED, {{SERVER, CW_MSG_WELCOME}});
const Steps JOINING = {{CLIENT, CW_MSG_JOIN}};
const Steps JOINED = with(JOINING, {{SERVER, CW_MSG_JOINED}});
const Steps LEAVING = with(LIVE, {{CLIENT, CW_MSG_GOODBYE}});

TEST(Order, AClientBeginsWithHelloJoinOrDiscover)
{
	EXPECT_EQ(next({}, CLIENT), (Types{CW_MSG_HELLO, CW_MSG_DISCOVER, CW_MSG_JOIN}));
	EXPECT_EQ(next({}, SERVER), (Types{PROBE, ALIVE}));
}

TEST(Order, OfALogin)
{
	EXPECT_EQ(next(HELLO, CLIENT), (Types{PROBE, ALIVE}));
	EXPECT_EQ(next(HELLO, SERVER), (Types{CW_MSG_CHALLENGE, CW_MSG_REFUSED, PROBE, ALIVE}));
	EXPECT_EQ(next(CHALLENGED, CLIENT), (Types{CW_MSG_PROOF, PROBE, ALIVE}));
	EXPECT_EQ(next(CHALLENGED, SERVER), (Types{CW_MSG_REFUSED, PROBE, ALIVE}));
	EXPECT_EQ(next(PROVED, CLIENT), (Types{PROBE, ALIVE}));
	EXPECT_EQ(next(PROVED, SERVER),
		  (Types{CW_MSG_WELCOME, CW_MSG_REFUSED, CW_MSG_WAITING, PROBE, ALIVE}));
	EXPECT_EQ(next(with(PROVED, {{SERVER, CW_MSG_WAITING}, {SERVER, CW_MSG_WAITING}}), SERVER),
		  next(PROVED, SERVER));
}

TEST(Order, OfALiveSession)
{
	EXPECT_EQ(next(LIVE, CLIENT),
		  (Types{CW_MSG_GOODBYE, CW_MSG_FENCE, CW_MSG_PATH_BYE, PROBE, ALIVE}));
	EXPECT_EQ(next(LIVE, SERVER), (Types{CW_MSG_NOTICE, PROBE, ALIVE}));
}

TEST(Order, OfAFence)
{
	const Steps fencing = with(LIVE, {{CLIENT, CW_MSG_FENCE}});
	EXPECT_EQ(next(fencing, CLIENT), next(LIVE, CLIENT));
	EXPECT_EQ(next(fencing, SERVER),
		  (Types{CW_MSG_NOTICE, CW_MSG_FENCED, CW_MSG_WAITING, PROBE, ALIVE}));
	EXPECT_EQ(next(with(fencing, {{SERVER, CW_MSG_WAITING}}), SERVER), next(fencing, SERVER));
	// The server sends one answer for each FENCE at most.
	const Steps fenced = with(fencing, {{SERVER, CW_MSG_FENCED}});
	EXPECT_EQ(next(fenced, SERVER), next(LIVE, SERVER));
	EXPECT_EQ(next(with(fenced, {{CLIENT, CW_MSG_FENCE}}), SERVER), next(fencing, SERVER));
	EXPECT_EQ(next(with(JOINED, {{CLIENT, CW_MSG_FENCE}}), SERVER), next(fencing, SERVER));
}

TEST(Order, OfGoodbye)
{
	EXPECT_EQ(next(LEAVING, CLIENT), (Types{PROBE, ALIVE}));
	EXPECT_EQ(next(LEAVING, SERVER), (Types{CW_MSG_NOTICE, CW_MSG_FAREWELL, PROBE, ALIVE}));
	EXPECT_EQ(next(with(LEAVING, {{SERVER, CW_MSG_FAREWELL}}), SERVER),
		  (Types{CW_MSG_NOTICE, PROBE, ALIVE}));
}

TEST(Order, OfAJoin)
{
	EXPECT_EQ(next(JOINING, CLIENT), (Types{PROBE, ALIVE}));
	EXPECT_EQ(next(JOINING, SERVER),
		  (Types{CW_MSG_JOINED, CW_MSG_REFUSED, CW_MSG_WAITING, PROBE, ALIVE}));
	EXPECT_EQ(next(JOINED, CLIENT), next(LIVE, CLIENT));
	EXPECT_EQ(next(JOINED, SERVER), next(LIVE, SERVER));
}

TEST(Order, OfARefusal)
{
	for (const Steps &steps : {HELLO, CHALLENGED, PROVED, JOINING})
		EXPECT_FALSE(next(with(steps, {{SERVER, CW_MSG_REFUSED}}), SERVER)
				     .count(CW_MSG_REFUSED));
}

TEST(Order, OfDiscovery)
{
	const Steps asked = {{CLIENT, CW_MSG_DISCOVER}};
	const Steps told = with(asked, {{SERVER, CW_MSG_EXPORTS}});
	EXPECT_EQ(next(asked, CLIENT), (Types{CW_MSG_DISCOVER, PROBE, ALIVE}));
	EXPECT_EQ(next(asked, SERVER), (Types{CW_MSG_EXPORTS, CW_MSG_REFUSED, PROBE, ALIVE}));
	// The server sends one answer for each question.
	EXPECT_EQ(next(told, SERVER), (Types{CW_MSG_REFUSED, PROBE, ALIVE}));
	EXPECT_EQ(next(with(told, asked), SERVER), next(asked, SERVER));
	EXPECT_EQ(next(with(asked, {{CLIENT, CW_MSG_PROBE}, {CLIENT, CW_MSG_ALIVE}}), CLIENT),
		  (Types{CW_MSG_DISCOVER, PROBE, ALIVE}));
}

TEST(Order, ATypeThatDoesNotExistIsNotNoted)
{
	cw_order order{};
	for (int type = CW_MSG_PATH_BYE + 1; type < 256; type++)
		cw_order_note(&order, u8(type), CLIENT);
	EXPECT_EQ(order.from_client, 0U);
	cw_order_note(&order, CW_MSG_PATH_BYE, CLIENT);
	EXPECT_EQ(order.from_client, 1U << CW_MSG_PATH_BYE);
	EXPECT_EQ(order.from_server, 0U);
}

} // namespace
