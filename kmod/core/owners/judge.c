// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Judges one login by the rules of docs/PROTOCOL.md, section 5, and rules 14, 18, 20 and 21 of
 * section 4. A judgement is valid only at this moment: the login is judged again after each event,
 * and a last time when the change that it needs is about to be written.
 */
#include "machine.h"

#define CW_RETURN_MS 5000U
#define CW_COPY_MS 1000U

static struct cw_judgement cw_wait(struct cw_login *m, enum cw_owners_wait reason)
{
	m->waits = reason;
	return (struct cw_judgement){.verdict = CW_VERDICT_WAIT};
}

static struct cw_judgement cw_refuse(enum cw_owners_refusal refusal, u64 newest,
				     struct cw_ledger_host *by)
{
	return (struct cw_judgement){
		.verdict = CW_VERDICT_REFUSE,
		.refusal = refusal,
		.newest = newest,
		.by = by,
	};
}

static u64 cw_later(u64 a, u64 b)
{
	return a > b ? a : b;
}

bool cw_same_session(const struct cw_login *a, const struct cw_login *b)
{
	return cw_same_uuid(a->owner.host, b->owner.host) &&
	       cw_same_uuid(a->owner.boot, b->owner.boot) &&
	       cw_same_uuid(a->owner.session, b->owner.session);
}

bool cw_login_is_own(const struct cw_owners *o, const struct cw_login *m)
{
	const struct cw_ledger_host *entry = cw_ledger_find(&o->ledger, m->owner.host);

	return entry && cw_ledger_owns(entry, &m->owner);
}

/* Its control link has not ended. */
static bool cw_can_answer(const struct cw_login *m)
{
	return m->state == CW_LOGIN_JUDGED || m->state == CW_LOGIN_LIVE ||
	       m->state == CW_LOGIN_LEAVING;
}

/* Sends a PROBE. False: it cannot be sent now. */
static bool cw_probe(struct cw_owners *o, struct cw_login *m, struct cw_owners_probe *probe,
		     u64 now)
{
	u64 cookie = o->ops->cookie();

	if (!o->ops->probe(m, cookie)) {
		probe->cookie = 0;
		cw_owners_wake(o, now + CW_OWNERS_PROBE_MS);
		return false;
	}
	probe->cookie = cookie;
	probe->sent = now;
	probe->order = ++m->probed;
	return true;
}

/*
 * True: a wait for answers that ends at @until is over. If this is called much later than @until,
 * the wait begins anew, because the server was stalled and the answers may be late for the same
 * reason.
 */
static bool cw_wait_is_over(struct cw_owners *o, struct cw_login *m, u64 until, u64 now)
{
	if (now < until) {
		cw_owners_wake(o, until);
		return false;
	}
	if (m->waited >= until)
		return true;
	/* Nothing is judged while a change is being written, so that time is no stall. */
	if (now - cw_later(until, o->free) < CW_OWNERS_STALL_MS) {
		m->waited = now;
		return true;
	}
	m->wait_from = now;
	cw_owners_wake(o, now);
	return false;
}

/* ---- the owner's own session ---- */

/*
 * True: each admitted control link of the session has ended or did not answer in time. A client
 * that obeys the protocol has drained these links before this login.
 */
static bool cw_no_copy_answers(struct cw_owners *o, struct cw_login *m, u64 now)
{
	struct cw_login *other;
	bool over = true;

	for (other = o->members; other; other = other->next) {
		u32 patience;

		if (other == m || !other->admitted || !cw_same_session(other, m) ||
		    !cw_can_answer(other))
			continue;
		/* An answer to an earlier PROBE does not prove that the link works now. */
		if (!other->copy.cookie || other->copy.epoch != m->epoch ||
		    other->copy.sent < m->wait_from) {
			other->copy.epoch = m->epoch;
			if (!cw_probe(o, other, &other->copy, now)) {
				over = false;
				continue;
			}
		}
		patience = other->dead_ms < CW_COPY_MS ? other->dead_ms : CW_COPY_MS;
		if (!cw_wait_is_over(o, m, other->copy.sent + patience, now))
			over = false;
	}
	return over;
}

