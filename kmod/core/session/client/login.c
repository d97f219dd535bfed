// SPDX-License-Identifier: GPL-2.0-only
/*
 * The client's login on the control link: hello, challenge, proof, welcome (docs/PROTOCOL.md
 * section 4), and what a refusal of it means.
 *
 * Everything here sleeps, in the path's work that connects, or in a discovery, and takes s->lock
 * only to read and write the session. A failure leaves its reason in words.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "../../link/receive_area.h"
#include "login.h"
#include "path_rank.h"
#include "ranks.h"
#include "refusal.h"

#define CW_PATIENCE_MS 5000U /* the least time that a login bears silence */

int cw_path_send(struct cw_path *p, u8 type, const void *data, u32 len)
{
	int ret = cw_link_send_control(p->control, type, data, len);

	if (ret)
		cw_path_say(p, ret, "%s",
			    p->control->reason[0] ? p->control->reason : "sending failed");
	return ret;
}

static int cw_session_refusal_error(u16 reason)
{
	switch (reason) {
	case CW_REFUSED_EXPORT:
		return -ENOENT;
	case CW_REFUSED_ADDRESS:
	case CW_REFUSED_KEY:
	case CW_REFUSED_KEY_NEEDED:
		return -EACCES;
	case CW_REFUSED_EVICTED:
		return -EPERM;
	case CW_REFUSED_IN_USE:
		return -EBUSY;
	case CW_REFUSED_NOT_LIVE:
		return -ENOTCONN;
	case CW_REFUSED_STALE:
	case CW_REFUSED_SUPERSEDED:
		return -ESTALE;
	case CW_REFUSED_VERSION:
	case CW_REFUSED_FEATURE:
		return -EPROTONOSUPPORT;
	case CW_REFUSED_TRANSPORT:
		return -EOPNOTSUPP;
	default:
		return -ECONNREFUSED;
	}
}

/*
 * Returns true if the MAC of @rec proves that the server sent @rec as its answer to PROOF. May
 * sleep.
 */
static bool cw_session_is_proved(const struct cw_login *login, const struct cw_wire_refused *rec)
{
	u8 mac[CW_WIRE_MAC];

	return login->proved && !cw_auth_refused(&login->auth, &login->proof, rec, mac) &&
	       cw_auth_equal(mac, rec->mac, CW_WIRE_MAC);
}

static enum cw_refusal_identity cw_session_identity_of(const struct cw_session *s,
						       const u8 identity[CW_WIRE_UUID])
{
	if (!memchr_inv(identity, 0, CW_WIRE_UUID))
		return CW_IDENTITY_ZERO;
	return s->accepted && !memcmp(s->identity, identity, CW_WIRE_UUID) ? CW_IDENTITY_SAME :
									     CW_IDENTITY_OTHER;
}

/*
 * Returns the identity of the disk that the session has, or that the user wants; zero: any. Only a
 * login changes it, and one path at a time logs in.
 */
static const u8 *cw_session_known_identity(const struct cw_session *s)
{
	return s->accepted ? s->identity : s->config.identity;
}

/* Any user may read the reason, but only an administrator may read a UUID. */
static int cw_path_say_another_disk(struct cw_path *p, const u8 identity[CW_WIRE_UUID])
{
	const struct cw_session *s = p->session;

	cw_path_say(p, -EREMCHG,
		    "another disk answers to the name; detach and attach to use it");
	if (!READ_ONCE(s->refused) && !p->refused)
		pr_warn("causeway: %s/%s: the disk was %pU and is %pU now\n", s->config.server,
			s->config.name, cw_session_known_identity(s), identity);
	return -EREMCHG;
}

static_assert((int)CW_FINAL_STALE == (int)CW_REFUSED_STALE);
static_assert((int)CW_FINAL_SUPERSEDED == (int)CW_REFUSED_SUPERSEDED);
static_assert((int)CW_FINAL_EVICTED == (int)CW_REFUSED_EVICTED);

