// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions by which the target controls all sessions, and the state that the core keeps for
 * each export.
 *
 * A session ends by two works on a queue of its export (session.c). The queue is a per-CPU one: of
 * the ends of a host that is lost with all of its sessions, one runs on a CPU at a time, and the
 * next one begins when it sleeps. The queue goes when the export and its last session are gone.
 * Their last reference may be put by a work on that queue, which cannot wait for itself: a work on
 * cw_server_wq destroys it.
 */
#include <linux/list.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/netlink.h>

#include "../../link/factory.h"
#include "session.h"

/* Guards the sessions, cw_ops and cw_instance. */
DEFINE_MUTEX(cw_server_lock);
DECLARE_WAIT_QUEUE_HEAD(cw_server_finished);
struct workqueue_struct *cw_server_wq, *cw_urgent_wq;
static const struct cw_server_ops *cw_ops; /* under cw_server_lock */
static struct cw_link_handler cw_data_handler;
static u8 cw_instance[CW_WIRE_UUID];
static u16 cw_port;
static u16 cw_tcp_port;
static atomic_t cw_server_exports; /* whose queue is not destroyed yet */
static atomic64_t cw_server_limits[__CW_LIMIT_MAX];

/* ---- the ops of the target ---- */

const struct cw_server_ops *cw_server_ops(void)
{
	lockdep_assert_held(&cw_server_lock);
	return cw_ops;
}

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
	if (ret)
		return ret;
	WRITE_ONCE(cw_port, port);
	return 0;
}
EXPORT_SYMBOL_GPL(cw_server_listen);

u16 cw_server_tcp_port(void)
{
	return READ_ONCE(cw_tcp_port);
}
EXPORT_SYMBOL_GPL(cw_server_tcp_port);

int cw_server_listen_tcp(u16 port)
{
	int ret;

	if (cw_tcp_port)
		return 0;
	ret = cw_listener_tcp_start(port);
	if (!ret)
		WRITE_ONCE(cw_tcp_port, port);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_server_listen_tcp);

void cw_server_close_tcp(void)
{
	WRITE_ONCE(cw_tcp_port, 0);
	cw_listener_tcp_stop();
}
EXPORT_SYMBOL_GPL(cw_server_close_tcp);

/* ---- exports ---- */

static void cw_server_export_release(struct work_struct *work)
{
	struct cw_server_export *x = container_of(work, struct cw_server_export, release);

	destroy_workqueue(x->wq); /* waits for the work that put the last reference */
	cw_admission_exit(&x->admission);
	kfree(x);
	if (atomic_dec_and_test(&cw_server_exports))
		wake_up_all(&cw_server_finished);
}

static void cw_server_export_free(struct kref *refs)
{
	struct cw_server_export *x = container_of(refs, struct cw_server_export, refs);

	queue_work(cw_server_wq, &x->release);
}

struct cw_server_export *cw_server_export_make(const struct cw_server_export_config *config,
					       struct netlink_ext_ack *extack)
{
	struct cw_server_export *x = kzalloc(sizeof(*x), GFP_KERNEL);
	int ret;

	if (!x)
		return ERR_PTR(-ENOMEM);
	x->wq = alloc_workqueue("cw_%.20s", WQ_PERCPU | WQ_MEM_RECLAIM, 0, config->name);
	if (!x->wq) {
		kfree(x);
		return ERR_PTR(-ENOMEM);
	}
	ret = cw_admission_init(&x->admission, config, extack);
	if (ret) {
		cw_admission_exit(&x->admission);
		destroy_workqueue(x->wq);
		kfree(x);
		return ERR_PTR(ret);
	}
	kref_init(&x->refs);
	INIT_LIST_HEAD(&x->sessions);
	INIT_WORK(&x->release, cw_server_export_release);
	atomic_inc(&cw_server_exports);
	return x;
}
EXPORT_SYMBOL_GPL(cw_server_export_make);

void cw_server_export_put(struct cw_server_export *x)
{
	if (x)
		kref_put(&x->refs, cw_server_export_free);
}
EXPORT_SYMBOL_GPL(cw_server_export_put);

u32 cw_server_session_count(struct cw_server_export *x)
{
	struct cw_server_session *s;
	u32 n = 0;
	u64 round;

	mutex_lock(&cw_server_lock);
	round = cw_server_paths_begin_round();
	list_for_each_entry(s, &x->sessions, beside)
		n += READ_ONCE(s->state) == CW_SERVER_LIVE && cw_server_paths_is_first(s, round);
	mutex_unlock(&cw_server_lock);
	return n;
}
EXPORT_SYMBOL_GPL(cw_server_session_count);

/* ---- new settings of an export ---- */

