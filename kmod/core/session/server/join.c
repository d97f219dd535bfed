// SPDX-License-Identifier: GPL-2.0-only
/*
 * The server's side of JOIN (docs/PROTOCOL.md section 7): a further path of a session that is live.
 *
 * The MAC of JOIN proves the secret of the login. The path then has the host, the session and the
 * export of that login, and is a session object and a member of the admission of its own. The
 * admission decides whether FENCE has announced JOIN, and sends JOINED by cw_login_welcome().
 */
#include "../../link/factory.h"
#include "login.h"

/* The same on all paths of a session. */
#define CW_JOIN_FEATURES (CW_FEATURE_PATHS | CW_FEATURE_CRC)

/*
 * A session that is unknown, one that is not live and a wrong MAC get the same answer, so a
 * stranger does not learn which sessions exist.
 */
void cw_join_refuse_not_live(struct cw_server_session *s)
{
	cw_login_refuse(s, CW_REFUSED_NOT_LIVE, 0, "the session is not live at this server");
}

/* The login names the client and the export; JOIN has the epoch, the path and the wishes. */
static void cw_join_make_hello(struct cw_server_session *s, const struct cw_join *join)
{
	struct cw_hello *hello = &s->hello;

	*hello = s->paths->hello;
	hello->features_offered = join->features;
	hello->epoch = join->epoch;
	hello->path = join->path;
	hello->queues = join->queues;
	hello->depth = join->depth;
	hello->inline_size = join->inline_size;
	hello->max_io = join->max_io;
	hello->area = join->area;
	hello->messages = join->messages;
}

/* The path as the machine of the owners sees it. */
static void cw_join_describe(struct cw_server_session *s, const struct cw_join *join)
{
	struct cw_login *m = &s->member;

	cw_login_describe_member(s);
	m->tag = cw_join_tag(join->nonce);
	m->login_epoch = s->paths->hello.epoch;
}

/*
 * Chooses the features of the path. Those that hold for all paths are as the login has them. False:
 * the path does not offer one of these.
 */
static bool cw_join_choose_features(struct cw_server_session *s, u64 offered)
{
	const u64 shared = s->paths->features & CW_JOIN_FEATURES;

	s->features = (offered & cw_link_caps(s->control).features & CW_FEATURE_BARE) | shared;
	return !(shared & ~offered);
}

/* False: @s was refused, or is ending. */
static bool cw_join_find_export(struct cw_server_session *s)
{
	int ret = cw_login_find_export(s);

	/* Another export may have the name of the one that was removed. */
	if (ret == -ENOENT || (!ret && s->core != s->paths->core)) {
		cw_join_refuse_not_live(s);
		return false;
	}
	return !ret && cw_login_check_client(s);
}

void cw_join_take(struct cw_server_session *s, const struct cw_letter *letter)
{
	struct cw_join join;
	int ret;

	ret = cw_parse_join(letter->data, letter->len, &join);
	s->member.join = true;
	if (!cw_login_check(s, letter->type, ret))
		return;
	memcpy(&s->wire_join, letter->data, sizeof(s->wire_join));
	s->hello_at = cw_admission_clock();
	s->paths = cw_server_paths_of_join(s, &join, &s->wire_join);
	if (!s->paths) {
		cw_join_refuse_not_live(s);
		return;
	}
	cw_join_make_hello(s, &join);
	if (!cw_join_choose_features(s, join.features)) {
		cw_login_refuse(s, CW_REFUSED_FEATURE, 0,
				"the path has to offer the features that the session has: 0x%llx",
				s->paths->features & CW_JOIN_FEATURES);
		return;
	}
	if (!cw_join_find_export(s))
		return;
	cw_login_grant(s);
	cw_join_describe(s, &join);
	if (cw_admission_join(s))
		cw_login_waits(s);
}

int cw_join_pack_joined(struct cw_server_session *s, struct cw_wire_joined *wire)
{
	const struct cw_welcome *w = &s->welcome;
	struct cw_joined joined = {
		.number = w->number,
		.queues = w->queues,
		.depth = w->depth,
		.inline_size = w->inline_size,
		.max_io = w->max_io,
		.probe_ms = w->probe_ms,
		.dead_ms = w->dead_ms,
		.export_id = w->export_id,
		.area = w->area,
		.messages = w->messages,
		.path = s->member.path,
		.features = s->features,
		.epoch = s->member.epoch,
	};
	int ret;

	memcpy(joined.instance, s->paths->instance, sizeof(joined.instance));
	cw_pack_joined(wire, &joined);
	ret = cw_auth_joined(s->paths->secret, &s->wire_req, &s->wire_rep, &s->wire_join, wire,
			     joined.mac);
	memcpy(wire->mac, joined.mac, sizeof(wire->mac));
	return ret;
}

void cw_join_send_notice(struct cw_server_session *s)
{
	struct cw_notice notice = {
		.kind = CW_NOTICE_GEOMETRY,
		.sequence = s->paths->notices,
		.geo = s->welcome.geo,
	};
	struct cw_wire_notice wire;

	lockdep_assert_held(&cw_server_lock);
	if (!notice.sequence)
		return;
	cw_pack_notice(&wire, &notice);
	if (cw_link_send_control(s->control, CW_MSG_NOTICE, &wire, sizeof(wire)))
		cw_server_session_end(s, "the NOTICE behind JOINED could not be sent");
}
