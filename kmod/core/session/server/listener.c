// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connection requests over RDMA. The listeners are bound to no device: the connection manager
 * follows devices as they come and go.
 *
 * The handler of requests runs in a NOIO scope: the connection manager has one worker, and the
 * connection that an allocation waits for may be the next one in its queue.
 */
#include <linux/sched/mm.h>
#include <rdma/ib_cm.h>

#include "../../link/rdma/connect.h"
#include "incoming.h"
#include "session.h"

static struct rdma_cm_id *cw_listen_v4, *cw_listen_v6;
/* Guards the two listeners. */
static DEFINE_MUTEX(cw_listen_lock);

/* Answers a request with a reason; the handler then returns non-zero. */
static int cw_listener_reject(struct rdma_cm_id *cm, u16 reason)
{
	struct cw_wire_rej rej;

	cw_pack_rej(&rej, reason);
	rdma_reject(cm, &rej, sizeof(rej), IB_CM_REJ_CONSUMER_DEFINED);
	return -ECONNREFUSED;
}

/* A connection request of the connection manager. */
struct cw_rdma_incoming {
	struct cw_incoming in;
	struct rdma_cm_id *cm;
	const struct rdma_conn_param *asked;
};

static struct cw_link *cw_listener_adopt(struct cw_incoming *in,
					 const struct cw_link_config *config)
{
	return cw_link_rdma_adopt(config, container_of(in, struct cw_rdma_incoming, in)->cm);
}

static int cw_listener_accept(struct cw_incoming *in, struct cw_link *link,
			      const struct cw_wire_rep *rep)
{
	const struct cw_rdma_incoming *r = container_of(in, struct cw_rdma_incoming, in);

	return cw_link_rdma_accept(link, r->asked, rep);
}

static bool cw_listener_is_beside(const struct cw_incoming *in, struct cw_link *control)
{
	const struct cw_rdma_incoming *r = container_of(in, struct cw_rdma_incoming, in);

	return cw_link_transport(control) == CW_TRANSPORT_RDMA &&
	       cw_link_rdma_is_on(control, r->cm->device);
}

static const struct cw_incoming_ops cw_listener_ops = {
	.making = "making a protection domain or a queue pair",
	.adopt = cw_listener_adopt,
	.disown = cw_link_rdma_disown,
	.accept = cw_listener_accept,
	.is_beside = cw_listener_is_beside,
};

static int cw_listener_request(struct rdma_cm_id *cm, const struct rdma_cm_event *event)
{
	const void *data = event->param.conn.private_data;
	size_t len = event->param.conn.private_data_len;
	struct cw_wire_req wire;
	struct cw_rdma_incoming r = {
		.in = { &cw_listener_ops, &cm->route.addr.dst_addr, &wire },
		.cm = cm,
		.asked = &event->param.conn,
	};
	struct cw_req req;
	u16 refusal;
	int ret;

	ret = cw_parse_req(data, len, &req);
	if (ret == -EPROTONOSUPPORT) {
		cw_incoming_say_version(&r.in, data, len);
		return cw_listener_reject(cm, CW_REFUSED_VERSION);
	}
	/* A login that was relayed from another transport would prove that transport. */
	if (ret || req.transport != CW_WIRE_RDMA)
		return cw_listener_reject(cm, CW_REFUSED_MALFORMED);
	memcpy(&wire, data, sizeof(wire));
	refusal = cw_incoming_judge(&r.in, &req);
	return refusal ? cw_listener_reject(cm, refusal) : 0;
}

/*
 * The connection manager's events of a listener. Returning non-zero destroys @cm, which is the new
 * id of a request.
 */
static int cw_listener_event(struct rdma_cm_id *cm, struct rdma_cm_event *event)
{
	unsigned int noio;
	int ret;

	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	noio = memalloc_noio_save();
	ret = cw_listener_request(cm, event);
	memalloc_noio_restore(noio);
	return ret;
}

static struct rdma_cm_id *cw_listener_bind(struct sockaddr *address)
{
	struct rdma_cm_id *cm;
	int ret;

	cm = rdma_create_id(&init_net, cw_listener_event, NULL, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(cm))
		return cm;
	ret = rdma_set_afonly(cm, 1);
	if (!ret)
		ret = rdma_bind_addr(cm, address);
	if (!ret)
		ret = rdma_listen(cm, 128);
	if (ret) {
		rdma_destroy_id(cm);
		return ERR_PTR(ret);
	}
	return cm;
}

int cw_listener_start(u16 port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct rdma_cm_id *cm;
	int ret = 0;

	mutex_lock(&cw_listen_lock);
	cm = cw_listener_bind((struct sockaddr *)&v4);
	if (IS_ERR(cm)) {
		ret = PTR_ERR(cm);
		goto out;
	}
	cw_listen_v4 = cm;
	cm = cw_listener_bind((struct sockaddr *)&v6);
	if (!IS_ERR(cm))
		cw_listen_v6 = cm;
	else
		pr_info("causeway: not listening on IPv6 (%ld)\n", PTR_ERR(cm));
out:
	mutex_unlock(&cw_listen_lock);
	return ret;
}

void cw_listener_stop(void)
{
	mutex_lock(&cw_listen_lock);
	if (cw_listen_v4)
		rdma_destroy_id(cw_listen_v4);
	if (cw_listen_v6)
		rdma_destroy_id(cw_listen_v6);
	cw_listen_v4 = NULL;
	cw_listen_v6 = NULL;
	mutex_unlock(&cw_listen_lock);
}
