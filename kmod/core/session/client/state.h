/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of a session at the client, and which may follow which: a table without side effects.
 */
#ifndef CW_CLIENT_STATE_H
#define CW_CLIENT_STATE_H

#include "../../../../include/uapi/causeway.h"
#include "../../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * cw_session_may() - checks whether a state may follow another
 * @from: the present state
 * @to: the next state
 *
 * No state follows itself.
 *
 * Context: Any context.
 * Return: True if @to may follow @from.
 */
bool cw_session_may(enum cw_state from, enum cw_state to);

#ifdef __cplusplus
}
#endif

#endif
