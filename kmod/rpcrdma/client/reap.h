/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends the lanes of a transport. */
#ifndef CWRC_REAP_H
#define CWRC_REAP_H

#include "transport.h"

/*
 * Ends all lanes. Returns true if there was one; @error has the reason if one failed. The transport
 * is held.
 */
bool cwrc_lanes_close(struct cwrc_transport *t, int *error);
void cwrc_reap_work(struct work_struct *work);
/* SunRPC's release_xprt: passes the transport to a waiting reaper, or to the next task. */
void cwrc_release_xprt(struct rpc_xprt *xprt, struct rpc_task *task);

#endif
