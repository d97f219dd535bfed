/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of a path, and which may follow which: a table without side effects.
 *
 * A path has links only while it is CONNECTING, LIVE or DYING. Every path that had links goes
 * through DYING before it is DOWN or CLOSED. A REMOVED path is DOWN again when it is added anew.
 */
#ifndef CW_CLIENT_PATH_STATE_H
#define CW_CLIENT_PATH_STATE_H

#include "../../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cw_path_state {
	CW_PATH_DOWN, /* no link; waits for the next attempt */
	CW_PATH_CONNECTING, /* makes the control link, logs in, makes the data links */
	CW_PATH_LIVE, /* its links may carry commands */
	/*
	 * An attempt failed or was given up, or a link died: the links are killed, drained and
	 * freed. An attempt that another thread gives up cannot become LIVE any more.
	 */
	CW_PATH_DYING,
	CW_PATH_CLOSED, /* no link, and none will be made: detach */
	CW_PATH_REMOVED, /* no link; not a path of the disk any more */
};

/**
 * cw_path_may() - checks whether a state of a path may follow another
 * @from: the present state
 * @to: the next state
 *
 * No state follows itself.
 *
 * Context: Any context.
 * Return: True if @to may follow @from.
 */
bool cw_path_may(enum cw_path_state from, enum cw_path_state to);

#ifdef __cplusplus
}
#endif

#endif
