// SPDX-License-Identifier: GPL-2.0-only
/*
 * How an export ends: by removal, or with all others when the server stops in order.
 *
 * An export ends by itself once its end has begun. From then on no login finds it and no command is
 * admitted. When the last command is gone, a work on the export's own queue flushes the backend,
 * notifies the clients (and says "flushed" only if that is so), ends their sessions, closes the
 * backend, and takes the export out of the table. Nothing can be acknowledged between the flush and
 * the notice, because admission ended before the flush. Exports end side by side, so one whose disk
 * hangs holds up no other.
 *
 * While an export is being removed, commands are answered with GONE. While the server stops they
 * are not answered: clients keep them and send them again to the next server.
 *
 * The administrator waits for the end, but not for ever: the disk may hang, and a client may take
 * no answers. After end_timeout seconds the sessions are ended, which drops all commands but those
 * that the backend has. After CWT_END_MORE the administrator gets the answer that the export was
 * not flushed. The export then still is in the table, with its backend open, and keeps the module
 * loaded until the backend has answered. No lock is held during these waits, and they cannot be
 * interrupted: they are short enough, and a killed command leaves nothing half done.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "../core/netlink/netlink.h"
#include "backend.h"

#define CWT_END_MORE (10 * HZ)

static unsigned int end_timeout = 60;
module_param(end_timeout, uint, 0644);
MODULE_PARM_DESC(end_timeout,
		 "seconds that an export may take to end before its clients are cut off (at most 90)");

static bool cwt_stopping; /* under cwt_admin */

/* ---- the end of one ---- */

static void cwt_export_flush(struct cwt_export *e)
{
	e->flushed = e->read_only || !e->backend->sync(e);
	if (!e->flushed) {
		pr_err("causeway: export %s: flushing failed, what clients wrote last may be lost\n",
		       e->name);
		cwt_loss_add(e);
	}
}

static void cwt_export_notify(struct cwt_export *e)
{
	struct cw_notice notice = {
		.kind = e->closing == CWT_STOPPING ? CW_NOTICE_STOPPING : CW_NOTICE_GONE,
		.flags = e->flushed ? CW_NOTICE_FLUSHED : 0,
	};

	cwt_export_geometry(e, &notice.geo);
	WRITE_ONCE(e->told, true);
	cw_server_notice(e->core, &notice);
	/* The end of a session overtakes what was sent last. */
	cw_server_notice_wait(e->core, jiffies + CW_NOTICE_WAIT);
}

/*
 * Who still holds @e here: the table, whose reference this work takes over; sessions, until
 * cw_server_drop() returns; administrators who look it up or wait for it.
 */
void cwt_export_end_work(struct work_struct *work)
{
	struct cwt_export *e = container_of(work, struct cwt_export, end);
	/* A client on this machine may wait for the flush to write pages out. */
	unsigned int noio = memalloc_noio_save();

	cw_server_refuse_logins(e->core); /* none is welcomed behind the notice */
	cwt_export_flush(e);
	cwt_export_notify(e);
	cw_server_drop(e->core, MAX_SCHEDULE_TIMEOUT);
	cw_server_export_close(e->core);
	cwt_export_close(e);
	cwt_export_unlist(e);
	cw_event(CW_EVENT_EXPORT_REMOVED, CW_ROLE_SERVER, NULL, e->name,
		 "export %s is removed%s", e->name,
		 e->flushed ? "" : "; flushing it failed");
	spin_lock(&e->end_lock);
	e->over = true;
	spin_unlock(&e->end_lock);
	complete_all(&e->gone);
	cwt_export_put(e); /* the table's */
	memalloc_noio_restore(noio);
}

int cwt_export_begin_end(struct cwt_export *e, enum cwt_closing how)
{
	lockdep_assert_held(&cwt_admin);
	if (cwt_export_is_ending(e))
		return -EALREADY;
	e->closing_since = jiffies;
	WRITE_ONCE(e->closing, how);
	smp_wmb(); /* a command that is not admitted finds out why */
	percpu_ref_kill(&e->running); /* the release queues the work */
	return 0;
}

/* ---- waiting for it ---- */

static unsigned long cwt_end_deadline(void)
{
	return jiffies + min(READ_ONCE(end_timeout), 90U) * HZ;
}

