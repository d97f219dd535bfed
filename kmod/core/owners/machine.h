/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The interfaces between the parts of the state machine: judge.c judges one login, paths.c one JOIN
 * and carries out FENCE, changes.c writes changes of the ledger, owners.c handles the events and
 * keeps their order. Times are absolute, in ms of the clock that owners.h describes; @now is the
 * present time.
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
	bool ended; /* WAIT: the judgement has ended other members, so all are judged again */
};

/**
 * cw_owners_judge() - judges a login that is not admitted
 * @o: the machine
 * @m: the login
 * @now: ms
 *
 * Sends PROBEs and ends other logins as the rules require.
 *
 * Context: Process context. The caller serialises all calls for @o.
 * Return: The judgement, valid until the next event.
 */
struct cw_judgement cw_owners_judge(struct cw_owners *o, struct cw_login *m, u64 now);
/**
 * cw_same_session() - checks whether two logins are of the same session
 * @a: one login
 * @b: another login
 *
 * Context: Any context.
 * Return: True if they are.
 */
bool cw_same_session(const struct cw_login *a, const struct cw_login *b);

/* ---- paths.c ---- */

/**
 * cw_owners_judge_join() - judges a JOIN that is not admitted
 * @o: the machine
 * @m: the JOIN
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 * Return: The judgement, valid until the next event. It is never CW_VERDICT_WRITE.
 */
struct cw_judgement cw_owners_judge_join(struct cw_owners *o, struct cw_login *m, u64 now);
/**
 * cw_owners_set_floors() - sets the floors of the session's paths, at the admission of a member
 * @o: the machine
 * @m: the member: a login, or a JOIN whose session has a live path
 *
 * Context: Any context. The caller serialises all calls for @o.
 */
void cw_owners_set_floors(struct cw_owners *o, struct cw_login *m);
/**
 * cw_owners_answer_fences() - answers each FENCE whose incarnations have ended
 * @o: the machine
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_answer_fences(struct cw_owners *o);
/**
 * cw_owners_end_other_paths() - ends the paths that belong to the same login as a member
 * @o: the machine
 * @m: the member, which is not ended
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_end_other_paths(struct cw_owners *o, struct cw_login *m);
/**
 * cw_owners_has_other_path() - checks whether another path of the same login has not ended
 * @o: the machine
 * @m: the member whose login it is
 *
 * Context: Any context. The caller serialises all calls for @o.
 * Return: True if there is one.
 */
bool cw_owners_has_other_path(const struct cw_owners *o, const struct cw_login *m);

/* ---- changes.c ---- */

/**
 * cw_owners_found_old_copy() - ends all sessions and admits none, because an older ledger was put
 * back
 * @o: the machine
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_found_old_copy(struct cw_owners *o, u64 now);
/**
 * cw_owners_set_epochs() - sets the epochs of a login in the ledger in memory
 * @o: the machine
 * @m: the login
 * @now: ms
 *
 * Context: Any context. The caller serialises all calls for @o.
 */
void cw_owners_set_epochs(struct cw_owners *o, const struct cw_login *m, u64 now);
/**
 * cw_owners_admit() - makes a login live and sends WELCOME, or JOINED to a JOIN
 * @o: the machine
 * @m: the login
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_admit(struct cw_owners *o, struct cw_login *m);
/**
 * cw_owners_note_end() - records, in the entry of an owner's host, the time of the login's last
 * message, and the present time in seconds since 1970
 * @o: the machine
 * @m: the login
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_note_end(struct cw_owners *o, const struct cw_login *m);
/**
 * cw_owners_not_written() - marks that memory has epochs that the ledger lacks
 * @o: the machine
 * @now: ms
 *
 * Context: Any context. The caller serialises all calls for @o.
 */
void cw_owners_not_written(struct cw_owners *o, u64 now);
/**
 * cw_owners_apply() - ends a write: its change takes effect, or has failed
 * @o: the machine
 * @error: result of the write, a negative errno or 0
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_apply(struct cw_owners *o, int error, u64 now);
/**
 * cw_owners_forget() - removes a login from the list of members and releases it
 * @o: the machine
 * @m: the login
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_forget(struct cw_owners *o, struct cw_login *m);
/**
 * cw_owners_write_login() - begins the change that makes a login an owner
 * @o: the machine
 * @m: the login
 * @by: the entry of the owner that it replaces, or NULL
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 * Return: False if the ledger has no room.
 */
bool cw_owners_write_login(struct cw_owners *o, struct cw_login *m, const struct cw_ledger_host *by,
			   u64 now);
/**
 * cw_owners_write_state() - writes the state in memory
 * @o: the machine
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_write_state(struct cw_owners *o, u64 now);
/**
 * cw_owners_handle_goodbye() - continues a GOODBYE
 * @o: the machine
 * @m: the login
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 * Return: True if something has changed.
 */
bool cw_owners_handle_goodbye(struct cw_owners *o, struct cw_login *m, u64 now);
/**
 * cw_owners_handle_request() - continues a request
 * @o: the machine
 * @request: the request
 * @now: ms
 *
 * Context: Process context. The caller serialises all calls for @o.
 * Return: True if something has changed.
 */
bool cw_owners_handle_request(struct cw_owners *o, struct cw_owners_request *request, u64 now);

/* ---- owners.c ---- */

/**
 * cw_owners_append() - adds a login to the end of the list of members
 * @o: the machine
 * @m: the login
 *
 * Logins of one kind are judged in the order of this list.
 *
 * Context: Any context. The caller serialises all calls for @o.
 */
void cw_owners_append(struct cw_owners *o, struct cw_login *m);
/**
 * cw_owners_refuse() - sends REFUSED and ends a login
 * @o: the machine
 * @m: the login
 * @judgement: with the reason
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_refuse(struct cw_owners *o, struct cw_login *m,
		      const struct cw_judgement *judgement);
/**
 * cw_owners_end() - ends a login unless its end has begun
 * @o: the machine
 * @m: the login; if it is ending already, its end is hastened
 * @why: for the log
 *
 * Context: Process context. The caller serialises all calls for @o.
 */
void cw_owners_end(struct cw_owners *o, struct cw_login *m, const char *why);
/**
 * cw_owners_wake() - makes the caller of the machine call cw_owners_step() at a time or before
 * @o: the machine
 * @at: ms, absolute; an earlier time that is set in @o->wake stays
 *
 * Context: Any context. The caller serialises all calls for @o.
 */
void cw_owners_wake(struct cw_owners *o, u64 at);

#ifdef __cplusplus
}
#endif

#endif
