/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of an endpoint, and which may follow which: a table without side effects.
 */
#ifndef CW_ENDPOINT_STATE_H
#define CW_ENDPOINT_STATE_H

#include "../wire/integers.h"

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

/* Whether @to may follow @from. No state follows itself. */
bool cw_endpoint_may(enum cw_endpoint_state from, enum cw_endpoint_state to);

#ifdef __cplusplus
}
#endif

#endif
