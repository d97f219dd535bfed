// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Changes of the ledger: logins of new sessions, GOODBYE, evictions and readmissions.
 *
 * A change is made in a copy of the ledger, written, and only then takes effect. A write that fails
 * changes nothing. Epochs alone are no change: they are in effect in memory at once, and written
 * later.
 */
#ifdef __KERNEL__
#include <linux/errno.h>
#else
#include <errno.h>
#endif

#include "machine.h"

/* ---- state in memory ---- */

/* Memory has epochs that the ledger lacks. */
void cw_owners_not_written(struct cw_owners *o, u64 now)
{
	if (!o->dirty)
		o->dirty = now;
}

/* The epochs of @m's login, in memory. */
void cw_owners_set_epochs(struct cw_owners *o, const struct cw_login *m, u64 now)
{
	struct cw_ledger_host *entry = cw_ledger_find(&o->ledger, m->owner.host);
	/* The newest login whose WELCOME the client has accepted, as this login or JOIN proves. */
	u64 accepted = m->join ? m->login_epoch : m->last;

	/* Each path of the session may be silent for the time that it was granted. */
	if (!m->join || m->dead_ms > entry->dead_ms)
		entry->dead_ms = m->dead_ms;
	if (m->epoch > entry->newest) {
		entry->newest = m->epoch;
		cw_owners_not_written(o, now);
	}
	if ((m->join || m->returning) && accepted > entry->confirmed) {
		entry->confirmed = accepted;
		cw_owners_not_written(o, now);
	}
}

void cw_owners_admit(struct cw_owners *o, struct cw_login *m)
{
	struct cw_login *other;

	/* The control link may have died while the change was written: then the session is away. */
	if (m->state == CW_LOGIN_JUDGED)
		m->state = CW_LOGIN_LIVE;
	m->admitted = true;
	cw_owners_set_floors(o, m);
	for (other = o->members; other && !m->join; other = other->next)
		if (other != m && other->said_goodbye && cw_same_session(other, m))
			other->later_login = true;
	o->ops->welcome(m);
}

/* Stores in the entry of the host when @m was last heard, and the present time as last seen. */
void cw_owners_note_end(struct cw_owners *o, const struct cw_login *m)
{
	struct cw_ledger_host *entry = cw_ledger_find(&o->ledger, m->owner.host);
	u64 heard = o->ops->heard(m);

	if (!entry || !cw_ledger_owns(entry, &m->owner))
		return;
	if (heard > entry->heard)
		entry->heard = heard;
	entry->seen = o->ops->seconds();
}

/* ---- writes ---- */

static void cw_owners_write(struct cw_owners *o, enum cw_owners_writing what, u64 now)
{
	int ret;

	o->next.generation = ++o->highest;
	o->writing = what;
	o->dirty = 0; /* after a failure the state in memory is written as a whole */
	ret = o->ops->write(o, &o->next);
	if (ret != -EINPROGRESS)
		cw_owners_apply(o, ret, now);
}

/* Begins a change, in the copy. */
static void cw_owners_begin(struct cw_owners *o)
{
	/* Both have the same room. */
	cw_ledger_copy(&o->next, &o->ledger);
}

/*
 * Puts the change into effect. Epochs and times that the ledger in memory got during the write
 * stay.
 */
static void cw_owners_commit(struct cw_owners *o)
{
	u32 i;

	for (i = 0; i < o->next.count; i++) {
		struct cw_ledger_host *entry = &o->next.hosts[i];
		const struct cw_ledger_host *present = cw_ledger_find(&o->ledger, entry->host);

		if (!present || !cw_same_uuid(present->boot, entry->boot) ||
		    !cw_same_uuid(present->session, entry->session))
			continue;
		entry->newest = present->newest;
		entry->confirmed = present->confirmed;
		entry->heard = present->heard;
		entry->seen = present->seen;
		entry->dead_ms = present->dead_ms;
	}
	cw_ledger_copy(&o->ledger, &o->next);
}

void cw_owners_forget(struct cw_owners *o, struct cw_login *m)
{
	struct cw_login **at;

	for (at = &o->members; *at; at = &(*at)->next) {
		if (*at == m) {
			*at = m->next;
			o->ops->release(m);
			return;
		}
	}
}

