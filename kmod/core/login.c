// SPDX-License-Identifier: GPL-2.0-only
/*
 * The server's side of a login (docs/PROTOCOL.md section 4), and of discovery.
 *
 * One work per session takes its control messages in order. It sleeps for digests, never for
 * another session: a login that has to wait until older connections of the same client have nothing
 * left in flight is put on the list of waiters of one of them, whose end queues the work again. The
 * end of the waiting session takes it off the list.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "link_rdma.h"
#include "netlink.h"
#include "server_session.h"
#include "trace.h"

static unsigned int probe_ms = 1000;
module_param(probe_ms, uint, 0644);
MODULE_PARM_DESC(probe_ms, "a quiet connection is probed after so many ms");
static unsigned int dead_ms = 5000;
module_param(dead_ms, uint, 0644);
MODULE_PARM_DESC(dead_ms, "a silent connection is given up after so many ms");
static unsigned int max_depth = 128;
module_param(max_depth, uint, 0644);
MODULE_PARM_DESC(max_depth, "commands that a data link may have outstanding");
static unsigned int max_sessions = 256;
module_param(max_sessions, uint, 0644);
MODULE_PARM_DESC(max_sessions, "sessions that may be logged in at once");
static unsigned int max_sessions_host = 64;
module_param(max_sessions_host, uint, 0644);
MODULE_PARM_DESC(max_sessions_host,
		 "sessions that one address may have, with those whose last commands are with the disk");
static unsigned int max_queues = 32;
module_param(max_queues, uint, 0644);
MODULE_PARM_DESC(max_queues, "data links that a session may have");
static unsigned int max_links_host = 256;
module_param(max_links_host, uint, 0644);
MODULE_PARM_DESC(max_links_host, "data links that all sessions of one address may have");

/* After PROOF a refusal names the disk, and is proved like a welcome. */
static void prove_refusal(struct cw_server_session *s, struct cw_refused *refused,
			  struct cw_wire_refused *wire)
{
	struct cw_geometry geo;

	s->ops->export_describe(s->export, refused->identity, &geo);
	cw_pack_refused(wire, refused);
	if (!cw_auth_refused(&s->auth, &s->wire_proof, wire, refused->mac))
		memcpy(wire->mac, refused->mac, CW_WIRE_MAC);
}

static __printf(4, 5) void refuse(struct cw_server_session *s, u16 reason, u64 epoch,
				  const char *fmt, ...)
{
	struct cw_refused refused = { .reason = reason, .epoch = epoch };
	struct cw_wire_refused wire;
	va_list args;

	va_start(args, fmt);
	vscnprintf(refused.text, sizeof(refused.text), fmt, args);
	va_end(args);
	if (s->answered)
		prove_refusal(s, &refused, &wire);
	else
		cw_pack_refused(&wire, &refused);
	cw_link_send_control(s->control, CW_MSG_REFUSED, &wire, sizeof(wire));
	/* The client closes when it has read it. */
	cw_server_session_refused(s);
	pr_info_ratelimited("causeway: login from %pISc refused: %s\n", &s->peer, refused.text);
	cw_event(CW_EVENT_LOGIN_REFUSED, CW_ROLE_SERVER, NULL,
		 s->hello.export_name[0] ? s->hello.export_name : NULL, "%pISc: %s", &s->peer,
		 refused.text);
}

static void malformed(struct cw_server_session *s, u8 type)
{
	cw_link_kill(s->control, -EPROTO, "the peer broke the protocol: bad control message %u",
		     type);
}

/* ---- hello ---- */

/* 0; -ENOENT: there is no such export; -ESHUTDOWN: the session is ending. */
static int cw_login_join(struct cw_server_session *s)
{
	int ret;

	s->export = s->ops->export_get(s->hello.export_name);
	if (!s->export)
		return -ENOENT;
	ret = cw_server_session_join(s, s->ops->export_core(s->export));
	if (ret) {
		s->ops->export_put(s->export);
		s->export = NULL;
	}
	return ret;
}

