// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths that are added to a session, and removed from it, while the session is there.
 *
 * The end of a live path has this order: leaving is set, the disk gives it no more commands, the
 * commands that it has are answered, PATH_BYE is sent, and the connection ends. No write is without
 * its answer then, so the path owes no fence. The path stays LIVE until PATH_BYE: its works take
 * the messages of its control link, and end it if it is lost meanwhile.
 *
 * Before that, another live path must answer a probe: a path that looks live may be dead for some
 * seconds. If the other paths are lost before the end, cw_session_lost() clears leaving, the disk
 * uses the path again, and the removal ends with an error. If the commands are not answered in
 * time, the path ends like one that was lost.
 *
 * A thread that removes a path holds a reference to the session, and calls ops only under the lock
 * of the path and without CW_SESSION_CLOSE. cw_session_close() sets the bit, and takes that lock
 * before it returns. So no op is called after that.
 *
 * tests/unit/path_change_test.cpp runs this file with sessions and paths that have little else.
 */
#ifdef __KERNEL__
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "../../netlink/netlink.h"
#include "liveness.h"
#include "path_change.h"
#include "ranks.h"
#endif
#include "path_list.h"

#define CW_REMOVAL_ASK_MS 1000 /* for another path to answer a probe */
#define CW_REMOVAL_MS 10000 /* for the answers of the commands of a path that is removed */
#define CW_REMOVAL_LOOK_MS 5
#define CW_PATH_BYE_MS 1000 /* for the server to end the connection */

static int cw_session_say_closing(const struct cw_session *s, char *reason)
{
	scnprintf(reason, CW_REASON_SIZE, "%s/%s is being detached", s->config.server,
		  s->config.name);
	return -ENODEV;
}

/* ---- adding ---- */

bool cw_session_path_config(struct cw_session *s, u8 number, struct cw_path_config *config)
{
	const struct cw_path *p;
	bool found = false;

	*config = (struct cw_path_config) {};
	mutex_lock(&s->lock);
	if (number < s->nr_paths && !cw_path_is_removed(s->paths[number])) {
		p = s->paths[number];
		config->address = p->address;
		config->local = p->local;
		config->transport = p->factory->transport;
		found = true;
	}
	mutex_unlock(&s->lock);
	return found;
}
EXPORT_SYMBOL_GPL(cw_session_path_config);

/* The path is new, or was removed: no attempt reads its addresses. s->lock is held. */
static void cw_path_begin_again(struct cw_path *p, const struct cw_path_config *config)
{
	struct cw_session *s = p->session;

	cw_path_set_ends(p, config);
	p->attempts = 0;
	p->retry_at = jiffies;
	p->refused = false;
	p->failed = false;
	p->relapses = 0;
	p->losses = 0;
	p->fences = 0;
	p->fence_ns = 0;
	p->device[0] = '\0';
	s->tried &= ~BIT(p->number);
	mutex_lock(&s->reason_lock);
	p->reason[0] = '\0';
	p->error = 0;
	mutex_unlock(&s->reason_lock);
	cw_path_change(p, CW_PATH_DOWN);
}

/*
 * A server that knows one path only may be replaced by a later version, so the path is added all
 * the same.
 */
static void cw_path_explain_wait(struct cw_path *p)
{
	struct cw_session *s = p->session;

	if (s->state != CW_STATE_LIVE || (s->features & CW_FEATURE_PATHS))
		return;
	mutex_lock(&s->reason_lock);
	strscpy(p->reason, "the server knows a single path only", CW_REASON_SIZE);
	p->error = -EOPNOTSUPP;
	mutex_unlock(&s->reason_lock);
}

int cw_session_add_path(struct cw_session *s, const struct cw_path_config *config, u8 number,
			char *reason)
{
	struct cw_path *fresh = cw_path_create(s, number, config);
	int ret = 0;

	if (!fresh) {
		strscpy(reason, "no memory for a path", CW_REASON_SIZE);
		return -ENOMEM;
	}
	fresh->retry_at = jiffies;
	mutex_lock(&s->lock);
	if (test_bit(CW_SESSION_CLOSE, &s->flags)) {
		ret = cw_session_say_closing(s, reason);
	} else if (s->state == CW_STATE_REVOKED) {
		scnprintf(reason, CW_REASON_SIZE,
			  "the server has refused %s/%s for good, so no path helps: detach the disk",
			  s->config.server, s->config.name);
		ret = -EKEYREVOKED;
	} else if (number == s->nr_paths) {
		cw_session_publish_path(s, fresh);
		fresh = NULL;
	} else {
		cw_path_begin_again(s->paths[number], config);
	}
	if (!ret) {
		cw_path_explain_wait(s->paths[number]);
		cw_session_try_now(s);
	}
	mutex_unlock(&s->lock);
	cw_path_free(fresh);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_session_add_path);

