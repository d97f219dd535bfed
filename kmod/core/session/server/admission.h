/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which logins of an export are admitted: connects the state machine of owners/
 * (docs/PROTOCOL.md, section 5) with sessions, their timers, and the ledger.
 *
 * Each export has one struct cw_admission. Its lock serialises all calls of the machine. The lock
 * is taken in process context, outside cw_server_lock, and not held over a wait for a peer, a disk
 * or the ledger's storage. The thread that holds it allocates in a NOIO scope, because a client on
 * this host may wait for the state machine.
 *
 * A disk is exported for writing by one export at a time, until cw_admission_close() has returned.
 * So the ledger of an export is the ledger of its identity.
 */
#ifndef CW_ADMISSION_H
#define CW_ADMISSION_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../../owners/owners.h"

struct cw_ledger_store;
struct cw_server_export_config;
struct cw_server_session;
struct netlink_ext_ack;

struct cw_admission {
	struct mutex lock; /* of all members that are not marked otherwise */
	struct cw_owners owners;
	struct cw_ledger_store *store; /* NULL: the ledger is in memory */
	struct list_head entry; /* of the writable exports, under a lock of its own; or empty */
	/* Constant. */
	u8 identity[CW_WIRE_UUID];
	u8 ledger[CW_WIRE_UUID]; /* and its secret */
	u8 secret[CW_LEDGER_SECRET];
	char name[CW_WIRE_NAME]; /* of the export */

	u64 now; /* ms: of the call of the machine that is under way */
	unsigned long answered; /* bit 0: an ALIVE waits for the machine; any context */
	struct delayed_work work; /* ALIVE, and the time that the machine asked for */
	bool stopped; /* the export is being removed; read without the lock */
	bool over; /* the work is not queued any more */
	bool done; /* the machine was closed and is quiet: for good, since no session can enter */
	wait_queue_head_t quiet;
	struct list_head evictions; /* of eviction.c: requests that are not done */
	bool on_storage; /* constant: the ledger has files */
	int ledger_error; /* of the last write, or 0 */
};

/*
 * Prepares @a, zeroed, and reads or makes the ledger. -EBUSY: the disk is exported for writing
 * already. On an error @extack has the reason, and cw_admission_exit() has to follow all the same.
 * May sleep.
 */
int cw_admission_init(struct cw_admission *a, const struct cw_server_export_config *config,
		      struct netlink_ext_ack *extack);
/*
 * No login is admitted any more, and those that wait are refused. Any number of calls. Process
 * context.
 */
void cw_admission_stop(struct cw_admission *a);
/*
 * Waits until every session is gone and its GOODBYE is written, and closes the ledger. Behind
 * cw_admission_stop(). The end of all sessions has begun. Any number of calls. May sleep long.
 */
void cw_admission_close(struct cw_admission *a);
/* Frees what @a has. No session is left. May sleep. */
void cw_admission_exit(struct cw_admission *a);

/* For all that follows: process context; takes the lock. */

/*
 * PROOF of @s was right: LOGIN -> PROVED. The machine holds a reference from then on, until nothing
 * of the login is left. False: the session is ending.
 */
bool cw_admission_enter(struct cw_server_session *s);
/* The same for a path whose JOIN had a right MAC. */
bool cw_admission_join(struct cw_server_session *s);
/* FENCE came on the control link of @s. 0; -EPROTO: it is malformed. */
int cw_admission_fence(struct cw_server_session *s, u8 path, u64 epoch, u64 tag);
/* PATH_BYE came on the control link of @s. 0; -EPROTO: it is malformed. */
int cw_admission_path_bye(struct cw_server_session *s, u8 path, u64 epoch);
/*
 * A data link of @s proved its secret, and is not accepted yet. False: the session is not live any
 * more.
 */
bool cw_admission_confirm(struct cw_server_session *s);
/*
 * GOODBYE came. True: the control link is kept until the machine has sent FAREWELL, or called the
 * end. False: the end of @s has begun otherwise.
 */
bool cw_admission_goodbye(struct cw_server_session *s);
/* The end of @s has begun, without GOODBYE. The machine does not use its control link any more. */
void cw_admission_ending(struct cw_server_session *s);
/* After GOODBYE: no command and no data link of @s is left. */
void cw_admission_idle(struct cw_server_session *s);
/* Nothing of @s is left. */
void cw_admission_ended(struct cw_server_session *s);

/*
 * The generation and the receipt for WELCOME of @m. 0 or -errno. The caller holds the lock. May
 * sleep.
 */
int cw_admission_receipt(const struct cw_admission *a, const struct cw_login *m, u64 *generation,
			 u8 receipt[CW_WIRE_RECEIPT]);
/* @receipt is one of this ledger, for the session and the generation of @m. Without the lock. */
bool cw_admission_knows_receipt(const struct cw_admission *a, const struct cw_login *m,
				const u8 receipt[CW_WIRE_RECEIPT]);

/* ALIVE with @cookie came on the control link of @s. Any context. */
void cw_admission_alive(struct cw_server_session *s, u64 cookie);

/* ---- between admission.c, admission_ops.c and eviction.c ---- */

/*
 * Takes the lock, begins a NOIO scope, reads the clock and then delivers the ALIVEs that came, in
 * this order (rule 31). Returns the scope for cw_admission_end().
 */
unsigned int cw_admission_begin(struct cw_admission *a);
/* Arms the work for the time that the machine asked for, ends the scope and releases the lock. */
void cw_admission_end(struct cw_admission *a, unsigned int noio);
/* Milliseconds that are never 0 and stand still while the machine is suspended. */
u64 cw_admission_clock(void);
extern const struct cw_owners_ops cw_admission_ops;
/*
 * The path that was heard last, of the live session that owns the disk by @entry; NULL: the owner
 * is away. Under the lock.
 */
struct cw_server_session *cw_server_session_of_owner(const struct cw_owners *o,
						     const struct cw_ledger_host *entry);

#endif
