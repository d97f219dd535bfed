// SPDX-License-Identifier: GPL-2.0-only
/*
 * A path of a session: its memory, and the end of its connection. connect.c makes the connection.
 *
 * The end has this order: the disk stops, all links are killed and drained, the disk takes back the
 * requests in their slots, and the links are freed. So no adapter uses the memory of a request that
 * is taken back, and the slots are there as long as they hold requests.
 */
#include <linux/slab.h>

#include "../../link/rdma/connect.h"
#include "../../link/tcp/connect.h"
#include "liveness.h"
#include "path_list.h"

#define CW_LETTERS_MAX 16

/* ---- life ---- */

void cw_path_set_ends(struct cw_path *p, const struct cw_path_config *config)
{
	p->factory = config->transport == CW_TRANSPORT_TCP ? &cw_link_tcp_factory :
							     &cw_link_rdma_factory;
	p->address = config->address;
	p->local = config->local;
}

struct cw_path *cw_path_create(struct cw_session *s, u8 number,
			       const struct cw_path_config *config)
{
	struct cw_path *p = kvzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	p->session = s;
	p->number = number;
	cw_path_set_ends(p, config);
	mutex_init(&p->lock);
	mutex_init(&p->stats_lock);
	spin_lock_init(&p->making_lock);
	cw_inbox_init(&p->inbox, CW_LETTERS_MAX);
	cw_reserve_init(&p->reserve);
	init_waitqueue_head(&p->arrived);
	INIT_WORK(&p->connect, cw_path_connect_work);
	INIT_WORK(&p->work, cw_path_work);
	INIT_DELAYED_WORK(&p->watch, cw_path_watch);
	return p;
}

void cw_path_free(struct cw_path *p)
{
	if (p)
		mutex_destroy(&p->lock);
	kvfree(p);
}

void cw_path_cancel(struct cw_path *p)
{
	cancel_work_sync(&p->connect);
	cancel_work_sync(&p->work);
	cancel_delayed_work_sync(&p->watch);
}

bool cw_path_is_given_up(const struct cw_path *p)
{
	return test_bit(CW_SESSION_CLOSE, &p->session->flags) || READ_ONCE(p->leaving) ||
	       READ_ONCE(p->state) == CW_PATH_DYING;
}

bool cw_path_change(struct cw_path *p, enum cw_path_state to)
{
	lockdep_assert_held(&p->session->lock);
	if (!cw_path_may(p->state, to))
		return false;
	WRITE_ONCE(p->state, to);
	return true;
}

void cw_path_say(struct cw_path *p, int err, const char *fmt, ...)
{
	struct cw_session *s = p->session;
	char reason[CW_REASON_SIZE];
	va_list args;

	va_start(args, fmt);
	vscnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	mutex_lock(&s->reason_lock);
	strscpy(p->reason, reason, sizeof(p->reason));
	p->error = err;
	if (p->role != CW_PATH_JOIN && !READ_ONCE(p->leaving)) {
		if (cw_session_count_paths(s) > 1)
			scnprintf(s->reason, sizeof(s->reason), "path %u: %.*s", p->number,
				  CW_REASON_SIZE - 8, reason);
		else
			strscpy(s->reason, reason, sizeof(s->reason));
		s->error = err;
	}
	mutex_unlock(&s->reason_lock);
}

void cw_path_empty(struct cw_path *p)
{
	cw_inbox_empty(&p->inbox);
	cw_reserve_empty(&p->reserve);
}

/* ---- an attempt to connect ---- */

void cw_path_making(void *path, struct cw_link *link)
{
	struct cw_path *p = path;
	unsigned long flags;

	spin_lock_irqsave(&p->making_lock, flags);
	WRITE_ONCE(p->making, link); /* cw_client_down() reads it without the lock */
	if (link && cw_path_is_given_up(p))
		cw_link_kill(link, -EINTR, "interrupted");
	spin_unlock_irqrestore(&p->making_lock, flags);
}

void cw_path_interrupt(struct cw_path *p)
{
	unsigned long flags;

	spin_lock_irqsave(&p->making_lock, flags);
	if (p->making)
		cw_link_kill(p->making, -EINTR, "interrupted");
	spin_unlock_irqrestore(&p->making_lock, flags);
	wake_up_all(&p->arrived);
}

