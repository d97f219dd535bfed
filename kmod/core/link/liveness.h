/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PROBE and ALIVE, for the files of this folder: liveness.c.
 */
#ifndef CW_LINK_LIVENESS_H
#define CW_LINK_LIVENESS_H

#include "link.h"

/**
 * cw_link_send_alive() - send the ALIVE that a PROBE waits for
 * @link: link; no ALIVE may be owed
 *
 * Without memory to send from the ALIVE stays owed. The memory that was missing is freed after
 * alive_owed was set, and cw_link_has_room() then sees alive_owed and tries again.
 *
 * Context: Any context. Takes tx_lock.
 */
void cw_link_send_alive(struct cw_link *link);

/**
 * cw_link_take_sign() - process a PROBE or an ALIVE
 * @link: link
 * @msg: message. It is put.
 *
 * Answers a PROBE. Calls handler->alive() for an ALIVE.
 *
 * Context: Receive context. Takes tx_lock.
 * Return: 0, or -EPROTO if the message is malformed.
 */
int cw_link_take_sign(struct cw_link *link, struct cw_message *msg);

#endif
