// SPDX-License-Identifier: GPL-2.0-only
/*
 * The server's side of a login (docs/PROTOCOL.md section 4), and of discovery.
 *
 * One work per session takes its control messages in order. It sleeps for digests, never for
 * another session: after PROOF, the login is in the hands of the export's admission (admission.c),
 * which welcomes or refuses it.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "../../link/factory.h"
#include "../../link/receive_area.h"
#include "../../netlink/netlink.h"
#include "login.h"
#include "times.h"

static unsigned int probe_ms = 1000;
module_param(probe_ms, uint, 0644);
MODULE_PARM_DESC(probe_ms, "milliseconds without a message after which a connection is probed, on a server with up to 256 paths");
static unsigned int dead_ms = 5000;
module_param(dead_ms, uint, 0644);
MODULE_PARM_DESC(dead_ms, "milliseconds without a message after which a connection is closed, on a server with up to 256 paths");
static unsigned int max_depth = 128;
module_param(max_depth, uint, 0644);
MODULE_PARM_DESC(max_depth, "commands that a data link may have outstanding");

/* After PROOF a refusal names the disk, and is proved like a welcome. */
static void cw_login_prove_refusal(struct cw_server_session *s, struct cw_refused *refused,
				   struct cw_wire_refused *wire)
{
	struct cw_geometry geo;

	s->ops->export_describe(s->export, refused->identity, &geo);
	cw_pack_refused(wire, refused);
	if (!cw_auth_refused(&s->auth, &s->wire_proof, wire, refused->mac))
		memcpy(wire->mac, refused->mac, CW_WIRE_MAC);
}

void cw_login_refuse(struct cw_server_session *s, u16 reason, u64 newest, const char *fmt, ...)
{
	struct cw_refused refused = { .reason = reason, .epoch = newest };
	struct cw_wire_refused wire;
	va_list args;

	va_start(args, fmt);
	vscnprintf(refused.text, sizeof(refused.text), fmt, args);
	va_end(args);
	if (s->answered)
		cw_login_prove_refusal(s, &refused, &wire);
	else
		cw_pack_refused(&wire, &refused);
	mutex_lock(&cw_server_lock); /* no WAITING comes behind REFUSED */
	cw_link_send_control(s->control, CW_MSG_REFUSED, &wire, sizeof(wire));
	/* The client closes when it has read it. */
	cw_server_session_refused(s);
	mutex_unlock(&cw_server_lock);
	/* `causeway doctor` looks for the text of a login: any host may send a JOIN. */
	if (s->member.join)
		pr_info_ratelimited("causeway: no path from %pISc: %s\n", &s->peer, refused.text);
	else
		pr_info_ratelimited("causeway: login from %pISc refused: %s\n", &s->peer,
				    refused.text);
	cw_event(CW_EVENT_LOGIN_REFUSED, CW_ROLE_SERVER, NULL,
		 s->hello.export_name[0] ? s->hello.export_name : NULL, "%pISc: %s", &s->peer,
		 refused.text);
}

void cw_login_malformed(struct cw_server_session *s, u8 type)
{
	cw_link_kill(s->control, -EPROTO, "the peer broke the protocol: bad control message %u",
		     type);
}

bool cw_login_check(struct cw_server_session *s, u8 type, int parsed)
{
	if (parsed == -EPROTONOSUPPORT)
		cw_login_refuse(s, CW_REFUSED_VERSION, 0,
				"this server speaks version %u of the protocol, and the connection was made for it",
				CW_WIRE_VERSION);
	else if (parsed)
		cw_login_malformed(s, type);
	return !parsed;
}

bool cw_login_check_client(struct cw_server_session *s)
{
	if (!s->ops->export_allows(s->export, (struct sockaddr *)&s->peer)) {
		cw_login_refuse(s, CW_REFUSED_ADDRESS, 0, "export \"%s\" is not open to %pISc",
				s->hello.export_name, &s->peer);
		return false;
	}
	if (cw_link_transport(s->control) == CW_TRANSPORT_TCP &&
	    !s->ops->export_over_tcp(s->export)) {
		cw_login_refuse(s, CW_REFUSED_TRANSPORT, 0,
				"export \"%s\" is not served over TCP", s->hello.export_name);
		return false;
	}
	return true;
}