static struct cw_judgement cw_judge_own(struct cw_owners *o, struct cw_login *m,
					const struct cw_ledger_host *entry, u64 now)
{
	if (m->epoch <= entry->newest)
		return cw_refuse(CW_OWNERS_STALE, entry->newest, NULL);
	if (m->returning && m->last < entry->confirmed)
		return cw_refuse(CW_OWNERS_SUPERSEDED, 0, NULL);
	if (!cw_no_copy_answers(o, m, now))
		return cw_wait(m, CW_OWNERS_WAIT_OWNER);
	return (struct cw_judgement){.verdict = CW_VERDICT_ADMIT};
}

/* ---- new sessions ---- */

/* The time of the owner's last message. */
static u64 cw_owner_heard(const struct cw_owners *o, const struct cw_ledger_host *by)
{
	const struct cw_login *m;
	u64 heard = by->heard;

	for (m = o->members; m; m = m->next)
		if (cw_ledger_owns(by, &m->owner))
			heard = cw_later(heard, o->ops->heard(m));
	return heard;
}

/*
 * Probes every control link of the owner that has no unanswered PROBE of rule 14. False: a PROBE
 * cannot be sent now.
 */
static bool cw_probe_owner(struct cw_owners *o, const struct cw_ledger_host *by, u64 since, u64 now)
{
	struct cw_login *m;
	bool sent = true;

	for (m = o->members; m; m = m->next)
		if (cw_ledger_owns(by, &m->owner) && cw_can_answer(m) &&
		    (!m->conflict.cookie || m->conflict.sent < since) &&
		    !cw_probe(o, m, &m->conflict, now))
			sent = false;
	return sent;
}

/* A login of the owner's own session is judged before every new session. */
static bool cw_owner_is_returning(const struct cw_owners *o, const struct cw_ledger_host *by)
{
	const struct cw_login *m;

	for (m = o->members; m; m = m->next)
		if (m->state == CW_LOGIN_JUDGED && !m->join && cw_ledger_owns(by, &m->owner))
			return true;
	return false;
}

static u32 cw_return_ms(const struct cw_owners *o, const struct cw_ledger_host *by)
{
	u32 dead_ms = by->dead_ms ? by->dead_ms : o->dead_ms;

	return dead_ms > CW_RETURN_MS ? dead_ms : CW_RETURN_MS;
}

static struct cw_judgement cw_judge_against(struct cw_owners *o, struct cw_login *m,
					    struct cw_ledger_host *by, u64 now)
{
	u64 heard = cw_owner_heard(o, by);
	u64 until = cw_later(cw_later(heard, m->hello_at), m->wait_from) + cw_return_ms(o, by);
	u64 takeover = cw_later(heard, o->started) + o->takeover_after * 1000ULL;

	if (!cw_probe_owner(o, by, m->wait_from, now) || cw_owner_is_returning(o, by))
		return cw_wait(m, CW_OWNERS_WAIT_OWNER);
	if (!cw_wait_is_over(o, m, until, now))
		return cw_wait(m, CW_OWNERS_WAIT_OWNER);
	if (!cw_same_uuid(by->host, m->owner.host) && (!o->takeover_after || now < takeover))
		return cw_refuse(CW_OWNERS_IN_USE, 0, by);
	return (struct cw_judgement){.verdict = CW_VERDICT_WRITE, .by = by};
}

static struct cw_judgement cw_judge_new(struct cw_owners *o, struct cw_login *m,
					struct cw_ledger_host *entry, u64 now)
{
	struct cw_ledger_host *by = NULL;
	u32 owners;

	if (m->returning)
		return cw_refuse(CW_OWNERS_SUPERSEDED, 0, NULL);
	if (entry && cw_same_uuid(entry->boot, m->owner.boot) && m->owner.serial <= entry->serial)
		return cw_refuse(CW_OWNERS_STALE, 0, NULL);
	if (entry && cw_ledger_is_owner(entry))
		by = entry;
	else if (o->exclusive)
		by = cw_ledger_owner(&o->ledger, &owners);
	if (by)
		return cw_judge_against(o, m, by, now);
	return (struct cw_judgement){.verdict = CW_VERDICT_WRITE};
}

/* ---- earlier commands ---- */

/*
 * Ends the sessions that @m replaces. *@ended: it has ended one now. False: WELCOME must wait,
 * because one of these has not ended: earlier paths of the session and of the owner in the way, all
 * other sessions of the host and, on an exclusive export, of all hosts.
 */
