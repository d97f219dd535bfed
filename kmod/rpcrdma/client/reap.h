/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends the rails of a transport. */
#ifndef CWRC_REAP_H
#define CWRC_REAP_H

#include "transport.h"

/**
 * cwrc_rails_close() - ends all rails of a transport
 * @t: transport
 * @error: set to the -errno of the first rail that had failed, or to 0
 *
 * Context: Process context. Sleeps. The transport is held.
 * Return: True if there was a rail.
 */
bool cwrc_rails_close(struct cwrc_transport *t, int *error);

/**
 * cwrc_reap_work() - ends the queue pairs that have failed
 * @work: the member reap of a transport
 *
 * Takes the transport, or has its holder queue this work again on release.
 *
 * Context: Process context, on cwrc_workqueue. Sleeps.
 */
void cwrc_reap_work(struct work_struct *work);

/**
 * cwrc_release_xprt() - passes the transport to a waiting reaper, or to the next task
 * @xprt: transport
 * @task: task that releases the transport, or NULL
 *
 * Context: The caller holds xprt->transport_lock.
 */
void cwrc_release_xprt(struct rpc_xprt *xprt, struct rpc_task *task);

#endif
