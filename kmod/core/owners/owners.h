/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * A state machine that decides which sessions may write to a disk (docs/PROTOCOL.md, section 5).
 *
 * One struct cw_owners stands for one identity. It lists every login that has sent a right PROOF,
 * until nothing of that login is left at the server. Each event changes what the machine knows, and
 * then the machine judges all that waits again, owners' own sessions first. So no event has to know
 * who waits for it. While a change is being written to the ledger, nothing is judged.
 *
 * The machine does not lock, does not sleep and does not allocate. The caller serialises all calls
 * for one identity. The functions of cw_owners_ops are called from within these calls; they must
 * not call the machine back. Times are milliseconds of a clock that stands still while the machine
 * is suspended, and that never reads 0.
 */
#ifndef CW_OWNERS_OWNERS_H
#define CW_OWNERS_OWNERS_H

#include "ledger.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_OWNERS_NEVER (~0ULL)
#define CW_OWNERS_EPOCHS_MS 9000 /* epochs are in the ledger after so long: rule 19 says 10 s */
#define CW_OWNERS_REPAIR_MS 1000 /* between attempts to write after a failure */
#define CW_OWNERS_STALL_MS 1000 /* a wait that ended so late was not a fair one: rule 31 */
#define CW_OWNERS_PROBE_MS 100 /* between attempts to send a PROBE */

enum cw_owners_refusal {
	CW_OWNERS_STALE = 1,
	CW_OWNERS_SUPERSEDED,
	CW_OWNERS_IN_USE,
	CW_OWNERS_EVICTED,
	CW_OWNERS_LEDGER,
	CW_OWNERS_FULL, /* the ledger has no room for another host */
	CW_OWNERS_LIMIT, /* a limit of the server */
	CW_OWNERS_EXPORT, /* the export is being removed */
};

/* The reasons to wait that WAITING gives. */
enum cw_owners_wait {
	CW_OWNERS_WAIT_COMMANDS = 1,
	CW_OWNERS_WAIT_OWNER = 2,
	CW_OWNERS_WAIT_LEDGER = 3,
};

enum cw_login_state {
	CW_LOGIN_JUDGED, /* not admitted yet */
	CW_LOGIN_LIVE, /* WELCOME was sent */
	CW_LOGIN_LEAVING, /* GOODBYE came; the control link is kept for FAREWELL */
	CW_LOGIN_ENDING, /* its links are being drained, or its commands are waited for */
	CW_LOGIN_ENDED, /* nothing is left, but a change that GOODBYE asked for */
};

/* A PROBE on a control link. */
struct cw_owners_probe {
	u64 cookie; /* 0: no PROBE is unanswered */
	u64 sent; /* ms */
	u64 order; /* later PROBEs of one link have a higher one */
	u64 epoch; /* of the login that the PROBE was sent for; rule 10 only */
};

/* One login of a session. The caller has zeroed it and filled in the first part. */
struct cw_login {
	struct cw_owner owner;
	u64 epoch;
	u64 last;
	u64 generation;
	bool returning;
	bool has_receipt; /* the receipt of HELLO is right for @generation */
	u32 dead_ms; /* the detection time that WELCOME will grant */
	u64 hello_at; /* ms: when HELLO arrived */

	/* The machine sets these fields; the caller may read them. */
	enum cw_login_state state;
	enum cw_owners_wait waits;
	bool admitted; /* it was LIVE once */
	bool said_goodbye;
	bool idle; /* after GOODBYE: no data link and no command is left */
	u64 wait_from; /* ms: a stalled server began the wait for an answer anew */
	u64 waited; /* ms: until then the wait for an answer has ended in time */
	u64 probed; /* order of the latest PROBE */
	struct cw_owners_probe copy; /* a copy of this client logs in: rule 10 */
	struct cw_owners_probe conflict; /* a new session wants to replace this owner: rule 14 */
	struct cw_login *next;
};

/* The request of an administrator to evict or readmit a host. */
struct cw_owners_request {
	u8 host[CW_WIRE_UUID];
	bool readmit;
	bool written; /* of the machine */
	struct cw_owners_request *next;
};

struct cw_owners;

struct cw_owners_ops {
	/* When the last message of @m since its PROOF arrived, in ms. Called until @m is released.
	 */
	u64 (*heard)(const struct cw_login *m);
	/* A random number, not 0. */
	u64 (*cookie)(void);
	/* Sends PROBE. False: it cannot be sent now, and the machine tries again. */
	bool (*probe)(struct cw_login *m, u64 cookie);
	/*
	 * Starts the end of @m: all links are killed and drained, its commands waited for. The
	 * caller then calls cw_owners_ended().
	 */
	void (*end)(struct cw_login *m, const char *why);
	/*
	 * REFUSED, and then the end as above. @newest: the newest epoch, for STALE. @by: the
	 * owner's entry, for IN_USE, or NULL.
	 */
	void (*refuse)(struct cw_login *m, enum cw_owners_refusal refusal, u64 newest,
		       const struct cw_ledger_host *by);
	/* A limit of the server forbids @m now. The sessions that @m replaces do not count. */
	bool (*limited)(struct cw_login *m);
	/* Sends WELCOME, if the control link still stands. The session is live. */
	void (*welcome)(struct cw_login *m);
	/* Sends FAREWELL, and then the end as above. */
	void (*farewell)(struct cw_login *m);
	/*
	 * Writes @ledger to stable storage. 0: done; -EINPROGRESS: cw_owners_written() will be
	 * called, and @ledger does not change until then; else a negative errno.
	 */
	int (*write)(struct cw_owners *o, const struct cw_ledger *ledger);
	/* @request is done (0), or failed (a negative errno). The machine has forgotten it. */
	void (*completed)(struct cw_owners_request *request, int error);
	/* The machine has forgotten @m. */
	void (*release)(struct cw_login *m);
	/* Seconds since 1970. */
	u64 (*seconds)(void);
};

