// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connection requests: decides which of them get a queue pair.
 *
 * A control request takes a place of its source address (source.c), before anything is made, and
 * then gets a small queue pair and a session that must prove itself in time. A data request gets a
 * queue pair only when its token shows that a login stands behind it. The listeners are bound to no
 * device: the connection manager follows devices as they come and go.
 *
 * The handler of requests runs in a NOIO scope: the connection manager has one worker, and the
 * connection that an allocation waits for may be the next one in its queue.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_cm.h>

#include "../../link/rdma/connect.h"
#include "../auth.h"
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

/*
 * Logs the error, which the client does not receive. Returns the reason for the client, which
 * points its administrator to this log.
 */
static u16 cw_listener_failed(const struct rdma_cm_id *cm, const char *what, int err)
{
	pr_warn_ratelimited("causeway: %pISc is refused: %s failed (%d)\n",
			    &cm->route.addr.dst_addr, what, err);
	return CW_REFUSED_INTERNAL;
}

static u16 cw_listener_link_failed(const struct rdma_cm_id *cm, const struct cw_link *link)
{
	return cw_listener_failed(cm, "making a protection domain or a queue pair", PTR_ERR(link));
}

/* The nonce of a control link is new each time: every login proves this very connection. */
static void cw_listener_make_rep(struct cw_wire_rep *wire, const struct cw_req *req)
{
	struct cw_rep rep = {
		.version = req->version,
		.kind = req->kind,
		.transport = req->transport,
		.index = req->index,
	};

	if (req->kind == CW_KIND_CONTROL)
		get_random_bytes(rep.nonce, sizeof(rep.nonce));
	cw_pack_rep(wire, &rep);
}

/*
 * The client receives the range of this server. The range of the client is logged for the server's
 * administrator.
 */
static int cw_listener_reject_version(struct rdma_cm_id *cm, const void *data, size_t len)
{
	struct cw_versions theirs;

	if (!cw_parse_versions(data, len, &theirs))
		pr_warn_ratelimited("causeway: %pISc is refused: it speaks versions %u to %u of the protocol, this server version %u: upgrade %s\n",
				    &cm->route.addr.dst_addr, theirs.min, theirs.max,
				    CW_WIRE_VERSION,
				    theirs.max < CW_WIRE_VERSION ? "that client" : "this server");
	return cw_listener_reject(cm, CW_REFUSED_VERSION);
}

/* 0, or the reason to refuse; then @place is the caller's. */
static u16 cw_listener_make_control(struct rdma_cm_id *cm, const struct rdma_conn_param *asked,
				    const struct cw_req *req, const struct cw_place *place)
{
	struct cw_link_config config = {
		.kind = CW_LINK_CONTROL,
		.handler = &cw_server_control_handler,
		.limits.depth = CW_CONTROL_DEPTH,
		.limits.inline_size = CW_WIRE_PAGE,
	};
	struct cw_server_session *s;
	struct cw_link *link;

	link = cw_link_rdma_adopt(&config, cm);
	if (IS_ERR(link))
		return cw_listener_link_failed(cm, link);
	s = cw_server_session_create(link, &cm->route.addr.dst_addr, place);
	if (!s) {
		cw_link_rdma_disown(link);
		cw_link_free(link);
		return cw_listener_failed(cm, "making a session", -ENOMEM);
	}
	/* The MACs of the login cover REQ and REP. No message arrives before the acceptance. */
	memcpy(&s->wire_req, asked->private_data, sizeof(s->wire_req));
	cw_listener_make_rep(&s->wire_rep, req);
	if (cw_link_rdma_accept(link, asked, &s->wire_rep))
		cw_link_kill(link, -ECONNABORTED, "accepting the control link failed");
	return 0;
}

static int cw_listener_control(struct rdma_cm_id *cm, const struct rdma_conn_param *asked,
			       const struct cw_req *req)
{
	struct cw_place place;
	u16 refusal;

	if (!cw_source_enter(&place, &cm->route.addr.dst_addr)) {
		cw_server_limit(CW_LIMIT_STRANGERS);
		return cw_listener_reject(cm, CW_REFUSED_LIMIT);
	}
	refusal = cw_listener_make_control(cm, asked, req, &place);
	if (!refusal)
		return 0;
	cw_source_leave(&place);
	return cw_listener_reject(cm, refusal);
}

/* 0, or the reason to refuse. */
static u16 cw_listener_check_token(const struct rdma_cm_id *cm, const struct cw_server_session *s,
				   const struct cw_req *req)
{
	u8 token[CW_WIRE_TOKEN];
	int ret;

	ret = cw_auth_token(s->paths->secret, s->number, s->hello.epoch, req->kind, req->index,
			    token);
	if (ret)
		return cw_listener_failed(cm, "HMAC-SHA256", ret);
	return cw_auth_equal(token, req->token, sizeof(token)) ? 0 : CW_REFUSED_TOKEN;
}

