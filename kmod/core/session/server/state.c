// SPDX-License-Identifier: GPL-2.0-only
/*
 * Legal transitions. The function that changes a state asks here, under its lock.
 */
#include "state.h"

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

bool cw_server_is_client(enum cw_server_state state, bool refused)
{
	return state == CW_SERVER_LIVE || (state == CW_SERVER_PROVED && !refused);
}