static void take_hello(struct cw_server_session *s, const struct cw_letter *letter)
{
	struct cw_challenge challenge = {};
	struct cw_key key = {};
	int ret;

	if (s->challenged || s->export) {
		malformed(s, letter->type);
		return;
	}
	ret = cw_parse_hello(letter->data, letter->len, &s->hello);
	if (ret == -EPROTONOSUPPORT) {
		refuse(s, CW_REFUSED_VERSION, 0,
		       "this server speaks version %u of the protocol, and the connection was made for it",
		       CW_WIRE_VERSION);
		return;
	}
	if (ret) {
		malformed(s, letter->type);
		return;
	}
	memcpy(&s->wire_hello, letter->data, sizeof(s->wire_hello));
	s->features = s->hello.features_offered & cw_link_rdma_features(s->control);
	if (s->hello.features_required & ~s->features) {
		refuse(s, CW_REFUSED_FEATURE, 0, "required features 0x%llx are not to be had here",
		       s->hello.features_required & ~s->features);
		return;
	}
	ret = cw_login_join(s);
	if (ret == -ENOENT)
		refuse(s, CW_REFUSED_EXPORT, 0, "there is no export \"%s\"", s->hello.export_name);
	if (ret)
		return;
	if (!s->ops->export_allows(s->export, (struct sockaddr *)&s->peer)) {
		refuse(s, CW_REFUSED_ADDRESS, 0, "export \"%s\" is not open to %pISc",
		       s->hello.export_name, &s->peer);
		return;
	}
	key.len = s->ops->export_key(s->export, key.bytes);
	if (key.len && !(s->hello.flags & CW_HELLO_KEY)) {
		memzero_explicit(&key, sizeof(key));
		refuse(s, CW_REFUSED_KEY_NEEDED, 0, "export \"%s\" needs a key",
		       s->hello.export_name);
		return;
	}
	if (key.len)
		challenge.flags |= CW_CHALLENGE_KEY;
	challenge.features = s->features;
	cw_server_instance(challenge.instance);
	s->ops->export_instance(s->export, challenge.instance);
	get_random_bytes(challenge.nonce, sizeof(challenge.nonce));
	cw_pack_challenge(&s->wire_challenge, &challenge);
	ret = cw_auth_begin(&s->auth, &key, &s->wire_req, &s->wire_rep, &s->wire_hello,
			    &s->wire_challenge);
	memzero_explicit(&key, sizeof(key));
	if (ret) {
		refuse(s, CW_REFUSED_INTERNAL, 0, "HMAC-SHA256 is not available at the server");
		return;
	}
	s->challenged = true;
	cw_link_send_control(s->control, CW_MSG_CHALLENGE, &s->wire_challenge,
			     sizeof(s->wire_challenge));
}

/* ---- fence ---- */

/* Both are sessions of one export. */
static bool is_older(const struct cw_server_session *s, const struct cw_server_session *other)
{
	if (other == s || other->core != s->core || !other->challenged)
		return false;
	if (!memcmp(other->hello.session, s->hello.session, CW_WIRE_UUID))
		return other->hello.epoch < s->hello.epoch;
	return !memcmp(other->hello.host, s->hello.host, CW_WIRE_UUID) &&
	       memcmp(other->hello.boot, s->hello.boot, CW_WIRE_UUID);
}

/* Another client that had the export and whose last commands may still be with the disk. */
static bool is_leaving(const struct cw_server_session *s, const struct cw_server_session *other)
{
	return other != s && other->admitted && READ_ONCE(other->state) == CW_SERVER_ENDING;
}

/* Ends every older connection of the client. One that has not finished, or NULL. */
static struct cw_server_session *cw_login_fence(struct cw_server_session *s)
{
	bool exclusive = s->ops->export_exclusive(s->export);
	struct cw_server_session *other, *found = NULL;

	lockdep_assert_held(&cw_server_lock);
	list_for_each_entry(other, &s->core->sessions, beside) {
		/* One that has not proved anything has no command and no claim. */
		if (READ_ONCE(other->state) != CW_SERVER_LOGIN &&
		    (is_older(s, other) || (exclusive && is_leaving(s, other)))) {
			cw_server_session_end(other,
					      "a newer connection of the same client took over");
			found = other;
		}
	}
	return found;
}

/* Sessions that count against the limits that @s has to keep. */
struct cw_login_count {
	u32 sessions; /* of all, without those that are ending */
	u32 host_sessions; /* of its address, with them: they hold memory until the disk answers */
	u32 host_links;
};

static struct cw_login_count cw_login_count(struct cw_server_session *s)
{
	struct cw_login_count count = {};
	struct cw_server_session *other;

