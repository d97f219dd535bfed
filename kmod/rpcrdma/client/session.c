// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that make and end the sessions of NFS 4.1, and the lanes they go by.
 *
 * A client names itself by EXCHANGE_ID and makes the name good by CREATE_SESSION. nfsd takes the
 * second from no other address than the first (fs/nfsd/nfs4state.c: NFS4ERR_CLID_INUSE), and the
 * Linux client then gives up the mount, or the calls of one that it wanted to recover. So both go
 * by the first lane. Where that has come back from another address in between, CREATE_SESSION is
 * not sent: it fails with the error after which a client names itself anew, from where it is now.
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

/* Whether the client's name is good from where @conn is, or may be made so. */
static int check_name(struct cwrc_transport *t, const struct cwrc_connection *conn, u32 procedure)
{
	const struct sockaddr_storage *from = &conn->ep.cm->route.addr.src_addr;

	switch (procedure) {
	case NFSPROC4_CLNT_EXCHANGE_ID:
		t->named_from = *from;
		break;
	case NFSPROC4_CLNT_CREATE_SESSION:
		if (t->named_from.ss_family &&
		    !rpc_cmp_addr((struct sockaddr *)&t->named_from, (struct sockaddr *)from))
			return -NFS4ERR_STALE_CLIENTID;
		break;
	case NFSPROC4_CLNT_SEQUENCE:
	case NFSPROC4_CLNT_RECLAIM_COMPLETE:
		t->named_from.ss_family = AF_UNSPEC; /* there is a session */
		break;
	}
	return 0;
}

int cwrc_session_lane(struct cwrc_transport *t, const struct rpc_task *task,
		      struct cwrc_connection **conn)
{
	u32 procedure = procedure_of(task);

	switch (procedure) {
	case NFSPROC4_CLNT_EXCHANGE_ID:
	case NFSPROC4_CLNT_CREATE_SESSION:
	case NFSPROC4_CLNT_DESTROY_SESSION:
	case NFSPROC4_CLNT_DESTROY_CLIENTID:
		*conn = READ_ONCE(t->lane[0]);
		break;
	case NFSPROC4_CLNT_BIND_CONN_TO_SESSION:
		*conn = cwrc_lane_in_turn(t);
		break;
	default:
		*conn = cwrc_lane_pick(t);
		break;
	}
	return *conn ? check_name(t, *conn, procedure) : -ENOTCONN;
}
