// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions of the client: how they are made, found and ended. work.c keeps them connected.
 *
 * Holders of a session: the list of sessions (until close), the disk (until it puts its reference),
 * each caller of cw_session_find() (until cw_session_put()). The works of the session and of its
 * paths hold none: cw_session_close() cancels them before the list's reference goes.
 */
#include <linux/slab.h>
#include <linux/uuid.h>

#include "boot.h"
#include "path_list.h"
#include "state.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define CW_FORCED_FAREWELL_MS 1000

LIST_HEAD(cw_sessions);
/* Guards cw_sessions. */
DEFINE_MUTEX(cw_sessions_lock);
struct workqueue_struct *cw_client_wq;
struct workqueue_struct *cw_connect_wq;
static atomic64_t cw_session_serial; /* of the last attachment since the module was loaded */

/* ---- state ---- */

/* The words of abi/causeway.yaml, which `causeway net` prints too. */
static const char *cw_session_state_name(enum cw_state state)
{
	static const char *const names[] = {
		[CW_STATE_CONNECTING] = "connecting",
		[CW_STATE_LIVE] = "live",
		[CW_STATE_HELD] = "held",
		[CW_STATE_FAILING] = "failing",
		[CW_STATE_REFUSED] = "refused",
		[CW_STATE_CLOSING] = "closing",
		[CW_STATE_REVOKED] = "revoked",
	};

	return state < ARRAY_SIZE(names) && names[state] ? names[state] : "unknown";
}

bool cw_session_change(struct cw_session *s, enum cw_state to)
{
	lockdep_assert_held(&s->lock);
	if (!cw_session_may(s->state, to))
		return false;
	trace_cw_session_state(s->config.server, s->config.name, s->state, to);
	pr_debug("causeway: %s/%s: was %s, is %s\n", s->config.server, s->config.name,
		 cw_session_state_name(s->state), cw_session_state_name(to));
	s->state = to;
	s->since = ktime_get();
	return true;
}

void cw_session_reason(struct cw_session *s, char *reason)
{
	mutex_lock(&s->reason_lock);
	memcpy(reason, s->reason, sizeof(s->reason));
	mutex_unlock(&s->reason_lock);
}
EXPORT_SYMBOL_GPL(cw_session_reason);

/* ---- making and ending ---- */

/* From here on no work queues another: the works test the bit under the same lock. */
static void cw_session_interrupt(struct cw_session *s)
{
	unsigned int i;

	mutex_lock(&s->lock);
	set_bit(CW_SESSION_CLOSE, &s->flags);
	mutex_unlock(&s->lock);
	for (i = 0; i < s->nr_paths; i++)
		cw_path_interrupt(s->paths[i]);
}

void cw_session_init(struct cw_session *s)
{
	mutex_init(&s->lock);
	mutex_init(&s->reason_lock);
	INIT_DELAYED_WORK(&s->work, cw_session_work);
	init_completion(&s->first);
}

void cw_session_cancel(struct cw_session *s)
{
	unsigned int i;

	cancel_delayed_work_sync(&s->work);
	for (i = 0; i < s->nr_paths; i++)
		cw_path_cancel(s->paths[i]);
}

static void cw_session_free(struct kref *users)
{
	struct cw_session *s = container_of(users, struct cw_session, users);
	unsigned int i;

	memzero_explicit(&s->config.key, sizeof(s->config.key));
	memzero_explicit(s->secret, sizeof(s->secret));
	mutex_destroy(&s->lock);
	for (i = 0; i < s->nr_paths; i++)
		cw_path_free(s->paths[i]);
	kvfree(s);
}

void cw_session_put(struct cw_session *s)
{
	kref_put(&s->users, cw_session_free);
}
EXPORT_SYMBOL_GPL(cw_session_put);

static struct cw_session *cw_session_find_locked(const char *server, const char *name)
{
	struct cw_session *s;

	lockdep_assert_held(&cw_sessions_lock);
	list_for_each_entry(s, &cw_sessions, entry)
		if (!strcmp(s->config.server, server) && !strcmp(s->config.name, name))
			return s;
	return NULL;
}

