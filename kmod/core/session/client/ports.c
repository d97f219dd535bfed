// SPDX-License-Identifier: GPL-2.0-only
/*
 * A port of this host that goes down takes its paths with it, and a port that comes up may bring
 * them back.
 *
 * A lost port ends a path at once if another path is live that does not use the port: the queue
 * pairs of the path would repeat their packets for seconds. The only path stays, because a cable
 * may be back before the queue pairs give up. A port that comes up, or has other addresses, makes
 * all paths that are down try at once. A port that comes up also makes an attempt begin anew that
 * waits for a connection request which may be lost.
 *
 * The notifier only queues a work: the RDMA core holds locks, without which no path comes back, and
 * the locks of sessions may be held by a thread that waits for memory.
 */
#include <linux/slab.h>

#include "../../verbs/device.h"
#include "path_list.h"
#include "ports.h"

struct cw_port_news {
	struct work_struct work;
	char device[64];
	u32 port; /* 0: all */
	bool lost, up;
};

/* session->lock is held. */
static bool cw_path_uses(const struct cw_path *p, const struct cw_port_news *news)
{
	return p->state == CW_PATH_LIVE && p->factory->transport == CW_TRANSPORT_RDMA &&
	       !strcmp(p->device, news->device) && (!news->port || news->port == p->device_port);
}

/* A path that is being removed counts: the disk uses it again if the others are lost. */
static bool cw_session_has_other(const struct cw_session *s, const struct cw_port_news *news)
{
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++)
		if (cw_path_seems_alive(s->paths[i]) && !cw_path_uses(s->paths[i], news))
			return true;
	return false;
}

static void cw_session_port_lost(struct cw_session *s, const struct cw_port_news *news)
{
	unsigned int i;

	if (!cw_session_has_other(s, news))
		return;
	for (i = 0; i < s->nr_paths; i++) {
		struct cw_path *p = s->paths[i];

		if (cw_path_uses(p, news))
			cw_link_kill(p->control, -ENETDOWN, "port %u of %s went down",
				     p->device_port, p->device);
	}
}

/* The rule that ten logins and joins may begin in a second holds all the same. */
static void cw_session_port_is_up(struct cw_session *s, bool up)
{
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++) {
		struct cw_path *p = s->paths[i];

		if (p->state == CW_PATH_CONNECTING && up)
			cw_path_restart(p);
		else if (p->state == CW_PATH_DOWN)
			p->retry_at = jiffies;
		p->failed = false; /* the reason may be gone */
	}
	cw_session_try_now(s);
}

static void cw_client_port_work(struct work_struct *work)
{
	struct cw_port_news *news = container_of(work, struct cw_port_news, work);
	struct cw_session *s;

	mutex_lock(&cw_sessions_lock);
	list_for_each_entry(s, &cw_sessions, entry) {
		mutex_lock(&s->lock);
		if (test_bit(CW_SESSION_CLOSE, &s->flags))
			; /* its paths end */
		else if (news->lost)
			cw_session_port_lost(s, news);
		else
			cw_session_port_is_up(s, news->up);
		mutex_unlock(&s->lock);
	}
	mutex_unlock(&cw_sessions_lock);
	kfree(news);
}

/* If memory is short, the silence of the path is noticed, and the pause ends by itself. */
static int cw_client_port_changed(struct notifier_block *nb, unsigned long unused, void *data)
{
	struct cw_port_news *news = kzalloc(sizeof(*news), GFP_ATOMIC);
	const struct cw_port_change *change = data;

	if (!news)
		return NOTIFY_DONE;
	INIT_WORK(&news->work, cw_client_port_work);
	strscpy(news->device, dev_name(&change->ib->dev), sizeof(news->device));
	news->port = change->port;
	news->lost = change->lost;
	news->up = change->up;
	queue_work(cw_client_wq, &news->work);
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
	flush_workqueue(cw_client_wq);
}
