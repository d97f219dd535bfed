// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions of the client: connect, hold, come back.
 *
 * The life of a session is its work: CONNECTING, then LIVE; a link's death queues the work, which
 * stops the disk, drains the links (after that no adapter touches memory of ours), lets the disk
 * take back what is unanswered, frees the links, and is HELD until the next attempt. The welcome of
 * the next login proves that the server has nothing left of the old connection
 * (docs/PROTOCOL.md section 4), so up() may send everything again. FAILING is HELD past the I/O
 * timeout. In REFUSED, I/O fails because another disk answers to the name, or one that grants less
 * than the device was made for; the session goes on trying until a login is accepted. REVOKED
 * follows a refusal that is proved and final: I/O fails, nothing of the session is sent any more,
 * and only detach ends it.
 *
 * Holders of a session: the list of sessions (until close), the disk (until it let go), whoever
 * found it. The works hold none: cw_session_close() cancels them before the list's reference goes.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uuid.h>

#include "../../netlink/netlink.h"
#include "backoff.h"
#include "boot.h"
#include "session.h"
#include "state.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static unsigned int retry_base_ms = 500;
module_param(retry_base_ms, uint, 0644);
MODULE_PARM_DESC(retry_base_ms, "first delay of a reconnect, doubled with every failure");
static unsigned int retry_cap_ms = 10000;
module_param(retry_cap_ms, uint, 0644);
MODULE_PARM_DESC(retry_cap_ms, "longest delay between reconnects");

#define CW_LETTERS_MAX 16
#define CW_DETECTION_MS 5000 /* before a WELCOME has said more */
#define CW_FORCED_FAREWELL_MS 1000
/*
 * The server ends a login of which it hears nothing, so a client that waits probes at least every
 * 2 s. It does so from HELLO on: siw 6.1 answers a connection request before it takes the socket
 * from its connection manager, and a HELLO that arrives in between lies there until the next
 * message does (siw_accept(), siw_cm_llp_data_ready()).
 */
#define CW_LOGIN_PROBE_MS 1500

LIST_HEAD(cw_sessions);
/* Guards cw_sessions. */
DEFINE_MUTEX(cw_sessions_lock);
static struct workqueue_struct *cw_client_wq;
static atomic64_t cw_session_serial; /* of the last attachment since the module was loaded */

/* ---- state ---- */

static bool cw_session_change(struct cw_session *s, enum cw_state to)
{
	lockdep_assert_held(&s->lock);
	if (!cw_session_may(s->state, to))
		return false;
	trace_cw_session_state(s->config.server, s->config.name, s->state, to);
	s->state = to;
	s->since = ktime_get();
	return true;
}

void cw_session_reason(struct cw_session *s, char *reason)
{
	mutex_lock(&s->stats_lock);
	memcpy(reason, s->reason, sizeof(s->reason));
	mutex_unlock(&s->stats_lock);
}
EXPORT_SYMBOL_GPL(cw_session_reason);

void cw_session_say(struct cw_session *s, int err, const char *fmt, ...)
{
	char reason[sizeof(s->reason)];
	va_list args;

	va_start(args, fmt);
	vscnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	mutex_lock(&s->stats_lock);
	strscpy(s->reason, reason, sizeof(s->reason));
	s->error = err;
	mutex_unlock(&s->stats_lock);
}

/* ---- what links tell us ---- */

static void cw_client_down(struct cw_link *link)
{
	struct cw_session *s = cw_link_session(link);

	set_bit(CW_SESSION_LOST, &s->flags);
	wake_up_all(&s->arrived);
	mod_delayed_work(cw_client_wq, &s->work, 0);
}

void cw_session_kick(struct cw_session *s, const char *why)
{
	WRITE_ONCE(s->kicked, why);
	set_bit(CW_SESSION_LOST, &s->flags);
	mod_delayed_work(cw_client_wq, &s->work, 0);
}
EXPORT_SYMBOL_GPL(cw_session_kick);

void cw_session_hurry(struct cw_session *s)
{
	set_bit(CW_SESSION_HURRY, &s->flags);
	smp_mb__after_atomic(); /* the bit against the timer: see cw_session_wait() */
	mod_delayed_work(cw_client_wq, &s->work, 0);
}
EXPORT_SYMBOL_GPL(cw_session_hurry);

