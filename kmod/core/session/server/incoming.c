// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connection requests, of every transport: decides which of them get a link.
 *
 * A control request takes a place of its source address (source.c), before anything is made, and
 * then gets a small link and a session that must prove itself in time. A data request gets a link
 * only when its token shows that a login stands behind it.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "../auth.h"
#include "incoming.h"
#include "session.h"

/*
 * Logs the error, which the client does not receive. Returns the reason for the client, which
 * points its administrator to this log.
 */
static u16 cw_incoming_failed(const struct cw_incoming *in, const char *what, int err)
{
	pr_warn_ratelimited("causeway: %pISc is refused: %s failed (%d)\n", in->peer, what, err);
	return CW_REFUSED_INTERNAL;
}

static u16 cw_incoming_link_failed(const struct cw_incoming *in, const struct cw_link *link)
{
	return cw_incoming_failed(in, in->ops->making, PTR_ERR(link));
}

/* The nonce of a control link is new each time: every login proves this very connection. */
static void cw_incoming_make_rep(struct cw_wire_rep *wire, const struct cw_req *req)
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

void cw_incoming_say_version(const struct cw_incoming *in, const void *data, size_t len)
{
	struct cw_versions theirs;

	if (!cw_parse_versions(data, len, &theirs))
		pr_warn_ratelimited("causeway: %pISc is refused: it speaks versions %u to %u of the protocol, this server version %u: upgrade %s\n",
				    in->peer, theirs.min, theirs.max, CW_WIRE_VERSION,
				    theirs.max < CW_WIRE_VERSION ? "that client" : "this server");
}

/* 0, or the reason to refuse; then @place is the caller's. */
static u16 cw_incoming_make_control(struct cw_incoming *in, const struct cw_req *req,
				    const struct cw_place *place)
{
	struct cw_link_config config = {
		.kind = CW_LINK_CONTROL,
		.handler = &cw_server_control_handler,
		.limits.depth = CW_CONTROL_DEPTH,
		.limits.inline_size = CW_WIRE_PAGE,
	};
	struct cw_server_session *s;
	struct cw_link *link;

	link = in->ops->adopt(in, &config);
	if (IS_ERR(link))
		return cw_incoming_link_failed(in, link);
	s = cw_server_session_create(link, in->peer, place);
	if (!s) {
		in->ops->disown(link);
		cw_link_free(link);
		return cw_incoming_failed(in, "making a session", -ENOMEM);
	}
	/* The MACs of the login cover REQ and REP. No message arrives before the acceptance. */
	s->wire_req = *in->wire;
	cw_incoming_make_rep(&s->wire_rep, req);
	if (in->ops->accept(in, link, &s->wire_rep))
		cw_link_kill(link, -ECONNABORTED, "accepting the control link failed");
	return 0;
}

static u16 cw_incoming_control(struct cw_incoming *in, const struct cw_req *req)
{
	struct cw_place place;
	u16 refusal;

	if (!cw_source_enter(&place, in->peer)) {
		cw_server_limit(CW_LIMIT_STRANGERS);
		return CW_REFUSED_LIMIT;
	}
	refusal = cw_incoming_make_control(in, req, &place);
	if (refusal)
		cw_source_leave(&place);
	return refusal;
}

/* 0, or the reason to refuse. */
static u16 cw_incoming_check_token(const struct cw_incoming *in, const struct cw_server_session *s,
				   const struct cw_req *req)
{
	u8 token[CW_WIRE_TOKEN];
	int ret;

	ret = cw_auth_token(s->paths->secret, s->number, s->hello.epoch, req->kind, req->index,
			    token);
	if (ret)
		return cw_incoming_failed(in, "HMAC-SHA256", ret);
	return cw_auth_equal(token, req->token, sizeof(token)) ? 0 : CW_REFUSED_TOKEN;
}

/* Returns true if the session is live and its control link is where this connection is. */
static bool cw_incoming_is_live(const struct cw_incoming *in, struct cw_server_session *s)
{
	unsigned long flags;
	bool live;

	spin_lock_irqsave(&s->lock, flags);
	/* A live session has its control link. */
	live = s->state == CW_SERVER_LIVE && in->ops->is_beside(in, s->control);
	spin_unlock_irqrestore(&s->lock, flags);
	return live;
}

static struct cw_link_config cw_incoming_data_config(struct cw_server_session *s, u16 index)
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

static u16 cw_incoming_data_for(struct cw_incoming *in, const struct cw_req *req,
				struct cw_server_session *s)
{
	struct cw_link_config config;
	struct cw_wire_rep rep;
	struct cw_link *link;
	u16 refusal;
	int ret;

	refusal = cw_incoming_check_token(in, s, req);
	if (refusal)
		return refusal;
	if (req->index >= s->welcome.queues)
		return CW_REFUSED_TOKEN;
	config = cw_incoming_data_config(s, req->index);
	/* Before it carries a command, the ledger knows that the client has the welcome. */
	if (!cw_admission_confirm(s))
		return CW_REFUSED_TOKEN;
	link = in->ops->adopt(in, &config);
	if (IS_ERR(link))
		return cw_incoming_link_failed(in, link);
	ret = s->ops->link_init(link, s->export);
	if (ret) {
		in->ops->disown(link);
		cw_link_free(link);
		return cw_incoming_failed(in, "preparing a link", ret);
	}
	ret = cw_server_session_add_link(s, link);
	if (ret) {
		/* Here too, the target frees link->priv after the last callback of the link. */
		in->ops->disown(link);
		s->ops->link_exit(link);
		cw_link_free(link);
		return CW_REFUSED_TOKEN;
	}
	cw_incoming_make_rep(&rep, req);
	if (in->ops->accept(in, link, &rep))
		cw_link_kill(link, -ECONNABORTED, "accepting a data link failed");
	return 0;
}

static u16 cw_incoming_data(struct cw_incoming *in, const struct cw_req *req)
{
	struct cw_server_session *s = cw_server_session_find(req->number);
	u16 refusal = CW_REFUSED_TOKEN;

	if (!s)
		return CW_REFUSED_TOKEN;
	/* A live session has its paths, and so the secret. */
	if (cw_incoming_is_live(in, s))
		refusal = cw_incoming_data_for(in, req, s);
	cw_server_session_put(s);
	return refusal;
}

u16 cw_incoming_judge(struct cw_incoming *in, const struct cw_req *req)
{
	return req->kind == CW_KIND_CONTROL ? cw_incoming_control(in, req) :
					      cw_incoming_data(in, req);
}
