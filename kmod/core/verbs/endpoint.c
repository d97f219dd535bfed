// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoints: queue pairs and their connection.
 *
 * Life: NEW, then (client) ADDRESS and ROUTE as the connection manager resolves, CONNECTING when
 * the request or the acceptance was sent, LIVE, DEAD. One function changes the state and knows what
 * may follow what. Death comes from anywhere: the connection manager, a failed work request, the
 * device's removal, the owner. It only marks, tells the owner and wakes who waits; the owner then
 * drains and destroys in process context, never in a handler of the connection manager (destroying
 * an id in its own handler deadlocks).
 */
#include <linux/module.h>
#include <rdma/ib_cm.h>
#include <rdma/rw.h>

#include "endpoint.h"
#include "queue_size.h"

#define CW_SGE_MAX 17 /* sixteen pages and a trailer */
#define CW_POLL_BUDGET 256 /* completions of one run of a work item */
#define CW_ROUND_MS 1000U /* of address resolution */

#define CW_ACK_TIMEOUT_MAX 31 /* five bits on the wire */

static unsigned int ack_timeout = 17;

static int cw_ack_timeout_set(const char *value, const struct kernel_param *kp)
{
	unsigned int n;
	int ret = kstrtouint(value, 0, &n);

	if (ret)
		return ret;
	return n > CW_ACK_TIMEOUT_MAX ? -EINVAL : param_set_uint(value, kp);
}

static const struct kernel_param_ops cw_ack_timeout_ops = {
	.set = cw_ack_timeout_set,
	.get = param_get_uint,
};

module_param_cb(ack_timeout, &cw_ack_timeout_ops, &ack_timeout, 0644);
__MODULE_PARM_TYPE(ack_timeout, "uint");
MODULE_PARM_DESC(ack_timeout,
		 "local ACK timeout of new queue pairs, 4.096 us * 2^n; six or seven retries end them (17: about 4 s)");

/* ---- state ---- */

static bool cw_endpoint_change(struct cw_endpoint *ep, enum cw_endpoint_state to, int err)
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
	return true;
}

void cw_endpoint_seen(struct cw_endpoint *ep)
{
	if (likely(READ_ONCE(ep->state) != CW_EP_CONNECTING))
		return;
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
	spin_lock_init(&ep->sq_lock);
	INIT_LIST_HEAD(&ep->posted);
	INIT_LIST_HEAD(&ep->waiting);
}

/* ---- connection manager ---- */

/* The owner may ask for these as long as the endpoint is there, which is longer than the id. */
static void cw_endpoint_keep_path(struct cw_endpoint *ep)
{
	ep->port_num = ep->cm->port_num;
	ep->local = ep->cm->route.addr.src_addr;
	ep->peer = ep->cm->route.addr.dst_addr;
}

static void keep_rejection(struct cw_endpoint *ep, const struct rdma_conn_param *conn)
{
	ep->rej_len = min_t(u8, conn->private_data_len, sizeof(ep->rej));
	if (ep->rej_len)
		memcpy(ep->rej, conn->private_data, ep->rej_len);
}

static void keep_acceptance(struct cw_endpoint *ep, const struct rdma_conn_param *conn)
{
	ep->rep_len = min_t(u8, conn->private_data_len, sizeof(ep->rep));
	if (ep->rep_len)
		memcpy(ep->rep, conn->private_data, ep->rep_len);
}

/*
 * The peer still has a connection with a queue pair of our number, from before our machine started
 * anew. It ends that one when it says so (InfiniBand architecture, volume 1, 12.9.8.3.1).
 */
static bool is_stale(const struct rdma_cm_id *cm, int status)
{
	return rdma_cap_ib_cm(cm->device, cm->port_num) && status == IB_CM_REJ_STALE_CONN;
}

/* Never returns non-zero: only who owns an id destroys it. */
static int cw_endpoint_event(struct rdma_cm_id *cm, struct rdma_cm_event *event)
{
	struct cw_endpoint *ep = cm->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		cw_endpoint_change(ep, CW_EP_ADDRESS, 0);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		cw_endpoint_change(ep, CW_EP_ROUTE, 0);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		keep_acceptance(ep, &event->param.conn);
		cw_endpoint_seen(ep);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
		WRITE_ONCE(ep->unresolved, event->status ?: -EHOSTUNREACH);
		wake_up_all(&ep->changed);
		break;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		cw_endpoint_kill(ep, -ENETUNREACH, "no route to the peer");
		break;
	case RDMA_CM_EVENT_UNREACHABLE:
		cw_endpoint_kill(ep, -ETIMEDOUT, "the peer does not answer");
		break;
	case RDMA_CM_EVENT_REJECTED:
		keep_rejection(ep, &event->param.conn);
		cw_endpoint_kill(ep, is_stale(cm, event->status) ? -EAGAIN : -ECONNREFUSED,
				 "the peer rejected the connection (%s)",
				 rdma_reject_msg(cm, event->status));
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
		cw_endpoint_kill(ep, event->status ?: -ECONNABORTED, "connecting failed");
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		cw_endpoint_kill(ep, -ECONNRESET, "the peer closed the connection");
		break;
	case RDMA_CM_EVENT_ADDR_CHANGE:
		cw_endpoint_kill(ep, -ENETRESET, "the local address changed");
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		cw_endpoint_kill(ep, -ENODEV, "the RDMA device was removed");
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
	default:
		break;
	}
	return 0;
}