/* The session has lost its disk. The server's text comes last, because it may be cut. */
static void cw_path_say_final(struct cw_path *p, int err, const struct cw_refused *refused)
{
	const char *what = "the server no longer knows this session as the owner of the disk";

	if (refused->reason == CW_REFUSED_EVICTED)
		what = "the server evicted this host from the export";
	else if (refused->reason == CW_REFUSED_STALE)
		what = "a newer copy of this session has logged in to the server";
	cw_path_say(p, err, "%s%s%s", what, refused->text[0] ? ": " : "", refused->text);
}

/* The attach was too late, and no later attempt of it can be in time. */
static void cw_path_say_end_of_attach(struct cw_path *p, int err,
				      const struct cw_refused *refused)
{
	if (refused->reason == CW_REFUSED_STALE)
		cw_path_say(p, err,
			    "a newer attachment of this host exists: find it with causeway list, or attach again to replace it");
	else
		cw_path_say(p, err,
			    "a later boot of this host replaced this one: if no other machine has this host's UUID, readmit the host at the server, and attach again");
}

static int cw_path_take_refused(struct cw_path *p, const struct cw_login *login,
				const struct cw_letter *letter)
{
	struct cw_session *s = p->session;
	struct cw_refusal refusal = {};
	enum cw_refusal_meaning meaning;
	struct cw_refused refused;
	int err;

	if (cw_parse_refused(letter->data, letter->len, &refused)) {
		cw_path_say(p, -EPROTO, "the server's refusal is malformed");
		return -EPROTO;
	}
	err = cw_session_refusal_error(refused.reason);
	if (login) {
		refusal.reason = refused.reason;
		refusal.returning = login->hello.flags & CW_HELLO_RETURNING;
		refusal.after_proof = login->proved;
		refusal.proved = cw_session_is_proved(login, (const void *)letter->data);
	}
	mutex_lock(&s->lock);
	if (login)
		refusal.identity = cw_session_identity_of(s, refused.identity);
	/* This login at least was not admitted. */
	if (refusal.after_proof && refusal.proved)
		s->may_be_kept = login->was_kept;
	meaning = cw_refusal_means(&refusal);
	if (meaning == CW_REFUSAL_FINAL || meaning == CW_REFUSAL_END_ATTACH)
		WRITE_ONCE(s->refusal, refused.reason);
	mutex_unlock(&s->lock);
	switch (meaning) {
	case CW_REFUSAL_ANOTHER_DISK:
		return cw_path_say_another_disk(p, refused.identity);
	case CW_REFUSAL_FINAL:
		cw_path_say_final(p, err, &refused);
		return err;
	case CW_REFUSAL_END_ATTACH:
		cw_path_say_end_of_attach(p, err, &refused);
		return err;
	case CW_REFUSAL_FAILED:
		break;
	}
	if (refused.reason == CW_REFUSED_KEY_NEEDED)
		cw_path_say(p, err, "the export needs a key: give one with --key-file");
	else if (refusal.proved && refused.reason == CW_REFUSED_EVICTED)
		cw_path_say(p, err,
			    "the server evicted this host from the export; readmit the host there");
	else
		cw_path_say(p, err, "the server refuses: %s", refused.text);
	return err;
}

/* Shows users what the login waits for. Returns 0, or -EPROTO if WAITING is malformed. */
static int cw_path_take_waiting(struct cw_path *p, const struct cw_letter *letter)
{
	static const char * const what[] = {
		[CW_WAITING_OWNER] = "the owner of the disk, which may answer or return",
		[CW_WAITING_LEDGER] = "the storage of its record of owners",
		[CW_WAITING_FENCE] = "the fence of a path",
	};
	struct cw_waiting waiting;

	if (cw_parse_waiting(letter->data, letter->len, false, &waiting)) {
		cw_path_say(p, -EPROTO, "the server broke the protocol: a malformed WAITING");
		return -EPROTO;
	}
	if (waiting.reason == CW_WAITING_COMMANDS)
		cw_path_say(p, -EINPROGRESS, "the server waits until %u earlier command%s ended",
			    waiting.commands, waiting.commands == 1 ? " has" : "s have");
	else
		cw_path_say(p, -EINPROGRESS, "the server waits for %s", what[waiting.reason]);
	return 0;
}

