// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions of the server: their life. Their end is in end.c.
 *
 * A session begins with a control link (listener.c), proves itself (login.c), is admitted
 * (admission.c), takes data links (listener.c) and ends once: marked and queued from anywhere, torn
 * down by three works. The end work kills every link and drains them: then no receive and no
 * transfer is left, and no adapter is used. After that no work waits: commands that are with the
 * disk hold a count, and the last of them queues the finish work. That gives the memory of the data
 * links back, and lets the target forget them. Then it notifies the admission, which judges the
 * logins and fences that wait for this session. After that it frees the data links, which may take
 * seconds. So a disk that does not answer holds no worker, and no work waits for another session.
 *
 * A client that sent GOODBYE keeps its control link meanwhile. The machine of the owners answers it
 * with FAREWELL when the ledger is written. The last work frees the rest when the client has
 * closed, or after a second. Otherwise that work follows the finish work at once.
 *
 * Memory for a client must never wait for I/O: it might be the client's own, on this machine. The
 * works of the end run in a NOIO scope, and notify the admission before they report to user space.
 */
#include <linux/hashtable.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "login.h"

#define CW_LINK_MS 500 /* more for each data link: the client connects them one by one */
#define CW_REFUSED_MS 1000 /* for a client to read why it was refused, and to close */
#define CW_WAITING_SILENCE_MS 10000 /* of a client whose login waits: it probes every 2 s */
#define CW_LOGIN_MS_MIN 1000U /* of the parameter: with 0 no login succeeds */
#define CW_LOGIN_MS_MAX 3600000U
#define CW_LETTERS_MAX 8
/* If the network delivers nothing, an honest client detects and reports that first. */
#define CW_STUCK_LOOKS (2 * CW_WATCH_LOOKS)
#define CW_NUMBER_BITS 8

static unsigned int login_ms = 10000;
module_param(login_ms, uint, 0644);
MODULE_PARM_DESC(login_ms, "milliseconds that a login may take, and then its data links (1000 to 3600000)");
LIST_HEAD(cw_server_sessions);
/* By number, and the last number given: under cw_server_lock. */
static DEFINE_HASHTABLE(cw_session_numbers, CW_NUMBER_BITS);
static u32 cw_session_number;
atomic_t cw_session_total;

u32 cw_server_session_total(void)
{
	return atomic_read(&cw_session_total);
}

static u32 cw_session_login_ms(void)
{
	return clamp(READ_ONCE(login_ms), CW_LOGIN_MS_MIN, CW_LOGIN_MS_MAX);
}

/* ---- state ---- */

/*
 * Returns the time (jiffies) of the last message on any link of @s. No link is freed before the end
 * work has run.
 */
static unsigned long cw_session_last_message(const struct cw_server_session *s)
{
	unsigned long last = READ_ONCE(s->control->last_rx);
	unsigned int i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < s->welcome.queues; i++)
		if (s->links[i] && time_after(READ_ONCE(s->links[i]->last_rx), last))
			last = READ_ONCE(s->links[i]->last_rx);
	return last;
}

unsigned long cw_server_session_heard(struct cw_server_session *s)
{
	unsigned long flags, heard;

	spin_lock_irqsave(&s->lock, flags);
	heard = s->state == CW_SERVER_ENDING ? s->heard : cw_session_last_message(s);
	spin_unlock_irqrestore(&s->lock, flags);
	return heard;
}

bool cw_server_session_change(struct cw_server_session *s, enum cw_server_state to)
{
	unsigned long flags;
	bool won;

	spin_lock_irqsave(&s->lock, flags);
	won = cw_server_may(s->state, to);
	if (won) {
		if (to == CW_SERVER_ENDING)
			s->heard = cw_session_last_message(s);
		s->since = ktime_get();
		smp_store_release(&s->state, to); /* with all that the login wrote */
	}
	spin_unlock_irqrestore(&s->lock, flags);
	return won;
}

/* Returns the queue for a work of the session's end. Its export is fixed once it is ENDING. */
static struct workqueue_struct *cw_session_queue(const struct cw_server_session *s)
{
	if (READ_ONCE(s->awaited))
		return cw_urgent_wq;
	return s->core ? s->core->wq : cw_server_wq;
}