void cw_path_restart(struct cw_path *p)
{
	unsigned long flags;

	lockdep_assert_held(&p->session->lock);
	if (p->restarted)
		return;
	spin_lock_irqsave(&p->making_lock, flags);
	/* The death of a data link would end the path at the server. */
	if (p->making && p->making->kind == CW_LINK_CONTROL) {
		p->restarted = true;
		cw_link_kill(p->making, -EAGAIN, "the port of this host came up");
	}
	spin_unlock_irqrestore(&p->making_lock, flags);
}

/* ---- the end of a connection ---- */

bool cw_path_is_idle(const struct cw_path *p)
{
	unsigned int i;

	for (i = 0; i < p->nr_links; i++)
		if (cw_link_waits(p->links[i]))
			return false;
	return true;
}

/* A link leaves the path under stats_lock before it is freed, because dumps read the links. */
void cw_path_free_links(struct cw_path *p)
{
	struct cw_link *link;
	unsigned int i;

	/* All first: the free of a link waits for a grace period that begins at its drain. */
	for (i = 0; i < ARRAY_SIZE(p->links); i++)
		if (p->links[i])
			cw_link_drain(p->links[i]);
	if (p->control)
		cw_link_drain(p->control);
	for (i = 0; i < ARRAY_SIZE(p->links); i++) {
		link = p->links[i];
		if (!link)
			continue;
		mutex_lock(&p->stats_lock);
		cw_stats_add(&p->past, &link->stats);
		p->links[i] = NULL;
		mutex_unlock(&p->stats_lock);
		cw_link_free(link);
	}
	link = p->control;
	WRITE_ONCE(p->control, NULL);
	cw_link_free(link);
	p->nr_links = 0;
}

/* The reason of the link that died first is the reason of the loss. */
void cw_path_find_reason(struct cw_path *p)
{
	const char *kicked = READ_ONCE(p->kicked);
	unsigned int i;

	if (kicked) {
		cw_path_say(p, -ETIMEDOUT, "%s", kicked);
		return;
	}
	if (p->control && test_bit(1, &p->control->dead) && p->control->error != -ECONNRESET) {
		cw_path_say(p, p->control->error, "%s", p->control->reason);
		return;
	}
	for (i = 0; i < p->nr_links; i++) {
		if (p->links[i] && test_bit(1, &p->links[i]->dead)) {
			cw_path_say(p, p->links[i]->error, "%s", p->links[i]->reason);
			return;
		}
	}
	if (p->control && test_bit(1, &p->control->dead))
		cw_path_say(p, p->control->error, "%s", p->control->reason);
}

bool cw_path_tear_down(struct cw_path *p)
{
	struct cw_session *s = p->session;
	unsigned int i, taken;

	lockdep_assert_held(&p->lock);
	s->ops->stop(s, p);
	/* All links first, so that none waits for another's timeout. */
	for (i = 0; i < p->nr_links; i++)
		cw_link_kill(p->links[i], -ESHUTDOWN, "closed here");
	if (p->control)
		cw_link_kill(p->control, -ESHUTDOWN, "closed here");
	/*
	 * The rkey of a request leads to memory only through the link of the request, which has a
	 * protection domain of its own. So the server's access ends with the drain of that link.
	 * The control link is drained too, because its last messages are read below.
	 */
	for (i = 0; i < p->nr_links; i++)
		cw_link_drain(p->links[i]);
	if (p->control)
		cw_link_drain(p->control);
	taken = s->ops->reap(s, p);
	/* Before the links are freed: the connection manager may wait for the peer then. */
	cw_path_reaped(p);
	cw_path_take_letters(p); /* one may have come just before the end */
	cw_path_free_links(p);
	return taken;
}

void cw_path_close(struct cw_path *p)
{
	struct cw_session *s = p->session;

	mutex_lock(&p->lock);
	mutex_lock(&s->lock);
	cw_path_change(p, CW_PATH_DYING); /* if it was live */
	mutex_unlock(&s->lock);
	cw_path_tear_down(p);
	cw_path_empty(p);
	mutex_lock(&s->lock);
	cw_path_change(p, CW_PATH_CLOSED);
	mutex_unlock(&s->lock);
	mutex_unlock(&p->lock);
}
