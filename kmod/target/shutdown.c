// SPDX-License-Identifier: GPL-2.0-only
/*
 * How an export ends: by removal, or with all others when the server stops in order.
 *
 * No login finds it any more; no command is admitted any more; those that run are waited for; the
 * backend is flushed; the clients are told, and told that all is flushed only where it is so; their
 * sessions are ended; the backend is closed. Nothing can be acknowledged between the flush and the
 * notice, because admission ended before the flush.
 *
 * While it is being removed, commands are answered with GONE. While the server stops they are not
 * answered: clients keep them and send them again to the next server.
 */
#include "../core/netlink.h"
#include "backend.h"

/*
 * All that runs ends: the backend answers, and a client that does not is given up by its session.
 */
static void cwt_export_quiesce(struct cwt_export *e, enum cwt_closing how)
{
	WRITE_ONCE(e->closing, how);
	smp_wmb(); /* a command that is not admitted finds out why */
	percpu_ref_kill(&e->running);
	wait_for_completion(&e->idle);
	e->flushed = e->read_only || !e->backend->sync(e);
	if (!e->flushed) {
		pr_err("causeway: export %s: flushing failed, what clients wrote last may be lost\n",
		       e->name);
		cwt_loss_add(e);
	}
}

static void cwt_export_notify(struct cwt_export *e, u16 kind)
{
	struct cw_notice notice = {
		.kind = kind,
		.flags = e->flushed ? CW_NOTICE_FLUSHED : 0,
	};

	cw_server_notice(e->core, &notice);
}

/* Drops the table's reference. */
static void cwt_export_end(struct cwt_export *e)
{
	cw_server_drop(e->core, MAX_SCHEDULE_TIMEOUT);
	cwt_export_close(e);
	cw_event(CW_EVENT_EXPORT_REMOVED, CW_ROLE_SERVER, NULL, e->name,
		 "export %s is removed%s", e->name,
		 e->flushed ? "" : "; flushing it failed");
	cwt_export_put(e);
}

void cwt_export_remove(struct cwt_export *e)
{
	lockdep_assert_held(&cwt_admin);
	cwt_export_unpublish(e);
	cwt_export_quiesce(e, CWT_REMOVING);
	cwt_export_notify(e, CW_NOTICE_GONE);
	cw_server_notice_wait(e->core, jiffies + CW_NOTICE_WAIT);
	cwt_export_end(e);
}

bool cwt_stop_all(void)
{
	struct cwt_export *e, *next;
	unsigned long until;
	LIST_HEAD(ending);
	bool clean = true;

	lockdep_assert_held(&cwt_admin);
	while ((e = cwt_export_after(0))) {
		cwt_export_unpublish(e);
		list_add_tail(&e->entry, &ending);
		cwt_export_put(e); /* of the look-up; the table's is ours */
	}
	list_for_each_entry(e, &ending, entry) {
		cwt_export_quiesce(e, CWT_STOPPING);
		clean &= e->flushed;
	}
	list_for_each_entry(e, &ending, entry)
		cwt_export_notify(e, CW_NOTICE_STOPPING);
	until = jiffies + CW_NOTICE_WAIT;
	list_for_each_entry(e, &ending, entry)
		cw_server_notice_wait(e->core, until);
	list_for_each_entry_safe(e, next, &ending, entry) {
		list_del_init(&e->entry);
		cwt_export_end(e);
	}
	/* One that ended earlier counts: its clients have to find another instance. */
	return clean && !cwt_loss_any();
}
