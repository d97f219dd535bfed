// SPDX-License-Identifier: GPL-2.0-only
/*
 * The connection of an endpoint: how it is made at either end, and what the connection manager
 * reports of it.
 */
#include <linux/module.h>
#include <rdma/ib_cm.h>

#include "endpoint.h"

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

/* The owner may ask for these as long as the endpoint is there, which is longer than the id. */
static void cw_endpoint_keep_path(struct cw_endpoint *ep)
{
	ep->port_num = ep->cm->port_num;
	ep->local = ep->cm->route.addr.src_addr;
	ep->peer = ep->cm->route.addr.dst_addr;
}

static void cw_endpoint_keep_rejection(struct cw_endpoint *ep, const struct rdma_conn_param *conn)
{
	ep->rej_len = min_t(u8, conn->private_data_len, sizeof(ep->rej));
	if (ep->rej_len)
		memcpy(ep->rej, conn->private_data, ep->rej_len);
}

static void cw_endpoint_keep_acceptance(struct cw_endpoint *ep, const struct rdma_conn_param *conn)
{
	ep->rep_len = min_t(u8, conn->private_data_len, sizeof(ep->rep));
	if (ep->rep_len)
		memcpy(ep->rep, conn->private_data, ep->rep_len);
}

/*
 * The peer still has a connection with a queue pair of our number, from before our machine started
 * anew. The peer ends that connection when it sends this rejection (InfiniBand architecture, volume
 * 1, 12.9.8.3.1).
 */
static bool cw_endpoint_is_stale(const struct rdma_cm_id *cm, int status)
{
	return rdma_cap_ib_cm(cm->device, cm->port_num) && status == IB_CM_REJ_STALE_CONN;
}

/* Never returns non-zero: only the owner of an id destroys it. */
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
		cw_endpoint_keep_acceptance(ep, &event->param.conn);
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
		cw_endpoint_keep_rejection(ep, &event->param.conn);
		cw_endpoint_kill(ep, cw_endpoint_is_stale(cm, event->status) ? -EAGAIN :
									       -ECONNREFUSED,
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

/* Kills the endpoint unless it is dead. Its owner has the reason when this returns. */
static int cw_endpoint_fail(struct cw_endpoint *ep, int err, const char *what)
{
	cw_endpoint_kill(ep, err, "%s", what);
	cw_endpoint_await_report(ep);
	return cw_endpoint_error(ep);
}

static int cw_endpoint_wait(struct cw_endpoint *ep, enum cw_endpoint_state for_state,
			    u32 timeout_ms, const char *what)
{
	int ret;

	wait_event_timeout(ep->changed, READ_ONCE(ep->state) >= for_state,
			   msecs_to_jiffies(timeout_ms));
	if (READ_ONCE(ep->state) < for_state)
		cw_endpoint_kill(ep, -ETIMEDOUT, "%s took longer than %u ms", what, timeout_ms);
	ret = cw_endpoint_error(ep);
	if (ret)
		cw_endpoint_await_report(ep);
	return ret;
}

/*
 * Resolves the address once, on an id of its own. Returns 0 or -errno; -ETIMEDOUT if the neighbour
 * did not answer.
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
		/* The connection manager always reports the result. */
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
 * timeout), and does not ask again for one that did not answer. So this asks in rounds.
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
	if (ret)
		return cw_endpoint_fail(ep, ret, "no route to the peer");
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
		return cw_endpoint_fail(ep, -ECONNABORTED, "connecting failed");
	ret = rdma_connect(ep->cm, &param);
	if (ret)
		return cw_endpoint_fail(ep, ret, "the connection request could not be sent");
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