	lockdep_assert_held(&cw_server_lock);
	list_for_each_entry(other, &cw_server_sessions, entry) {
		/* What is older goes before @s comes. */
		if (other == s || !other->admitted || is_older(s, other))
			continue;
		count.sessions += READ_ONCE(other->state) != CW_SERVER_ENDING;
		if (other->place.source == s->place.source) {
			count.host_sessions++;
			count.host_links += other->queues;
		}
	}
	return count;
}

/* 0, or the limit that @s would break. */
static enum cw_limit cw_login_limit(struct cw_server_session *s)
{
	struct cw_login_count count = cw_login_count(s);
	enum cw_limit limit = CW_LIMIT_UNSPEC;
	u32 sessions = count.sessions;

	if (count.host_sessions >= max_sessions_host)
		limit = CW_LIMIT_HOST_SESSIONS;
	else if (count.host_links + s->queues > max_links_host)
		limit = CW_LIMIT_HOST_LINKS;
	else if (sessions >= max_sessions)
		limit = CW_LIMIT_SESSIONS;
	return limit;
}

/*
 * Admits @s, in one step with the checks: the export is not being removed (else
 * CW_REFUSED_EXPORT), no connection of the same session that is newer (else
 * CW_REFUSED_STALE and @newest), no other session on an exclusive export (else
 * CW_REFUSED_IN_USE and its host as @holder), no limit that it breaks (else CW_REFUSED_LIMIT and
 * @limit). CW_REFUSED_NONE otherwise.
 */
static u16 admit(struct cw_server_session *s, u64 *newest, char holder[CW_WIRE_NAME],
		 enum cw_limit *limit)
{
	struct cw_server_session *other;
	bool held = false;
	u16 refusal = CW_REFUSED_NONE;

	*newest = 0;
	mutex_lock(&cw_server_lock);
	list_for_each_entry(other, &s->core->sessions, beside) {
		enum cw_server_state state = READ_ONCE(other->state);

		if (other == s || state == CW_SERVER_LOGIN || !other->admitted)
			continue;
		if (!memcmp(other->hello.session, s->hello.session, CW_WIRE_UUID)) {
			*newest = max(*newest, other->hello.epoch);
		} else if (state != CW_SERVER_ENDING && !is_older(s, other)) {
			strscpy(holder, other->hello.host_name, CW_WIRE_NAME);
			held = true;
		}
	}
	s->queues = min_t(u32, s->hello.queues, max(max_queues, 1U));
	*limit = cw_login_limit(s);
	if (s->core->closed)
		refusal = CW_REFUSED_EXPORT;
	else if (*newest >= s->hello.epoch)
		refusal = CW_REFUSED_STALE;
	else if (held && s->ops->export_exclusive(s->export))
		refusal = CW_REFUSED_IN_USE;
	else if (*limit)
		refusal = CW_REFUSED_LIMIT;
	else
		s->admitted = cw_server_session_change(s, CW_SERVER_ADMITTED);
	mutex_unlock(&cw_server_lock);
	return refusal;
}

static void cw_login_refuse_limit(struct cw_server_session *s, enum cw_limit limit)
{
	cw_server_limit(limit);
	if (limit == CW_LIMIT_HOST_SESSIONS)
		refuse(s, CW_REFUSED_LIMIT, 0, "%pISc has %u sessions, its limit", &s->peer,
		       max_sessions_host);
	else if (limit == CW_LIMIT_HOST_LINKS)
		refuse(s, CW_REFUSED_LIMIT, 0,
		       "%pISc may have %u data links, and %u more are too many: attach with fewer queues",
		       &s->peer, max_links_host, s->queues);
	else
		refuse(s, CW_REFUSED_LIMIT, 0, "the server has %u sessions, its limit",
		       max_sessions);
}

/* ---- proof ---- */

/* The watch judges silence by them from the admission on. */
static void cw_login_set_times(struct cw_server_session *s)
{
	struct cw_welcome *w = &s->welcome;

	w->probe_ms = clamp(READ_ONCE(probe_ms), 100U, CW_WIRE_DEAD_MAX / 2U); /* at least 10 */
	w->dead_ms = clamp(READ_ONCE(dead_ms), 2 * w->probe_ms, (u32)CW_WIRE_DEAD_MAX);
}

