// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connects a path: control link, login (login.c), data links (docs/PROTOCOL.md section 4).
 *
 * Everything here sleeps, in the path's work that connects, or in a discovery. A failure leaves its
 * reason in words; the caller frees the links that were made.
 */
#include <linux/slab.h>
#include <rdma/ib_addr.h>

#include "../../address/neighbour.h"
#include "backoff.h"
#include "login.h"
#include "path_list.h"

static const char *cw_session_refusal_text(u16 refusal)
{
	switch (refusal) {
	case CW_REFUSED_LIMIT:
		return "the server has reached its limit of connections";
	case CW_REFUSED_ADDRESS:
		return "the server has no export for this host's address";
	case CW_REFUSED_TOKEN:
		return "the server no longer knows our login";
	case CW_REFUSED_STOPPING:
		return "the server is going down";
	case CW_REFUSED_INTERNAL:
		return "the server ran out of memory or queue pairs; its log says more";
	case CW_REFUSED_MALFORMED:
		return "the server found our request malformed: are both ends of the same release?";
	default:
		return NULL;
	}
}

/* The range that the server named shows which side has to be upgraded. */
static void cw_path_say_versions(struct cw_path *p, int err, const struct cw_rej *rej)
{
	const char *whom = rej->version_max < CW_WIRE_VERSION ? "the server" : "this host";

	if (rej->version_min == rej->version_max)
		cw_path_say(p, err,
			    "the server speaks version %u of the protocol, this host version %u: upgrade %s",
			    rej->version_min, CW_WIRE_VERSION, whom);
	else
		cw_path_say(p, err,
			    "the server speaks versions %u to %u of the protocol, this host version %u: upgrade %s",
			    rej->version_min, rej->version_max, CW_WIRE_VERSION, whom);
}

#define CW_JOIN_STEPS 4 /* of attempt_ms, for a path that joins */
#define CW_TURN_MS 2000U /* most for a step, while other paths wait for their turn */

static unsigned int attempt_ms = 500;
module_param(attempt_ms, uint, 0644);
MODULE_PARM_DESC(attempt_ms,
		 "client: milliseconds for each step of an attempt to connect again; doubled after 16 attempts and then with every eighth, up to the time of the first connection (default 500)");

/* True while a path that logs in waits for its control link, and others wait for their turn. */
static bool cw_path_has_turn(const struct cw_path *p)
{
	return p->session->ever_live && p->role == CW_PATH_LOGIN && !p->control &&
	       cw_session_has_other_path(p, false);
}

static u32 cw_path_least_ms(const struct cw_path *p)
{
	u32 least = clamp(READ_ONCE(attempt_ms), 100U, 60000U);

	if (p->role == CW_PATH_JOIN)
		return least * CW_JOIN_STEPS;
	return cw_path_has_turn(p) ? least / 2 : least;
}

/*
 * The time for each step of an attempt, in milliseconds. No I/O waits for a path that joins, so it
 * takes the time that a slow server may need. A path whose network is lost must not keep another
 * one from its turn for long.
 */
static u32 cw_path_step_ms(const struct cw_path *p)
{
	u32 attempt = p->attempts ? p->attempts - 1 : 0; /* this one is counted already */
	u32 most = p->session->config.connect_timeout, least;

	if (!p->session->ever_live)
		return most;
	least = cw_path_least_ms(p);
	if (cw_path_has_turn(p))
		most = max(least, CW_TURN_MS);
	return cw_backoff_step_ms(attempt, least, most);
}

/* The time to find the server. Every eighth attempt is for a network that is slow to say where. */
static u32 cw_path_reach_ms(const struct cw_path *p)
{
	if (!cw_path_has_turn(p))
		return 0;
	return p->attempts % 8 ? cw_path_least_ms(p) : CW_TURN_MS;
}

/* NULL: any local address */
static const struct sockaddr *cw_path_local(const struct cw_path *p)
{
	return p->local.ss_family ? (const struct sockaddr *)&p->local : NULL;
}

static struct cw_link *cw_path_connect_link(struct cw_path *p, const struct cw_link_config *config,
					    const struct cw_wire_req *req)
{
	struct cw_link_config ours = *config;
	struct cw_link *link;
	char reason[96] = "";
	struct cw_rej rej;

	ours.owner = p;
	ours.making = cw_path_making;
	ours.reserve = &p->reserve;
	ours.reach_ms = cw_path_reach_ms(p);
	/* The login agreed on limits of the control link's device: data links must use it. */
	link = p->factory->connect(&ours, p->control, cw_path_local(p),
				   (const struct sockaddr *)&p->address, req, cw_path_step_ms(p),
				   reason, &rej);
	if (!IS_ERR(link))
		return link;
	if (rej.reason == CW_REFUSED_VERSION)
		cw_path_say_versions(p, PTR_ERR(link), &rej);
	else
		cw_path_say(p, PTR_ERR(link), "%s",
			    cw_session_refusal_text(rej.reason) ?: reason);
	return link;
}