struct cw_session *cw_session_find(const char *server, const char *name)
{
	struct cw_session *s;

	mutex_lock(&cw_sessions_lock);
	s = cw_session_find_locked(server, name);
	if (s)
		kref_get(&s->users);
	mutex_unlock(&cw_sessions_lock);
	return s;
}
EXPORT_SYMBOL_GPL(cw_session_find);

int cw_session_make_paths(struct cw_session *s)
{
	struct cw_path *p;
	u8 i;

	for (i = 0; i < s->config.nr_paths; i++) {
		p = cw_path_create(s, i, &s->config.paths[i]);
		if (!p)
			return -ENOMEM;
		cw_session_publish_path(s, p);
	}
	return 0;
}

struct cw_session *cw_session_create(const struct cw_session_config *config,
				     const struct cw_client_ops *ops, void *priv)
{
	struct cw_session *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return ERR_PTR(-ENOMEM);
	kref_init(&s->users);
	s->ops = ops;
	s->data_handler = ops->handler;
	s->data_handler.down = cw_client_down;
	s->priv = priv;
	s->config = *config;
	generate_random_uuid(s->uuid);
	s->serial = atomic64_inc_return(&cw_session_serial);
	memcpy(s->boot, cw_identity_boot(), sizeof(s->boot));
	cw_session_init(s);
	s->state = CW_STATE_HELD;
	s->since = ktime_get();
	s->began_at = jiffies;
	s->retry_at = s->began_at;
	/* Dumps read the paths of each session in the list. */
	if (cw_session_make_paths(s)) {
		cw_session_put(s);
		return ERR_PTR(-ENOMEM);
	}

	mutex_lock(&cw_sessions_lock);
	if (cw_session_find_locked(config->server, config->name)) {
		mutex_unlock(&cw_sessions_lock);
		cw_session_put(s);
		return ERR_PTR(-EEXIST);
	}
	kref_get(&s->users);
	list_add_tail(&s->entry, &cw_sessions);
	mutex_unlock(&cw_sessions_lock);

	return s;
}
EXPORT_SYMBOL_GPL(cw_session_create);

int cw_session_start(struct cw_session *s, bool wait, char *reason)
{
	int ret = 0;

	queue_delayed_work(cw_client_wq, &s->work, 0);
	if (!wait)
		return 0;
	if (wait_for_completion_killable(&s->first)) {
		strscpy(reason, "interrupted", sizeof(s->reason));
		return -EINTR;
	}
	mutex_lock(&s->lock);
	if (!s->ever_live) {
		mutex_lock(&s->reason_lock);
		ret = s->error ?: -ECONNABORTED;
		memcpy(reason, s->reason, sizeof(s->reason));
		mutex_unlock(&s->reason_lock);
	}
	mutex_unlock(&s->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_session_start);

/* Stops the disk. Returns true if no command is outstanding: only then a session ends in order. */
static bool cw_session_stop(struct cw_session *s)
{
	struct cw_path *p;
	bool idle = true;
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++) {
		p = s->paths[i];
		mutex_lock(&p->lock);
		if (p->state == CW_PATH_LIVE) {
			s->ops->stop(s, p);
			idle = idle && cw_path_is_idle(p);
		}
		mutex_unlock(&p->lock);
	}
	return idle;
}

/*
 * Sends PROBE on the live paths beside @p. Without a message, the server would end such a path
 * while the client waits for FAREWELL on @p.
 */
static void cw_path_probe_others(const struct cw_path *p)
{
	struct cw_session *s = p->session;
	unsigned int i;

	mutex_lock(&s->lock);
	for (i = 0; i < s->nr_paths; i++)
		if (s->paths[i] != p && s->paths[i]->state == CW_PATH_LIVE)
			cw_link_probe(s->paths[i]->control, 0);
	mutex_unlock(&s->lock);
}

