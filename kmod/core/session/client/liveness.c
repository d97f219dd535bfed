// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks that the server of a live path is alive.
 */
#include "path.h"

/*
 * Liveness of a link: each message shows that the link is alive. A quiet link is probed, and killed
 * if the probes had no answer. Nothing else reports a queue pair whose adapter forgot to send.
 */
static void cw_path_look_at(const struct cw_path *p, struct cw_link *link)
{
	unsigned long last = READ_ONCE(link->last_rx);
	u32 probe_ms = p->grants.probe_ms;

	if (jiffies_to_msecs(jiffies - last) < probe_ms / 2) {
		link->probed = false;
		return;
	}
	if (!link->probed || time_after_eq(last, link->probed_at)) {
		link->probed = true;
		link->probed_at = jiffies;
	}
	/* It was quiet for up to one interval before. */
	if (jiffies_to_msecs(jiffies - link->probed_at) >= p->grants.dead_ms - probe_ms)
		cw_link_kill(link, -ETIMEDOUT, "the server was silent on %s link %u for %u ms",
			     link->kind == CW_LINK_CONTROL ? "control" : "data", link->index,
			     jiffies_to_msecs(jiffies - last));
	else
		cw_link_probe(link, 0);
}

void cw_path_watch(struct work_struct *work)
{
	struct cw_path *p = container_of(to_delayed_work(work), struct cw_path, watch);
	unsigned int i;

	/* A watch of an earlier connection does not wait for the lock of an attempt. */
	if (READ_ONCE(p->state) != CW_PATH_LIVE)
		return;
	mutex_lock(&p->lock);
	if (p->state != CW_PATH_LIVE || test_bit(CW_SESSION_CLOSE, &p->session->flags)) {
		mutex_unlock(&p->lock);
		return;
	}
	mutex_lock(&p->session->lock);
	cw_session_send_fences(p->session); /* for those that found no room in a control link */
	mutex_unlock(&p->session->lock);
	cw_path_look_at(p, p->control);
	for (i = 0; i < p->nr_links; i++) {
		struct cw_link *link = p->links[i];

		if (!cw_link_waits(link)) {
			link->probed = false;
			continue;
		}
		/* The thread that polls may be asleep while answers wait for it. */
		if (link->polled)
			cw_link_poll(link);
		cw_path_look_at(p, link);
	}
	queue_delayed_work(cw_client_wq, &p->watch, msecs_to_jiffies(p->grants.probe_ms));
	mutex_unlock(&p->lock);
}