static int cw_client_message(struct cw_link *link, struct cw_message *msg)
{
	struct cw_session *s = cw_link_session(link);
	int ret = cw_inbox_add(&s->inbox, msg);

	wake_up_all(&s->arrived);
	/* A login waits on s->arrived. A message to a live session is judged by the work. */
	mod_delayed_work(cw_client_wq, &s->work, 0);
	return ret;
}

const struct cw_link_handler cw_client_control_handler = {
	.message = cw_client_message,
	.down = cw_client_down,
};

u32 cw_session_detection_ms(const struct cw_session *s)
{
	return s->accepted ? s->welcome.dead_ms : CW_DETECTION_MS;
}

/* How long @control has been silent, in ms, not counted before @since. */
static u32 cw_session_silence(const struct cw_link *control, unsigned long since)
{
	unsigned long last = READ_ONCE(control->last_rx);

	return jiffies_to_msecs(jiffies - (time_after(last, since) ? last : since));
}

/* One PROBE every CW_LOGIN_PROBE_MS, whatever comes in between. Jiffies until the next one. */
static long cw_session_ask(struct cw_session *s, struct cw_link *control)
{
	unsigned long next = s->asked_at + msecs_to_jiffies(CW_LOGIN_PROBE_MS);

	if (time_after_eq(jiffies, next)) {
		cw_link_probe(control, 0);
		s->asked_at = jiffies;
		next = jiffies + msecs_to_jiffies(CW_LOGIN_PROBE_MS);
	}
	return next - jiffies;
}

struct cw_letter *cw_session_receive(struct cw_session *s, struct cw_link *control, u32 patience_ms)
{
	unsigned long since = jiffies;
	struct cw_letter *letter = NULL;
	u32 silence;
	long wait;

	while ((silence = cw_session_silence(control, since)) < patience_ms) {
		wait = min_t(long, cw_session_ask(s, control),
			     msecs_to_jiffies(patience_ms - silence));
		wait_event_timeout(s->arrived,
				   (letter = cw_inbox_take(&s->inbox)) ||
				   cw_link_is_dead(control) ||
				   test_bit(CW_SESSION_CLOSE, &s->flags),
				   max(wait, 1L));
		if (letter || cw_link_is_dead(control) || test_bit(CW_SESSION_CLOSE, &s->flags))
			break;
	}
	return letter;
}

/* ---- the thread of control ---- */

/* A notice that is not newer than the last one is old news. */
static void cw_session_take_notice(struct cw_session *s, const struct cw_notice *notice)
{
	if (notice->sequence <= s->sequence)
		return;
	s->sequence = notice->sequence;
	if (notice->kind == CW_NOTICE_GEOMETRY)
		s->welcome.geo = notice->geo;
	s->ops->notice(s, notice);
}

/* Handles the letters of a live session, or of one that ends. True: one was FAREWELL. */
static bool cw_session_take_letters(struct cw_session *s)
{
	struct cw_letter *letter;
	struct cw_notice notice;
	bool farewell = false;

	while ((letter = cw_inbox_take(&s->inbox))) {
		if (letter->type == CW_MSG_NOTICE &&
		    !cw_parse_notice(letter->data, letter->len, &notice))
			cw_session_take_notice(s, &notice);
		else if (letter->type == CW_MSG_FAREWELL)
			farewell = true;
		else if (s->control)
			cw_link_kill(s->control, -EPROTO, "an unexpected control message (%u)",
				     letter->type);
		kfree(letter);
	}
	return farewell;
}

/* Dumps look at links under stats_lock; what is freed is out of their sight first. */
static void cw_session_free_links(struct cw_session *s)
{
	struct cw_link *link;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->links); i++) {
		link = s->links[i];
		if (!link)
			continue;
		cw_link_drain(link);
		mutex_lock(&s->stats_lock);
		cw_stats_add(&s->past, &link->stats);
		s->links[i] = NULL;
		mutex_unlock(&s->stats_lock);
		cw_link_free(link);
	}
	link = s->control;
	WRITE_ONCE(s->control, NULL);
	cw_link_free(link);
	s->nr_links = 0;
}