/* Stores in the session why no control message came. Returns -errno. */
static int cw_path_say_silence(struct cw_path *p, const char *what, u32 patience_ms)
{
	if (cw_path_is_given_up(p))
		cw_path_say(p, -EINTR, "interrupted");
	else if (cw_link_is_dead(p->control))
		cw_path_say(p, -ECONNRESET, "%s while waiting for %s", p->control->reason, what);
	else
		cw_path_say(p, -ETIMEDOUT, "no %s: the server was silent for %u ms", what,
			    patience_ms);
	return p->error;
}

struct cw_letter *cw_path_expect(struct cw_path *p, const struct cw_login *login, u8 type,
				 const char *what)
{
	struct cw_session *s = p->session;
	u32 patience = p->role ? max(cw_session_detection_ms(s), CW_PATIENCE_MS) :
				 s->config.connect_timeout; /* discovery */
	struct cw_letter *letter;
	int err;

	do {
		letter = cw_path_receive(p, patience);
		if (!letter)
			return ERR_PTR(cw_path_say_silence(p, what, patience));
		if (letter->type == type)
			return letter;
		if (letter->type == CW_MSG_WAITING) {
			err = cw_path_take_waiting(p, letter);
		} else if (letter->type == CW_MSG_REFUSED) {
			err = cw_path_take_refused(p, login, letter);
		} else {
			err = -EPROTO;
			cw_path_say(p, err,
				    "the server broke the protocol: message %u instead of %s",
				    letter->type, what);
		}
		kfree(letter);
	} while (!err);
	return ERR_PTR(err);
}

static void cw_path_fill_hello(struct cw_path *p, struct cw_hello *hello)
{
	const struct cw_link_caps caps = cw_link_caps(p->control);
	struct cw_session *s = p->session;

	*hello = (struct cw_hello) {
		/* Further paths may be added when the session is live. */
		.features_offered = caps.features | CW_FEATURE_PATHS,
		.serial = s->serial,
		.queues = s->config.queues,
		.depth = s->config.depth,
		.inline_size = s->config.inline_size,
		.max_io = min(s->config.max_io, caps.max_io),
		.messages = CW_LINK_MESSAGES,
		.path = p->number,
	};
	mutex_lock(&s->lock);
	hello->flags = s->config.key.len ? CW_HELLO_KEY : 0;
	hello->epoch = p->epoch;
	if (s->accepted) {
		hello->flags |= CW_HELLO_RETURNING;
		hello->last = s->last;
		hello->generation = s->generation;
		memcpy(hello->receipt, s->receipt, CW_WIRE_RECEIPT);
	}
	if (s->ever_live) {
		/* The block device has its queues and tags: neither more nor less will do. */
		hello->queues = s->first_welcome.queues;
		hello->depth = s->first_welcome.depth;
		hello->inline_size = s->first_welcome.inline_size;
		hello->max_io = min(s->first_welcome.max_io, caps.max_io);
	} else if (cw_path_has_better(p)) {
		hello->max_io = min_t(u32, hello->max_io, CW_RANK_FIRST_IO);
	}
	mutex_unlock(&s->lock);
	/* The rest of the attempt finds the memory in the reserve. */
	p->area = cw_reserve_area(&p->reserve, hello->queues, caps.node, "%s/%s",
				  s->config.server, s->config.name);
	hello->area = p->area;
	hello->inline_size = min3(hello->inline_size, caps.inline_size,
				  p->area * (u32)CW_WIRE_PAGE);
	memcpy(hello->host, s->config.host, CW_WIRE_UUID);
	memcpy(hello->boot, s->boot, CW_WIRE_UUID);
	memcpy(hello->session, s->uuid, CW_WIRE_UUID);
	get_random_bytes(hello->nonce, CW_WIRE_NONCE);
	strscpy(hello->export_name, s->config.name, CW_WIRE_NAME);
	strscpy(hello->host_name, utsname()->nodename, CW_WIRE_NAME);
}

