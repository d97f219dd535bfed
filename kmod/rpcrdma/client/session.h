/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of NFS 4.1 that must use a certain queue pair. */
#ifndef CWRC_SESSION_H
#define CWRC_SESSION_H

#include "connection.h"

/**
 * cwrc_session_rail() - chooses the queue pair for a task
 * @t: the transport; it is held
 * @task: the task
 * @conn: set to the queue pair
 *
 * Context: Process context. The transport is held.
 * Return: 0; -ENOTCONN: there is none; -NFS4ERR_STALE_CLIENTID: the task ends with this error.
 */
int cwrc_session_rail(struct cwrc_transport *t, const struct rpc_task *task,
		      struct cwrc_connection **conn);

#endif
