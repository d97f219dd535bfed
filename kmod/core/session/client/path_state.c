// SPDX-License-Identifier: GPL-2.0-only
/*
 * Legal transitions of a path. The function that changes a state asks here, under its lock.
 */
#include "path_state.h"

bool cw_path_may(enum cw_path_state from, enum cw_path_state to)
{
	switch (to) {
	case CW_PATH_DOWN:
		return from == CW_PATH_DYING || from == CW_PATH_REMOVED;
	case CW_PATH_CONNECTING:
		return from == CW_PATH_DOWN;
	case CW_PATH_LIVE:
		return from == CW_PATH_CONNECTING;
	case CW_PATH_DYING:
		return from == CW_PATH_CONNECTING || from == CW_PATH_LIVE;
	case CW_PATH_CLOSED:
		return from == CW_PATH_DOWN || from == CW_PATH_DYING || from == CW_PATH_REMOVED;
	case CW_PATH_REMOVED:
		return from == CW_PATH_DOWN;
	default:
		return false;
	}
}