static int cw_path_take_challenge(struct cw_path *p, struct cw_login *login,
				  const struct cw_wire_hello *wire_hello)
{
	const struct cw_hello *hello = &login->hello;
	struct cw_session *s = p->session;
	struct cw_wire_challenge wire;
	struct cw_challenge challenge;
	struct cw_letter *letter;
	struct cw_key key = {};
	bool keyed;
	int ret;

	letter = cw_path_expect(p, login, CW_MSG_CHALLENGE, "the server's challenge");
	if (IS_ERR(letter))
		return PTR_ERR(letter);
	ret = cw_parse_challenge(letter->data, letter->len, hello->features_offered,
				 hello->features_required, &challenge);
	if (!ret)
		memcpy(&wire, letter->data, sizeof(wire));
	kfree(letter);
	if (ret) {
		cw_path_say(p, ret, "the server's challenge is malformed (%d)", ret);
		return ret;
	}
	keyed = challenge.flags & CW_CHALLENGE_KEY;
	if (hello->flags & CW_HELLO_KEY && !keyed) {
		cw_path_say(p, -EACCES,
			    "a key was given, but the export has none: the server cannot prove itself");
		return -EACCES;
	}
	if (!(hello->flags & CW_HELLO_KEY) && keyed) {
		cw_path_say(p, -EPROTO,
			    "the server broke the protocol: it goes on with a key that this host did not offer");
		return -EPROTO;
	}
	login->features = challenge.features;
	memcpy(login->instance, challenge.instance, CW_WIRE_UUID);
	if (keyed) {
		mutex_lock(&s->lock);
		key = s->config.key;
		mutex_unlock(&s->lock);
	}
	ret = cw_auth_begin(&login->auth, &key, &p->wire_req, &p->wire_rep, wire_hello, &wire);
	memzero_explicit(&key, sizeof(key));
	if (ret)
		cw_path_say(p, ret, "HMAC-SHA256 is not available (%d)", ret);
	return ret;
}

/*
 * Sends HELLO, takes CHALLENGE and sends PROOF. On return the secret of the login is in
 * @login->auth.
 */
static int cw_path_prove(struct cw_path *p, struct cw_login *login)
{
	struct cw_session *s = p->session;
	struct cw_wire_hello wire_hello;
	int ret;

	cw_pack_hello(&wire_hello, &login->hello);
	p->asked_at = jiffies;
	ret = cw_path_send(p, CW_MSG_HELLO, &wire_hello, sizeof(wire_hello)) ?:
	      cw_path_take_challenge(p, login, &wire_hello);
	if (ret)
		return ret;
	memcpy(login->proof.mac, login->auth.client, CW_WIRE_MAC);
	login->proved = true;
	mutex_lock(&s->lock);
	login->was_kept = s->may_be_kept;
	s->may_be_kept = true; /* only an answer shows whether it is */
	mutex_unlock(&s->lock);
	return cw_path_send(p, CW_MSG_PROOF, &login->proof, sizeof(login->proof));
}

/*
 * Returns 0 if the server has the key and sent exactly this WELCOME, otherwise -errno. Without a
 * key the MAC must be zero.
 */