/* ---- removing ---- */

/* True if another path seems alive, that stays. */
static bool cw_path_may_leave(const struct cw_path *p)
{
	const struct cw_session *s = p->session;
	unsigned int i;

	for (i = 0; i < s->nr_paths; i++)
		if (s->paths[i] != p && cw_path_stays(s->paths[i]) &&
		    cw_path_seems_alive(s->paths[i]))
			return true;
	return false;
}

/* From here on no attempt begins, and an attempt that is under way is given up. */
static int cw_path_begin_removal(struct cw_session *s, u32 number, char *reason)
{
	const char *server = s->config.server, *name = s->config.name;
	struct cw_path *p;

	lockdep_assert_held(&s->lock);
	if (test_bit(CW_SESSION_CLOSE, &s->flags))
		return cw_session_say_closing(s, reason);
	if (number >= s->nr_paths || cw_path_is_removed(s->paths[number])) {
		scnprintf(reason, CW_REASON_SIZE, "%s/%s has no path %u", server, name, number);
		return -ENOENT;
	}
	p = s->paths[number];
	if (p->leaving) {
		scnprintf(reason, CW_REASON_SIZE, "path %u of %s/%s is being removed already",
			  number, server, name);
		return -EBUSY;
	}
	if (!cw_session_has_other_path(p, false)) {
		scnprintf(reason, CW_REASON_SIZE,
			  "path %u is the last one of %s/%s: detach the disk instead", number,
			  server, name);
		return -EBUSY;
	}
	if (p->state == CW_PATH_LIVE && !cw_path_may_leave(p)) {
		scnprintf(reason, CW_REASON_SIZE,
			  "path %u is the only live one of %s/%s: wait until another one is live, or detach the disk",
			  number, server, name);
		return -EBUSY;
	}
	WRITE_ONCE(p->leaving, true);
	return 0;
}

/* The probes that a removal has sent to the other paths. */
struct cw_asked {
	bool sent[CW_WIRE_PATHS]; /* a probe */
	u32 alives[CW_WIRE_PATHS]; /* of each path before the probe */
};

/* Asks each other path that was not asked. Returns true if one of them has answered since. */
static bool cw_path_others_answer(const struct cw_path *p, struct cw_asked *asked)
{
	struct cw_session *s = p->session;
	struct cw_path *other;
	unsigned int i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < s->nr_paths; i++) {
		other = s->paths[i];
		if (other == p || !cw_path_stays(other) || !cw_path_seems_alive(other))
			continue;
		if (asked->sent[i]) {
			if (READ_ONCE(other->alives) != asked->alives[i])
				return true;
			continue;
		}
		asked->alives[i] = READ_ONCE(other->alives);
		asked->sent[i] = !cw_path_probe(other);
	}
	return false;
}

static int cw_path_say_stays(const struct cw_path *p, const char *why, char *reason)
{
	const struct cw_session *s = p->session;

	scnprintf(reason, CW_REASON_SIZE, "path %u of %s/%s stays: %s", p->number,
		  s->config.server, s->config.name, why);
	return -EBUSY;
}

/* Waits until another path has answered a probe, unless the path is not live. */
static int cw_path_ask_others(struct cw_path *p, char *reason)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(CW_REMOVAL_ASK_MS);
	struct cw_session *s = p->session;
	struct cw_asked asked = {};
	bool may, stays;

	for (;;) {
		mutex_lock(&s->lock);
		may = p->state != CW_PATH_LIVE || test_bit(CW_SESSION_CLOSE, &s->flags) ||
		      cw_path_others_answer(p, &asked);
		stays = !may && (!p->leaving || time_after(jiffies, deadline) ||
				 signal_pending(current));
		if (stays) {
			WRITE_ONCE(p->leaving, false);
			cw_session_rank(s);
		}
		mutex_unlock(&s->lock);
		if (stays)
			return cw_path_say_stays(p, "no other path answers", reason);
		if (may)
			return 0;
		/* Nothing wakes this when a probe is answered. */
		wait_event_interruptible_timeout(p->arrived,
						 test_bit(CW_SESSION_CLOSE, &s->flags) ||
						 READ_ONCE(p->state) != CW_PATH_LIVE,
						 msecs_to_jiffies(CW_REMOVAL_LOOK_MS) + 1);
	}
}

