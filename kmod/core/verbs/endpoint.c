// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoints: queue pairs and their states. connection.c connects them.
 *
 * Life: NEW, then (client) ADDRESS and ROUTE as the connection manager resolves, CONNECTING when
 * the request or the acceptance was sent, LIVE, DEAD. One function changes the state and checks
 * which state may follow which. Death comes from anywhere: the connection manager, a failed work
 * request, the device's removal, the owner. It only marks the endpoint, notifies the owner and
 * wakes waiters; the owner then drains and destroys in process context, never in a handler of the
 * connection manager (destroying an id in its own handler deadlocks).
 */
#include <linux/module.h>
#include <rdma/rw.h>

#include "endpoint.h"
#include "queue_size.h"

#define CW_SGE_MAX 17 /* sixteen pages and a trailer */

/* ---- state ---- */

bool cw_endpoint_change(struct cw_endpoint *ep, enum cw_endpoint_state to, int err)
{
	unsigned long flags;
	bool won;

	spin_lock_irqsave(&ep->state_lock, flags);
	won = cw_endpoint_may(ep->state, to);
	if (won) {
		ep->error = err;
		WRITE_ONCE(ep->state, to);
	}
	spin_unlock_irqrestore(&ep->state_lock, flags);
	if (won)
		wake_up_all(&ep->changed);
	return won;
}

bool cw_endpoint_kill(struct cw_endpoint *ep, int err, const char *fmt, ...)
{
	char reason[96];
	va_list args;

	if (!cw_endpoint_change(ep, CW_EP_DEAD, err))
		return false;
	va_start(args, fmt);
	vscnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	ep->ops->down(ep, err, reason);
	complete_all(&ep->reported);
	return true;
}

void cw_endpoint_await_report(struct cw_endpoint *ep)
{
	wait_for_completion(&ep->reported);
}

void cw_endpoint_seen(struct cw_endpoint *ep)
{
	if (cw_endpoint_change(ep, CW_EP_LIVE, 0))
		ep->ops->live(ep);
}

void cw_endpoint_init(struct cw_endpoint *ep, const struct cw_endpoint_ops *ops)
{
	ep->ops = ops;
	ep->net = &init_net;
	ep->retries = 7;
	INIT_LIST_HEAD(&ep->device_entry);
	spin_lock_init(&ep->state_lock);
	init_waitqueue_head(&ep->changed);
	init_completion(&ep->reported);
	spin_lock_init(&ep->sq_lock);
	INIT_LIST_HEAD(&ep->posted);
	INIT_LIST_HEAD(&ep->waiting);
}

/* ---- queue pair ---- */

static void cw_endpoint_established(struct cw_endpoint *ep)
{
	unsigned long flags;

	/*
	 * The queue pair outlives the id. The drain kills the endpoint, which takes this lock,
	 * before it destroys the id. So in state CONNECTING under the lock the id is there.
	 */
	spin_lock_irqsave(&ep->state_lock, flags);
	if (ep->state == CW_EP_CONNECTING)
		rdma_notify(ep->cm, IB_EVENT_COMM_EST);
	spin_unlock_irqrestore(&ep->state_lock, flags);
}

static void cw_endpoint_qp_event(struct ib_event *event, void *context)
{
	struct cw_endpoint *ep = context;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		cw_endpoint_established(ep);
		break;
	case IB_EVENT_QP_LAST_WQE_REACHED:
	case IB_EVENT_SQ_DRAINED:
		break;
	default:
		cw_endpoint_kill(ep, -EIO, "queue pair event: %s", ib_event_msg(event->event));
		break;
	}
}

/*
 * Returns the number of requests that rdma_rw_init_qp() adds. With memory regions, it adds those
 * that register and invalidate too.
 */
static u32 cw_rw_requests(struct ib_device *ib, const struct ib_qp_init_attr *attr)
{
	bool regions = rdma_protocol_iwarp(ib, attr->port_num) || ib->attrs.max_sgl_rd;

	return attr->cap.max_rdma_ctxs * (regions ? 3 : 1);
}

/* Returns the IPv4 address of this end, or 0 if the connection is not over IPv4. */
static __be32 cw_endpoint_ipv4(const struct cw_endpoint *ep)
{
	if (ep->local.ss_family != AF_INET)
		return 0;
	return ((const struct sockaddr_in *)&ep->local)->sin_addr.s_addr;
}

static struct ib_qp_init_attr cw_endpoint_qp_attr(struct cw_endpoint *ep,
						  const struct cw_endpoint_shape *shape)
{
	return (struct ib_qp_init_attr) {
		.event_handler = cw_endpoint_qp_event,
		.qp_context = ep,
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.port_num = ep->port_num,
		.cap = {
			.max_recv_wr = shape->recvs + 1, /* and one to drain */
			.max_send_wr = shape->sends + 1,
			.max_recv_sge = 2,
			.max_send_sge = min_t(u32, shape->sges ?: CW_SGE_MAX,
					      ep->cm->device->attrs.max_send_sge),
			.max_rdma_ctxs = max(shape->transfers, shape->regions),
		},
	};
}