/*
 * Sends GOODBYE and waits for FAREWELL: the server has nothing left of the session then, and keeps
 * nothing for it. Ends early when the link dies or is silent for the detection time, when the
 * caller is killed, or after CW_FORCED_FAREWELL_MS of @force. p->lock is held.
 */
static bool cw_path_part(struct cw_path *p, bool force)
{
	unsigned long since = jiffies, asked_at;
	bool farewell = false;
	long wait;

	if (cw_link_send_control(p->control, CW_MSG_GOODBYE, NULL, 0))
		return false;
	while (!farewell && !cw_link_is_dead(p->control) && !fatal_signal_pending(current) &&
	       cw_path_silence(p, since) < cw_session_detection_ms(p->session)) {
		if (force && jiffies_to_msecs(jiffies - since) >= CW_FORCED_FAREWELL_MS)
			break;
		asked_at = p->asked_at;
		wait = cw_path_ask(p);
		if (p->asked_at != asked_at)
			cw_path_probe_others(p);
		if (force)
			wait = min_t(long, wait, msecs_to_jiffies(CW_FORCED_FAREWELL_MS));
		/* A signal that does not kill ends nothing. */
		if (wait_event_killable_timeout(p->arrived,
						!list_empty_careful(&p->inbox.letters) ||
						cw_link_is_dead(p->control), max(wait, 1L)) < 0)
			break;
		farewell = cw_path_take_letters(p);
	}
	return farewell || cw_path_take_letters(p);
}

/*
 * Parts on one live path after the other, until the server has confirmed the end: a path may be
 * dead and not known to be. Returns true if the server has confirmed it.
 */
static bool cw_session_part(struct cw_session *s, bool force)
{
	bool farewell = false;
	unsigned int i;

	for (i = 0; i < s->nr_paths && !farewell; i++) {
		struct cw_path *p = s->paths[i];

		mutex_lock(&p->lock);
		if (p->state == CW_PATH_LIVE && !cw_link_is_dead(p->control))
			farewell = cw_path_part(p, force);
		mutex_unlock(&p->lock);
	}
	return farewell;
}

bool cw_session_close(struct cw_session *s, bool force)
{
	bool kept, farewell, closing;
	unsigned int i;

	cw_session_interrupt(s);
	cw_session_cancel(s);
	farewell = cw_session_stop(s) && cw_session_part(s, force);
	mutex_lock(&s->lock);
	if (farewell)
		s->may_be_kept = false;
	/* A read-only export has no ledger, so no generation, and no owner. */
	kept = s->may_be_kept && !(s->accepted && !s->generation);
	closing = cw_session_change(s, CW_STATE_CLOSING);
	mutex_unlock(&s->lock);
	if (kept)
		pr_warn("causeway: %s/%s: detached without an answer of the server, which may keep the disk for this host until an administrator there evicts this host from the export\n",
			s->config.server, s->config.name);
	if (!closing)
		return kept;
	for (i = 0; i < s->nr_paths; i++)
		cw_path_close(s->paths[i]);
	mutex_lock(&s->lock);
	memzero_explicit(s->secret, sizeof(s->secret));
	s->ops->fail(s);
	mutex_unlock(&s->lock);
	/* Late callbacks of links are over with the links; cancel what they queued. */
	cw_session_cancel(s);
	mutex_lock(&cw_sessions_lock);
	list_del(&s->entry);
	mutex_unlock(&cw_sessions_lock);
	cw_session_put(s); /* the list's */
	return kept;
}
EXPORT_SYMBOL_GPL(cw_session_close);

int cw_client_init(void)
{
	cw_client_wq = alloc_workqueue("causeway_client", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	cw_connect_wq = alloc_workqueue("causeway_connect", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (cw_client_wq && cw_connect_wq)
		return 0;
	cw_client_exit();
	return -ENOMEM;
}

void cw_client_exit(void)
{
	if (cw_connect_wq)
		destroy_workqueue(cw_connect_wq);
	if (cw_client_wq)
		destroy_workqueue(cw_client_wq);
}