/* Returns true if the session is live and its control link uses the device @ib. */
static bool cw_listener_is_live(struct cw_server_session *s, const struct ib_device *ib)
{
	unsigned long flags;
	bool live;

	spin_lock_irqsave(&s->lock, flags);
	/* A live session has its control link. */
	live = s->state == CW_SERVER_LIVE && cw_link_rdma_is_on(s->control, ib);
	spin_unlock_irqrestore(&s->lock, flags);
	return live;
}

static struct cw_link_config cw_listener_data_config(struct cw_server_session *s, u16 index)
{
	return (struct cw_link_config) {
		.kind = CW_LINK_DATA,
		.handler = cw_server_data_handler(),
		.owner = s,
		.session_commands = &s->commands,
		.index = index,
		.reserve = &s->reserve,
		/* The number of ranges of a discard is not set here: the disk may change it. */
		.limits = {
			.depth = s->welcome.depth,
			.inline_size = s->welcome.inline_size,
			.max_io = s->welcome.max_io,
			.export_id = s->welcome.export_id,
			.features = s->features,
		},
		.messages = s->welcome.messages,
		.peer_messages = s->hello.messages,
		.area = s->welcome.area,
		.peer_area = s->hello.area,
		/* Clients of one queue each shall not share one processor for their interrupts. */
		.vector = s->number + index,
	};
}

static int cw_listener_data_for(struct rdma_cm_id *cm, const struct rdma_conn_param *asked,
				const struct cw_req *req, struct cw_server_session *s)
{
	struct cw_link_config config;
	struct cw_wire_rep rep;
	struct cw_link *link;
	u16 refusal;
	int ret;

	refusal = cw_listener_check_token(cm, s, req);
	if (refusal)
		return cw_listener_reject(cm, refusal);
	if (req->index >= s->welcome.queues)
		return cw_listener_reject(cm, CW_REFUSED_TOKEN);
	config = cw_listener_data_config(s, req->index);
	/* Before it carries a command, the ledger knows that the client has the welcome. */
	if (!cw_admission_confirm(s))
		return cw_listener_reject(cm, CW_REFUSED_TOKEN);
	link = cw_link_rdma_adopt(&config, cm);
	if (IS_ERR(link))
		return cw_listener_reject(cm, cw_listener_link_failed(cm, link));
	ret = s->ops->link_init(link, s->export);
	if (ret) {
		cw_link_rdma_disown(link);
		cw_link_free(link);
		return cw_listener_reject(cm, cw_listener_failed(cm, "preparing a link", ret));
	}
	ret = cw_server_session_add_link(s, link);
	if (ret) {
		/* Here too, the target frees link->priv after the last callback of the link. */
		cw_link_rdma_disown(link);
		s->ops->link_exit(link);
		cw_link_free(link);
		return cw_listener_reject(cm, CW_REFUSED_TOKEN);
	}
	cw_listener_make_rep(&rep, req);
	if (cw_link_rdma_accept(link, asked, &rep))
		cw_link_kill(link, -ECONNABORTED, "accepting a data link failed");
	return 0;
}

static int cw_listener_data(struct rdma_cm_id *cm, const struct rdma_conn_param *asked,
			    const struct cw_req *req)
{
	struct cw_server_session *s = cw_server_session_find(req->number);
	int ret;

	if (!s)
		return cw_listener_reject(cm, CW_REFUSED_TOKEN);
	/* A live session has its paths, and so the secret. */
	if (cw_listener_is_live(s, cm->device))
		ret = cw_listener_data_for(cm, asked, req, s);
	else
		ret = cw_listener_reject(cm, CW_REFUSED_TOKEN);
	cw_server_session_put(s);
	return ret;
}

static int cw_listener_request(struct rdma_cm_id *cm, const struct rdma_cm_event *event)
{
	const void *data = event->param.conn.private_data;
	size_t len = event->param.conn.private_data_len;
	struct cw_req req;
	int ret;

	ret = cw_parse_req(data, len, &req);
	if (ret == -EPROTONOSUPPORT)
		return cw_listener_reject_version(cm, data, len);
	/* A login that was relayed from another transport would prove that transport. */
	if (ret || req.transport != CW_WIRE_RDMA)
		return cw_listener_reject(cm, CW_REFUSED_MALFORMED);
	if (req.kind == CW_KIND_CONTROL)
		return cw_listener_control(cm, &event->param.conn, &req);
	return cw_listener_data(cm, &event->param.conn, &req);
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