/* The reason of the link that died first is the reason of the loss. */
static void cw_session_find_reason(struct cw_session *s)
{
	const char *kicked = READ_ONCE(s->kicked);
	unsigned int i;

	if (kicked) {
		cw_session_say(s, -ETIMEDOUT, "%s", kicked);
		return;
	}
	if (s->control && test_bit(1, &s->control->dead) && s->control->error != -ECONNRESET) {
		cw_session_say(s, s->control->error, "%s", s->control->reason);
		return;
	}
	for (i = 0; i < s->nr_links; i++) {
		if (s->links[i] && test_bit(1, &s->links[i]->dead)) {
			cw_session_say(s, s->links[i]->error, "%s", s->links[i]->reason);
			return;
		}
	}
	if (s->control && test_bit(1, &s->control->dead))
		cw_session_say(s, s->control->error, "%s", s->control->reason);
}

static void cw_session_tear_down(struct cw_session *s)
{
	unsigned int i;

	lockdep_assert_held(&s->lock);
	s->ops->stop(s);
	/* All links first, so that none waits for another's timeout. */
	for (i = 0; i < s->nr_links; i++)
		cw_link_kill(s->links[i], -ESHUTDOWN, "closed here");
	if (s->control)
		cw_link_kill(s->control, -ESHUTDOWN, "closed here");
	/*
	 * The control link too: its queue pair is in the protection domain of the data links, so
	 * the server could reach the memory of a registered request through it.
	 */
	for (i = 0; i < s->nr_links; i++)
		cw_link_drain(s->links[i]);
	if (s->control)
		cw_link_drain(s->control);
	s->ops->reap(s);
	cw_session_take_letters(s); /* one may have come just before the end */
	cw_session_free_links(s);
}

/* The work comes back for the next attempt, or when the I/O timeout passes before that. */
static void cw_session_wait(struct cw_session *s)
{
	unsigned long at = s->retry_at;

	if (s->state == CW_STATE_HELD && s->ever_live && s->config.io_timeout &&
	    time_before(s->failing_at, at))
		at = s->failing_at;
	mod_delayed_work(cw_client_wq, &s->work, time_before(jiffies, at) ? at - jiffies : 0);
	/* A request may just have queued the work, which was put off here. */
	smp_mb(); /* the timer against the bit: see cw_session_hurry() */
	if (test_bit(CW_SESSION_HURRY, &s->flags))
		mod_delayed_work(cw_client_wq, &s->work, 0);
}

/* @ms: the pause before the next attempt, which rule 23 of section 5 makes shorter or longer. */
static void cw_session_pause(struct cw_session *s, u32 ms, bool io_waits)
{
	u32 since_began = jiffies_to_msecs(jiffies - s->began_at);

	/* The tick more makes up for the part of a tick that jiffies may be behind the time. */
	s->retry_at = jiffies + 1 +
		      msecs_to_jiffies(cw_backoff_bounded_ms(ms, since_began, io_waits));
	cw_session_wait(s);
}

static void cw_session_retry_later(struct cw_session *s)
{
	bool io_waits;
	u32 cap;

	clear_bit(CW_SESSION_HURRY, &s->flags);
	smp_mb__after_atomic(); /* the bit before the look: a later request sets the bit again */
	io_waits = s->ops->waits(s);
	cap = io_waits ? min(retry_cap_ms, CW_BACKOFF_WAITING_MS) : retry_cap_ms;
	cw_session_pause(s, cw_backoff_ms(s->attempts, retry_base_ms, cap, get_random_u32()),
			 io_waits);
}

/* A request came in the pause: the pause may be too long for it. */
static void cw_session_shorten_pause(struct cw_session *s)
{
	if (test_and_clear_bit(CW_SESSION_HURRY, &s->flags) && time_before(jiffies, s->retry_at))
		cw_session_pause(s, jiffies_to_msecs(s->retry_at - jiffies), true);
}

