// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions of the server: their life, their end, and what a fence waits for.
 *
 * A session begins with a control link (listener.c), proves itself (login.c), takes data links
 * (listener.c) and ends once: marked and queued from anywhere, torn down by one work. The work
 * kills every link, drains them (no receive, no transfer and no adapter any more), waits until no
 * command is left (some are with the disk and must come back), lets the target forget the links,
 * frees them, and says so by the completion `ended`. A fence is nothing but that, waited for.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "client.h"
#include "device.h"
#include "main.h"
#include "netlink.h"
#include "server_session.h"
#include "trace.h"

#define CW_LINK_MS 500 /* more for each data link: the client connects them one by one */
#define CW_PENDING_MAX 64
#define CW_LETTERS_MAX 8
#define CW_NOTICE_TIMEOUT (2 * HZ)

static unsigned int login_ms = 10000;
module_param(login_ms, uint, 0644);
MODULE_PARM_DESC(login_ms, "a login, and then its data links, may take so many ms");
static unsigned long malformed; /* under cw_server_lock */
module_param(malformed, ulong, 0444);
MODULE_PARM_DESC(malformed, "to read: connections ended because the client broke the protocol");

/* Guards cw_server_sessions, cw_ops, cw_next_number and cw_instance. */
DEFINE_MUTEX(cw_server_lock);
LIST_HEAD(cw_server_sessions);
static struct workqueue_struct *cw_server_wq;
static const struct cw_server_ops *cw_ops; /* under cw_server_lock */
static struct cw_link_handler cw_data_handler;
static u32 cw_next_number;
static u8 cw_instance[CW_WIRE_UUID];
static u16 cw_port;

/* ---- what the target registers ---- */

const struct cw_link_handler *cw_server_data_handler(void)
{
	return &cw_data_handler;
}

void cw_server_instance(u8 instance[CW_WIRE_UUID])
{
	mutex_lock(&cw_server_lock);
	memcpy(instance, cw_instance, CW_WIRE_UUID);
	mutex_unlock(&cw_server_lock);
}
EXPORT_SYMBOL_GPL(cw_server_instance);

void cw_server_set_instance(const u8 instance[CW_WIRE_UUID])
{
	mutex_lock(&cw_server_lock);
	memcpy(cw_instance, instance, CW_WIRE_UUID);
	mutex_unlock(&cw_server_lock);
}
EXPORT_SYMBOL_GPL(cw_server_set_instance);

u16 cw_server_port(void)
{
	return READ_ONCE(cw_port);
}
EXPORT_SYMBOL_GPL(cw_server_port);

int cw_server_listen(u16 port)
{
	int ret;

	if (cw_port == port)
		return 0;
	if (cw_port)
		return -EBUSY;
	ret = cw_listener_start(port);
	if (!ret)
		WRITE_ONCE(cw_port, port);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_server_listen);

/* ---- state ---- */