void cw_server_session_end(struct cw_server_session *s, const char *fmt, ...)
{
	va_list args;

	if (!cw_server_session_change(s, CW_SERVER_ENDING))
		return;
	va_start(args, fmt);
	vscnprintf(s->reason, sizeof(s->reason), fmt, args);
	va_end(args);
	/* The work's own reference: the session may be freed the moment it is done. */
	kref_get(&s->users);
	queue_delayed_work(cw_session_queue(s), &s->end, 0);
}

/*
 * If a network is lost, the server can notice the loss before a FENCE comes, and begin the end. A
 * work that waits behind others in the queue of the export then goes to cw_urgent_wq. One that
 * another processor is queueing at this moment stays where it is.
 */
void cw_server_session_hasten(struct cw_server_session *s)
{
	WRITE_ONCE(s->awaited, true);
	if (cancel_delayed_work(&s->end))
		queue_delayed_work(cw_urgent_wq, &s->end, 0);
	if (cancel_delayed_work(&s->finish))
		queue_delayed_work(cw_urgent_wq, &s->finish, 0);
}

int cw_server_session_join(struct cw_server_session *s, struct cw_server_export *x)
{
	unsigned long flags;
	int ret = 0;

	mutex_lock(&cw_server_lock);
	spin_lock_irqsave(&s->lock, flags);
	if (s->state != CW_SERVER_LOGIN) {
		ret = -ESHUTDOWN;
	} else if (x->closed) {
		ret = -ENOENT;
	} else {
		kref_get(&x->refs);
		s->core = x;
		list_add_tail(&s->beside, &x->sessions);
		atomic_inc(&x->count);
	}
	spin_unlock_irqrestore(&s->lock, flags);
	mutex_unlock(&cw_server_lock);
	return ret;
}

int cw_server_session_add_link(struct cw_server_session *s, struct cw_link *link)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&s->lock, flags);
	if (s->state != CW_SERVER_LIVE)
		ret = -ESHUTDOWN;
	else if (link->index >= s->welcome.queues)
		ret = -ENOENT;
	else if (s->links[link->index])
		ret = -EBUSY;
	else
		s->links[link->index] = link;
	spin_unlock_irqrestore(&s->lock, flags);
	return ret;
}

/* ---- commands ---- */

const struct sockaddr *cw_session_peer(const struct cw_link *link)
{
	const struct cw_server_session *s = link->owner;

	return (const struct sockaddr *)&s->peer;
}
EXPORT_SYMBOL_GPL(cw_session_peer);

u32 cw_server_session_commands(struct cw_server_session *s)
{
	unsigned int i;
	u32 count = 0;

	mutex_lock(&s->stats_lock); /* the target does not forget the links meanwhile */
	for (i = 0; i < ARRAY_SIZE(s->links) && !s->forgotten; i++)
		if (s->links[i])
			count += s->ops->link_commands(s->links[i]);
	mutex_unlock(&s->stats_lock);
	return count;
}

/* Any context. The list's reference goes to the work. */
static void cw_session_commands_gone(struct percpu_ref *ref)
{
	struct cw_server_session *s = container_of(ref, struct cw_server_session, commands);

	queue_delayed_work(cw_session_queue(s), &s->finish, 0);
}

/* ---- control link ---- */

void cw_server_down(struct cw_link *link)
{
	/* A control link may die before it has a session: cw_server_session_create() looks. */
	struct cw_server_session *s = link->owner;

	if (!s)
		return;
	cw_server_session_end(s, "%s", link->reason);
	/* The client has read FAREWELL, or waits for it no longer. */
	if (link->kind == CW_LINK_CONTROL)
		cw_server_session_part(s, 0);
}

static void cw_session_alive(struct cw_link *link, u64 cookie)
{
	struct cw_server_session *s = link->owner;

	if (s)
		cw_admission_alive(s, cookie);
}

static int cw_session_message(struct cw_link *link, struct cw_message *msg)
{
	struct cw_server_session *s = link->owner;
	int ret;

	if (msg->frame.type == CW_MSG_GOODBYE) {
		cw_message_put(msg);
		WRITE_ONCE(s->goodbye, true);
		cw_server_session_end(s, "the client said goodbye");
		return 0;
	}
	ret = cw_inbox_add(&s->inbox, msg);
	queue_work(cw_server_wq, &s->login);
	return ret;
}

const struct cw_link_handler cw_server_control_handler = {
	.message = cw_session_message,
	.down = cw_server_down,
	.alive = cw_session_alive,
};