static void make_welcome(struct cw_server_session *s)
{
	struct cw_welcome *w = &s->welcome;

	w->number = s->number;
	w->queues = s->queues;
	w->depth = min_t(u32, s->hello.depth, clamp(max_depth, 1U, (u32)CW_WIRE_DEPTH_MAX));
	w->inline_size = min3(s->hello.inline_size,
			      min_t(u32, s->hello.area, s->area) * CW_WIRE_PAGE,
			      cw_link_rdma_inline(s->control));
	w->max_io = min_t(u32, s->hello.max_io, 1U << 20);
	w->area = s->area;
	w->messages = CW_LINK_MESSAGES;
	s->ops->export_describe(s->export, w->identity, &w->geo);
}

/* Whether an admitted session has to wait for one that is in its way, or is ending. */
static bool cw_login_waits(struct cw_server_session *s)
{
	struct cw_server_session *other;

	lockdep_assert_held(&cw_server_lock);
	if (READ_ONCE(s->state) != CW_SERVER_ADMITTED || !list_empty(&s->waiting))
		return true;
	other = cw_login_fence(s);
	/* Its finish work finds us under this lock. */
	if (other) {
		list_add_tail(&s->waiting, &other->waiters);
		s->waits_for = other;
	}
	return other;
}

/*
 * Memory for its data links: what the welcome says of them has to be there when they come. Not
 * under cw_server_lock, and for nobody who still waits: the links that he waits for hold as much.
 */
static void cw_login_reserve(struct cw_server_session *s)
{
	s->area = cw_reserve_area(&s->reserve, s->queues, cw_link_rdma_node(s->control));
	if (s->area < CW_LINK_AREA)
		pr_notice_ratelimited("causeway: %pISc: memory is fragmented: messages of %u KiB instead of %u\n",
				      &s->peer, s->area * CW_WIRE_PAGE / 1024,
				      CW_LINK_AREA * CW_WIRE_PAGE / 1024);
}

/* The export is being removed while the login waits: it waits for nobody any more. */
static void cw_login_refuse_removed(struct cw_server_session *s)
{
	mutex_lock(&cw_server_lock);
	list_del_init(&s->waiting);
	mutex_unlock(&cw_server_lock);
	refuse(s, CW_REFUSED_EXPORT, 0, "export \"%s\" is being removed", s->hello.export_name);
}

static bool cw_login_is_removed(struct cw_server_session *s)
{
	lockdep_assert_held(&cw_server_lock);
	return s->core->closed && READ_ONCE(s->state) == CW_SERVER_ADMITTED;
}

/* WELCOME as it is sent, with its MAC. False: without HMAC-SHA256 there is none. */
static bool cw_login_pack_welcome(struct cw_server_session *s, struct cw_wire_welcome *wire)
{
	make_welcome(s);
	cw_pack_welcome(wire, &s->welcome);
	if (cw_auth_welcome(&s->auth, &s->wire_proof, wire, s->welcome.mac))
		return false;
	memcpy(wire->mac, s->welcome.mac, CW_WIRE_MAC);
	return true;
}

/* Lets an admitted session in, or has it wait for one that is in its way. */
static void cw_login_welcome(struct cw_server_session *s)
{
	struct cw_wire_welcome wire;
	bool live = false, waits, removed;

	mutex_lock(&cw_server_lock);
	removed = cw_login_is_removed(s);
	waits = !removed && cw_login_waits(s);
	mutex_unlock(&cw_server_lock);
	if (removed)
		cw_login_refuse_removed(s);
	if (removed || waits)
		return;
	cw_login_reserve(s);
	/* No notice comes between the geometry that the welcome tells and the welcome. */
	mutex_lock(&cw_server_lock);
	/* If the export is being removed by now, cw_server_end() queued this work again. */
	waits = cw_login_is_removed(s) || cw_login_waits(s);
	if (waits)
		goto out;
	if (!cw_login_pack_welcome(s, &wire)) {
		cw_server_session_end(s, "HMAC-SHA256 is not available");
		goto out;
	}
	s->up = true; /* its end, which waits for this work, tells of it */
	live = cw_server_session_change(s, CW_SERVER_LIVE);
	if (live) {
		cw_source_live(&s->place);
		cw_link_send_control(s->control, CW_MSG_WELCOME, &wire, sizeof(wire));
	}
out:
	mutex_unlock(&cw_server_lock);
	if (waits)
		cw_reserve_empty(&s->reserve);
	if (!live)
		return;
	pr_info("causeway: %s at %pISc attached %s\n", s->hello.host_name, &s->peer,
		s->hello.export_name);
	cw_event(CW_EVENT_LOGIN, CW_ROLE_SERVER, NULL, s->hello.export_name, "%s at %pISc",
		 s->hello.host_name, &s->peer);
}

