// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * The paths of a session: JOIN, FENCE and PATH_BYE (docs/PROTOCOL.md, section 7).
 *
 * A path that joined is a member of the machine, like the login whose secret it proved. A login and
 * the paths that joined it have the same floors, so the floors last as long as one of these paths
 * is live. The next login sets its own floors.
 */
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <string.h>
#endif

#include "machine.h"

#define CW_JOIN_MS 10000U

/* Both proved the secret of the same login. */
static bool cw_same_login(const struct cw_login *a, const struct cw_login *b)
{
	return a->login_epoch == b->login_epoch && cw_same_session(a, b);
}

/* A live path of the login whose secret @m proved, apart from @m itself; or NULL. */
static const struct cw_login *cw_live_path(const struct cw_owners *o, const struct cw_login *m)
{
	const struct cw_login *other;

	for (other = o->members; other; other = other->next)
		if (other != m && other->state == CW_LOGIN_LIVE && cw_same_login(other, m))
			return other;
	return NULL;
}

/* ---- JOIN ---- */

void cw_owners_join(struct cw_owners *o, struct cw_login *m, u64 now)
{
	m->state = CW_LOGIN_JUDGED;
	m->waits = CW_OWNERS_WAIT_LEDGER; /* until @m is judged */
	cw_owners_append(o, m);
	cw_owners_step(o, now);
}

/* The owner may have another session or none, or the export may be ending. */
static bool cw_session_may_join(const struct cw_owners *o, const struct cw_login *m)
{
	const struct cw_ledger_host *entry = cw_ledger_find(&o->ledger, m->owner.host);

	if (o->closed)
		return false;
	return o->read_only || (!o->ledger.outdated && entry && !entry->evicted &&
				cw_ledger_owns(entry, &m->owner));
}

struct cw_judgement cw_owners_judge_join(struct cw_owners *o, struct cw_login *m, u64 now)
{
	const struct cw_login *live = cw_live_path(o, m);
	struct cw_judgement judgement = {.verdict = CW_VERDICT_REFUSE};
	const struct cw_owners_floor *floor;

	if (!live || !cw_session_may_join(o, m)) {
		judgement.refusal = CW_OWNERS_NOT_LIVE;
		return judgement;
	}
	if (o->ops->limited(m)) {
		judgement.refusal = CW_OWNERS_LIMIT;
		return judgement;
	}
	floor = &live->floors[m->path];
	judgement.refusal = CW_OWNERS_NO_FENCE;
	if (floor->epoch >= m->epoch) {
		judgement.refusal = CW_OWNERS_STALE;
	} else if (floor->epoch == m->epoch - 1 && floor->state == CW_FLOOR_ANNOUNCED &&
		   floor->tag == m->tag) {
		judgement.verdict = CW_VERDICT_ADMIT;
	} else if (now < m->hello_at + CW_JOIN_MS) {
		m->waits = CW_OWNERS_WAIT_FENCE;
		cw_owners_wake(o, m->hello_at + CW_JOIN_MS);
		judgement.verdict = CW_VERDICT_WAIT;
	}
	return judgement;
}

static void cw_use_floor(struct cw_owners *o, struct cw_login *m)
{
	const struct cw_login *live = cw_live_path(o, m);
	struct cw_login *other;

	memcpy(m->floors, live->floors, sizeof(m->floors));
	for (other = o->members; other; other = other->next)
		if (other->admitted && cw_same_session(other, m))
			other->floors[m->path].state = CW_FLOOR_USED;
}

void cw_owners_set_floors(struct cw_owners *o, struct cw_login *m)
{
	u8 path;

	if (m->join) {
		cw_use_floor(o, m);
		return;
	}
	for (path = 0; path < CW_WIRE_PATHS; path++) {
		m->floors[path].epoch = m->epoch;
		m->floors[path].state = CW_FLOOR_CLOSED;
	}
}

/* ---- FENCE ---- */

/* A FENCE of @m's session for @path and @epoch names @other. */
static bool cw_fence_names(const struct cw_login *m, u8 path, u64 epoch,
			   const struct cw_login *other)
{
	return other->path == path && other->epoch <= epoch && cw_same_session(other, m);
}

static void cw_raise_floor(struct cw_owners_floor *floor, u64 epoch, u64 tag)
{
	if (epoch < floor->epoch)
		return;
	if (epoch > floor->epoch) {
		floor->epoch = epoch;
		floor->state = CW_FLOOR_CLOSED;
	}
	/* A FENCE that is sent again must not let its floor admit another JOIN. */
	if (tag && floor->state != CW_FLOOR_USED) {
		floor->state = CW_FLOOR_ANNOUNCED;
		floor->tag = tag;
	}
}

int cw_owners_fence(struct cw_owners *o, struct cw_login *m, u8 path, u64 epoch, u64 tag, u64 now)
{
	struct cw_login *other;

	if (path >= CW_WIRE_PATHS || path == m->path)
		return -EPROTO;
	if (m->state != CW_LOGIN_LIVE)
		return 0;
	for (other = o->members; other; other = other->next) {
		if (other->admitted && cw_same_session(other, m))
			cw_raise_floor(&other->floors[path], epoch, tag);
		if (cw_fence_names(m, path, epoch, other))
			cw_owners_end(o, other, "the client fenced this path");
	}
	if (epoch > m->fences[path])
		m->fences[path] = epoch;
	cw_owners_step(o, now);
	return 0;
}

/*
 * True if an incarnation that the FENCE of @m for @path names has links or commands. A login or
 * JOIN that was not admitted has no commands. None is admitted behind this FENCE: those that had
 * arrived were ended, and the floor bars later JOINs.
 */
static bool cw_fence_waits(const struct cw_owners *o, const struct cw_login *m, u8 path)
{
	const struct cw_login *other;

	for (other = o->members; other; other = other->next)
		if (other->admitted && other->state != CW_LOGIN_ENDED &&
		    cw_fence_names(m, path, m->fences[path], other))
			return true;
	return false;
}

void cw_owners_answer_fences(struct cw_owners *o)
{
	struct cw_login *m;
	u64 epoch;
	u8 path;

	for (m = o->members; m; m = m->next) {
		if (m->state != CW_LOGIN_LIVE && m->state != CW_LOGIN_LEAVING)
			continue;
		for (path = 0; path < CW_WIRE_PATHS; path++) {
			epoch = m->fences[path];
			if (!epoch || cw_fence_waits(o, m, path))
				continue;
			m->fences[path] = 0;
			o->ops->fenced(m, path, epoch);
		}
	}
}

/* ---- the end of paths ---- */

int cw_owners_path_bye(struct cw_owners *o, struct cw_login *m, u8 path, u64 epoch, u64 now)
{
	if (path != m->path || epoch != m->epoch)
		return -EPROTO;
	if (m->state == CW_LOGIN_LIVE)
		cw_owners_end(o, m, "the client removed this path");
	cw_owners_step(o, now);
	return 0;
}

void cw_owners_end_other_paths(struct cw_owners *o, struct cw_login *m)
{
	struct cw_login *other;

	for (other = o->members; other; other = other->next)
		if (other != m && other->admitted && cw_same_login(other, m))
			cw_owners_end(o, other, "the client said GOODBYE on another path");
}

bool cw_owners_has_other_path(const struct cw_owners *o, const struct cw_login *m)
{
	const struct cw_login *other;

	for (other = o->members; other; other = other->next)
		if (other != m && other->admitted && other->state != CW_LOGIN_ENDED &&
		    cw_same_login(other, m))
			return true;
	return false;
}