static void cw_owners_complete(struct cw_owners *o, struct cw_owners_request *request, int error)
{
	struct cw_owners_request **at;

	for (at = &o->requests; *at != request; at = &(*at)->next)
		;
	*at = request->next;
	o->ops->completed(request, error);
}

/* Ends the handling of a GOODBYE. @failed: the owner is still in the ledger. */
static void cw_owners_end_goodbye(struct cw_owners *o, struct cw_login *m, bool failed)
{
	m->said_goodbye = false;
	if (m->state == CW_LOGIN_ENDED) {
		cw_owners_forget(o, m);
	} else if (m->state == CW_LOGIN_LEAVING) {
		m->state = CW_LOGIN_ENDING;
		if (failed)
			o->ops->end(m, "the owner could not be removed from the ledger");
		else
			o->ops->farewell(m);
	}
}

/* Ends a write: its change takes effect, or has failed. */
void cw_owners_apply(struct cw_owners *o, int error, u64 now)
{
	const struct cw_judgement failed = {
		.verdict = CW_VERDICT_REFUSE,
		.refusal = CW_OWNERS_LEDGER,
	};
	enum cw_owners_writing what = o->writing;
	struct cw_login *m = o->writer;
	struct cw_owners_request *request = o->request;

	o->writing = CW_OWNERS_WRITE_NONE;
	o->writer = NULL;
	o->request = NULL;
	o->free = now;
	if (error) {
		o->repair = now + CW_OWNERS_REPAIR_MS;
		o->gave_up = o->closed;
	} else if (what == CW_OWNERS_WRITE_STATE) {
		o->ledger.generation = o->next.generation;
		/*
		 * An older copy may have been detected during the write; then the new state has to
		 * be written.
		 */
		if (o->next.outdated == o->ledger.outdated)
			o->repair = 0;
	} else {
		cw_owners_commit(o);
	}
	switch (what) {
	case CW_OWNERS_WRITE_LOGIN:
		if (!error) {
			cw_owners_set_epochs(o, m, now);
			cw_owners_admit(o, m);
		} else if (m->state == CW_LOGIN_JUDGED) {
			cw_owners_refuse(o, m, &failed);
		}
		if (m->state == CW_LOGIN_ENDED) {
			cw_owners_note_end(o, m);
			cw_owners_forget(o, m);
		}
		break;
	case CW_OWNERS_WRITE_GOODBYE:
		cw_owners_end_goodbye(o, m, error);
		break;
	case CW_OWNERS_WRITE_REQUEST:
		if (error || request->readmit)
			cw_owners_complete(o, request, error);
		else
			request->written = true;
		break;
	default:
		break;
	}
}

/* ---- changes ---- */

/* In the change that was begun: the host has no session, and was last seen now. */
static void cw_owners_clear_owner(struct cw_owners *o, const u8 *host)
{
	struct cw_ledger_host *entry = cw_ledger_find(&o->next, host);

	cw_ledger_clear_owner(entry);
	entry->seen = o->ops->seconds();
}

/* Begins the change that makes @m an owner. False: the ledger has no room. */
bool cw_owners_write_login(struct cw_owners *o, struct cw_login *m, const struct cw_ledger_host *by,
			   u64 now)
{
	struct cw_ledger_host *entry;

	cw_owners_begin(o);
	if (by && !cw_same_uuid(by->host, m->owner.host))
		cw_owners_clear_owner(o, by->host);
	entry = cw_ledger_set_owner(&o->next, &m->owner, m->epoch);
	if (!entry)
		return false;
	entry->seen = o->ops->seconds();
	entry->dead_ms = m->dead_ms;
	entry->heard = 0;
	m->waits = CW_OWNERS_WAIT_LEDGER;
	o->writer = m;
	cw_owners_write(o, CW_OWNERS_WRITE_LOGIN, now);
	return true;
}

/* Writes the state in memory: after a failure, or because of its epochs. */
void cw_owners_write_state(struct cw_owners *o, u64 now)
{
	cw_owners_begin(o);
	cw_owners_write(o, CW_OWNERS_WRITE_STATE, now);
}