static bool cwt_end_wait(struct cwt_export *e, unsigned long until)
{
	unsigned long now = jiffies;

	return wait_for_completion_timeout(&e->gone, time_before(now, until) ? until - now : 0);
}

/* Once clients were notified, their sessions end anyway, but not before they have the notice. */
static void cwt_end_sessions(struct cwt_export *e)
{
	if (!READ_ONCE(e->told))
		cw_server_end(e->core, "the export took too long to end");
}

/* False when @e is gone. */
static bool cwt_export_pin(struct cwt_export *e)
{
	bool pin;

	spin_lock(&e->end_lock);
	pin = !e->over;
	if (pin && !e->pinned) {
		__module_get(THIS_MODULE);
		e->pinned = true;
	}
	spin_unlock(&e->end_lock);
	return pin;
}

/* What became of @e by now. */
static bool cwt_end_judge(struct cwt_export *e, char *text)
{
	char left[96] = "";

	if (cwt_export_pin(e)) {
		cw_server_left(e->core, left, sizeof(left));
		snprintf(text, CWT_TEXT,
			 "%s has not answered%s; its clients are cut off, and the export goes when the disk answers%s%s",
			 e->path ?: "its memory",
			 e->read_only ? "" : ", so what clients wrote last is not flushed",
			 left[0] ? "; commands are left of " : "", left);
		pr_err("causeway: export %s: %s\n", e->name, text);
		return e->read_only;
	}
	if (!e->flushed)
		snprintf(text, CWT_TEXT,
			 "flushing %s failed, so what clients wrote last may be lost",
			 e->path ?: "its memory");
	return e->flushed;
}

bool cwt_export_await_end(struct cwt_export *e, char *text)
{
	unsigned long until = cwt_end_deadline();

	text[0] = 0;
	if (!cwt_end_wait(e, until)) {
		cwt_end_sessions(e);
		cwt_end_wait(e, until + CWT_END_MORE);
	}
	return cwt_end_judge(e, text);
}

/* ---- the end of all ---- */

bool cwt_is_stopping(void)
{
	lockdep_assert_held(&cwt_admin);
	return cwt_stopping;
}

/* Begins the end of every export, and lists all of them, with references. */
static int cwt_stop_begin(struct list_head *all)
{
	struct cwt_export *e;
	u32 id = 0;

	mutex_lock(&cwt_admin);
	if (cwt_stopping) {
		mutex_unlock(&cwt_admin);
		return -EBUSY;
	}
	cwt_stopping = true; /* and the lists of exports are this thread's */
	while ((e = cwt_export_after(id))) {
		id = e->id;
		cwt_export_begin_end(e, CWT_STOPPING); /* or it is being removed already */
		list_add_tail(&e->stopping, all);
	}
	mutex_unlock(&cwt_admin);
	return 0;
}

bool cwt_stop_all(void (*report)(void *arg, const char *name, const char *text), void *arg,
		  int *ret)
{
	struct cwt_export *e, *next;
	unsigned long until;
	bool clean = true;
	LIST_HEAD(all);

	*ret = cwt_stop_begin(&all);
	if (*ret)
		return false;
	until = cwt_end_deadline();
	list_for_each_entry(e, &all, stopping)
		cwt_end_wait(e, until);
	list_for_each_entry(e, &all, stopping)
		if (!completion_done(&e->gone))
			cwt_end_sessions(e);
	list_for_each_entry_safe(e, next, &all, stopping) {
		char text[CWT_TEXT] = "";

		cwt_end_wait(e, until + CWT_END_MORE);
		clean &= cwt_end_judge(e, text);
		if (text[0] && report)
			report(arg, e->name, text);
		list_del_init(&e->stopping);
		cwt_export_put(e); /* of cwt_stop_begin() */
	}
	mutex_lock(&cwt_admin);
	cwt_stopping = false;
	mutex_unlock(&cwt_admin);
	/* One that ended earlier counts: its clients have to find another instance. */
	return clean && !cwt_loss_any();
}

void cwt_await_all(void)
{
	struct cwt_export *e;
	u32 id = 0;

	while ((e = cwt_export_after(id))) {
		id = e->id;
		while (!cwt_end_wait(e, jiffies + 60 * HZ))
			pr_warn("causeway: unloading causeway_target waits for %s, the disk of export %s\n",
				e->path ?: "memory", e->name);
		cwt_export_put(e);
	}
}