/* 0 while it lives. */
static int cw_endpoint_error(struct cw_endpoint *ep)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&ep->state_lock, flags);
	if (ep->state == CW_EP_DEAD)
		ret = ep->error ?: -ECONNABORTED;
	spin_unlock_irqrestore(&ep->state_lock, flags);
	return ret;
}

static int cw_endpoint_wait(struct cw_endpoint *ep, enum cw_endpoint_state for_state,
			    u32 timeout_ms, const char *what)
{
	wait_event_timeout(ep->changed, READ_ONCE(ep->state) >= for_state,
			   msecs_to_jiffies(timeout_ms));
	if (READ_ONCE(ep->state) < for_state)
		cw_endpoint_kill(ep, -ETIMEDOUT, "%s took longer than %u ms", what, timeout_ms);
	return cw_endpoint_error(ep);
}

/*
 * One round of address resolution, on an id of its own. 0, or what was wrong: -ETIMEDOUT when the
 * neighbour did not answer.
 */
static int cw_endpoint_look_up(struct cw_endpoint *ep, const struct sockaddr *src,
			       const struct sockaddr *dst, u32 timeout_ms)
{
	struct rdma_cm_id *cm;
	int ret;

	cm = rdma_create_id(ep->net, cw_endpoint_event, ep, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(cm))
		return PTR_ERR(cm);
	WRITE_ONCE(ep->unresolved, 0);
	ret = rdma_resolve_addr(cm, (struct sockaddr *)src, dst, timeout_ms);
	if (!ret) {
		/* The manager always tells how it ended. */
		wait_event(ep->changed,
			   READ_ONCE(ep->unresolved) || READ_ONCE(ep->state) != CW_EP_NEW);
		if (READ_ONCE(ep->state) == CW_EP_NEW)
			ret = READ_ONCE(ep->unresolved);
		else
			ret = cw_endpoint_error(ep);
	}
	if (ret) {
		rdma_destroy_id(cm);
		return ret;
	}
	ep->cm = cm;
	cw_endpoint_keep_path(ep);
	return 0;
}

/*
 * The connection manager may miss that a neighbour became known (it looks again only at its own
 * timeout) and does not ask again for one that did not answer: so in rounds.
 */
static int cw_endpoint_find(struct cw_endpoint *ep, const struct sockaddr *src,
			    const struct sockaddr *dst, u32 timeout_ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(timeout_ms);
	int ret;

	do {
		ret = cw_endpoint_look_up(ep, src, dst, min_t(u32, timeout_ms, CW_ROUND_MS));
	} while (ret == -ETIMEDOUT && time_before(jiffies, end));
	if (ret == -ETIMEDOUT)
		cw_endpoint_kill(ep, ret, "resolving the address took longer than %u ms",
				 timeout_ms);
	else if (ret)
		cw_endpoint_kill(ep, ret, "no RDMA device leads to that address");
	return ret;
}

int cw_endpoint_resolve(struct cw_endpoint *ep, const struct sockaddr *src,
			const struct sockaddr *dst, u32 timeout_ms)
{
	int ret;

	ret = cw_endpoint_find(ep, src, dst, timeout_ms);
	if (ret)
		return ret;
	rdma_set_ack_timeout(ep->cm, ack_timeout);
	ret = rdma_resolve_route(ep->cm, timeout_ms);
	if (ret) {
		cw_endpoint_kill(ep, ret, "no route to the peer");
		return ret;
	}
	return cw_endpoint_wait(ep, CW_EP_ROUTE, timeout_ms, "resolving the route");
}

void cw_endpoint_adopt(struct cw_endpoint *ep, struct rdma_cm_id *cm)
{
	ep->cm = cm;
	cm->context = ep;
	cm->event_handler = cw_endpoint_event;
	cw_endpoint_keep_path(ep);
}

static struct rdma_conn_param cw_conn_param(struct cw_endpoint *ep, const void *data, u8 len)
{
	return (struct rdma_conn_param) {
		.private_data = data,
		.private_data_len = len,
		.responder_resources = min(ep->cm->device->attrs.max_qp_rd_atom, 16),
		.initiator_depth = min(ep->cm->device->attrs.max_qp_init_rd_atom, 16),
		.flow_control = 1,
		.retry_count = ep->retries,
		.rnr_retry_count = 7,
		.qp_num = ep->qp->qp_num,
	};
}

