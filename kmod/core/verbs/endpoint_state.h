/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of an endpoint, and which state may follow which.
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

/**
 * cw_endpoint_may() - check a change of an endpoint's state
 * @from: present state
 * @to: next state
 *
 * Context: Any context. It reads no state but its arguments.
 * Return: True if @to may follow @from. No state may follow itself.
 */
bool cw_endpoint_may(enum cw_endpoint_state from, enum cw_endpoint_state to);

#ifdef __cplusplus
}
#endif

#endif