static int cw_path_check_welcome_mac(struct cw_path *p, const struct cw_login *login,
				     const struct cw_wire_welcome *rec)
{
	u8 mac[CW_WIRE_MAC];
	int ret;

	ret = cw_auth_welcome(&login->auth, &login->proof, rec, mac);
	if (ret) {
		cw_path_say(p, ret, "HMAC-SHA256 is not available (%d)", ret);
		return ret;
	}
	if (cw_auth_equal(mac, rec->mac, CW_WIRE_MAC))
		return 0;
	cw_path_say(p, -EACCES, login->auth.key.len ?
		    "the server could not prove that it has the key" :
		    "the server proves a key that the export does not have");
	return -EACCES;
}

/* From here on the server knows the session, even if no data link is made. */
static void cw_path_accept_welcome(struct cw_path *p, const struct cw_login *login,
				   const struct cw_welcome *welcome,
				   const struct cw_path_grants *grants)
{
	struct cw_session *s = p->session;

	lockdep_assert_held(&s->lock);
	p->grants = *grants;
	memcpy(s->secret, login->auth.secret, CW_WIRE_MAC);
	s->features = login->features;
	s->accepted = true;
	s->last = login->hello.epoch;
	s->generation = welcome->generation;
	memcpy(s->receipt, welcome->receipt, CW_WIRE_RECEIPT);
	s->sequence = 0;
	s->welcome = *welcome;
	memcpy(s->identity, welcome->identity, CW_WIRE_UUID);
	memcpy(s->welcome_instance, login->instance, CW_WIRE_UUID);
}

/* Accepts WELCOME if this is the disk of the session, and not less than it was made for. */
static int cw_path_judge_welcome(struct cw_path *p, const struct cw_login *login,
				 const struct cw_welcome *welcome)
{
	const struct cw_path_grants grants = {
		.number = welcome->number,
		.queues = welcome->queues,
		.depth = welcome->depth,
		.inline_size = welcome->inline_size,
		.max_io = welcome->max_io,
		.export_id = welcome->export_id,
		.probe_ms = welcome->probe_ms,
		.dead_ms = welcome->dead_ms,
		.area = welcome->area,
		.messages = welcome->messages,
		.features = login->features,
	};
	const struct cw_session *s = p->session;
	u32 logical_block = welcome->geo.logical_block;
	int ret;

	lockdep_assert_held(&s->lock);
	if (cw_is_another_disk(cw_session_known_identity(s), welcome->identity))
		return cw_path_say_another_disk(p, welcome->identity);
	ret = s->ever_live ? cw_path_check_grants(p, &grants, logical_block, false) : 0;
	if (!ret)
		cw_path_accept_welcome(p, login, welcome, &grants);
	return ret;
}

static int cw_path_take_welcome(struct cw_path *p, const struct cw_login *login)
{
	struct cw_session *s = p->session;
	struct cw_wire_welcome rec;
	struct cw_welcome welcome;
	struct cw_letter *letter;
	int ret;

	letter = cw_path_expect(p, login, CW_MSG_WELCOME, "the server's welcome");
	if (IS_ERR(letter))
		return PTR_ERR(letter);
	ret = cw_parse_welcome(letter->data, letter->len, &login->hello, &welcome);
	if (!ret)
		memcpy(&rec, letter->data, sizeof(rec));
	kfree(letter);
	if (ret) {
		cw_path_say(p, ret, "the server's welcome is malformed (%d)", ret);
		return ret;
	}
	ret = cw_path_check_welcome_mac(p, login, &rec);
	if (ret)
		return ret;
	mutex_lock(&s->lock);
	ret = cw_path_judge_welcome(p, login, &welcome);
	mutex_unlock(&s->lock);
	return ret;
}

int cw_path_log_in(struct cw_path *p)
{
	struct cw_login *login = kzalloc(sizeof(*login), GFP_KERNEL);
	int ret;

	if (!login) {
		cw_path_say(p, -ENOMEM, "no memory for a login");
		return -ENOMEM;
	}
	cw_path_fill_hello(p, &login->hello);
	ret = cw_path_prove(p, login) ?: cw_path_take_welcome(p, login);
	kfree_sensitive(login); /* it holds the key and the secret */
	return ret;
}
