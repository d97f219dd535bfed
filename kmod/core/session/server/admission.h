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

/**
 * cw_admission_init() - prepares an admission, and reads or makes the ledger
 * @a: admission, zeroed. cw_admission_exit() has to follow after an error too.
 * @config: properties of the export
 * @extack: gets the reason of an error, unless it is -ENOMEM
 *
 * Context: Process context. May sleep.
 * Return: 0; -EBUSY: the disk is exported for writing already, or an exclusive export has several
 * owners; -EAGAIN: an export of the disk is being removed; or another -errno.
 */
int cw_admission_init(struct cw_admission *a, const struct cw_server_export_config *config,
		      struct netlink_ext_ack *extack);
/**
 * cw_admission_stop() - admits no login any more, and refuses those that wait
 * @a: admission
 *
 * Any number of calls is allowed.
 *
 * Context: Process context. Takes the lock.
 */
void cw_admission_stop(struct cw_admission *a);
/**
 * cw_admission_close() - closes the ledger when every session is gone and its GOODBYE is written
 * @a: admission after cw_admission_stop(). The end of all sessions has begun.
 *
 * Any number of calls is allowed.
 *
 * Context: Process context. May sleep long. Takes the lock.
 */
void cw_admission_close(struct cw_admission *a);
/**
 * cw_admission_exit() - frees what an admission has
 * @a: admission; no session is left
 *
 * Context: Process context. May sleep. Takes the lock.
 */
void cw_admission_exit(struct cw_admission *a);

/**
 * cw_admission_enter() - handles a right PROOF: LOGIN -> PROVED
 * @s: session
 *
 * The machine holds a reference from then on, until nothing of the login is left.
 *
 * Context: Process context. Takes the lock.
 * Return: False if the session is ending.
 */
bool cw_admission_enter(struct cw_server_session *s);
/**
 * cw_admission_join() - handles a JOIN with a right MAC as cw_admission_enter() handles PROOF
 * @s: session of the path
 *
 * Context: Process context. Takes the lock.
 * Return: False if the session is ending.
 */
bool cw_admission_join(struct cw_server_session *s);
/**
 * cw_admission_fence() - handles FENCE
 * @s: session on whose control link FENCE came
 * @path: of the incarnations to end
 * @epoch: the highest epoch of the incarnations to end
 * @tag: of the JOIN that FENCE announces; 0: none
 *
 * Context: Process context. Takes the lock.
 * Return: 0; -EPROTO: FENCE is malformed.
 */
int cw_admission_fence(struct cw_server_session *s, u8 path, u64 epoch, u64 tag);
/**
 * cw_admission_path_bye() - handles PATH_BYE
 * @s: session on whose control link PATH_BYE came
 * @path: of the message
 * @epoch: of the message
 *
 * Context: Process context. Takes the lock.
 * Return: 0; -EPROTO: PATH_BYE is malformed.
 */
int cw_admission_path_bye(struct cw_server_session *s, u8 path, u64 epoch);
/**
 * cw_admission_confirm() - handles a data link that proved its secret, and is not accepted yet
 * @s: session of the link
 *
 * Context: Process context. Takes the lock.
 * Return: False if the session is not live any more.
 */
bool cw_admission_confirm(struct cw_server_session *s);
/**
 * cw_admission_goodbye() - handles the end of a session that sent GOODBYE
 * @s: session
 *
 * Context: Process context. Takes the lock.
 * Return: True: the control link is kept until the machine has sent FAREWELL, or ends @s.
 * False: the end of @s has begun otherwise.
 */
bool cw_admission_goodbye(struct cw_server_session *s);
/**
 * cw_admission_ending() - forbids the machine to use the control link
 * @s: session whose end has begun without GOODBYE, or whose control link is freed after GOODBYE
 *
 * Context: Process context. Takes the lock.
 */
void cw_admission_ending(struct cw_server_session *s);
/**
 * cw_admission_idle() - handles that no command is left and no data link is in use
 * @s: session after GOODBYE
 *
 * Context: Process context. Takes the lock.
 */
void cw_admission_idle(struct cw_server_session *s);
/**
 * cw_admission_ended() - handles that no command of a session is left and no link is in use
 * @s: session
 *
 * Context: Process context. Takes the lock.
 */
void cw_admission_ended(struct cw_server_session *s);

/**
 * cw_admission_receipt() - computes the generation and the receipt for WELCOME
 * @a: admission
 * @m: the login
 * @generation: set
 * @receipt: set; both are 0 for a read-only export
 *
 * Context: Process context, under the lock. May sleep.
 * Return: 0 or -errno.
 */
int cw_admission_receipt(const struct cw_admission *a, const struct cw_login *m, u64 *generation,
			 u8 receipt[CW_WIRE_RECEIPT]);
/**
 * cw_admission_knows_receipt() - checks a receipt for the session and the generation of a login
 * @a: admission
 * @m: the login
 * @receipt: the receipt
 *
 * Context: Process context, without the lock.
 * Return: True if the receipt is one of this ledger.
 */
bool cw_admission_knows_receipt(const struct cw_admission *a, const struct cw_login *m,
				const u8 receipt[CW_WIRE_RECEIPT]);

/**
 * cw_admission_alive() - keeps an ALIVE for the machine
 * @s: session on whose control link ALIVE came
 * @cookie: of the ALIVE
 *
 * Context: Any context. Takes the lock of @s.
 */
void cw_admission_alive(struct cw_server_session *s, u64 cookie);

/* ---- between admission.c, admission_ops.c and eviction.c ---- */

/**
 * cw_admission_begin() - begins a call of the machine
 * @a: admission
 *
 * Takes the lock, begins a NOIO scope, reads the clock and then delivers the ALIVEs that came, in
 * this order (rule 31).
 *
 * Context: Process context. Takes the lock, and returns with it.
 * Return: The scope for cw_admission_end().
 */
unsigned int cw_admission_begin(struct cw_admission *a);
/**
 * cw_admission_end() - ends a call of the machine
 * @a: admission
 * @noio: from cw_admission_begin()
 *
 * Has the machine judge, arms the work for the time that the machine asked for, and ends the scope.
 *
 * Context: Process context, under the lock, which this function releases.
 */
void cw_admission_end(struct cw_admission *a, unsigned int noio);
/**
 * cw_admission_clock() - reads a clock that stands still while the system is suspended
 *
 * Context: Any context.
 * Return: Milliseconds, never 0.
 */
u64 cw_admission_clock(void);
extern const struct cw_owners_ops cw_admission_ops;
/**
 * cw_server_session_of_owner() - finds the live session that owns the disk
 * @o: machine of the owners
 * @entry: entry of the owner in the ledger
 *
 * Context: Process context, under the lock.
 * Return: The path of the session that sent a message last; NULL: the owner is away.
 */
struct cw_server_session *cw_server_session_of_owner(const struct cw_owners *o,
						     const struct cw_ledger_host *entry);

#endif
