// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * The allowed order of control messages (PROTOCOL, section 3, rules 14 to 16).
 *
 * A sender notes a message before it posts it, and a receiver when it handles it. So a receiver has
 * noted the question before it checks the answer, because the peer cannot answer a question that
 * was not posted.
 */
#include "../../../include/wire/causeway_order.h"
#include "bytes.h"

#define BIT_OF(type) (1U << (type))
#define SIGNS_OF_LIFE (BIT_OF(CW_MSG_PROBE) | BIT_OF(CW_MSG_ALIVE))
#define LOGGED_IN (BIT_OF(CW_MSG_WELCOME) | BIT_OF(CW_MSG_JOINED))
#define OPENINGS (BIT_OF(CW_MSG_HELLO) | BIT_OF(CW_MSG_JOIN) | BIT_OF(CW_MSG_DISCOVER))

void cw_order_note(struct cw_order *order, u8 type, bool from_client)
{
	if (type > CW_MSG_PATH_BYE)
		return;
	if (from_client)
		order->from_client |= BIT_OF(type);
	else
		order->from_server |= BIT_OF(type);
	if (type == CW_MSG_DISCOVER)
		order->asked++;
	else if (type == CW_MSG_EXPORTS)
		order->listed++;
	else if (type == CW_MSG_FENCE)
		order->fences++;
	else if (type == CW_MSG_FENCED)
		order->fenced++;
}

static bool cw_order_client_may(u32 before, u32 answers, u8 type)
{
	switch (type) {
	case CW_MSG_HELLO:
	case CW_MSG_JOIN:
		return !before;
	case CW_MSG_DISCOVER:
		return !(before & ~(BIT_OF(CW_MSG_DISCOVER) | SIGNS_OF_LIFE));
	case CW_MSG_PROBE:
	case CW_MSG_ALIVE:
		return before & OPENINGS;
	case CW_MSG_PROOF:
		return answers & BIT_OF(CW_MSG_CHALLENGE) && !(before & BIT_OF(CW_MSG_PROOF));
	case CW_MSG_GOODBYE:
	case CW_MSG_FENCE:
	case CW_MSG_PATH_BYE:
		return answers & LOGGED_IN && !(before & BIT_OF(CW_MSG_GOODBYE));
	default:
		return false;
	}
}

/* The question was sent and not answered yet. Both occur once on a link. */
static bool cw_order_is_between(u32 questions, u8 question, u32 answers, u8 answer)
{
	return questions & BIT_OF(question) && !(answers & BIT_OF(answer));
}

static bool cw_order_server_may(const struct cw_order *order, u8 type)
{
	u32 asked = order->from_client, before = order->from_server;

	switch (type) {
	case CW_MSG_CHALLENGE:
		return cw_order_is_between(asked, CW_MSG_HELLO, before, CW_MSG_CHALLENGE);
	case CW_MSG_WELCOME:
		return cw_order_is_between(asked, CW_MSG_PROOF, before, CW_MSG_WELCOME);
	case CW_MSG_JOINED:
		return cw_order_is_between(asked, CW_MSG_JOIN, before, CW_MSG_JOINED);
	case CW_MSG_WAITING:
		return cw_order_is_between(asked, CW_MSG_PROOF, before, CW_MSG_WELCOME) ||
		       cw_order_is_between(asked, CW_MSG_JOIN, before, CW_MSG_JOINED) ||
		       order->fences != order->fenced;
	case CW_MSG_FAREWELL:
		return cw_order_is_between(asked, CW_MSG_GOODBYE, before, CW_MSG_FAREWELL);
	case CW_MSG_REFUSED:
		return asked & OPENINGS && !(before & (LOGGED_IN | BIT_OF(CW_MSG_REFUSED)));
	case CW_MSG_EXPORTS:
		return order->asked != order->listed;
	case CW_MSG_FENCED:
		/*
		 * One answer may stand for several FENCEs. The two counts then differ for ever, so
		 * they do not suffice: section 7, rule 9, also names the path and the epoch.
		 */
		return order->fences != order->fenced;
	case CW_MSG_NOTICE:
		return before & LOGGED_IN;
	case CW_MSG_PROBE:
	case CW_MSG_ALIVE:
		return true;
	default:
		return false;
	}
}

bool cw_order_allows(const struct cw_order *order, u8 type, bool from_client)
{
	return from_client ? cw_order_client_may(order->from_client, order->from_server, type) :
			     cw_order_server_may(order, type);
}