/*
 * Ends the removal of a live path if no other one seems alive, though the work that finds them lost
 * has not run yet. Returns false if the path stays.
 */
static bool cw_path_may_still_leave(struct cw_path *p)
{
	struct cw_session *s = p->session;

	lockdep_assert_held(&s->lock);
	if (p->leaving && !cw_path_may_leave(p)) {
		WRITE_ONCE(p->leaving, false);
		cw_session_rank(s);
	}
	return p->leaving;
}

/* The disk gives the path no more commands, and the path sends those that it has gathered. */
static void cw_path_stop(struct cw_path *p)
{
	struct cw_session *s = p->session;

	lockdep_assert_held(&p->lock);
	mutex_lock(&s->lock);
	/* The other paths may just have been lost. */
	if (cw_path_may_still_leave(p) && !test_bit(CW_SESSION_CLOSE, &s->flags))
		cw_path_withdraw(p);
	mutex_unlock(&s->lock);
	cw_path_flush(p);
}

/* How a path has left its disk. */
enum cw_path_drained {
	CW_DRAINED_WAITS, /* commands are outstanding */
	CW_DRAINED_ANSWERED, /* all of its commands are answered */
	CW_DRAINED_ENDED, /* it has no connection, or lost it */
	CW_DRAINED_STAYS, /* the disk uses it again */
	CW_DRAINED_CLOSING, /* the session ends */
};

static enum cw_path_drained cw_path_drained(struct cw_path *p)
{
	lockdep_assert_held(&p->lock);
	if (test_bit(CW_SESSION_CLOSE, &p->session->flags))
		return CW_DRAINED_CLOSING;
	if (!READ_ONCE(p->leaving))
		return CW_DRAINED_STAYS;
	if (p->state != CW_PATH_LIVE)
		return CW_DRAINED_ENDED;
	if (test_bit(CW_PATH_LOST, &p->flags)) {
		cw_path_lost(p);
		return CW_DRAINED_ENDED;
	}
	return cw_path_has_commands(p) ? CW_DRAINED_WAITS : CW_DRAINED_ANSWERED;
}

/*
 * Stops the path, and waits until its commands are answered. Takes p->lock, which is held on
 * return, and drops it while it waits: the works of the path need it.
 */
static enum cw_path_drained cw_path_drain(struct cw_path *p)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(CW_REMOVAL_MS);
	struct cw_session *s = p->session;
	enum cw_path_drained drained;

	mutex_lock(&p->lock);
	if (p->state == CW_PATH_LIVE)
		cw_path_stop(p);
	for (;;) {
		drained = cw_path_drained(p);
		if (drained != CW_DRAINED_WAITS || time_after(jiffies, deadline) ||
		    signal_pending(current))
			return drained;
		mutex_unlock(&p->lock);
		/* Nothing wakes this when the last command is answered. */
		wait_event_interruptible_timeout(p->arrived,
						 test_bit(CW_SESSION_CLOSE, &s->flags) ||
						 !READ_ONCE(p->leaving) ||
						 READ_ONCE(p->state) != CW_PATH_LIVE ||
						 test_bit(CW_PATH_LOST, &p->flags),
						 msecs_to_jiffies(CW_REMOVAL_LOOK_MS) + 1);
		mutex_lock(&p->lock);
	}
}

static int cw_path_say_others_lost(const struct cw_path *p, char *reason)
{
	return cw_path_say_stays(p, "the other paths were lost meanwhile", reason);
}

/* From here on the disk does not get the path back. Returns false if it has the path again. */
static bool cw_path_begin_end(struct cw_path *p)
{
	struct cw_session *s = p->session;
	bool ends;

	lockdep_assert_held(&p->lock);
	mutex_lock(&s->lock);
	/* It may have been used again since it was withdrawn, and be removed by another thread. */
	ends = cw_path_may_still_leave(p) && !p->used && cw_path_change(p, CW_PATH_DYING);
	if (ends)
		cw_path_stop_carrying(p);
	mutex_unlock(&s->lock);
	return ends;
}

