// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which paths of a session the disk may use, and the moves of its I/O between ranks. path_rank.c
 * decides which paths carry I/O.
 *
 * cw_path.used says whether the disk may use a path. It changes under the lock of the session,
 * together with ops->up and ops->withdraw. A path that is not LIVE is not used. So one look at all
 * paths decides, and no move is ever half done when another path is lost, joins or is removed.
 *
 * In a move, the new paths come before the old ones go, so the disk is never without a path. A path
 * that stands by keeps its connection, and the commands that it has are answered there. Nothing
 * waits for that, and no fence is owed. If the path is lost before, it ends as any other one does:
 * its writes wait for its fence. Messages that were gathered on the path for a batch are sent by
 * the work of the path, after the operations of the block layer that had found the path.
 *
 * A path that is being removed is used until its removal withdraws it. A path that was withdrawn
 * and does not leave after all takes part in the next look.
 *
 * With CW_SESSION_CLOSE set, no path is used anew and none is withdrawn: cw_session_close() stops
 * them.
 *
 * tests/unit/ranks_test.cpp runs this file with sessions and paths that have little else.
 */
#ifdef __KERNEL__
#include <linux/ktime.h>
#include <linux/rcupdate.h>

#include "../../netlink/netlink.h"
#include "liveness.h"
#include "path_rank.h"
#include "ranks.h"
#endif
#include "path_list.h"

#define CW_RANK_ASK_AGAIN_MS 20 /* after a probe that its control link did not take */

static u8 cw_path_rank(const struct cw_path *p)
{
	return cw_rank_of(p->factory->transport);
}

bool cw_path_has_better(const struct cw_path *p)
{
	const struct cw_session *s = p->session;
	unsigned int i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < s->nr_paths; i++)
		if (cw_path_stays(s->paths[i]) && cw_path_rank(s->paths[i]) < cw_path_rank(p))
			return true;
	return false;
}

static u32 cw_path_live_ms(const struct cw_path *p)
{
	return min_t(u64, div_u64(ktime_get_ns() - p->live_since, NSEC_PER_MSEC), U32_MAX);
}

static const char *cw_path_transport_name(const struct cw_path *p)
{
	return p->factory->transport == CW_TRANSPORT_TCP ? "TCP" : "RDMA";
}

/* ---- the moves that users see ---- */

static void cw_session_say_fallback(struct cw_session *s, const struct cw_path *to)
{
	s->fallbacks++;
	strscpy(s->fallback_reason, s->loss_reason, sizeof(s->fallback_reason));
	pr_warn_ratelimited("causeway: %s/%s: path %u over %s carries I/O now, because %s\n",
			    s->config.server, s->config.name, to->number,
			    cw_path_transport_name(to), s->fallback_reason);
	cw_event(CW_EVENT_FALLBACK, CW_ROLE_CLIENT, s->config.server, s->config.name,
		 "path %u over %s carries I/O now, because %s", to->number,
		 cw_path_transport_name(to), s->fallback_reason);
}

/* @moved: paths of the worse rank carried I/O until now */
static void cw_session_say_return(struct cw_session *s, const struct cw_path *to, bool moved)
{
	char reason[CW_LOSS_REASON_SIZE];

	/* The first path that is live may be one of a worse rank: then I/O moves, and not back. */
	if (s->returns == s->fallbacks)
		return;
	s->returns++;
	if (moved)
		scnprintf(reason, sizeof(reason), "it has been live for %u ms",
			  cw_path_live_ms(to));
	else
		strscpy(reason, s->loss_reason, sizeof(reason));
	pr_info_ratelimited("causeway: %s/%s: path %u over %s carries I/O now, because %s\n",
			    s->config.server, s->config.name, to->number,
			    cw_path_transport_name(to), reason);
	cw_event(CW_EVENT_RETURN, CW_ROLE_CLIENT, s->config.server, s->config.name,
		 "path %u over %s carries I/O now, because %s", to->number,
		 cw_path_transport_name(to), reason);
}

/* Compares the rank of the paths in use with that of the last ones, also of an earlier login. */
static void cw_session_note_rank(struct cw_session *s, bool moved)
{
	const struct cw_path *to = NULL;
	u8 before = s->used_rank;
	unsigned int i;

	for (i = 0; i < s->nr_paths && !to; i++)
		if (s->paths[i]->used)
			to = s->paths[i];
	if (!to)
		return;
	s->used_rank = cw_path_rank(to) + 1;
	if (before && before < s->used_rank)
		cw_session_say_fallback(s, to);
	else if (before > s->used_rank)
		cw_session_say_return(s, to, moved);
}

