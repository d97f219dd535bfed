// SPDX-License-Identifier: GPL-2.0-only
/*
 * Legal transitions. The function that changes a state asks here, under its lock.
 */
#include "state.h"

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
