// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * The state machine for the owners of an identity: it handles events and orders the changes of the
 * ledger (docs/PROTOCOL.md, section 5, rule 18). judge.c judges one login, paths.c one JOIN,
 * changes.c writes changes of the ledger. The judgement that leads to a change and the start of its
 * write are one step. Nothing else is judged until the write has ended.
 */
#include "machine.h"

void cw_owners_wake(struct cw_owners *o, u64 at)
{
	if (at < o->wake)
		o->wake = at;
}

void cw_owners_end(struct cw_owners *o, struct cw_login *m, const char *why)
{
	if (m->state == CW_LOGIN_ENDED || m->awaited)
		return;
	m->awaited = true;
	if (m->state == CW_LOGIN_ENDING) {
		o->ops->hasten(m);
		return;
	}
	m->state = CW_LOGIN_ENDING;
	o->ops->end(m, why);
}

void cw_owners_refuse(struct cw_owners *o, struct cw_login *m, const struct cw_judgement *judgement)
{
	m->state = CW_LOGIN_ENDING;
	o->ops->refuse(m, judgement->refusal, judgement->newest, judgement->by);
}

/* ---- judging ---- */

/* Judges @m. True: something has changed, so everything has to be judged again. */
static bool cw_owners_judge_one(struct cw_owners *o, struct cw_login *m, u64 now)
{
	struct cw_judgement judgement = cw_owners_judge(o, m, now);

	switch (judgement.verdict) {
	case CW_VERDICT_WAIT:
		return judgement.ended;
	case CW_VERDICT_ADMIT:
		if (!o->read_only)
			cw_owners_set_epochs(o, m, now);
		cw_owners_admit(o, m);
		return true;
	case CW_VERDICT_WRITE:
		if (o->writing == CW_OWNERS_WRITE_STATE) {
			m->waits = CW_OWNERS_WAIT_LEDGER;
			return false;
		}
		if (cw_owners_write_login(o, m, judgement.by, now))
			return true;
		judgement.refusal = CW_OWNERS_FULL;
		break;
	default:
		break;
	}
	cw_owners_refuse(o, m, &judgement);
	return true;
}

/*
 * Judges waiting logins: if @own, those whose session is an owner already (cw_login_is_own()), else
 * the others. True: a judgement has changed something, so everything has to be judged again.
 */
static bool cw_owners_judge_all(struct cw_owners *o, bool own, u64 now)
{
	struct cw_login *m;

	for (m = o->members; m; m = m->next)
		if (m->state == CW_LOGIN_JUDGED && cw_login_is_own(o, m) == own &&
		    cw_owners_judge_one(o, m, now))
			return true;
	return false;
}

/* Requests for one host are carried out in the order of their arrival. */
static bool cw_owners_is_first(const struct cw_owners *o, const struct cw_owners_request *request)
{
	const struct cw_owners_request *other;

	for (other = o->requests; other != request; other = other->next)
		if (cw_same_uuid(other->host, request->host))
			return false;
	return true;
}

static bool cw_owners_handle_changes(struct cw_owners *o, u64 now)
{
	struct cw_owners_request *request;
	struct cw_login *m;

	for (request = o->requests; request; request = request->next)
		if (cw_owners_is_first(o, request) && cw_owners_handle_request(o, request, now))
			return true;
	for (m = o->members; m; m = m->next)
		if (cw_owners_handle_goodbye(o, m, now))
			return true;
	return false;
}

/* Does one action that is possible now. False: there is none. */
static bool cw_owners_act(struct cw_owners *o, u64 now)
{
	u64 due;

	cw_owners_answer_fences(o);
	/* While a change is being written, nothing else is done. */
	if (o->writing != CW_OWNERS_WRITE_NONE && o->writing != CW_OWNERS_WRITE_STATE)
		return false;
	if (o->writing == CW_OWNERS_WRITE_NONE && cw_owners_handle_changes(o, now))
		return true;
	if (cw_owners_judge_all(o, true, now) || cw_owners_judge_all(o, false, now))
		return true;
	if (o->writing != CW_OWNERS_WRITE_NONE)
		return false;
	if (o->repair)
		due = o->closed && !o->gave_up ? now : o->repair;
	else if (o->dirty)
		due = o->closed ? now : o->dirty + CW_OWNERS_EPOCHS_MS;
	else
		return false;
	if (now < due) {
		cw_owners_wake(o, due);
		return false;
	}
	cw_owners_write_state(o, now);
	return true;
}

u64 cw_owners_step(struct cw_owners *o, u64 now)
{
	o->wake = CW_OWNERS_NEVER;
	while (cw_owners_act(o, now))
		o->wake = CW_OWNERS_NEVER;
	return o->wake;
}

/* ---- events ---- */

bool cw_owners_start(struct cw_owners *o, u64 now)
{
	u32 owners;

	cw_ledger_owner(&o->ledger, &owners);
	if (o->exclusive && owners > 1)
		return false;
	o->started = now;
	o->highest = o->ledger.generation;
	o->wake = CW_OWNERS_NEVER;
	return true;
}

bool cw_owners_is_quiet(const struct cw_owners *o)
{
	/*
	 * After a failure, an export that is being removed tries to write once more, and then ends.
	 */
	return !o->members && !o->requests && o->writing == CW_OWNERS_WRITE_NONE &&
	       ((!o->dirty && !o->repair) || o->gave_up);
}

