// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses the rails for calls that make and end sessions of NFS 4.1.
 *
 * A client sends its name by EXCHANGE_ID and confirms it by CREATE_SESSION. nfsd accepts the second
 * only from the address of the first (fs/nfsd/nfs4state.c: NFS4ERR_CLID_INUSE). Otherwise the Linux
 * client gives up the mount, or the calls of a mount that it tried to recover. So CREATE_SESSION
 * uses a rail with the same local address. If there is none any more, it is not sent: it fails with
 * the error that makes a client start again with EXCHANGE_ID, from its present address.
 *
 * With Kerberos, a server requires each connection to be bound to the session by a call of its own
 * (SP4_MACH_CRED), so BIND_CONN_TO_SESSION uses each rail in turn.
 */
#include <linux/types.h> /* linux/nfs.h needs it and does not include it */
#include <linux/nfs.h>
#include <linux/nfs4.h>
#include <linux/sunrpc/addr.h>
#include <linux/sunrpc/clnt.h>

#include "rails.h"
#include "session.h"

/* The procedure of @task, NFSPROC4_CLNT_*; NFSPROC4_CLNT_NULL for other programs and versions. */
static u32 cwrc_procedure_of(const struct rpc_task *task)
{
	const struct rpc_clnt *clnt = task->tk_client;

	if (clnt->cl_prog != NFS_PROGRAM || clnt->cl_vers != 4)
		return NFSPROC4_CLNT_NULL;
	return task->tk_msg.rpc_proc->p_statidx;
}

/* Chooses a rail with the local address of EXCHANGE_ID. */
static int cwrc_named_rail(struct cwrc_transport *t, struct cwrc_connection **conn)
{
	const struct sockaddr *from = (struct sockaddr *)&t->named_from;

	*conn = cwrc_rail_from(t, NULL);
	if (!*conn || from->sa_family == AF_UNSPEC)
		return 0;
	*conn = cwrc_rail_from(t, from);
	return *conn ? 0 : -NFS4ERR_STALE_CLIENTID;
}

int cwrc_session_rail(struct cwrc_transport *t, const struct rpc_task *task,
		      struct cwrc_connection **conn)
{
	int ret = 0;

	switch (cwrc_procedure_of(task)) {
	case NFSPROC4_CLNT_EXCHANGE_ID:
		*conn = cwrc_rail_from(t, NULL);
		if (*conn)
			memcpy(&t->named_from, cwrc_connection_local(*conn),
			       sizeof(t->named_from));
		break;
	case NFSPROC4_CLNT_CREATE_SESSION:
		ret = cwrc_named_rail(t, conn);
		break;
	case NFSPROC4_CLNT_DESTROY_SESSION:
	case NFSPROC4_CLNT_DESTROY_CLIENTID:
		*conn = cwrc_rail_from(t, NULL);
		break;
	case NFSPROC4_CLNT_SEQUENCE:
	case NFSPROC4_CLNT_RECLAIM_COMPLETE:
		t->named_from.ss_family = AF_UNSPEC; /* the session exists */
		*conn = cwrc_rail_pick(t);
		break;
	case NFSPROC4_CLNT_BIND_CONN_TO_SESSION:
		*conn = cwrc_rail_in_turn(t);
		break;
	default:
		*conn = cwrc_rail_pick(t);
		break;
	}
	if (ret)
		return ret;
	return *conn ? 0 : -ENOTCONN;
}