static void cw_session_lost(struct cw_session *s)
{
	bool first = s->state == CW_STATE_LIVE;

	cw_session_find_reason(s);
	cw_session_change(s, CW_STATE_HELD);
	pr_warn_ratelimited("causeway: %s/%s: connection lost: %s\n", s->config.server,
			    s->config.name, s->reason);
	cw_event(CW_EVENT_DOWN, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s", s->reason);
	if (first)
		s->failing_at = jiffies + cw_timeout_jiffies(s->config.io_timeout);
	cw_session_tear_down(s);
	cw_session_retry_later(s);
}

static void cw_session_went_live(struct cw_session *s)
{
	bool new_instance = s->ever_live &&
			    memcmp(s->instance, s->welcome_instance, CW_WIRE_UUID);

	memcpy(s->instance, s->welcome_instance, CW_WIRE_UUID);
	WRITE_ONCE(s->refused, false);
	s->attempts = 0;
	if (s->ever_live)
		s->reconnects++;
	else
		s->first_welcome = s->welcome;
	s->ever_live = true;
	cw_session_change(s, CW_STATE_LIVE);
	pr_info("causeway: %s/%s: live over %s, %u queues\n", s->config.server, s->config.name,
		s->device, s->nr_links);
	s->ops->up(s, new_instance);
	cw_event(CW_EVENT_UP, CW_ROLE_CLIENT, s->config.server, s->config.name, "live over %s",
		 s->device);
	queue_delayed_work(cw_client_wq, &s->watch, msecs_to_jiffies(s->welcome.probe_ms));
}

/* Another disk, or a lesser one, answers to the name: the device's I/O fails meanwhile. */
static void cw_session_refused(struct cw_session *s, bool again)
{
	cw_session_change(s, CW_STATE_REFUSED);
	WRITE_ONCE(s->refused, true);
	if (again)
		return;
	pr_err("causeway: %s/%s: %s\n", s->config.server, s->config.name, s->reason);
	if (s->error == -EREMCHG)
		cw_event(CW_EVENT_ANOTHER_DISK, CW_ROLE_CLIENT, s->config.server, s->config.name,
			 "%s", s->reason);
	s->ops->fail(s);
}

/* The server refused the session for good. The device's I/O fails until it is detached. */
static void cw_session_revoked(struct cw_session *s)
{
	cw_session_change(s, CW_STATE_REVOKED);
	s->may_be_kept = false;
	cw_inbox_empty(&s->inbox);
	cw_reserve_empty(&s->reserve);
	pr_err("causeway: %s/%s: %s; detach it\n", s->config.server, s->config.name, s->reason);
	s->ops->fail(s);
	cw_event(CW_EVENT_REVOKED, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s",
		 s->reason);
}

static void cw_session_attempt(struct cw_session *s)
{
	enum cw_state before = s->state;
	int ret;

	if (!cw_session_change(s, CW_STATE_CONNECTING))
		return;
	s->attempts++;
	s->began_at = jiffies;
	s->epoch++;
	clear_bit(CW_SESSION_LOST, &s->flags);
	WRITE_ONCE(s->kicked, NULL);
	/* A message may have come after the last attempt gave up, before its link was drained. */
	cw_inbox_empty(&s->inbox);
	ret = cw_session_connect(s);
	if (!ret) {
		cw_reserve_empty(&s->reserve);
		cw_session_went_live(s);
		return;
	}
	cw_session_free_links(s);
	if (s->refusal) {
		cw_session_revoked(s);
		return;
	}
	cw_event(CW_EVENT_ATTEMPT_FAILED, CW_ROLE_CLIENT, s->config.server, s->config.name, "%s",
		 s->reason);
	if (ret == -EREMCHG || ret == -EMEDIUMTYPE || before == CW_STATE_REFUSED) {
		cw_session_refused(s, before == CW_STATE_REFUSED);
	} else {
		cw_session_change(s, CW_STATE_HELD);
		if (before == CW_STATE_FAILING)
			cw_session_change(s, CW_STATE_FAILING);
	}
	cw_session_retry_later(s);
}

static void cw_session_work(struct work_struct *work)
{
	struct cw_session *s = container_of(to_delayed_work(work), struct cw_session, work);
	unsigned int noio;

	/* Memory may be full of what waits for this very disk. */
	noio = memalloc_noio_save();
	mutex_lock(&s->lock);
	if (test_bit(CW_SESSION_CLOSE, &s->flags)) {
		/* cw_session_close() does the rest. */
	} else if (s->state == CW_STATE_LIVE) {
		cw_session_take_letters(s);
		if (test_and_clear_bit(CW_SESSION_LOST, &s->flags))
			cw_session_lost(s);
	} else if (s->state == CW_STATE_HELD || s->state == CW_STATE_FAILING ||
		   s->state == CW_STATE_REFUSED) {
		if (s->state == CW_STATE_HELD && s->ever_live && s->config.io_timeout &&
		    time_after_eq(jiffies, s->failing_at)) {
			cw_session_change(s, CW_STATE_FAILING);
			pr_warn("causeway: %s/%s: no path for %u s, I/O fails until one is back\n",
				s->config.server, s->config.name, s->config.io_timeout);
			s->ops->fail(s);
		}
		cw_session_shorten_pause(s);
		if (time_after_eq(jiffies, s->retry_at))
			cw_session_attempt(s);
		else
			cw_session_wait(s);
		/* A loss while we were connecting, after the links were made. */
		if (s->state == CW_STATE_LIVE && test_bit(CW_SESSION_LOST, &s->flags))
			mod_delayed_work(cw_client_wq, &s->work, 0);
	}
	mutex_unlock(&s->lock);
	memalloc_noio_restore(noio);
	complete_all(&s->first);
}

/*
 * Liveness of a link: a message is a sign of life; a quiet one is probed, and dead when probes had
 * no answer. Nothing else would tell of a queue pair whose adapter forgot to send.
 */
static void cw_session_look_at(struct cw_session *s, struct cw_link *link)
{
	unsigned long last = READ_ONCE(link->last_rx);
	u32 probe_ms = s->welcome.probe_ms;

	if (jiffies_to_msecs(jiffies - last) < probe_ms / 2) {
		link->probed = false;
		return;
	}
	if (!link->probed || time_after_eq(last, link->probed_at)) {
		link->probed = true;
		link->probed_at = jiffies;
	}
	/* It was quiet for up to one interval before. */
	if (jiffies_to_msecs(jiffies - link->probed_at) >= s->welcome.dead_ms - probe_ms)
		cw_link_kill(link, -ETIMEDOUT, "the server was silent on %s link %u for %u ms",
			     link->kind == CW_LINK_CONTROL ? "control" : "data", link->index,
			     jiffies_to_msecs(jiffies - last));
	else
		cw_link_probe(link, 0);
}

static void cw_session_watch(struct work_struct *work)
{
	struct cw_session *s = container_of(to_delayed_work(work), struct cw_session, watch);
	unsigned int i;

	mutex_lock(&s->lock);
	if (s->state != CW_STATE_LIVE || test_bit(CW_SESSION_CLOSE, &s->flags)) {
		mutex_unlock(&s->lock);
		return;
	}
	cw_session_look_at(s, s->control);
	for (i = 0; i < s->nr_links; i++) {
		struct cw_link *link = s->links[i];

		if (!cw_link_waits(link)) {
			link->probed = false;
			continue;
		}
		/* Who polls may be asleep while its answers wait. */
		if (link->polled)
			cw_link_poll(link);
		cw_session_look_at(s, link);
	}
	queue_delayed_work(cw_client_wq, &s->watch, msecs_to_jiffies(s->welcome.probe_ms));
	mutex_unlock(&s->lock);
}

/* ---- making and ending ---- */

void cw_session_making(void *session, struct cw_link *link)
{
	struct cw_session *s = session;
	unsigned long flags;

	spin_lock_irqsave(&s->making_lock, flags);
	s->making = link;
	if (link && test_bit(CW_SESSION_CLOSE, &s->flags))
		cw_link_kill(link, -EINTR, "interrupted");
	spin_unlock_irqrestore(&s->making_lock, flags);
}

/* Ends every wait of an attempt to connect. A link that is made from now on is killed at once. */
static void cw_session_interrupt(struct cw_session *s)
{
	unsigned long flags;

	set_bit(CW_SESSION_CLOSE, &s->flags);
	spin_lock_irqsave(&s->making_lock, flags);
	if (s->making)
		cw_link_kill(s->making, -EINTR, "interrupted");
	spin_unlock_irqrestore(&s->making_lock, flags);
	wake_up_all(&s->arrived);
}

void cw_session_init(struct cw_session *s)
{
	mutex_init(&s->lock);
	mutex_init(&s->stats_lock);
	spin_lock_init(&s->making_lock);
	INIT_DELAYED_WORK(&s->work, cw_session_work);
	INIT_DELAYED_WORK(&s->watch, cw_session_watch);
	init_completion(&s->first);
	cw_inbox_init(&s->inbox, CW_LETTERS_MAX);
	cw_reserve_init(&s->reserve);
	init_waitqueue_head(&s->arrived);
}

void cw_session_cancel(struct cw_session *s)
{
	cancel_delayed_work_sync(&s->watch);
	cancel_delayed_work_sync(&s->work);
}

static void cw_session_free(struct kref *users)
{
	struct cw_session *s = container_of(users, struct cw_session, users);

	memzero_explicit(&s->config.key, sizeof(s->config.key));
	mutex_destroy(&s->lock);
	kvfree(s);
}

void cw_session_put(struct cw_session *s)
{
	kref_put(&s->users, cw_session_free);
}
EXPORT_SYMBOL_GPL(cw_session_put);

static struct cw_session *find_locked(const char *server, const char *name)
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
	s = find_locked(server, name);
	if (s)
		kref_get(&s->users);
	mutex_unlock(&cw_sessions_lock);
	return s;
}
EXPORT_SYMBOL_GPL(cw_session_find);

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

	mutex_lock(&cw_sessions_lock);
	if (find_locked(config->server, config->name)) {
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
		ret = s->error ?: -ECONNABORTED;
		memcpy(reason, s->reason, sizeof(s->reason));
	}
	mutex_unlock(&s->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_session_start);