static void take_proof(struct cw_server_session *s, const struct cw_letter *letter)
{
	char holder[CW_WIRE_NAME];
	enum cw_limit limit;
	u64 newest;

	if (!s->challenged || s->state != CW_SERVER_LOGIN ||
	    cw_parse_proof(letter->data, letter->len, s->wire_proof.mac)) {
		malformed(s, letter->type);
		return;
	}
	s->answered = true;
	if (!cw_auth_equal(s->wire_proof.mac, s->auth.client, CW_WIRE_MAC)) {
		if (s->auth.key.len)
			refuse(s, CW_REFUSED_KEY, 0, "the key for export \"%s\" is wrong",
			       s->hello.export_name);
		else
			refuse(s, CW_REFUSED_KEY, 0,
			       "export \"%s\" has no key, but the client's proof was made with one",
			       s->hello.export_name);
		return;
	}
	cw_login_set_times(s);
	switch (admit(s, &newest, holder, &limit)) {
	case CW_REFUSED_EXPORT:
		refuse(s, CW_REFUSED_EXPORT, 0, "export \"%s\" is being removed",
		       s->hello.export_name);
		return;
	case CW_REFUSED_STALE:
		refuse(s, CW_REFUSED_STALE, newest, "a newer connection of this session exists");
		return;
	case CW_REFUSED_IN_USE:
		refuse(s, CW_REFUSED_IN_USE, 0,
		       "export \"%s\" is exclusive and attached by %s", s->hello.export_name,
		       holder);
		return;
	case CW_REFUSED_LIMIT:
		cw_login_refuse_limit(s, limit);
		return;
	}
	if (!s->admitted)
		return;
	cw_source_admitted(&s->place);
	/* The watch tells what it waits for. So far it waited for the end of the login. */
	mod_delayed_work(cw_server_wq, &s->watch, msecs_to_jiffies(CW_WAITING_MS));
	cw_login_welcome(s);
}

/* ---- discovery ---- */

static void take_discover(struct cw_server_session *s, const struct cw_letter *letter)
{
	enum { PAGE = CW_WIRE_PAGE / sizeof(struct cw_wire_export) };
	struct cw_wire_export *wire;
	struct cw_export_info *info;
	struct cw_discover ask;
	u32 more = 0;
	int i, n;

	if (s->state != CW_SERVER_LOGIN || cw_parse_discover(letter->data, letter->len, &ask)) {
		malformed(s, letter->type);
		return;
	}
	info = kcalloc(PAGE, sizeof(*info), GFP_KERNEL);
	wire = kcalloc(PAGE, sizeof(*wire), GFP_KERNEL);
	if (info && wire) {
		n = s->ops->export_list((struct sockaddr *)&s->peer, ask.first, info, PAGE, &more);
		for (i = 0; i < n; i++) {
			info[i].more = min_t(u32, more, U16_MAX);
			cw_pack_export(&wire[i], &info[i]);
		}
		cw_link_send_control(s->control, CW_MSG_EXPORTS, wire, n * sizeof(*wire));
	} else {
		refuse(s, CW_REFUSED_INTERNAL, 0, "the server is short of memory");
	}
	kfree(info);
	kfree(wire);
}

void cw_server_login_work(struct work_struct *work)
{
	struct cw_server_session *s = container_of(work, struct cw_server_session, login);
	unsigned int noio = memalloc_noio_save();
	struct cw_letter *letter;

	while ((letter = cw_inbox_take(&s->inbox))) {
		if (cw_link_is_dead(s->control))
			;
		else if (s->refused)
			; /* on its way before the client had read why */
		else if (letter->type == CW_MSG_HELLO)
			take_hello(s, letter);
		else if (letter->type == CW_MSG_PROOF)
			take_proof(s, letter);
		else if (letter->type == CW_MSG_DISCOVER)
			take_discover(s, letter);
		else
			malformed(s, letter->type);
		kfree(letter);
	}
	if (READ_ONCE(s->state) == CW_SERVER_ADMITTED && !s->refused)
		cw_login_welcome(s);
	memalloc_noio_restore(noio);
}
