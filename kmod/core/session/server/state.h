/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of a session at the server, and which may follow which: a table without side effects.
 */
#ifndef CW_SERVER_STATE_H
#define CW_SERVER_STATE_H

#include "../../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cw_server_state {
	CW_SERVER_LOGIN, /* the control link is connected, the peer is not authenticated */
	CW_SERVER_PROVED, /* PROOF or JOIN was right: waits to be admitted, or was refused */
	CW_SERVER_LIVE, /* WELCOME or JOINED was sent: data links may come */
	CW_SERVER_ENDING,
};

/**
 * cw_server_may() - checks whether a state may follow another
 * @from: current state
 * @to: next state
 *
 * Context: Any context.
 * Return: True if @to may follow @from. No state follows itself.
 */
bool cw_server_may(enum cw_server_state from, enum cw_server_state to);
/**
 * cw_server_is_client() - checks whether a session uses its export, or waits for that
 * @state: current state
 * @refused: its login was refused
 *
 * Context: Any context.
 * Return: True if new settings that do not admit the session must not end it without force.
 */
bool cw_server_is_client(enum cw_server_state state, bool refused);

#ifdef __cplusplus
}
#endif

#endif
