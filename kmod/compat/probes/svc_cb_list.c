// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the backchannel wait in sv_cb_list under sv_cb_lock; since Linux 6.7 in a lock-free
 * queue.
 */
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/xprt.h>

void probe(struct svc_serv *serv, struct rpc_rqst *rqst);
void probe(struct svc_serv *serv, struct rpc_rqst *rqst)
{
	spin_lock_bh(&serv->sv_cb_lock);
	list_add(&rqst->rq_bc_list, &serv->sv_cb_list);
	spin_unlock_bh(&serv->sv_cb_lock);
	wake_up(&serv->sv_cb_waitq);
}
