// SPDX-License-Identifier: GPL-2.0-only
/*
 * A port of this host that goes down takes its paths with it, and a port that comes up may bring
 * them back.
 *
 * A lost port ends a path at once if another path is live that does not use the port: the queue
 * pairs of the path would repeat their packets for seconds. The only path is probed instead,
 * because a cable may be back before the queue pairs give up. A port that comes up makes all paths
 * that are down try at once. An attempt that waits for a lost connection request begins anew.
 */
#include "../../verbs/device.h"
#include "backoff.h"
#include "path.h"
#include "ports.h"

/* session->lock is held. */
static bool cw_path_uses(const struct cw_path *p, const struct cw_port_change *change)
{
	return p->state == CW_PATH_LIVE && p->factory->transport == CW_TRANSPORT_RDMA &&
	       !strcmp(p->device, dev_name(&change->ib->dev)) &&
	       (!change->port || change->port == p->device_port);
}

static bool cw_session_has_other(const struct cw_session *s, const struct cw_port_change *change)
{
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++)
		if (s->paths[i]->state == CW_PATH_LIVE && !cw_path_uses(s->paths[i], change))
			return true;
	return false;
}

static void cw_session_port_lost(struct cw_session *s, const struct cw_port_change *change)
{
	bool other = cw_session_has_other(s, change);
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++) {
		struct cw_path *p = s->paths[i];

		if (!cw_path_uses(p, change))
			continue;
		if (other)
			cw_link_kill(p->control, -ENETDOWN, "port %u of %s went down",
				     p->device_port, p->device);
		else
			cw_path_busy(p);
	}
}

/*
 * The rule that ten logins and joins may begin in a second holds all the same. An attempt that is
 * younger than their distance goes on: a port that comes up is reported several times.
 */
static void cw_session_port_is_up(struct cw_session *s)
{
	bool old = jiffies_to_msecs(jiffies - s->began_at) > CW_BACKOFF_LEAST_MS;
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++) {
		struct cw_path *p = s->paths[i];

		if (p->state == CW_PATH_CONNECTING && old)
			cw_path_restart(p);
		else if (p->state == CW_PATH_DOWN)
			p->retry_at = jiffies;
	}
	cw_session_try_now(s);
}

static int cw_client_port_changed(struct notifier_block *nb, unsigned long unused, void *data)
{
	const struct cw_port_change *change = data;
	struct cw_session *s;

	mutex_lock(&cw_sessions_lock);
	list_for_each_entry(s, &cw_sessions, entry) {
		mutex_lock(&s->lock);
		if (test_bit(CW_SESSION_CLOSE, &s->flags))
			; /* its paths end */
		else if (change->lost)
			cw_session_port_lost(s, change);
		else
			cw_session_port_is_up(s);
		mutex_unlock(&s->lock);
	}
	mutex_unlock(&cw_sessions_lock);
	return NOTIFY_DONE;
}

static struct notifier_block cw_client_ports = { .notifier_call = cw_client_port_changed };

void cw_client_watch_ports(void)
{
	cw_device_watch_ports(&cw_client_ports);
}

void cw_client_unwatch_ports(void)
{
	cw_device_unwatch_ports(&cw_client_ports);
}
