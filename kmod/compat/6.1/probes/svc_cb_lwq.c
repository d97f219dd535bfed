// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the backchannel wait in a queue without a lock, and svc_pool_wake_idle_thread() wakes a
 * thread for them, since Linux 6.7; before, in a list.
 */
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/xprt.h>

struct llist_node *probe(struct svc_serv *serv, struct rpc_rqst *rqst);
struct llist_node *probe(struct svc_serv *serv, struct rpc_rqst *rqst)
{
	lwq_enqueue(&rqst->rq_bc_list, &serv->sv_cb_list);
	svc_pool_wake_idle_thread(&serv->sv_pools[0]);
	return lwq_dequeue_all(&serv->sv_cb_list);
}