/* A session has its control link as long as it is in the list of its export. */
static bool cw_server_excludes(struct cw_server_session *s, const struct cw_server_change *change)
{
	return !change->admits(change->context, (const struct sockaddr *)&s->peer,
			       cw_link_transport(s->control) == CW_TRANSPORT_TCP);
}

static u32 cw_server_count_excluded(struct cw_server_export *x,
				    const struct cw_server_change *change, char *text, size_t len)
{
	struct cw_server_session *s;
	u32 count = 0;
	size_t at = 0;

	*text = '\0';
	list_for_each_entry(s, &x->sessions, beside) {
		if (!cw_server_is_client(READ_ONCE(s->state), READ_ONCE(s->refused)) ||
		    !cw_server_excludes(s, change))
			continue;
		if (++count <= 3)
			at += scnprintf(text + at, len - at, "%s%s at %pISc", at ? ", " : "",
					s->hello.host_name, &s->peer);
	}
	if (count > 3)
		scnprintf(text + at, len - at, " and %u more", count - 3);
	return count;
}

static void cw_server_end_excluded(struct cw_server_export *x,
				   const struct cw_server_change *change)
{
	struct cw_server_session *s;

	list_for_each_entry(s, &x->sessions, beside)
		if (cw_server_excludes(s, change))
			cw_server_session_end(s, "%s", change->why);
}

u32 cw_server_excluded(struct cw_server_export *x, const struct cw_server_change *change,
		       char *text, size_t len)
{
	u32 count;

	mutex_lock(&cw_server_lock);
	count = cw_server_count_excluded(x, change, text, len);
	mutex_unlock(&cw_server_lock);
	return count;
}
EXPORT_SYMBOL_GPL(cw_server_excluded);

bool cw_server_change_settings(struct cw_server_export *x, const struct cw_server_change *change,
			       u32 *count, char *text, size_t len)
{
	bool changes;

	/* One hold: no login becomes live between the count and the new settings. */
	mutex_lock(&cw_server_lock);
	*count = cw_server_count_excluded(x, change, text, len);
	changes = !*count || change->force;
	if (changes) {
		change->publish(change->context);
		cw_server_end_excluded(x, change);
	}
	mutex_unlock(&cw_server_lock);
	return changes;
}
EXPORT_SYMBOL_GPL(cw_server_change_settings);

void cw_server_set_takeover(struct cw_server_export *x, u32 seconds)
{
	struct cw_admission *a = &x->admission;
	unsigned int noio = cw_admission_begin(a);

	a->owners.takeover_after = seconds;
	cw_admission_end(a, noio);
}
EXPORT_SYMBOL_GPL(cw_server_set_takeover);

/* ---- notices ---- */

void cw_server_notice(struct cw_server_export *x, const struct cw_notice *notice)
{
	bool final = notice->kind != CW_NOTICE_GEOMETRY;
	struct cw_notice numbered = *notice;
	struct cw_wire_notice wire;
	struct cw_server_session *s;
	u64 round;
	int ret;

	mutex_lock(&cw_server_lock);
	round = cw_server_paths_begin_round();
	list_for_each_entry(s, &x->sessions, beside) {
		if (READ_ONCE(s->state) != CW_SERVER_LIVE)
			continue;
		if (cw_server_paths_is_first(s, round))
			s->paths->notices++;
		numbered.sequence = s->paths->notices;
		cw_pack_notice(&wire, &numbered);
		ret = cw_link_send_control_tracked(s->control, CW_MSG_NOTICE, &wire, sizeof(wire),
						   final && !s->final_notice ? &s->noticed : NULL);
		if (ret)
			cw_server_session_end(s, "it could not be notified of a change");
		else if (final)
			s->final_notice = true;
	}
	mutex_unlock(&cw_server_lock);
}
EXPORT_SYMBOL_GPL(cw_server_notice);

/* Returns a session whose final notice is under way, with a reference, or NULL. */
static struct cw_server_session *cw_server_not_noticed(struct cw_server_export *x)
{
	struct cw_server_session *s, *found = NULL;

	mutex_lock(&cw_server_lock);
	list_for_each_entry(s, &x->sessions, beside) {
		if (s->final_notice && !completion_done(&s->noticed)) {
			kref_get(&s->users);
			found = s;
			break;
		}
	}
	mutex_unlock(&cw_server_lock);
	return found;
}

void cw_server_notice_wait(struct cw_server_export *x, unsigned long until)
{
	struct cw_server_session *s;

	while (time_before(jiffies, until) && (s = cw_server_not_noticed(x))) {
		/* Completed for good and for all waiters, at the latest in the drain of its end. */
		wait_for_completion_timeout(&s->noticed, max_t(long, until - jiffies, 1));
		cw_server_session_put(s);
	}
}
EXPORT_SYMBOL_GPL(cw_server_notice_wait);

