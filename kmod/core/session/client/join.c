// SPDX-License-Identifier: GPL-2.0-only
/*
 * JOIN of the client (docs/PROTOCOL.md section 7): a further path of a session that is live.
 *
 * Everything here sleeps, in the work that connects the path. A failure leaves its reason in words,
 * and concerns this path only.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "../../link/receive_area.h"
#include "login.h"

/* A JOIN on a link: the state that proves and judges its answer. */
struct cw_path_joining {
	struct cw_join join;
	struct cw_wire_join wire; /* as sent */
	u8 secret[CW_WIRE_MAC]; /* of the login */
	u64 chosen; /* features of the login */
	u8 instance[CW_WIRE_UUID]; /* of the login */
};

static void cw_path_fill_join(struct cw_path *p, struct cw_path_joining *j)
{
	const struct cw_link_caps caps = cw_link_caps(p->control);
	struct cw_session *s = p->session;
	struct cw_join *join = &j->join;

	mutex_lock(&s->lock);
	*join = (struct cw_join) {
		.path = p->number,
		.features = caps.features | CW_FEATURE_PATHS,
		.epoch = p->epoch,
		.queues = s->first_welcome.queues,
		.depth = s->first_welcome.depth,
		.inline_size = s->first_welcome.inline_size,
		.max_io = min(s->first_welcome.max_io, caps.max_io),
		.messages = CW_LINK_MESSAGES,
	};
	memcpy(j->secret, s->secret, CW_WIRE_MAC);
	memcpy(j->instance, s->instance, CW_WIRE_UUID);
	j->chosen = s->features;
	mutex_unlock(&s->lock);
	/* The rest of the attempt finds the memory in the reserve. */
	p->area = cw_reserve_area(&p->reserve, join->queues, caps.node, "%s/%s", s->config.server,
				  s->config.name);
	join->area = p->area;
	join->inline_size = min3(join->inline_size, caps.inline_size,
				 p->area * (u32)CW_WIRE_PAGE);
	memcpy(join->host, s->config.host, CW_WIRE_UUID);
	memcpy(join->boot, s->boot, CW_WIRE_UUID);
	memcpy(join->session, s->uuid, CW_WIRE_UUID);
	get_random_bytes(join->nonce, CW_WIRE_NONCE);
	join->nonce[0] |= 1; /* its tag is not zero */
}

/* Announces the JOIN on a live path, which proves that this host is the client of the session. */
static int cw_path_announce(struct cw_path *p, const struct cw_path_joining *j)
{
	struct cw_session *s = p->session;
	bool live;

	mutex_lock(&s->lock);
	live = s->state == CW_STATE_LIVE;
	if (live)
		cw_path_set_fence(p, &p->announced, p->epoch - 1,
				  cw_join_tag(j->join.nonce));
	mutex_unlock(&s->lock);
	if (live)
		return 0;
	cw_path_say(p, -ENOTCONN, "no path is live");
	return -ENOTCONN;
}

/* A server that does not have the session may be another one, or may have lost the live paths. */
static void cw_session_probe_live_paths(struct cw_session *s)
{
	unsigned int i;

	mutex_lock(&s->lock);
	for (i = 0; i < s->nr_paths; i++)
		if (s->paths[i]->state == CW_PATH_LIVE)
			cw_link_probe(s->paths[i]->control, 0);
	mutex_unlock(&s->lock);
}

static int cw_path_judge_joined(struct cw_path *p, const struct cw_path_joining *j,
				const struct cw_wire_joined *rec, const struct cw_joined *joined)
{
	const struct cw_path_grants grants = {
		.number = joined->number,
		.queues = joined->queues,
		.depth = joined->depth,
		.inline_size = joined->inline_size,
		.max_io = joined->max_io,
		.export_id = joined->export_id,
		.probe_ms = joined->probe_ms,
		.dead_ms = joined->dead_ms,
		.area = joined->area,
		.messages = joined->messages,
		.features = joined->features,
	};
	u8 mac[CW_WIRE_MAC];
	int ret;

	ret = cw_auth_joined(j->secret, &p->wire_req, &p->wire_rep, &j->wire, rec, mac);
	if (ret) {
		cw_path_say(p, ret, "HMAC-SHA256 is not available (%d)", ret);
		return ret;
	}
	if (!cw_auth_equal(mac, rec->mac, CW_WIRE_MAC)) {
		cw_path_say(p, -EACCES, "the server could not prove that it has the session");
		return -EACCES;
	}
	if (memcmp(joined->instance, j->instance, CW_WIRE_UUID)) {
		cw_path_say(p, -ESTALE, "the path leads to another instance of the disk");
		return -ESTALE;
	}
	ret = cw_path_check_grants(p, &grants, p->session->first_welcome.geo.logical_block, true);
	if (!ret)
		p->grants = grants;
	return ret;
}

static int cw_path_take_joined(struct cw_path *p, const struct cw_path_joining *j)
{
	struct cw_wire_joined rec;
	struct cw_letter *letter;
	struct cw_joined joined;
	int ret;

	letter = cw_path_expect(p, NULL, CW_MSG_JOINED, "the server's answer to the join");
	if (IS_ERR(letter)) {
		if (PTR_ERR(letter) == -ENOTCONN)
			cw_session_probe_live_paths(p->session);
		return PTR_ERR(letter);
	}
	ret = cw_parse_joined(letter->data, letter->len, &j->join, j->chosen, &joined);
	if (!ret)
		memcpy(&rec, letter->data, sizeof(rec));
	kfree(letter);
	if (ret) {
		cw_path_say(p, ret, "the server's answer to the join is malformed (%d)", ret);
		return ret;
	}
	return cw_path_judge_joined(p, j, &rec, &joined);
}

int cw_path_join(struct cw_path *p)
{
	struct cw_path_joining *j = kzalloc(sizeof(*j), GFP_KERNEL);
	int ret;

	if (!j) {
		cw_path_say(p, -ENOMEM, "no memory for a join");
		return -ENOMEM;
	}
	cw_path_fill_join(p, j);
	cw_pack_join(&j->wire, &j->join);
	ret = cw_auth_join(j->secret, &p->wire_req, &p->wire_rep, &j->wire, j->wire.mac);
	if (ret)
		cw_path_say(p, ret, "HMAC-SHA256 is not available (%d)", ret);
	p->asked_at = jiffies;
	ret = ret ?: cw_path_announce(p, j) ?:
		     cw_path_send(p, CW_MSG_JOIN, &j->wire, sizeof(j->wire)) ?:
		     cw_path_take_joined(p, j);
	kfree_sensitive(j);
	return ret;
}
