/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of endpoints and sessions, and which may follow which: tables without side effects.
 */
#ifndef CW_STATES_H
#define CW_STATES_H

#include "../../../include/uapi/causeway.h"
#include "../../../include/wire/causeway_parse.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cw_endpoint_state {
	CW_EP_NEW,
	CW_EP_ADDRESS, /* client: the address is resolved */
	CW_EP_ROUTE, /* client: the route is resolved */
	CW_EP_CONNECTING,
	CW_EP_LIVE,
	CW_EP_DEAD,
};

/* Of a session at the server. */
enum cw_server_state {
	CW_SERVER_LOGIN, /* the control link stands, nobody has proved anything */
	CW_SERVER_PROVED, /* PROOF was right: the login waits to be admitted, or was refused */
	CW_SERVER_LIVE, /* welcomed: data links may come */
	CW_SERVER_ENDING,
};

/* Whether @to may follow @from. No state follows itself. */
bool cw_endpoint_may(enum cw_endpoint_state from, enum cw_endpoint_state to);
bool cw_session_may(enum cw_state from, enum cw_state to);
bool cw_server_may(enum cw_server_state from, enum cw_server_state to);

#ifdef __cplusplus
}
#endif

#endif