/* ---- liveness ---- */

/* Returns the ms since @last (jiffies), which the caller has read before the call. */
static u32 cw_session_silent_ms(unsigned long last)
{
	unsigned long now = jiffies;

	return time_after(now, last) ? jiffies_to_msecs(now - last) : 0;
}

/* Returns the number of commands of the sessions that must end before @s is welcomed. */
static u32 cw_session_waits_for_commands(struct cw_server_session *s)
{
	struct cw_server_session *other;
	u32 count = 0;

	lockdep_assert_held(&cw_server_lock);
	list_for_each_entry(other, &s->core->sessions, beside)
		if (other->up && READ_ONCE(other->state) == CW_SERVER_ENDING)
			count += cw_server_session_commands(other);
	return count;
}

/*
 * A login may wait for as long as a disk takes. WAITING gives its client the reason. The client
 * probes meanwhile: a client that vanished must not keep its place among the sessions that may be
 * logged in.
 */
static void cw_session_watch_proved(struct cw_server_session *s)
{
	u32 silent = cw_session_silent_ms(READ_ONCE(s->control->last_rx));
	struct cw_waiting waiting = { .reason = READ_ONCE(s->member.waits) };
	struct cw_wire_waiting wire;

	if (READ_ONCE(s->refused)) {
		cw_server_session_end(s, "the login was refused");
		return;
	}
	if (silent >= CW_WAITING_SILENCE_MS) {
		cw_server_session_end(s, "the client was silent for %u ms while its login waited",
				      silent);
		return;
	}
	mutex_lock(&cw_server_lock); /* no WELCOME comes before this WAITING */
	if (READ_ONCE(s->state) == CW_SERVER_PROVED && !READ_ONCE(s->refused)) {
		if (waiting.reason == CW_WAITING_COMMANDS)
			waiting.commands = cw_session_waits_for_commands(s);
		cw_pack_waiting(&wire, &waiting);
		cw_link_send_control(s->control, CW_MSG_WAITING, &wire, sizeof(wire));
	}
	mutex_unlock(&cw_server_lock);
	queue_delayed_work(cw_server_wq, &s->watch, msecs_to_jiffies(CW_WAITING_MS));
}

/*
 * A client that does not do its part in transfers holds memory that others need: its share of what
 * all have, and the reserve of its export. Its probes on the control link are no excuse. Do not
 * hold s->lock here: the death of a link takes it under the lock of the link. The links are there
 * until this work is cancelled.
 */
static void cw_session_watch_links(struct cw_server_session *s)
{
	struct cw_link *link;
	unsigned long flags;
	unsigned int i;

	queue_delayed_work(cw_server_wq, &s->watch,
			   msecs_to_jiffies(s->welcome.dead_ms / CW_WATCH_LOOKS));
	for (i = 0; i < s->welcome.queues; i++) {
		spin_lock_irqsave(&s->lock, flags);
		link = s->links[i];
		spin_unlock_irqrestore(&s->lock, flags);
		if (link && cw_link_is_stuck(link, CW_STUCK_LOOKS))
			cw_link_kill(link, -ETIMEDOUT,
				     "the client took nothing on data link %u for %u ms", i,
				     2 * s->welcome.dead_ms);
	}
}

static void cw_session_watch(struct work_struct *work)
{
	struct cw_server_session *s =
		container_of(to_delayed_work(work), struct cw_server_session, watch);
	unsigned long flags, last, silent, dead_ms;
	unsigned int i;
	bool short_of_links = false;

	spin_lock_irqsave(&s->lock, flags);
	if (s->state == CW_SERVER_ENDING) {
		spin_unlock_irqrestore(&s->lock, flags);
		return;
	}
	if (s->state != CW_SERVER_LIVE) {
		bool late = s->state == CW_SERVER_LOGIN;

		spin_unlock_irqrestore(&s->lock, flags);
		if (late && READ_ONCE(s->refused))
			cw_server_session_end(s, "the login was refused");
		else if (late)
			cw_server_session_end(s, "the login took longer than %u ms",
					      cw_session_login_ms());
		else
			cw_session_watch_proved(s);
		return;
	}
	last = cw_session_last_message(s);
	for (i = 0; i < s->welcome.queues; i++)
		if (!s->links[i])
			short_of_links = true;
	short_of_links &= ktime_ms_delta(ktime_get(), s->since) >
			  cw_session_login_ms() + CW_LINK_MS * s->welcome.queues;
	dead_ms = s->welcome.dead_ms;
	spin_unlock_irqrestore(&s->lock, flags);

	/* A client that waited for its welcome had to send less often. */
	silent = min_t(unsigned long, cw_session_silent_ms(last),
		       ktime_ms_delta(ktime_get(), s->since));
	if (short_of_links)
		cw_server_session_end(s, "not all data links came in time");
	else if (silent >= dead_ms)
		cw_server_session_end(s, "the client was silent for %lu ms", silent);
	else
		cw_session_watch_links(s);
}