static int cw_path_connect_data_links(struct cw_path *p, const u8 *secret, u64 epoch)
{
	const struct cw_path_grants *grants = &p->grants;
	struct cw_session *s = p->session;
	struct cw_link_config config = {
		.kind = CW_LINK_DATA,
		.handler = &s->data_handler,
		.priv = s->priv,
		.limits = {
			.depth = grants->depth,
			.inline_size = grants->inline_size,
			.max_io = grants->max_io,
			.export_id = grants->export_id,
			.features = grants->features,
		},
		.messages = CW_LINK_MESSAGES,
		.peer_messages = grants->messages,
		.area = p->area,
		.peer_area = grants->area,
	};
	struct cw_req req = { .version = CW_WIRE_VERSION, .kind = CW_KIND_DATA,
			      .transport = p->factory->transport, .number = grants->number };
	struct cw_wire_req wire;
	unsigned int i;
	int ret;

	for (i = 0; i < grants->queues; i++) {
		struct cw_link *link;

		config.index = i;
		config.vector = i; /* the processor's that the queue is for, mostly */
		/* Polled ones come last, as blk-mq orders its maps. */
		config.polled = s->config.poll_queues < grants->queues &&
				i >= grants->queues - s->config.poll_queues;
		req.index = i;
		ret = cw_auth_token(secret, req.number, epoch, req.kind, req.index, req.token);
		if (ret)
			return ret;
		cw_pack_req(&wire, &req);
		link = cw_path_connect_link(p, &config, &wire);
		if (IS_ERR(link))
			return PTR_ERR(link);
		p->links[i] = link;
		p->nr_links = i + 1;
		if (cw_path_is_given_up(p)) {
			cw_path_say(p, -EINTR, "interrupted");
			return -EINTR;
		}
		if (cw_link_is_dead(link) || cw_link_is_dead(p->control)) {
			cw_path_say(p, -ECONNRESET, "a link died at once");
			cw_path_find_reason(p);
			return -ECONNRESET;
		}
	}
	return 0;
}

/* The connection manager of RDMA binds a route to the interface that has the local address. */
static void cw_path_ask_next_hop(const struct cw_path *p)
{
	const struct sockaddr *local = cw_path_local(p);
	struct rdma_dev_addr bound = { .net = &init_net };

	if (local && p->factory->transport == CW_TRANSPORT_RDMA)
		rdma_translate_ip(local, &bound);
	cw_neighbour_ask(&init_net, bound.bound_dev_if, local,
			 (const struct sockaddr *)&p->address);
}

int cw_path_connect_control(struct cw_path *p)
{
	struct cw_link_config config = {
		.kind = CW_LINK_CONTROL,
		.handler = &cw_client_control_handler,
		.limits.depth = CW_CONTROL_DEPTH,
		.limits.inline_size = CW_WIRE_PAGE,
	};
	struct cw_req req = { .version = CW_WIRE_VERSION, .kind = CW_KIND_CONTROL,
			      .transport = p->factory->transport };
	struct cw_link *link;

	cw_pack_req(&p->wire_req, &req);
	cw_path_ask_next_hop(p);
	link = cw_path_connect_link(p, &config, &p->wire_req);
	if (IS_ERR(link))
		return PTR_ERR(link);
	cw_link_acceptance(link, &p->wire_rep);
	WRITE_ONCE(p->control, link);
	return 0;
}

int cw_path_connect(struct cw_path *p)
{
	struct cw_session *s = p->session;
	u8 secret[CW_WIRE_MAC];
	int ret;

	lockdep_assert_held(&p->lock);
	ret = cw_path_connect_control(p) ?:
	      (p->role == CW_PATH_LOGIN ? cw_path_log_in(p) : cw_path_join(p));
	if (ret)
		return ret;
	mutex_lock(&s->lock);
	memcpy(secret, s->secret, sizeof(secret));
	mutex_unlock(&s->lock);
	ret = cw_path_connect_data_links(p, secret, p->epoch);
	memzero_explicit(secret, sizeof(secret));
	if (ret)
		return ret;
	mutex_lock(&s->lock);
	cw_link_describe(p->control, p->device, &p->device_port, &p->local_address,
			 &p->peer_address);
	mutex_unlock(&s->lock);
	return 0;
}