bool cw_server_session_change(struct cw_server_session *s, enum cw_server_state to)
{
	unsigned long flags;
	bool won;

	spin_lock_irqsave(&s->lock, flags);
	won = cw_server_may(s->state, to);
	if (won) {
		s->since = ktime_get();
		smp_store_release(&s->state, to); /* with all that the login wrote */
	}
	spin_unlock_irqrestore(&s->lock, flags);
	return won;
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
	queue_work(cw_server_wq, &s->end);
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

bool cw_session_command_get(struct cw_link *link)
{
	struct cw_server_session *s = link->session;

	return percpu_ref_tryget_live(&s->commands);
}
EXPORT_SYMBOL_GPL(cw_session_command_get);

void cw_session_command_put(struct cw_link *link)
{
	struct cw_server_session *s = link->session;

	percpu_ref_put(&s->commands);
}
EXPORT_SYMBOL_GPL(cw_session_command_put);

static void cw_commands_gone(struct percpu_ref *ref)
{
	complete(&container_of(ref, struct cw_server_session, commands)->commands_gone);
}

/* ---- control link ---- */

static void cw_server_down(struct cw_link *link)
{
	/* A control link may die before it has a session: cw_server_session_create() looks. */
	if (!link->session)
		return;
	cw_server_session_end(link->session, "%s", link->reason);
}

static int cw_server_message(struct cw_link *link, struct cw_message *msg)
{
	struct cw_server_session *s = link->session;
	int ret;

	if (msg->frame.type == CW_MSG_GOODBYE) {
		cw_message_put(msg);
		cw_server_session_end(s, "the client said goodbye");
		return 0;
	}
	ret = cw_inbox_add(&s->inbox, msg);
	queue_work(cw_server_wq, &s->login);
	return ret;
}

const struct cw_link_handler cw_server_control_handler = {
	.message = cw_server_message,
	.down = cw_server_down,
};

/* ---- liveness ---- */

static void cw_server_watch(struct work_struct *work)
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
		/* An admitted session waits for a fence and has done its part. */
		bool late = s->state == CW_SERVER_LOGIN;

		spin_unlock_irqrestore(&s->lock, flags);
		if (late)
			cw_server_session_end(s, "the login took longer than %u ms", login_ms);
		else
			queue_delayed_work(cw_server_wq, &s->watch,
					   msecs_to_jiffies(login_ms));
		return;
	}
	last = READ_ONCE(s->control->last_rx);
	for (i = 0; i < s->welcome.queues; i++) {
		if (!s->links[i])
			short_of_links = true;
		else if (time_after(READ_ONCE(s->links[i]->last_rx), last))
			last = READ_ONCE(s->links[i]->last_rx);
	}
	short_of_links &= ktime_ms_delta(ktime_get(), s->since) >
			  login_ms + CW_LINK_MS * s->welcome.queues;
	dead_ms = s->welcome.dead_ms;
	spin_unlock_irqrestore(&s->lock, flags);

	silent = jiffies_to_msecs(jiffies - last);
	if (short_of_links)
		cw_server_session_end(s, "not all data links came in time");
	else if (silent >= dead_ms)
		cw_server_session_end(s, "the client was silent for %lu ms", silent);
	else
		queue_delayed_work(cw_server_wq, &s->watch, msecs_to_jiffies(dead_ms / 4));
}

/* ---- the end ---- */

static void cw_server_free_link(struct cw_server_session *s, struct cw_link *link)
{
	mutex_lock(&s->stats_lock);
	cw_stats_add(&s->past, &link->stats);
	s->links[link->index] = NULL;
	mutex_unlock(&s->stats_lock);
	s->ops->link_exit(link);
	cw_link_free(link);
}

/*
 * A receive that finds a malformed message can only kill its link: this is said here, where it may
 * sleep.
 */
static void cw_server_tell_malformed(struct cw_server_session *s)
{
	const struct cw_link *link = s->control->error == -EPROTO ? s->control : NULL;
	const char *kind = link ? "control" : "data";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->links) && !link; i++)
		if (s->links[i] && s->links[i]->error == -EPROTO)
			link = s->links[i];
	if (!link)
		return;
	mutex_lock(&cw_server_lock);
	malformed++;
	mutex_unlock(&cw_server_lock);
	pr_warn_ratelimited("causeway: %pISc: %s, on its %s link %u\n", &s->peer, link->reason,
			    kind, link->index);
	cw_event(CW_EVENT_MALFORMED, CW_ROLE_SERVER, NULL,
		 s->hello.export_name[0] ? s->hello.export_name : NULL,
		 "%pISc: %s, on its %s link %u", &s->peer, link->reason, kind, link->index);
}

