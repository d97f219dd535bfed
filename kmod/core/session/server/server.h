/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server's half of sessions: listener, login, fence, links. causeway_target implements exports
 * and runs commands; it registers these ops.
 */
#ifndef CW_SERVER_H
#define CW_SERVER_H

#include <linux/module.h>
#include <linux/percpu-refcount.h>
#include <linux/socket.h>

#include "../../link/completion.h"

struct netlink_ext_ack;
struct sk_buff;
struct cw_server_export;
struct cw_server_session;

struct cw_server_export_config {
	const char *name;
	const u8 *identity;
	bool exclusive, read_only;
	u32 takeover_after; /* s; 0: an absent owner of another host is never replaced */
	const u8 *ledger; /* its UUID; NULL: the ledger is in memory, and ends with the export */
	const char *ledger_folder;
};

struct cw_server_ops {
	/* The export of that name with a reference, or NULL. Process context, all of these. */
	void *(*export_get)(const char *name);
	void (*export_put)(void *export);
	/* Returns the result of cw_server_export_make() for the export. */
	struct cw_server_export *(*export_core)(void *export);
	/* Returns true if the allow list has @peer, or is empty. */
	bool (*export_allows)(void *export, const struct sockaddr *peer);
	/* Copies the key (at most 64 bytes), returns its length, 0 for none. */
	size_t (*export_key)(void *export, u8 key[64]);
	/* Sets the fields of WELCOME that describe the disk. */
	void (*export_describe)(void *export, u8 identity[CW_WIRE_UUID], struct cw_geometry *geo);
	/* Makes the server's @instance that of the export, which may have lost more. */
	void (*export_instance)(void *export, u8 instance[CW_WIRE_UUID]);
	const char *(*export_name)(void *export);
	/*
	 * Fills up to @max records of exports that @peer may see, after skipping @first. Returns
	 * how many; *more: how many follow.
	 */
	int (*export_list)(const struct sockaddr *peer, u32 first, struct cw_export_info *out,
			   int max, u32 *more);
	/*
	 * Makes link->priv of a data link that is about to be accepted. Its depth, inline_size and
	 * max_io are set.
	 */
	int (*link_init)(struct cw_link *link, void *export);
	/* Frees link->priv. No command of the link is left, and the link is drained. */
	void (*link_exit)(struct cw_link *link);
	/*
	 * Returns the number of commands of the link. Called between link_init and link_exit, in
	 * any context.
	 */
	u32 (*link_commands)(const struct cw_link *link);
	struct cw_link_handler handler; /* of data links; down is not used */
};

int cw_server_register(const struct cw_server_ops *ops);
/* Ends every session and waits for it. */
void cw_server_unregister(const struct cw_server_ops *ops);

/*
 * Starts to listen; called with the first export. -EADDRINUSE and the like. Idempotent for the same
 * port.
 */
int cw_server_listen(u16 port);
u16 cw_server_port(void);

void cw_server_instance(u8 instance[CW_WIRE_UUID]);
void cw_server_set_instance(const u8 instance[CW_WIRE_UUID]);

/*
 * Makes the state that the core keeps for an export: the work queue on which its sessions end, the
 * list of them, and its owners. The export holds one reference, each of its sessions another. On
 * failure returns an ERR_PTR; @extack has the reason unless it is -ENOMEM. Opens the ledger with
 * the rights of the caller. May sleep.
 */
struct cw_server_export *cw_server_export_make(const struct cw_server_export_config *config,
					       struct netlink_ext_ack *extack);
/* NULL is none. Process context; also from within a work of the export's own queue. */
void cw_server_export_put(struct cw_server_export *x);

/* Sessions that are logged in. */
u32 cw_server_session_count(struct cw_server_export *x);

/*
 * Sends @notice on every path of every session of @x, and counts it once for each session
 * (@notice->sequence is not used). Takes mutexes, but waits for no client.
 */
void cw_server_notice(struct cw_server_export *x, const struct cw_notice *notice);
#define CW_NOTICE_WAIT (2 * HZ)
/*
 * The end of a session overtakes the last messages to its client. So this waits until the clients
 * of @x have the final notice (GONE, STOPPING) or are gone, and not beyond @until (jiffies). Sleeps
 * without a lock.
 */
void cw_server_notice_wait(struct cw_server_export *x, unsigned long until);

/*
 * The export is being removed: refuses the logins that wait, and admits none any more. Any number
 * of calls. Process context.
 */
void cw_server_refuse_logins(struct cw_server_export *x);
/*
 * Starts the end of every session of @x and admits no new one. A login that waits is refused first.
 * Waits for none of them. Any number of calls. Process context.
 */
void cw_server_end(struct cw_server_export *x, const char *why);
/*
 * The same, and waits until none of their links and commands is left, for at most @timeout jiffies
 * (MAX_SCHEDULE_TIMEOUT: for ever). Returns how many are left; those hold commands that the backend
 * has. May be called again, by several threads. Sleeps without a lock.
 */
u32 cw_server_drop(struct cw_server_export *x, long timeout);
/*
 * Called after cw_server_drop(): waits until the GOODBYEs of the clients are in the ledger, and
 * closes the ledger. From then on the disk can be exported again. May sleep long.
 */
void cw_server_export_close(struct cw_server_export *x);
/* Names sessions that are left, for a message to people. */
void cw_server_left(struct cw_server_export *x, char *text, size_t len);

/* Counts that a limit was met. Any context. */
void cw_server_limit(enum cw_limit limit);
/* Adds CW_A_LIMITS to a reply. 0 or -EMSGSIZE. */
int cw_server_put_limits(struct sk_buff *skb);

/*
 * A command's hold on its session, for which a fence waits. Get the hold when the command is
 * received (false: the session is being ended, drop the command). Put it after the answer was given
 * to the link. The links of a session are freed when no hold is left, so a put may be the last use
 * of @link. Any context.
 */
static inline bool cw_session_command_get(struct cw_link *link)
{
	return percpu_ref_tryget_live(link->session_commands);
}

static inline void cw_session_command_put(struct cw_link *link)
{
	percpu_ref_put(link->session_commands);
}

/* Returns the address of the client of a data link. It is valid as long as the link is. */
const struct sockaddr *cw_session_peer(const struct cw_link *link);

#endif