/* ---- the paths that carry I/O ---- */

void cw_path_begin_settling(struct cw_path *p)
{
	lockdep_assert_held(&p->session->lock);
	p->live_since = ktime_get_ns();
	WRITE_ONCE(p->asked, false);
}

void cw_path_use(struct cw_path *p, bool new_instance)
{
	lockdep_assert_held(&p->session->lock);
	p->used = true;
	WRITE_ONCE(p->asked, false);
	p->session->ops->up(p->session, p, new_instance);
}

static void cw_path_stand_by(struct cw_path *p)
{
	p->used = false;
	p->session->ops->withdraw(p->session, p);
	set_bit(CW_PATH_FLUSH, &p->flags);
	queue_work(cw_client_wq, &p->work);
}

/* Sends the probe that a path which has settled has to answer. Returns false if it was not sent. */
static bool cw_path_ask_settled(struct cw_path *p)
{
	if (p->asked)
		return true;
	p->asked_alives = READ_ONCE(p->alives);
	/* Before the probe: the answer calls the work of the path, see cw_path_alive(). */
	WRITE_ONCE(p->asked, true);
	if (!cw_path_probe(p))
		return true;
	WRITE_ONCE(p->asked, false);
	return false;
}

unsigned long cw_session_rank_again(struct cw_session *s)
{
	struct cw_rank_path paths[CW_WIRE_PATHS] = {};
	struct cw_rank_wait wait;
	bool moved = false;
	struct cw_path *p;
	unsigned int i;
	u32 chosen;

	lockdep_assert_held(&s->lock);
	if (test_bit(CW_SESSION_CLOSE, &s->flags))
		return MAX_JIFFY_OFFSET;
	for (i = 0; i < s->nr_paths; i++) {
		p = s->paths[i];
		paths[i] = (struct cw_rank_path) {
			.live = p->used || (cw_path_stays(p) && cw_path_seems_alive(p)),
			.carries = p->used,
			.answers = p->asked && READ_ONCE(p->alives) != p->asked_alives,
			.rank = cw_path_rank(p),
			.relapses = p->relapses,
			.live_ms = cw_path_live_ms(p),
		};
	}
	chosen = cw_rank_choose(paths, s->nr_paths, &wait);
	for (i = 0; i < s->nr_paths; i++)
		if ((chosen & BIT(i)) && !s->paths[i]->used)
			cw_path_use(s->paths[i], false);
	for (i = 0; i < s->nr_paths; i++) {
		if ((chosen & BIT(i)) || !s->paths[i]->used)
			continue;
		cw_path_stand_by(s->paths[i]);
		moved = true;
	}
	cw_session_note_rank(s, moved);
	for (i = 0; i < s->nr_paths; i++) {
		if (!(wait.ask & BIT(i)))
			WRITE_ONCE(s->paths[i]->asked, false);
		else if (!cw_path_ask_settled(s->paths[i]))
			wait.ms = min_t(u32, wait.ms, CW_RANK_ASK_AGAIN_MS);
	}
	/* One tick is added, because jiffies may lag behind the time by part of a tick. */
	return wait.ms == CW_RANK_NEVER ? MAX_JIFFY_OFFSET : msecs_to_jiffies(wait.ms) + 1;
}

void cw_session_rank(struct cw_session *s)
{
	if (cw_session_rank_again(s) != MAX_JIFFY_OFFSET)
		cw_session_decide(s);
}

void cw_path_is_over(struct cw_path *p)
{
	struct cw_session *s = p->session;

	lockdep_assert_held(&s->lock);
	p->relapses = cw_rank_relapses(p->relapses, cw_path_live_ms(p));
	if (!p->used)
		return;
	p->used = false;
	mutex_lock(&s->reason_lock);
	scnprintf(s->loss_reason, sizeof(s->loss_reason), "path %u was lost: %s", p->number,
		  p->reason);
	mutex_unlock(&s->reason_lock);
}

void cw_path_withdraw(struct cw_path *p)
{
	struct cw_session *s = p->session;

	lockdep_assert_held(&s->lock);
	if (!p->used)
		return;
	p->used = false;
	scnprintf(s->loss_reason, sizeof(s->loss_reason), "path %u is being removed", p->number);
	cw_session_rank(s); /* before the disk gives this one up */
	s->ops->withdraw(s, p);
}

void cw_path_flush(struct cw_path *p)
{
	unsigned int i;

	lockdep_assert_held(&p->lock);
	/* For the operations of the block layer that had found the path. */
	synchronize_rcu();
	for (i = 0; i < p->nr_links; i++)
		cw_link_flush(p->links[i]);
}