/* ---- GOODBYE ---- */

/* A later login of the session was admitted since GOODBYE, or the entry has another session. */
static bool cw_goodbye_is_old(const struct cw_owners *o, const struct cw_login *m)
{
	const struct cw_ledger_host *entry = cw_ledger_find(&o->ledger, m->owner.host);

	return !entry || !cw_ledger_owns(entry, &m->owner) || m->later_login;
}

/* Removes the owner from the ledger once its commands have ended. True: something has changed. */
bool cw_owners_handle_goodbye(struct cw_owners *o, struct cw_login *m, u64 now)
{
	if (!m->said_goodbye || !m->idle || cw_owners_has_other_path(o, m))
		return false;
	if (!o->read_only && !cw_goodbye_is_old(o, m)) {
		if (o->repair) {
			/* Every change fails at once until the state in memory is written. */
			cw_owners_end_goodbye(o, m, true);
			return true;
		}
		cw_owners_begin(o);
		cw_owners_clear_owner(o, m->owner.host);
		o->writer = m;
		cw_owners_write(o, CW_OWNERS_WRITE_GOODBYE, now);
		return true;
	}
	cw_owners_end_goodbye(o, m, false);
	return true;
}

/* ---- evictions ---- */

/*
 * Ends the sessions of a host that is evicted. False: commands may be left. Logins that are not
 * admitted have no commands, and the judgement refuses them with EVICTED.
 */
static bool cw_owners_is_fenced(struct cw_owners *o, const u8 *host)
{
	struct cw_login *m;
	bool fenced = true;

	for (m = o->members; m; m = m->next) {
		if (!m->admitted || m->state == CW_LOGIN_ENDED ||
		    !cw_same_uuid(m->owner.host, host))
			continue;
		cw_owners_end(o, m, "the administrator evicted this host");
		fenced = false;
	}
	return fenced;
}

/* The ledger already has the state that @request asks for. */
static bool cw_owners_has_done(const struct cw_owners *o, const struct cw_owners_request *request)
{
	const struct cw_ledger_host *entry = cw_ledger_find(&o->ledger, request->host);

	if (request->readmit)
		return !entry || (!entry->evicted && !cw_ledger_has_replaced(entry));
	return entry && entry->evicted;
}

/* Begins the change for @request. False: the ledger has no room. */
static bool cw_owners_write_request(struct cw_owners *o, struct cw_owners_request *request, u64 now)
{
	struct cw_ledger_host *entry;

	cw_owners_begin(o);
	if (request->readmit) {
		cw_ledger_readmit(cw_ledger_find(&o->next, request->host));
	} else {
		entry = cw_ledger_evict(&o->next, request->host);
		if (!entry)
			return false;
		entry->seen = o->ops->seconds();
	}
	o->request = request;
	cw_owners_write(o, CW_OWNERS_WRITE_REQUEST, now);
	return true;
}

/* Carries out @request as far as possible. True: something has changed. */
bool cw_owners_handle_request(struct cw_owners *o, struct cw_owners_request *request, u64 now)
{
	bool done = request->written || cw_owners_has_done(o, request);

	if (o->read_only)
		cw_owners_complete(o, request, -EROFS);
	else if (o->repair && !request->written)
		/* Storage may differ from memory, so memory alone is no basis for an answer. */
		cw_owners_complete(o, request, -EIO);
	else if (done && !request->readmit && !cw_owners_is_fenced(o, request->host))
		return false;
	else if (done)
		cw_owners_complete(o, request, 0);
	else if (!cw_owners_write_request(o, request, now))
		cw_owners_complete(o, request, -ENOSPC);
	return true;
}

void cw_owners_found_old_copy(struct cw_owners *o, u64 now)
{
	struct cw_login *m;

	if (o->ledger.outdated)
		return;
	o->ledger.outdated = true;
	/* The refusal has to outlast a restart, so it is written before any other change. */
	o->repair = now;
	for (m = o->members; m; m = m->next)
		if (m->admitted)
			cw_owners_end(o, m, "an older copy of the ledger was put back");
}
