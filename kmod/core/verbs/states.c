// SPDX-License-Identifier: GPL-2.0-only
/*
 * Legal transitions. The functions that change a state ask here, under their lock.
 */
#include "states.h"

bool cw_endpoint_may(enum cw_endpoint_state from, enum cw_endpoint_state to)
{
	switch (to) {
	case CW_EP_ADDRESS:
		return from == CW_EP_NEW;
	case CW_EP_ROUTE:
		return from == CW_EP_ADDRESS;
	case CW_EP_CONNECTING:
		return from == CW_EP_NEW || from == CW_EP_ROUTE;
	case CW_EP_LIVE:
		return from == CW_EP_CONNECTING;
	case CW_EP_DEAD:
		return from != CW_EP_DEAD;
	default:
		return false;
	}
}

bool cw_session_may(enum cw_state from, enum cw_state to)
{
	switch (to) {
	case CW_STATE_CONNECTING:
		return from == CW_STATE_HELD || from == CW_STATE_FAILING ||
		       from == CW_STATE_REFUSED;
	case CW_STATE_LIVE:
		return from == CW_STATE_CONNECTING;
	case CW_STATE_HELD:
		return from == CW_STATE_CONNECTING || from == CW_STATE_LIVE;
	case CW_STATE_FAILING:
		return from == CW_STATE_HELD;
	case CW_STATE_REFUSED:
	case CW_STATE_REVOKED:
		return from == CW_STATE_CONNECTING;
	case CW_STATE_CLOSING:
		return from != CW_STATE_CLOSING && from != CW_STATE_IDLE;
	default:
		return false;
	}
}

bool cw_server_may(enum cw_server_state from, enum cw_server_state to)
{
	switch (to) {
	case CW_SERVER_PROVED:
		return from == CW_SERVER_LOGIN;
	case CW_SERVER_LIVE:
		return from == CW_SERVER_PROVED;
	case CW_SERVER_ENDING:
		return from != CW_SERVER_ENDING;
	default:
		return false;
	}
}
