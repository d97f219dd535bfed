// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of an export: by removal, or with all others when the server stops in order.
 *
 * Once its end has begun, no login finds the export and no command is admitted. When the last
 * command is gone, a work on the export's own queue flushes the backend, notifies the clients (with
 * FLUSHED only if the flush succeeded), ends their sessions, closes the backend, and takes the
 * export out of the table. No write can be acknowledged between the flush and the notice, because
 * admission ended before the flush. Exports end independently, so a disk that hangs delays no other
 * export.
 *
 * While an export is being removed, commands are answered with GONE. While the server stops they
 * are not answered: clients keep them and send them again to the next server.
 *
 * The administrator waits for the end for a bounded time, because the disk may hang and a client
 * may take no completions. After end_timeout seconds the sessions are ended, which drops all
 * commands except those at the backend. After CWT_END_MORE the administrator gets the answer that
 * the export was not flushed. The export then stays in the table with its backend open, and keeps
 * the module loaded until the backend has answered. No lock is held during these waits, and they
 * cannot be interrupted: they are short, and so a killed command leaves nothing half done.
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

/* ---- the end of one export ---- */

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
	WRITE_ONCE(e->final_notice, true);
	cw_server_notice(e->core, &notice);
	/* Waits for delivery: the end of a session would overtake the last message. */
	cw_server_notice_wait(e->core, jiffies + CW_NOTICE_WAIT);
}

/*
 * Holders of @e here: the table, whose reference this work takes over; sessions, until
 * cw_server_drop() returns; administrators' look-ups and waits.
 */
void cwt_export_end_work(struct work_struct *work)
{
	struct cwt_export *e = container_of(work, struct cwt_export, end);
	/* A client on this machine may need this flush to write back pages. */
	unsigned int noio = memalloc_noio_save();

	cw_server_refuse_logins(e->core); /* so no WELCOME follows the notice */
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
	cwt_export_put(e); /* the table's reference */
	memalloc_noio_restore(noio);
}

int cwt_export_begin_end(struct cwt_export *e, enum cwt_closing how)
{
	lockdep_assert_held(&cwt_admin);
	if (cwt_export_is_ending(e))
		return -EALREADY;
	e->closing_since = jiffies;
	WRITE_ONCE(e->closing, how);
	/* Orders closing before the kill; pairs with smp_rmb() in cwt_command_refuse(). */
	smp_wmb();
	/* when the last reference is gone, cwt_export_idle() queues the work */
	percpu_ref_kill(&e->running);
	return 0;
}

/* ---- waiting for the end ---- */

static unsigned long cwt_end_deadline(void)
{
	return jiffies + min(READ_ONCE(end_timeout), 90U) * HZ;
}

static bool cwt_end_wait(struct cwt_export *e, unsigned long until)
{
	unsigned long now = jiffies;

	return wait_for_completion_timeout(&e->gone, time_before(now, until) ? until - now : 0);
}

/*
 * Ends the sessions, unless the final notice was sent: then the work ends them, after its delivery.
 */
static void cwt_end_sessions(struct cwt_export *e)
{
	if (!READ_ONCE(e->final_notice))
		cw_server_end(e->core, "the export took too long to end");
}

/* Keeps the module loaded until @e is over. False: @e is over already. */
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

/* The result for the administrator: true if flushed; otherwise @text has the reason. */
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

/* ---- the end of all exports ---- */

bool cwt_is_stopping(void)
{
	lockdep_assert_held(&cwt_admin);
	return cwt_stopping;
}

/* Begins the end of every export, and lists all of them in @all, with references. */
static int cwt_stop_begin(struct list_head *all)
{
	struct cwt_export *e;
	u32 id = 0;

	mutex_lock(&cwt_admin);
	if (cwt_stopping) {
		mutex_unlock(&cwt_admin);
		return -EBUSY;
	}
	cwt_stopping = true; /* this thread owns cwt_export.stopping of all exports */
	while ((e = cwt_export_after(id))) {
		id = e->id;
		cwt_export_begin_end(e, CWT_STOPPING); /* -EALREADY: it is being removed */
		list_add_tail(&e->stopping, all);
	}
	cw_server_close_tcp();
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
		cwt_export_put(e); /* from cwt_stop_begin() */
	}
	mutex_lock(&cwt_admin);
	cwt_stopping = false;
	mutex_unlock(&cwt_admin);
	/* An export that ended earlier counts too: its clients have to get another instance. */
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