static void cw_server_end_work(struct work_struct *work)
{
	struct cw_server_session *s = container_of(work, struct cw_server_session, end);
	struct cw_link *control;
	unsigned int i;

	/* No link is added any more: the state forbids it. */
	cw_link_kill(s->control, -ESHUTDOWN, "%s", s->reason);
	for (i = 0; i < ARRAY_SIZE(s->links); i++)
		if (s->links[i])
			cw_link_kill(s->links[i], -ESHUTDOWN, "%s", s->reason);
	cw_link_drain(s->control);
	cancel_work_sync(&s->login);
	cancel_delayed_work_sync(&s->watch);
	for (i = 0; i < ARRAY_SIZE(s->links); i++)
		if (s->links[i])
			cw_link_drain(s->links[i]);
	cw_server_tell_malformed(s);

	percpu_ref_kill(&s->commands);
	wait_for_completion(&s->commands_gone);
	for (i = 0; i < ARRAY_SIZE(s->links); i++)
		if (s->links[i])
			cw_server_free_link(s, s->links[i]);

	mutex_lock(&cw_server_lock);
	list_del(&s->entry);
	mutex_unlock(&cw_server_lock);
	mutex_lock(&s->stats_lock);
	control = s->control;
	s->control = NULL;
	mutex_unlock(&s->stats_lock);
	cw_link_free(control);
	cw_domain_put(s->domain);
	s->domain = NULL;
	cw_inbox_empty(&s->inbox);
	if (s->export) {
		if (s->up) {
			pr_info("causeway: %s of %pISc left: %s\n", s->ops->export_name(s->export),
				&s->peer, s->reason);
			cw_event(CW_EVENT_LOGOUT, CW_ROLE_SERVER, NULL,
				 s->ops->export_name(s->export), "%s at %pISc: %s",
				 s->hello.host_name, &s->peer, s->reason);
		}
		s->ops->export_put(s->export);
	}
	complete_all(&s->ended);
	cw_server_session_put(s); /* the list's */
	cw_server_session_put(s); /* this work's */
}

/* ---- making and finding ---- */

/* Sessions that have not proved anything: what a stranger can cost us. */
static u32 cw_server_pending(void)
{
	struct cw_server_session *s;
	u32 n = 0;

	lockdep_assert_held(&cw_server_lock);
	list_for_each_entry(s, &cw_server_sessions, entry)
		n += READ_ONCE(s->state) == CW_SERVER_LOGIN;
	return n;
}

static void cw_server_session_free(struct kref *users)
{
	struct cw_server_session *s = container_of(users, struct cw_server_session, users);

	percpu_ref_exit(&s->commands);
	if (s->domain)
		cw_domain_put(s->domain);
	kvfree_sensitive(s, sizeof(*s));
}

void cw_server_session_put(struct cw_server_session *s)
{
	kref_put(&s->users, cw_server_session_free);
}

struct cw_server_session *cw_server_session_create(struct cw_link *control,
						   struct cw_domain *domain,
						   const struct sockaddr_storage *peer)
{
	struct cw_server_session *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	if (percpu_ref_init(&s->commands, cw_commands_gone, 0, GFP_KERNEL)) {
		kvfree(s);
		return NULL;
	}
	kref_init(&s->users);
	s->since = ktime_get();
	s->peer = *peer;
	spin_lock_init(&s->lock);
	init_completion(&s->commands_gone);
	init_completion(&s->ended);
	init_completion(&s->noticed);
	INIT_WORK(&s->login, cw_server_login_work);
	INIT_WORK(&s->end, cw_server_end_work);
	INIT_DELAYED_WORK(&s->watch, cw_server_watch);
	cw_inbox_init(&s->inbox, CW_LETTERS_MAX);
	mutex_init(&s->stats_lock);

	mutex_lock(&cw_server_lock);
	s->ops = cw_ops;
	if (!s->ops || cw_server_pending() >= CW_PENDING_MAX) {
		mutex_unlock(&cw_server_lock);
		cw_server_session_put(s);
		return NULL;
	}
	if (++cw_next_number == 0)
		cw_next_number = 1;
	s->number = cw_next_number;
	s->control = control;
	s->domain = cw_domain_get(domain);
	control->session = s;
	list_add_tail(&s->entry, &cw_server_sessions);
	queue_delayed_work(cw_server_wq, &s->watch, msecs_to_jiffies(login_ms));
	smp_mb(); /* control->session against the dead bit: see cw_server_down() */
	if (cw_link_is_dead(control))
		cw_server_session_end(s, "%s", control->reason);
	mutex_unlock(&cw_server_lock);
	return s;
}

struct cw_server_session *cw_server_session_find(u32 number)
{
	struct cw_server_session *s, *found = NULL;

