// SPDX-License-Identifier: GPL-2.0-only
/*
 * Legal transitions. The function that changes a state asks here, under its lock.
 */
#include "endpoint_state.h"

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
