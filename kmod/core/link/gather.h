/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The message being gathered, for the files of this folder: gather.c.
 */
#ifndef CW_LINK_GATHER_H
#define CW_LINK_GATHER_H

#include "link.h"

/**
 * cw_link_flush_locked() - send the message being gathered
 * @link: link; there may be no such message
 * @full: the message has no room left. It may use all receives of the peer; other messages use half
 * of them.
 *
 * Without credit the message is marked as due, and goes when credit arrives.
 *
 * Context: Any context, under tx_lock.
 */
void cw_link_flush_locked(struct cw_link *link, bool full);

#endif