int cw_endpoint_create_qp(struct cw_endpoint *ep, struct cw_domain *domain,
			  const struct cw_endpoint_shape *shape)
{
	struct ib_qp_init_attr attr = cw_endpoint_qp_attr(ep, shape);
	struct ib_device *ib = ep->cm->device;
	u32 sges = attr.cap.max_send_sge, sq;
	int ret;

	if (ib != domain->device->ib)
		return -EXDEV;
	if (ib->attrs.max_recv_sge < 2 || ib->attrs.max_send_sge < 2 ||
	    ib->attrs.max_qp_wr < 2 * (int)CW_SIGNAL_EVERY + 2 ||
	    shape->recvs >= (u32)ib->attrs.max_qp_wr)
		return -EOPNOTSUPP;
	ep->domain = cw_domain_get(domain);
	ep->ifindex = ep->cm->route.addr.dev_addr.bound_dev_if;
	ep->ipv4 = cw_endpoint_ipv4(ep);
	ret = cw_device_join(domain->device, ep);
	if (ret)
		goto put_domain;
	ep->joined = true;

	/* An RDMA READ may have fewer fragments than a send. iWARP reads into registered memory. */
	if (ib->attrs.max_sge_rd && !rdma_protocol_iwarp(ib, attr.port_num))
		sges = min_t(u32, sges, ib->attrs.max_sge_rd);
	sq = cw_send_queue(shape->sends, shape->transfers, sges, ib->attrs.max_qp_wr - 2);
	/* The RDMA core adds as many requests as it thinks that its contexts need. */
	attr.cap.max_send_wr = sq + 1 - min(sq, cw_rw_requests(ib, &attr));
	ep->cq = cw_endpoint_create_cq(ep, shape->recvs + sq + 2, shape);
	if (IS_ERR(ep->cq)) {
		ret = PTR_ERR(ep->cq);
		ep->cq = NULL;
		goto leave;
	}
	attr.send_cq = ep->cq;
	attr.recv_cq = ep->cq;
	ret = rdma_create_qp(ep->cm, domain->pd, &attr);
	if (ret)
		goto free_cq;
	ep->qp = ep->cm->qp;
	ep->sq_size = sq;
	ep->send_sges = attr.cap.max_send_sge;
	ep->sq_free = sq;
	ep->longest = cw_send_queue_longest(sq);
	return 0;

free_cq:
	cw_endpoint_free_cq(ep);
leave:
	cw_device_leave(domain->device, ep);
	ep->joined = false;
put_domain:
	cw_domain_put(domain);
	ep->domain = NULL;
	return ret;
}

/* ---- the end ---- */

void cw_endpoint_disconnect(struct cw_endpoint *ep)
{
	cw_endpoint_kill(ep, -ESHUTDOWN, "closed here");
	if (ep->cm && ep->qp && !ep->drained)
		rdma_disconnect(ep->cm);
}

/*
 * The connection is over for all others: the connection manager sends nothing for it any more, and
 * its handlers and the device's list no longer lead to the endpoint.
 */
static void cw_endpoint_leave(struct cw_endpoint *ep)
{
	if (ep->cm)
		rdma_destroy_id(ep->cm);
	ep->cm = NULL;
	if (ep->joined)
		cw_device_leave(ep->domain->device, ep);
	ep->joined = false;
}

void cw_endpoint_drain(struct cw_endpoint *ep)
{
	struct cw_post *post, *next;
	unsigned long flags;
	LIST_HEAD(left);

	cw_endpoint_disconnect(ep);
	cw_endpoint_await_report(ep); /* another thread may have killed it a moment ago */
	/*
	 * Acts as a barrier: anyone who saw the endpoint alive under sq_lock has finished posting,
	 * and everyone later sees DEAD, so nothing can be posted after ib_drain_qp().
	 */
	spin_lock_irqsave(&ep->sq_lock, flags);
	spin_unlock_irqrestore(&ep->sq_lock, flags);
	if (ep->qp && !ep->drained) {
		ib_drain_qp(ep->qp);
		cw_endpoint_stop_polling(ep);
	}
	spin_lock_irqsave(&ep->sq_lock, flags);
	ep->drained = true;
	list_splice_init(&ep->posted, &left);
	list_splice_tail_init(&ep->waiting, &left);
	spin_unlock_irqrestore(&ep->sq_lock, flags);
	list_for_each_entry_safe(post, next, &left, entry)
		post->complete(post, -ENOTCONN);
	/*
	 * Now, because the owner may destroy the endpoint much later, when a disk has answered: an
	 * interface that goes down waits for this, and an id that is left sends its disconnect
	 * request again.
	 */
	cw_endpoint_leave(ep);
}

void cw_endpoint_destroy(struct cw_endpoint *ep)
{
	/* Afterwards only the owner holds the endpoint. */
	cw_endpoint_drain(ep);
	if (ep->qp)
		ib_destroy_qp(ep->qp);
	ep->qp = NULL;
	cw_endpoint_free_cq(ep);
	if (ep->domain)
		cw_domain_put(ep->domain);
	ep->domain = NULL;
}
