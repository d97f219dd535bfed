// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that make and end the sessions of NFS 4.1, and the lanes they go by.
 *
 * A client names itself by EXCHANGE_ID and makes the name good by CREATE_SESSION. nfsd takes the
 * second from no other address than the first (fs/nfsd/nfs4state.c: NFS4ERR_CLID_INUSE), and the
 * Linux client then gives up the mount, or the calls of one that it wanted to recover. So the
 * second goes by a lane from the same address. Where there is none any more, CREATE_SESSION is not
 * sent: it fails with the error after which a client names itself anew, from where it is now.
 *
 * With Kerberos a server wants each connection bound to the session by a call of its own
 * (SP4_MACH_CRED), so BIND_CONN_TO_SESSION goes by each lane in turn.
 */
#include <linux/types.h> /* which the next forgets */
#include <linux/nfs.h>
#include <linux/nfs4.h>
#include <linux/sunrpc/addr.h>

#include "client.h"

/* Which call of NFS 4 @task is, NFSPROC4_CLNT_*; of other programs and versions, none. */
static u32 procedure_of(const struct rpc_task *task)
{
	const struct rpc_clnt *clnt = task->tk_client;

	if (clnt->cl_prog != NFS_PROGRAM || clnt->cl_vers != 4)
		return NFSPROC4_CLNT_NULL;
	return task->tk_msg.rpc_proc->p_statidx;
}

/* The lane from where the client named itself. */
static int cwrc_named_lane(struct cwrc_transport *t, struct cwrc_connection **conn)
{
	const struct sockaddr *from = (struct sockaddr *)&t->named_from;

	*conn = cwrc_lane_from(t, NULL);
	if (!*conn || from->sa_family == AF_UNSPEC)
		return 0;
	*conn = cwrc_lane_from(t, from);
	return *conn ? 0 : -NFS4ERR_STALE_CLIENTID;
}

int cwrc_session_lane(struct cwrc_transport *t, const struct rpc_task *task,
		      struct cwrc_connection **conn)
{
	int ret = 0;

	switch (procedure_of(task)) {
	case NFSPROC4_CLNT_EXCHANGE_ID:
		*conn = cwrc_lane_from(t, NULL);
		if (*conn)
			memcpy(&t->named_from, cwrc_connection_local(*conn),
			       sizeof(t->named_from));
		break;
	case NFSPROC4_CLNT_CREATE_SESSION:
		ret = cwrc_named_lane(t, conn);
		break;
	case NFSPROC4_CLNT_DESTROY_SESSION:
	case NFSPROC4_CLNT_DESTROY_CLIENTID:
		*conn = cwrc_lane_from(t, NULL);
		break;
	case NFSPROC4_CLNT_SEQUENCE:
	case NFSPROC4_CLNT_RECLAIM_COMPLETE:
		t->named_from.ss_family = AF_UNSPEC; /* there is a session */
		*conn = cwrc_lane_pick(t);
		break;
	case NFSPROC4_CLNT_BIND_CONN_TO_SESSION:
		*conn = cwrc_lane_in_turn(t);
		break;
	default:
		*conn = cwrc_lane_pick(t);
		break;
	}
	if (ret)
		return ret;
	return *conn ? 0 : -ENOTCONN;
}