/* ---- ends ---- */

void cw_server_refuse_logins(struct cw_server_export *x)
{
	cw_admission_stop(&x->admission);
}
EXPORT_SYMBOL_GPL(cw_server_refuse_logins);

void cw_server_end(struct cw_server_export *x, const char *why)
{
	struct cw_server_session *s;

	cw_server_refuse_logins(x);
	mutex_lock(&cw_server_lock);
	x->closed = true; /* a login whose change of the ledger is still being written is ended */
	/* A login that waited was refused, and ends when its client has read that. */
	list_for_each_entry(s, &x->sessions, beside)
		if (READ_ONCE(s->state) != CW_SERVER_PROVED)
			cw_server_session_end(s, "%s", why);
	mutex_unlock(&cw_server_lock);
}
EXPORT_SYMBOL_GPL(cw_server_end);

u32 cw_server_drop(struct cw_server_export *x, long timeout)
{
	cw_server_end(x, "the export was removed");
	wait_event_timeout(cw_server_finished, !atomic_read(&x->count), timeout);
	return atomic_read(&x->count);
}
EXPORT_SYMBOL_GPL(cw_server_drop);

void cw_server_export_close(struct cw_server_export *x)
{
	cw_server_end(x, "the export was removed");
	cw_admission_close(&x->admission);
}
EXPORT_SYMBOL_GPL(cw_server_export_close);

void cw_server_left(struct cw_server_export *x, char *text, size_t len)
{
	struct cw_server_session *s;
	u32 named = 0, more = 0;
	size_t at = 0;
	u64 round;

	*text = '\0';
	mutex_lock(&cw_server_lock);
	round = cw_server_paths_begin_round();
	list_for_each_entry(s, &x->sessions, beside) {
		if (!cw_server_paths_is_first(s, round))
			continue;
		if (named == 3) {
			more++;
			continue;
		}
		at += scnprintf(text + at, len - at, "%s%s at %pISc", named++ ? ", " : "",
				s->hello.host_name, &s->peer);
	}
	mutex_unlock(&cw_server_lock);
	if (more)
		scnprintf(text + at, len - at, " and %u more", more);
}
EXPORT_SYMBOL_GPL(cw_server_left);

/* ---- limits ---- */

void cw_server_limit(enum cw_limit limit)
{
	atomic64_inc(&cw_server_limits[limit]);
}
EXPORT_SYMBOL_GPL(cw_server_limit);

int cw_server_put_limits(struct sk_buff *skb)
{
	struct nlattr *nest = nla_nest_start(skb, CW_A_LIMITS);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = CW_LIMIT_STRANGERS; i < __CW_LIMIT_MAX; i++)
		if (nla_put_u64_64bit(skb, i, atomic64_read(&cw_server_limits[i]), CW_LIMIT_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
EXPORT_SYMBOL_GPL(cw_server_put_limits);

/* ---- registration of the target ---- */

int cw_server_register(const struct cw_server_ops *ops)
{
	int ret = -EBUSY;

	mutex_lock(&cw_server_lock);
	if (!cw_ops) {
		cw_data_handler = ops->handler;
		cw_data_handler.down = cw_server_down;
		/*
		 * The state in memory of the last target is lost; user space may set its instance
		 * again.
		 */
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
	struct cw_server_session *s;

	mutex_lock(&cw_server_lock);
	cw_ops = NULL; /* no new session */
	mutex_unlock(&cw_server_lock);
	cw_listener_stop();
	cw_server_close_tcp();
	WRITE_ONCE(cw_port, 0);
	mutex_lock(&cw_server_lock);
	list_for_each_entry(s, &cw_server_sessions, entry)
		cw_server_session_end(s, "the server stops");
	mutex_unlock(&cw_server_lock);
	/* A session counts until it has called the target for the last time. */
	wait_event(cw_server_finished, !cw_server_session_total());
}
EXPORT_SYMBOL_GPL(cw_server_unregister);

int cw_server_init(void)
{
	cw_source_init();
	cw_server_session_init();
	cw_server_wq = alloc_workqueue("causeway_server", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!cw_server_wq)
		return -ENOMEM;
	cw_urgent_wq = alloc_workqueue("causeway_urgent",
				       WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_HIGHPRI, 0);
	if (!cw_urgent_wq)
		destroy_workqueue(cw_server_wq);
	return cw_urgent_wq ? 0 : -ENOMEM;
}

void cw_server_exit(void)
{
	/* The works that end sessions may still be on their way out of this module. */
	wait_event(cw_server_finished, !atomic_read(&cw_server_exports));
	destroy_workqueue(cw_urgent_wq);
	destroy_workqueue(cw_server_wq);
	cw_source_exit();
}