void cw_owners_close(struct cw_owners *o, u64 now)
{
	o->closed = true;
	cw_owners_step(o, now);
}

void cw_owners_append(struct cw_owners *o, struct cw_login *m)
{
	struct cw_login **at;

	for (at = &o->members; *at; at = &(*at)->next)
		;
	m->next = NULL;
	*at = m;
}

void cw_owners_enter(struct cw_owners *o, struct cw_login *m, u64 now)
{
	struct cw_login *other;

	m->state = CW_LOGIN_JUDGED;
	m->waits = CW_OWNERS_WAIT_LEDGER; /* until @m is judged */
	for (other = o->members; other; other = other->next)
		if (other->state == CW_LOGIN_JUDGED && !other->join && other->epoch < m->epoch &&
		    cw_same_session(other, m))
			cw_owners_end(o, other, "a newer login of the session came");
	cw_owners_append(o, m);
	cw_owners_step(o, now);
}

/* True if ALIVE answers @probe: its cookie is that of @probe, or of a later PROBE of the link. */
static bool cw_answers(const struct cw_owners_probe *probe, const struct cw_owners_probe *answered)
{
	return probe->cookie && answered->cookie && probe->order <= answered->order;
}

void cw_owners_alive(struct cw_owners *o, struct cw_login *m, u64 cookie)
{
	struct cw_judgement refusal = {.verdict = CW_VERDICT_REFUSE};
	struct cw_ledger_host *by;
	struct cw_owners_probe answered = {};
	struct cw_login *other;
	bool copy, conflict;

	if (m->copy.cookie == cookie)
		answered = m->copy;
	else if (m->conflict.cookie == cookie)
		answered = m->conflict;
	if (!cookie || !answered.cookie)
		return;
	copy = cw_answers(&m->copy, &answered);
	conflict = cw_answers(&m->conflict, &answered);
	if (copy)
		m->copy.cookie = 0;
	if (conflict)
		m->conflict.cookie = 0;
	by = cw_ledger_find(&o->ledger, m->owner.host);
	if (by && !cw_ledger_owns(by, &m->owner))
		by = NULL;
	for (other = o->members; other; other = other->next) {
		if (other == m || other == o->writer || other->state != CW_LOGIN_JUDGED)
			continue;
		if (copy && !other->join && other->epoch == m->copy.epoch &&
		    cw_same_session(other, m)) {
			refusal.refusal = CW_OWNERS_SUPERSEDED;
			refusal.by = NULL;
			cw_owners_refuse(o, other, &refusal);
		} else if (conflict && by && !other->join && !cw_login_is_own(o, other) &&
			   (o->exclusive || cw_same_uuid(other->owner.host, by->host))) {
			refusal.refusal = CW_OWNERS_IN_USE;
			refusal.by = by;
			cw_owners_refuse(o, other, &refusal);
		}
	}
}

u64 cw_owners_cookie(const struct cw_login *m)
{
	return m->copy.order > m->conflict.order && m->copy.cookie ? m->copy.cookie
								   : m->conflict.cookie;
}

bool cw_owners_confirm(struct cw_owners *o, struct cw_login *m, u64 now)
{
	struct cw_ledger_host *entry = cw_ledger_find(&o->ledger, m->owner.host);

	if (m->state != CW_LOGIN_LIVE)
		return false;
	if (!o->read_only && entry && cw_ledger_owns(entry, &m->owner) &&
	    m->login_epoch > entry->confirmed) {
		entry->confirmed = m->login_epoch;
		cw_owners_not_written(o, now);
	}
	return true;
}

void cw_owners_goodbye(struct cw_owners *o, struct cw_login *m, u64 now)
{
	if (m->state != CW_LOGIN_LIVE)
		return;
	m->state = CW_LOGIN_LEAVING;
	m->said_goodbye = true;
	cw_owners_end_other_paths(o, m);
	cw_owners_step(o, now);
}

void cw_owners_idle(struct cw_owners *o, struct cw_login *m, u64 now)
{
	m->idle = true;
	cw_owners_step(o, now);
}

void cw_owners_ending(struct cw_owners *o, struct cw_login *m, u64 now)
{
	if (m->state != CW_LOGIN_ENDED)
		m->state = CW_LOGIN_ENDING;
	cw_owners_step(o, now);
}

void cw_owners_ended(struct cw_owners *o, struct cw_login *m, u64 now)
{
	m->state = CW_LOGIN_ENDED;
	if (!o->read_only)
		cw_owners_note_end(o, m);
	m->idle = true;
	/* The GOODBYE of a client that is gone by now still takes effect. */
	if (!m->said_goodbye && o->writer != m)
		cw_owners_forget(o, m);
	cw_owners_step(o, now);
}

void cw_owners_submit(struct cw_owners *o, struct cw_owners_request *request, u64 now)
{
	struct cw_owners_request **at;

	request->written = false;
	for (at = &o->requests; *at; at = &(*at)->next)
		;
	request->next = NULL;
	*at = request;
	cw_owners_step(o, now);
}

void cw_owners_written(struct cw_owners *o, int error, u64 now)
{
	cw_owners_apply(o, error, now);
	cw_owners_step(o, now);
}
