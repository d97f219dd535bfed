/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The message being gathered, for the files of this folder: gather.c.
 */
#ifndef CW_LINK_GATHER_H
#define CW_LINK_GATHER_H

#include "link.h"

/*
 * Sends what was gathered, if there is credit for it; otherwise it is due, and goes when credit
 * comes. A @full message may use all of the peer's receives. Any context, under tx_lock.
 */
void cw_link_flush_locked(struct cw_link *link, bool full);

#endif