void cw_server_session_refused(struct cw_server_session *s)
{
	WRITE_ONCE(s->refused, true);
	mod_delayed_work(cw_server_wq, &s->watch, msecs_to_jiffies(CW_REFUSED_MS));
}

/* ---- making and finding ---- */

static void cw_session_free(struct kref *users)
{
	struct cw_server_session *s = container_of(users, struct cw_server_session, users);

	percpu_ref_exit(&s->commands);
	/* Once more: a request that came too late gives its link's memory back after the finish. */
	cw_reserve_empty(&s->reserve);
	cw_server_paths_put(s->paths);
	cw_server_export_put(s->core);
	kvfree_sensitive(s, sizeof(*s));
}

void cw_server_session_put(struct cw_server_session *s)
{
	kref_put(&s->users, cw_session_free);
}

static struct cw_server_session *cw_session_numbered(u32 number)
{
	struct cw_server_session *s;

	lockdep_assert_held(&cw_server_lock);
	hash_for_each_possible(cw_session_numbers, s, numbered, number)
		if (s->number == number)
			return s;
	return NULL;
}

/* Returns a number that is not 0 and is not the number of a session in the table. */
static u32 cw_session_next_number(void)
{
	do {
		cw_session_number++;
	} while (!cw_session_number || cw_session_numbered(cw_session_number));
	return cw_session_number;
}

struct cw_server_session *cw_server_session_create(struct cw_link *control,
						   const struct sockaddr_storage *peer,
						   const struct cw_place *place)
{
	struct cw_server_session *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	if (percpu_ref_init(&s->commands, cw_session_commands_gone, 0, GFP_KERNEL)) {
		kvfree(s);
		return NULL;
	}
	kref_init(&s->users);
	s->since = ktime_get();
	s->peer = *peer;
	spin_lock_init(&s->lock);
	init_completion(&s->noticed);
	INIT_WORK(&s->login, cw_server_login_work);
	INIT_DELAYED_WORK(&s->end, cw_session_end_work);
	INIT_DELAYED_WORK(&s->finish, cw_session_finish_work);
	INIT_DELAYED_WORK(&s->last, cw_session_last_work);
	INIT_DELAYED_WORK(&s->watch, cw_session_watch);
	INIT_DELAYED_WORK(&s->fences, cw_fence_watch);
	cw_inbox_init(&s->inbox, CW_LETTERS_MAX);
	cw_reserve_init(&s->reserve);
	mutex_init(&s->stats_lock);

	mutex_lock(&cw_server_lock);
	s->ops = cw_server_ops();
	if (!s->ops) {
		mutex_unlock(&cw_server_lock);
		cw_server_session_put(s);
		return NULL;
	}
	s->number = cw_session_next_number();
	s->control = control;
	s->place = *place;
	control->owner = s;
	list_add_tail(&s->entry, &cw_server_sessions);
	hash_add(cw_session_numbers, &s->numbered, s->number);
	atomic_inc(&cw_session_total);
	queue_delayed_work(cw_server_wq, &s->watch, msecs_to_jiffies(cw_session_login_ms()));
	smp_mb(); /* control->owner against the dead bit: see cw_server_down() */
	if (cw_link_is_dead(control))
		cw_server_session_end(s, "%s", control->reason);
	mutex_unlock(&cw_server_lock);
	return s;
}

struct cw_server_session *cw_server_session_find(u32 number)
{
	struct cw_server_session *s;

	mutex_lock(&cw_server_lock);
	s = cw_session_numbered(number);
	if (s)
		kref_get(&s->users);
	mutex_unlock(&cw_server_lock);
	return s;
}

void cw_server_session_init(void)
{
	get_random_bytes(&cw_session_number, sizeof(cw_session_number));
}
