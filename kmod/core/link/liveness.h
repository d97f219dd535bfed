/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PROBE and ALIVE, for the files of this folder: liveness.c.
 */
#ifndef CW_LINK_LIVENESS_H
#define CW_LINK_LIVENESS_H

#include "link.h"

/*
 * Sends the ALIVE that is owed. Without memory for it the debt stays: what was missing comes back
 * and calls cw_link_has_room(), and sees the debt, which is older than the failure. Any context;
 * takes tx_lock.
 */
void cw_link_send_alive(struct cw_link *link);
/*
 * Takes @msg: answers a PROBE, and gives an ALIVE to handler->alive(). -EPROTO if it is malformed.
 * Receive context; takes tx_lock.
 */
int cw_link_take_sign(struct cw_link *link, struct cw_message *msg);

#endif