/* ---- hello ---- */

int cw_login_find_export(struct cw_server_session *s)
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

/* Asks the client to prove the export's key, if it has one. */
static void cw_login_challenge_client(struct cw_server_session *s)
{
	struct cw_challenge challenge = {};
	struct cw_key key = {};
	int ret;

	key.len = s->ops->export_key(s->export, key.bytes);
	if (key.len && !(s->hello.flags & CW_HELLO_KEY)) {
		memzero_explicit(&key, sizeof(key));
		cw_login_refuse(s, CW_REFUSED_KEY_NEEDED, 0, "export \"%s\" needs a key",
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
		cw_login_refuse(s, CW_REFUSED_INTERNAL, 0,
				"HMAC-SHA256 is not available at the server");
		return;
	}
	s->challenged = true;
	cw_link_send_control(s->control, CW_MSG_CHALLENGE, &s->wire_challenge,
			     sizeof(s->wire_challenge));
}

static void cw_login_take_hello(struct cw_server_session *s, const struct cw_letter *letter)
{
	int ret;

	if (s->challenged || s->export) {
		cw_login_malformed(s, letter->type);
		return;
	}
	ret = cw_parse_hello(letter->data, letter->len, &s->hello);
	if (!cw_login_check(s, letter->type, ret))
		return;
	pr_debug("causeway: %s at %pISc asks for %s\n", s->hello.host_name, &s->peer,
		 s->hello.export_name);
	memcpy(&s->wire_hello, letter->data, sizeof(s->wire_hello));
	s->hello_at = cw_admission_clock();
	s->features = s->hello.features_offered &
		      (cw_link_caps(s->control).features | CW_FEATURE_PATHS);
	if (s->hello.features_required & ~s->features) {
		cw_login_refuse(s, CW_REFUSED_FEATURE, 0,
				"required features 0x%llx are not available on this server",
				s->hello.features_required & ~s->features);
		return;
	}
	ret = cw_login_find_export(s);
	if (ret == -ENOENT)
		cw_login_refuse(s, CW_REFUSED_EXPORT, 0, "there is no export \"%s\"",
				s->hello.export_name);
	if (ret)
		return;
	if (cw_login_check_client(s))
		cw_login_challenge_client(s);
}

/* ---- proof ---- */

static u32 cw_login_probe_ms(u32 paths)
{
	u32 ms = clamp(READ_ONCE(probe_ms), 100U, CW_WIRE_DEAD_MAX / 2U); /* at least 10 */

	return min(cw_times_grown_ms(ms, paths), CW_WIRE_DEAD_MAX / 2U);
}

static u32 cw_login_dead_with(u32 paths)
{
	u32 ms = min_t(u32, READ_ONCE(dead_ms), CW_WIRE_DEAD_MAX);

	return clamp(cw_times_grown_ms(ms, paths), 2 * cw_login_probe_ms(paths),
		     (u32)CW_WIRE_DEAD_MAX);
}

u32 cw_login_dead_ms(void)
{
	return cw_login_dead_with(cw_server_session_total());
}

void cw_login_grant(struct cw_server_session *s)
{
	u32 paths = cw_server_session_total(); /* once: dead_ms has to be twice probe_ms */

	s->welcome.probe_ms = cw_login_probe_ms(paths);
	s->welcome.dead_ms = cw_login_dead_with(paths);
	s->queues = cw_login_queues(s);
}

void cw_login_waits(struct cw_server_session *s)
{
	cw_source_admitted(&s->place);
	/* The watch reports what it waits for. So far it waited for the end of the login. */
	mod_delayed_work(cw_server_wq, &s->watch, msecs_to_jiffies(CW_WAITING_MS));
}

static void cw_login_make_welcome(struct cw_server_session *s)
{
	struct cw_welcome *w = &s->welcome;

	w->number = s->number;
	w->queues = s->queues;
	w->depth = min_t(u32, s->hello.depth, clamp(max_depth, 1U, (u32)CW_WIRE_DEPTH_MAX));
	w->inline_size = min3(s->hello.inline_size,
			      min_t(u32, s->hello.area, s->area) * CW_WIRE_PAGE,
			      cw_link_caps(s->control).inline_size);
	w->max_io = min_t(u32, s->hello.max_io, 1U << 20);
	w->area = s->area;
	w->messages = CW_LINK_MESSAGES;
	s->ops->export_describe(s->export, w->identity, &w->geo);
}

/* Packs WELCOME as it is sent, with its receipt and its MAC. Returns 0 or -errno. */
static int cw_login_pack_welcome(struct cw_server_session *s, struct cw_wire_welcome *wire)
{
	int ret;

	ret = cw_admission_receipt(&s->core->admission, &s->member, &s->welcome.generation,
				   s->welcome.receipt);
	if (ret)
		return ret;
	cw_pack_welcome(wire, &s->welcome);
	ret = cw_auth_welcome(&s->auth, &s->wire_proof, wire, s->welcome.mac);
	memcpy(wire->mac, s->welcome.mac, CW_WIRE_MAC);
	return ret;
}

/* WELCOME, or JOINED of a path. */
struct cw_login_answer {
	u8 type;
	size_t len;
	union {
		struct cw_wire_welcome welcome;
		struct cw_wire_joined joined;
	};
};

/* 0 or -errno: HMAC-SHA256 is not available. */
static int cw_login_pack_answer(struct cw_server_session *s, struct cw_login_answer *answer)
{
	cw_login_make_welcome(s);
	if (s->member.join) {
		answer->type = CW_MSG_JOINED;
		answer->len = sizeof(answer->joined);
		return cw_join_pack_joined(s, &answer->joined);
	}
	answer->type = CW_MSG_WELCOME;
	answer->len = sizeof(answer->welcome);
	return cw_login_pack_welcome(s, &answer->welcome);
}

/* False: the session is ending now. */
static bool cw_login_go_live(struct cw_server_session *s)
{
	struct cw_login_answer answer;

	lockdep_assert_held(&cw_server_lock);
	if (s->core->closed) {
		cw_server_session_end(s, "the export was removed");
		return false;
	}
	if (cw_login_pack_answer(s, &answer)) {
		cw_server_session_end(s, "HMAC-SHA256 is not available");
		return false;
	}
	s->up = true; /* before LIVE: the end of the session reports a logout */
	if (!cw_server_session_change(s, CW_SERVER_LIVE)) {
		s->up = false;
		return false;
	}
	cw_source_live(&s->place);
	cw_server_paths_live(s);
	if (cw_link_send_control(s->control, answer.type, &answer.welcome, answer.len))
		cw_server_session_end(s, "WELCOME or JOINED could not be sent");
	else if (s->member.join)
		cw_join_send_notice(s);
	return true;
}

static void cw_login_report(const struct cw_server_session *s)
{
	if (s->member.join) {
		pr_info_ratelimited("causeway: %s at %pISc added path %u of %s\n",
				    s->hello.host_name, &s->peer, s->member.path,
				    s->hello.export_name);
		return;
	}
	pr_info("causeway: %s at %pISc attached %s\n", s->hello.host_name, &s->peer,
		s->hello.export_name);
	cw_event(CW_EVENT_LOGIN, CW_ROLE_SERVER, NULL, s->hello.export_name, "%s at %pISc",
		 s->hello.host_name, &s->peer);
}

void cw_login_welcome(struct cw_server_session *s)
{
	bool live;

	lockdep_assert_held(&s->core->admission.lock);
	/*
	 * The data links find the memory reserved that the welcome promises. All earlier sessions
	 * for which the login waited have given their memory back: each may have held as much.
	 */
	s->area = cw_reserve_area(&s->reserve, s->queues, cw_link_caps(s->control).node,
				  "%pISc", &s->peer);
	/* No NOTICE of a later geometry is sent before WELCOME, or before the NOTICE of a path. */
	mutex_lock(&cw_server_lock);
	live = cw_login_go_live(s);
	mutex_unlock(&cw_server_lock);
	if (!live) {
		cw_reserve_empty(&s->reserve);
		return;
	}
	cw_login_report(s);
}

void cw_login_describe_member(struct cw_server_session *s)
{
	const struct cw_hello *hello = &s->hello;
	struct cw_login *m = &s->member;

	memcpy(m->owner.host, hello->host, CW_WIRE_UUID);
	memcpy(m->owner.boot, hello->boot, CW_WIRE_UUID);
	memcpy(m->owner.session, hello->session, CW_WIRE_UUID);
	m->owner.serial = hello->serial;
	m->path = hello->path;
	m->epoch = hello->epoch;
	m->dead_ms = s->welcome.dead_ms;
	m->hello_at = s->hello_at;
	m->waits = CW_OWNERS_WAIT_LEDGER; /* until it is judged */
}

/* The login as the machine of the owners sees it. */
static void cw_login_describe(struct cw_server_session *s)
{
	const struct cw_hello *hello = &s->hello;
	struct cw_login *m = &s->member;

	cw_login_describe_member(s);
	m->login_epoch = hello->epoch;
	m->returning = hello->flags & CW_HELLO_RETURNING;
	m->last = hello->last;
	m->generation = hello->generation;
	m->has_receipt = m->returning &&
			 cw_admission_knows_receipt(&s->core->admission, m, hello->receipt);
}

static void cw_login_take_proof(struct cw_server_session *s, const struct cw_letter *letter)
{
	struct cw_server_paths *paths;

	if (!s->challenged || s->state != CW_SERVER_LOGIN ||
	    cw_parse_proof(letter->data, letter->len, s->wire_proof.mac)) {
		cw_login_malformed(s, letter->type);
		return;
	}
	s->answered = true;
	if (!cw_auth_equal(s->wire_proof.mac, s->auth.client, CW_WIRE_MAC)) {
		if (s->auth.key.len)
			cw_login_refuse(s, CW_REFUSED_KEY, 0,
					"the key for export \"%s\" is wrong",
					s->hello.export_name);
		else
			cw_login_refuse(s, CW_REFUSED_KEY, 0,
					"export \"%s\" has no key, but the client's proof was made with one",
					s->hello.export_name);
		return;
	}
	paths = cw_server_paths_make(s);
	if (!paths) {
		cw_login_refuse(s, CW_REFUSED_INTERNAL, 0, "the server is short of memory");
		return;
	}
	smp_store_release(&s->paths, paths); /* its content: see cw_server_paths_is_first() */
	cw_login_grant(s);
	cw_login_describe(s);
	if (cw_admission_enter(s))
		cw_login_waits(s);
}

/* ---- discovery ---- */

static void cw_login_take_discover(struct cw_server_session *s, const struct cw_letter *letter)
{
	enum { PAGE = CW_WIRE_PAGE / sizeof(struct cw_wire_export) };
	struct cw_wire_export *wire;
	struct cw_export_info *info;
	struct cw_discover ask;
	u32 more = 0;
	int i, n;

	if (s->state != CW_SERVER_LOGIN || cw_parse_discover(letter->data, letter->len, &ask)) {
		cw_login_malformed(s, letter->type);
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
		cw_login_refuse(s, CW_REFUSED_INTERNAL, 0, "the server is short of memory");
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
			cw_login_take_hello(s, letter);
		else if (letter->type == CW_MSG_PROOF)
			cw_login_take_proof(s, letter);
		else if (letter->type == CW_MSG_DISCOVER)
			cw_login_take_discover(s, letter);
		else if (letter->type == CW_MSG_JOIN)
			cw_join_take(s, letter);
		else if (letter->type == CW_MSG_FENCE)
			cw_fence_take(s, letter);
		else if (letter->type == CW_MSG_PATH_BYE)
			cw_fence_take_path_bye(s, letter);
		else
			cw_login_malformed(s, letter->type);
		kfree(letter);
	}
	memalloc_noio_restore(noio);
}