	mutex_lock(&cw_server_lock);
	list_for_each_entry(s, &cw_server_sessions, entry) {
		if (s->number == number) {
			kref_get(&s->users);
			found = s;
			break;
		}
	}
	mutex_unlock(&cw_server_lock);
	return found;
}

/* ---- what the target asks of all sessions ---- */

u32 cw_server_session_count(void *export)
{
	struct cw_server_session *s;
	u32 n = 0;

	mutex_lock(&cw_server_lock);
	list_for_each_entry(s, &cw_server_sessions, entry)
		n += s->export == export && READ_ONCE(s->state) == CW_SERVER_LIVE;
	mutex_unlock(&cw_server_lock);
	return n;
}
EXPORT_SYMBOL_GPL(cw_server_session_count);

void cw_server_notice(void *export, const struct cw_notice *notice)
{
	bool final = notice->kind != CW_NOTICE_GEOMETRY;
	struct cw_wire_notice wire;
	struct cw_server_session *s;
	unsigned long deadline;

	cw_pack_notice(&wire, notice);
	mutex_lock(&cw_server_lock);
	list_for_each_entry(s, &cw_server_sessions, entry) {
		s->notice_pending = false;
		if (s->export != export || READ_ONCE(s->state) != CW_SERVER_LIVE)
			continue;
		reinit_completion(&s->noticed);
		s->notice_pending = !cw_link_send_control_tracked(s->control, CW_MSG_NOTICE, &wire,
								  sizeof(wire), &s->noticed);
		if (!s->notice_pending)
			cw_server_session_end(s, "it could not be told of a change");
	}
	/*
	 * The end of a session overtakes what was sent last: wait, a little, until the clients have
	 * it.
	 */
	deadline = jiffies + CW_NOTICE_TIMEOUT;
	list_for_each_entry(s, &cw_server_sessions, entry) {
		if (s->notice_pending && final)
			wait_for_completion_timeout(&s->noticed, time_before(jiffies, deadline) ?
							    deadline - jiffies : 1);
		s->notice_pending = false;
	}
	mutex_unlock(&cw_server_lock);
}
EXPORT_SYMBOL_GPL(cw_server_notice);

/* Some session of @export (or any, when NULL) that is still listed, with a reference. */
static struct cw_server_session *some_session(void *export)
{
	struct cw_server_session *s, *found = NULL;

	mutex_lock(&cw_server_lock);
	list_for_each_entry(s, &cw_server_sessions, entry) {
		if (!export || s->export == export) {
			kref_get(&s->users);
			found = s;
			break;
		}
	}
	mutex_unlock(&cw_server_lock);
	return found;
}

void cw_server_drop(void *export)
{
	struct cw_server_session *s;

	while ((s = some_session(export))) {
		cw_server_session_end(s, "%s", export ? "the export was removed" :
							"the server stops");
		wait_for_completion(&s->ended);
		cw_server_session_put(s);
	}
}
EXPORT_SYMBOL_GPL(cw_server_drop);

int cw_server_register(const struct cw_server_ops *ops)
{
	int ret = -EBUSY;

	mutex_lock(&cw_server_lock);
	if (!cw_ops) {
		cw_data_handler = ops->handler;
		cw_data_handler.down = cw_server_down;
		/* What the last target held in memory went with it; user space may know better. */
		generate_random_uuid(cw_instance);
		cw_ops = ops;
		ret = 0;
	}
	mutex_unlock(&cw_server_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_server_register);

void cw_server_unregister(const struct cw_server_ops *ops)
{
	mutex_lock(&cw_server_lock);
	cw_ops = NULL; /* no new session */
	mutex_unlock(&cw_server_lock);
	cw_listener_stop();
	WRITE_ONCE(cw_port, 0);
	cw_server_drop(NULL);
	/* A session says that it ended before its work returned into this module. */
	flush_workqueue(cw_server_wq);
}
EXPORT_SYMBOL_GPL(cw_server_unregister);

int cw_server_init(void)
{
	get_random_bytes(&cw_next_number, sizeof(cw_next_number));
	cw_server_wq = alloc_workqueue("causeway_server", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return cw_server_wq ? 0 : -ENOMEM;
}

void cw_server_exit(void)
{
	destroy_workqueue(cw_server_wq);
}