static bool cw_end_replaced(struct cw_owners *o, struct cw_login *m,
			    const struct cw_judgement *judgement, bool *ended)
{
	struct cw_login *other;
	bool clear = true;

	for (other = o->members; other; other = other->next) {
		bool mine, replaced;

		if (other == m || !other->admitted || other->state == CW_LOGIN_ENDED)
			continue;
		mine = cw_same_session(other, m);
		replaced = judgement->by && cw_ledger_owns(judgement->by, &other->owner);
		if (mine || replaced) {
			*ended |= other->state != CW_LOGIN_ENDING;
			cw_owners_end(o, other, "a newer login took its place");
		}
		if (mine || replaced ||
		    (!o->read_only &&
		     (o->exclusive || cw_same_uuid(other->owner.host, m->owner.host))))
			clear = false;
	}
	return clear;
}

/*
 * The epoch of a login or path of the same session that has not ended and is newer, or came earlier
 * with the same epoch; or 0. A login that was refused, or whose link ended before it was admitted,
 * does not count. Neither does a JOIN that was not admitted.
 */
static u64 cw_newer_epoch(const struct cw_owners *o, const struct cw_login *m)
{
	const struct cw_login *other;
	bool earlier = true;
	u64 newest = 0;

	for (other = o->members; other; other = other->next) {
		if (other == m) {
			earlier = false;
			continue;
		}
		if (other->state == CW_LOGIN_ENDED ||
		    (!other->admitted && (other->join || other->state == CW_LOGIN_ENDING)) ||
		    !cw_same_session(other, m))
			continue;
		if (other->epoch > m->epoch || (other->epoch == m->epoch && earlier))
			newest = cw_later(newest, other->epoch);
	}
	return newest;
}

/* Applies the rules of ownership alone. */
static struct cw_judgement cw_judge_owner(struct cw_owners *o, struct cw_login *m, u64 now)
{
	struct cw_ledger_host *entry = cw_ledger_find(&o->ledger, m->owner.host);

	if (entry && cw_ledger_is_replaced(entry, m->owner.boot))
		return cw_refuse(CW_OWNERS_SUPERSEDED, 0, NULL);
	if (entry && cw_ledger_owns(entry, &m->owner))
		return cw_judge_own(o, m, entry, now);
	return cw_judge_new(o, m, entry, now);
}

struct cw_judgement cw_owners_judge(struct cw_owners *o, struct cw_login *m, u64 now)
{
	struct cw_judgement judgement = {.verdict = CW_VERDICT_ADMIT};
	const struct cw_ledger_host *entry = cw_ledger_find(&o->ledger, m->owner.host);
	u64 newest = cw_newer_epoch(o, m);
	bool ended = false;

	if (m->join)
		return cw_owners_judge_join(o, m, now);
	if (o->closed)
		return cw_refuse(CW_OWNERS_EXPORT, 0, NULL);
	if (!o->read_only) {
		if (entry && entry->evicted)
			return cw_refuse(CW_OWNERS_EVICTED, 0, NULL);
		if (m->has_receipt && m->generation > o->ledger.generation)
			cw_owners_found_old_copy(o, now);
		if (o->ledger.outdated)
			return cw_refuse(CW_OWNERS_LEDGER, 0, NULL);
	}
	if (o->ops->limited(m))
		return cw_refuse(CW_OWNERS_LIMIT, 0, NULL);
	if (newest)
		return cw_refuse(CW_OWNERS_STALE, newest, NULL);
	if (!o->read_only)
		judgement = cw_judge_owner(o, m, now);
	if (judgement.verdict == CW_VERDICT_REFUSE || judgement.verdict == CW_VERDICT_WAIT)
		return judgement;
	/* Until the state in memory is written after a failure, every change fails at once. */
	if (judgement.verdict == CW_VERDICT_WRITE && o->repair)
		return cw_refuse(CW_OWNERS_LEDGER, 0, NULL);
	if (!cw_end_replaced(o, m, &judgement, &ended)) {
		judgement = cw_wait(m, CW_OWNERS_WAIT_COMMANDS);
		judgement.ended = ended;
	}
	return judgement;
}