/* Nothing may be outstanding when a session ends in order. */
static bool cw_session_is_idle(const struct cw_session *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_links; i++)
		if (cw_link_waits(s->links[i]))
			return false;
	return true;
}

/*
 * Says GOODBYE and waits for FAREWELL: the server has nothing left of the session then, and keeps
 * nothing for it. Ends early when the link dies or is silent for the detection time, when the
 * caller is killed, or after CW_FORCED_FAREWELL_MS of @force.
 */
static bool cw_session_part(struct cw_session *s, bool force)
{
	unsigned long since = jiffies;
	bool farewell = false;
	long wait;

	if (!cw_session_is_idle(s) ||
	    cw_link_send_control(s->control, CW_MSG_GOODBYE, NULL, 0))
		return false;
	while (!farewell && !cw_link_is_dead(s->control) && !fatal_signal_pending(current) &&
	       cw_session_silence(s->control, since) < cw_session_detection_ms(s)) {
		if (force && jiffies_to_msecs(jiffies - since) >= CW_FORCED_FAREWELL_MS)
			break;
		wait = cw_session_ask(s, s->control);
		if (force)
			wait = min_t(long, wait, msecs_to_jiffies(CW_FORCED_FAREWELL_MS));
		/* A signal that does not kill ends nothing. */
		if (wait_event_killable_timeout(s->arrived,
						!list_empty_careful(&s->inbox.letters) ||
						cw_link_is_dead(s->control), max(wait, 1L)) < 0)
			break;
		farewell = cw_session_take_letters(s);
	}
	return farewell || cw_session_take_letters(s);
}

bool cw_session_close(struct cw_session *s, bool force)
{
	bool kept;

	cw_session_interrupt(s);
	cw_session_cancel(s);
	mutex_lock(&s->lock);
	if (s->state == CW_STATE_LIVE) {
		s->ops->stop(s);
		if (cw_session_part(s, force))
			s->may_be_kept = false;
	}
	/* A read-only disk has no owner. */
	kept = s->may_be_kept && !(s->accepted && (s->welcome.geo.flags & CW_EXPORT_READ_ONLY));
	if (kept)
		pr_warn("causeway: %s/%s: detached without an answer of the server, which may keep the disk for this host until an administrator there evicts this host from the export\n",
			s->config.server, s->config.name);
	if (!cw_session_change(s, CW_STATE_CLOSING)) {
		mutex_unlock(&s->lock);
		return kept;
	}
	cw_session_tear_down(s);
	s->ops->fail(s);
	cw_inbox_empty(&s->inbox);
	cw_reserve_empty(&s->reserve);
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
	return cw_client_wq ? 0 : -ENOMEM;
}

void cw_client_exit(void)
{
	destroy_workqueue(cw_client_wq);
}
