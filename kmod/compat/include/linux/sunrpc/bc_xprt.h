/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of a server to its client, on their way to the threads that answer them. They wait in a
 * list under a lock; since Linux 6.7 in a queue without one.
 */
#ifndef CAUSEWAY_COMPAT_BC_XPRT_H
#define CAUSEWAY_COMPAT_BC_XPRT_H

#include_next <linux/sunrpc/bc_xprt.h>
#include "causeway_answers.h"

#if CAUSEWAY_HAS_SVC_CB_LIST
static inline void svc_bc_init(struct rpc_rqst *rqst)
{
	INIT_LIST_HEAD(&rqst->rq_bc_list);
}

/* Under bc_pa_lock, which keeps @serv. */
static inline void svc_bc_hand_over(struct svc_serv *serv, struct rpc_rqst *rqst)
{
	spin_lock_bh(&serv->sv_cb_lock);
	list_add(&rqst->rq_bc_list, &serv->sv_cb_list);
	spin_unlock_bh(&serv->sv_cb_lock);
	wake_up(&serv->sv_cb_waitq);
}

/* Those of @xprt that no thread has taken, onto @left by rq_bc_pa_list. Under bc_pa_lock. */
static inline void svc_bc_take_back(struct svc_serv *serv, struct rpc_xprt *xprt,
				    struct list_head *left)
{
	struct rpc_rqst *rqst, *next;

	spin_lock_bh(&serv->sv_cb_lock);
	list_for_each_entry_safe(rqst, next, &serv->sv_cb_list, rq_bc_list) {
		if (rqst->rq_xprt != xprt)
			continue;
		list_del(&rqst->rq_bc_list);
		list_add_tail(&rqst->rq_bc_pa_list, left);
	}
	spin_unlock_bh(&serv->sv_cb_lock);
}
#elif CAUSEWAY_HAS_SVC_CB_QUEUE
static inline void svc_bc_init(struct rpc_rqst *rqst)
{
	rqst->rq_bc_list.node.next = NULL;
}

static inline void svc_bc_hand_over(struct svc_serv *serv, struct rpc_rqst *rqst)
{
	lwq_enqueue(&rqst->rq_bc_list, &serv->sv_cb_list);
	svc_pool_wake_idle_thread(&serv->sv_pools[0]);
}

static inline void svc_bc_take_back(struct svc_serv *serv, struct rpc_xprt *xprt,
				    struct list_head *left)
{
	struct llist_node *all = lwq_dequeue_all(&serv->sv_cb_list), *next;
	struct rpc_rqst *rqst;

	for (; all; all = next) {
		next = all->next;
		rqst = container_of(all, struct rpc_rqst, rq_bc_list.node);
		if (rqst->rq_xprt == xprt)
			list_add_tail(&rqst->rq_bc_pa_list, left);
		else
			svc_bc_hand_over(serv, rqst);
	}
}
#endif

#endif /* CAUSEWAY_COMPAT_BC_XPRT_H */