/* Sends PATH_BYE, and waits until the server has ended the connection. */
static void cw_path_say_bye(struct cw_path *p)
{
	const struct cw_incarnation which = { .path = p->number, .epoch = p->epoch };
	struct cw_session *s = p->session;
	struct cw_wire_incarnation rec;

	cw_pack_incarnation(&rec, &which);
	if (cw_link_send_control(p->control, CW_MSG_PATH_BYE, &rec, sizeof(rec)))
		return;
	wait_event_timeout(p->arrived, cw_link_is_dead(p->control) ||
			   test_bit(CW_SESSION_CLOSE, &s->flags), msecs_to_jiffies(CW_PATH_BYE_MS));
}

/* The commands of the path are answered. */
static int cw_path_leave(struct cw_path *p, char *reason)
{
	struct cw_session *s = p->session;
	bool owes;

	if (!cw_path_begin_end(p))
		return cw_path_say_others_lost(p, reason);
	cw_path_say_bye(p);
	owes = cw_path_tear_down(p);
	mutex_lock(&s->lock);
	/* An answer that was malformed is counted, but its request has none. */
	if (owes)
		cw_path_set_fence(p, &p->fence, p->epoch, 0);
	cw_path_change(p, CW_PATH_DOWN);
	/* The other paths may have been lost meanwhile, and then the login waits for this one. */
	if (s->state != CW_STATE_LIVE)
		cw_session_retry_later(s);
	mutex_unlock(&s->lock);
	return 0;
}

/* The commands of the path are not answered: it ends like one that was lost. */
static int cw_path_cut(struct cw_path *p, char *reason)
{
	if (!cw_path_begin_end(p))
		return cw_path_say_others_lost(p, reason);
	WRITE_ONCE(p->kicked, "removed before its commands were answered");
	cw_path_lost(p);
	return 0;
}

/* The path has no connection. A fence that it owes stays. */
static int cw_path_removed(struct cw_path *p, char *reason)
{
	struct cw_session *s = p->session;
	bool removed;

	mutex_lock(&s->lock);
	removed = p->leaving && cw_path_change(p, CW_PATH_REMOVED);
	if (removed) {
		p->refused = false;
		WRITE_ONCE(p->leaving, false);
	}
	mutex_unlock(&s->lock);
	if (!removed)
		return cw_path_say_others_lost(p, reason);
	cw_path_empty(p);
	pr_info("causeway: %s/%s: path %u removed\n", s->config.server, s->config.name, p->number);
	cw_event(CW_EVENT_PATH_DOWN, CW_ROLE_CLIENT, s->config.server, s->config.name,
		 "path %u: removed", p->number);
	return 0;
}

static int cw_path_remove(struct cw_path *p, char *reason)
{
	int ret = 0;

	switch (cw_path_drain(p)) {
	case CW_DRAINED_WAITS:
		ret = cw_path_cut(p, reason);
		break;
	case CW_DRAINED_ANSWERED:
		ret = cw_path_leave(p, reason);
		break;
	case CW_DRAINED_ENDED:
		break;
	case CW_DRAINED_STAYS:
		ret = cw_path_say_others_lost(p, reason);
		break;
	case CW_DRAINED_CLOSING:
		ret = cw_session_say_closing(p->session, reason);
		break;
	}
	if (!ret)
		ret = cw_path_removed(p, reason);
	mutex_unlock(&p->lock);
	return ret;
}

void cw_session_take_back(struct cw_session *s)
{
	unsigned int i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < s->nr_paths; i++)
		if (cw_path_stays(s->paths[i]) && s->paths[i]->state == CW_PATH_LIVE)
			return;
	for (i = 0; i < s->nr_paths; i++)
		if (s->paths[i]->state == CW_PATH_LIVE && !test_bit(CW_SESSION_CLOSE, &s->flags))
			WRITE_ONCE(s->paths[i]->leaving, false);
}

int cw_session_remove_path(struct cw_session *s, u32 number, char *reason)
{
	struct cw_path *p;
	unsigned int noio;
	int ret;

	/* Memory may be full of what waits for this very disk. */
	noio = memalloc_noio_save();
	mutex_lock(&s->lock);
	ret = cw_path_begin_removal(s, number, reason);
	mutex_unlock(&s->lock);
	if (!ret) {
		p = s->paths[number];
		cw_path_interrupt(p);
		flush_work(&p->connect);
		ret = cw_path_ask_others(p, reason) ?: cw_path_remove(p, reason);
	}
	memalloc_noio_restore(noio);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_session_remove_path);
