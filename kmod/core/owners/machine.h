/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The interfaces between the parts of the state machine: judge.c judges one login, changes.c writes
 * changes of the ledger, owners.c handles the events and keeps their order.
 */
#ifndef CW_OWNERS_MACHINE_H
#define CW_OWNERS_MACHINE_H

#include "owners.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- judge.c ---- */

enum cw_verdict {
	CW_VERDICT_WAIT,
	CW_VERDICT_REFUSE,
	CW_VERDICT_ADMIT, /* the ledger changes in its epochs only */
	CW_VERDICT_WRITE, /* the login replaces the entry of its host, or an owner */
};

struct cw_judgement {
	enum cw_verdict verdict;
	enum cw_owners_refusal refusal;
	u64 newest;
	struct cw_ledger_host *by; /* the owner in the way, for IN_USE and WRITE; or NULL */
};

/**
 * cw_owners_judge() - judges a login that is not admitted
 * @o: the machine
 * @m: the login
 * @now: ms
 *
 * Sends PROBEs and ends other logins as the rules require.
 * Return: the judgement, valid until the next event.
 */
struct cw_judgement cw_owners_judge(struct cw_owners *o, struct cw_login *m, u64 now);
/* True if both are logins of the same session. */
bool cw_same_session(const struct cw_login *a, const struct cw_login *b);

/* ---- changes.c ---- */

/* An older copy of the ledger was put back: ends all sessions, and admits none from now on. */
void cw_owners_found_old_copy(struct cw_owners *o, u64 now);
/* Sets the epochs of the login @m in the ledger in memory. */
void cw_owners_set_epochs(struct cw_owners *o, const struct cw_login *m, u64 now);
/* Makes @m live and sends WELCOME. */
void cw_owners_admit(struct cw_owners *o, struct cw_login *m);
/* Records in the entry of its host when @m was last heard and seen. */
void cw_owners_note_end(struct cw_owners *o, const struct cw_login *m);
/* Marks that memory has epochs that the ledger lacks. */
void cw_owners_not_written(struct cw_owners *o, u64 now);
/* Ends a write: its change takes effect, or has failed. */
void cw_owners_apply(struct cw_owners *o, int error, u64 now);
/* Removes @m from the list of members and releases it. */
void cw_owners_forget(struct cw_owners *o, struct cw_login *m);
/* Begins the change that makes @m an owner, in the place of @by (or NULL). False: no room. */
bool cw_owners_write_login(struct cw_owners *o, struct cw_login *m, const struct cw_ledger_host *by,
			   u64 now);
/* Writes the state in memory. */
void cw_owners_write_state(struct cw_owners *o, u64 now);
/* Continues a GOODBYE. True: something has changed. */
bool cw_owners_handle_goodbye(struct cw_owners *o, struct cw_login *m, u64 now);
/* Continues a request. True: something has changed. */
bool cw_owners_handle_request(struct cw_owners *o, struct cw_owners_request *request, u64 now);

/* ---- owners.c ---- */

/* Sends REFUSED and ends @m. */
void cw_owners_refuse(struct cw_owners *o, struct cw_login *m,
		      const struct cw_judgement *judgement);
/* Ends @m unless its end has begun. */
void cw_owners_end(struct cw_owners *o, struct cw_login *m, const char *why);
/* Makes sure that the machine is called again at @at, or earlier. */
void cw_owners_wake(struct cw_owners *o, u64 at);

#ifdef __cplusplus
}
#endif

#endif
