// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watches whether the device or file of an export changed its size or became read-only.
 *
 * The kernel does not notify the holder of a device that grows. So all exports are checked once a
 * second while there are any. A change is first published for commands, and then announced to the
 * clients.
 */
#include "../core/netlink/netlink.h"
#include "export.h"

static void cwt_size_watch(struct work_struct *work);
static DECLARE_DELAYED_WORK(watch, cwt_size_watch);

void cwt_export_announce(struct cwt_export *e)
{
	struct cw_notice notice = { .kind = CW_NOTICE_GEOMETRY };

	lockdep_assert_held(&e->lock);
	if (!e->open || READ_ONCE(e->closing) != CWT_OPEN || !cwt_export_refresh(e, &notice.geo))
		return;
	cw_server_notice(e->core, &notice);
	cw_event(CW_EVENT_EXPORT_RESIZED, CW_ROLE_SERVER, NULL, e->name,
		 "export %s now has %llu bytes%s", e->name, notice.geo.size,
		 notice.geo.flags & CW_EXPORT_READ_ONLY ? ", read-only" : "");
}

static void cwt_size_watch(struct work_struct *work)
{
	struct cwt_export *e;
	u32 id = 0;

	while ((e = cwt_export_after(id))) {
		id = e->id;
		mutex_lock(&e->lock);
		cwt_export_announce(e);
		mutex_unlock(&e->lock);
		cwt_export_put(e);
	}
	if (id)
		cwt_size_watch_start();
}

void cwt_size_watch_start(void)
{
	queue_delayed_work(cwt_slow_wq, &watch, HZ);
}

void cwt_size_watch_stop(void)
{
	cancel_delayed_work_sync(&watch);
}