/* The kinds of write; the machine does one at a time. */
enum cw_owners_writing {
	CW_OWNERS_WRITE_NONE,
	CW_OWNERS_WRITE_LOGIN,
	CW_OWNERS_WRITE_GOODBYE,
	CW_OWNERS_WRITE_REQUEST,
	/* No changes: the state in memory. JOINs and owners' own sessions are judged meanwhile. */
	CW_OWNERS_WRITE_STATE,
};

struct cw_owners {
	const struct cw_owners_ops *ops;
	bool exclusive;
	bool read_only; /* no owner and no ledger: only earlier paths of a session are ended */
	u32 takeover_after; /* s; 0: never */
	u32 dead_ms; /* the detection time that the server would grant now */
	u64 started; /* ms: when the export was started */
	bool closed; /* the export is being removed */

	/*
	 * The machine sets these fields. Before that, the caller makes room in both ledgers and
	 * loads the first one.
	 */
	struct cw_ledger ledger; /* what is in effect */
	struct cw_ledger next; /* what is being written */
	u64 highest; /* generation that was ever read or written */
	enum cw_owners_writing writing;
	struct cw_login *writer; /* whose login or GOODBYE is being written */
	struct cw_owners_request *request;
	bool gave_up; /* the export is being removed, and a write failed since */
	u64 dirty; /* ms: since when memory has epochs that the ledger lacks; 0: it has all */
	u64 repair; /* ms: a write failed; when to write the state in memory; 0: none failed */
	struct cw_login *members;
	struct cw_owners_request *requests;
	u64 free; /* ms: when the last write of a change ended */
	u64 wake; /* ms */
};

/*
 * The ledger was loaded, at @now. False: the export is exclusive and the ledger has several owners;
 * the export MUST NOT be started (rule 2).
 */
bool cw_owners_start(struct cw_owners *o, u64 now);

/* A right PROOF of @m arrived; the checks that section 4 puts before the eviction have passed. */
void cw_owners_enter(struct cw_owners *o, struct cw_login *m, u64 now);

/*
 * ALIVE with @cookie arrived on the control link of @m. Judges nothing: all answers that arrived
 * have to be delivered before cw_owners_step() (rule 31).
 */
void cw_owners_alive(struct cw_owners *o, struct cw_login *m, u64 cookie);

/*
 * The cookie that a PROBE of liveness on the link of @m has to use, so that its answer hides no
 * other one; 0: any cookie.
 */
u64 cw_owners_cookie(const struct cw_login *m);

/*
 * The export is being removed: logins that wait are refused, and no login is admitted any more.
 * Epochs are written at once from then on.
 */
void cw_owners_close(struct cw_owners *o, u64 now);

/*
 * The client has shown that it has WELCOME: a data link or a JOIN proved the login's secret. False:
 * @m is not live any more, and the link MUST be refused. Judges nothing; cw_owners_step() has to
 * follow.
 */
bool cw_owners_confirm(struct cw_owners *o, struct cw_login *m, u64 now);

/* GOODBYE arrived on @m, which is LIVE. The caller ends the data links meanwhile. */
void cw_owners_goodbye(struct cw_owners *o, struct cw_login *m, u64 now);

/* After GOODBYE: no data link and no command of @m is left. */
void cw_owners_idle(struct cw_owners *o, struct cw_login *m, u64 now);

/* The control link of @m is dead, or its end has begun otherwise. */
void cw_owners_ending(struct cw_owners *o, struct cw_login *m, u64 now);

/* Nothing of @m is left: no link, no command. It may be freed once the machine has released it. */
void cw_owners_ended(struct cw_owners *o, struct cw_login *m, u64 now);

/* Adds @request, which stays until it was completed. */
void cw_owners_submit(struct cw_owners *o, struct cw_owners_request *request, u64 now);

/* The write that the machine asked for has ended; @error is a negative errno or 0. */
void cw_owners_written(struct cw_owners *o, int error, u64 now);

/* The owner at @m's host is the session of @m. */
bool cw_login_is_own(const struct cw_owners *o, const struct cw_login *m);

/* Nothing is left to do: no login, no request, no write. Only for a machine that was closed. */
bool cw_owners_is_quiet(const struct cw_owners *o);

/*
 * Judges all that waits. After this and every other call, the caller MUST call this function again
 * at @o->wake, which it returns (CW_OWNERS_NEVER: not before the next event). Messages that arrived
 * before that time are delivered first (rule 31).
 */
u64 cw_owners_step(struct cw_owners *o, u64 now);

#ifdef __cplusplus
}
#endif

#endif