int cw_endpoint_connect(struct cw_endpoint *ep, const void *req, u8 req_len, u32 timeout_ms)
{
	struct rdma_conn_param param = cw_conn_param(ep, req, req_len);
	int ret;

	if (!cw_endpoint_change(ep, CW_EP_CONNECTING, 0))
		return cw_endpoint_error(ep);
	ret = rdma_connect(ep->cm, &param);
	if (ret) {
		cw_endpoint_kill(ep, ret, "the connection request could not be sent");
		return ret;
	}
	ret = cw_endpoint_wait(ep, CW_EP_LIVE, timeout_ms, "connecting");
	if (!ret)
		cw_endpoint_keep_path(ep); /* iWARP has the local port only now */
	return ret;
}

int cw_endpoint_accept(struct cw_endpoint *ep, const struct rdma_conn_param *asked,
		       const void *rep, u8 rep_len)
{
	struct rdma_conn_param param = cw_conn_param(ep, rep, rep_len);

	param.initiator_depth = min(param.initiator_depth, asked->initiator_depth);
	param.responder_resources = min(param.responder_resources, asked->responder_resources);
	rdma_set_ack_timeout(ep->cm, ack_timeout);
	if (!cw_endpoint_change(ep, CW_EP_CONNECTING, 0))
		return cw_endpoint_error(ep);
	return rdma_accept(ep->cm, &param);
}

int cw_endpoint_refuse_access(struct cw_endpoint *ep)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .qp_access_flags = 0 };

	if (rdma_protocol_iwarp(ep->cm->device, ep->port_num))
		return 0;
	/* A queue pair that died meanwhile is in another state, from which this does not lead. */
	return ib_modify_qp(ep->qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS);
}

/* ---- completion queue ---- */

/*
 * A completion queue of our own is for an owner that must complete on a certain work queue. As the
 * RDMA core does it: until it is empty and armed again, but not for ever at a time.
 */
static void cw_endpoint_poll(struct work_struct *work)
{
	struct cw_endpoint *ep = container_of(work, struct cw_endpoint, poll_work);
	int n, i, left = CW_POLL_BUDGET;

	do {
		do {
			n = ib_poll_cq(ep->cq, CW_EP_BATCH, ep->wc);
			for (i = 0; i < n; i++) {
				/* None: within a chain, and flushed. */
				if (likely(ep->wc[i].wr_cqe))
					ep->wc[i].wr_cqe->done(ep->cq, &ep->wc[i]);
			}
			left -= max(n, 0);
		} while (n == CW_EP_BATCH && left > 0);
		if (left <= 0) {
			queue_work(ep->workqueue, &ep->poll_work);
			return;
		}
	} while (ib_req_notify_cq(ep->cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) > 0);
}

static void cw_endpoint_completed(struct ib_cq *cq, void *context)
{
	struct cw_endpoint *ep = context;

	queue_work(ep->workqueue, &ep->poll_work);
}

static struct ib_cq *cw_endpoint_create_cq(struct cw_endpoint *ep, u32 cqes,
					   const struct cw_endpoint_shape *shape)
{
	struct ib_device *ib = ep->cm->device;
	struct ib_cq_init_attr attr = {
		.cqe = cqes,
		.comp_vector = shape->vector % max(ib->num_comp_vectors, 1),
	};
	struct ib_cq *cq;

	/* What does not fit would end the queue, and all on it. */
	if (cqes > (u32)ib->attrs.max_cqe)
		return ERR_PTR(-EOPNOTSUPP);
	if (!shape->workqueue)
		return ib_alloc_cq(ib, ep, attr.cqe, attr.comp_vector, shape->poll);
	INIT_WORK(&ep->poll_work, cw_endpoint_poll);
	ep->workqueue = shape->workqueue;
	cq = ib_create_cq(ib, cw_endpoint_completed, NULL, ep, &attr);
	if (!IS_ERR(cq))
		ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	return cq;
}

/* The queue pair is gone: no completion comes. */
static void cw_endpoint_free_cq(struct cw_endpoint *ep)
{
	if (ep->cq && ep->workqueue) {
		cancel_work_sync(&ep->poll_work);
		ib_destroy_cq(ep->cq);
	} else if (ep->cq) {
		ib_free_cq(ep->cq);
	}
	ep->cq = NULL;
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

/* What rdma_rw_init_qp() adds: with regions, requests that register and invalidate as well. */
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

int cw_endpoint_create_qp(struct cw_endpoint *ep, struct cw_domain *domain,
			  const struct cw_endpoint_shape *shape)
{
	struct ib_device *ib = ep->cm->device;
	struct ib_qp_init_attr attr = {
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
					      ib->attrs.max_send_sge),
			.max_rdma_ctxs = max(shape->transfers, shape->regions),
		},
	};
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
 * The connection is over for everybody else: the connection manager sends nothing for it any more,
 * and its handlers and the device's list no longer lead to the endpoint.
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
	/*
	 * Who saw it alive has posted when this lock was ours: nothing is posted behind the drain.
	 */
	spin_lock_irqsave(&ep->sq_lock, flags);
	spin_unlock_irqrestore(&ep->sq_lock, flags);
	if (ep->qp && !ep->drained)
		ib_drain_qp(ep->qp);
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
