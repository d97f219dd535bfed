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
	/* Returns true if the export is served over TCP. */
	bool (*export_over_tcp)(void *export);
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

/**
 * cw_server_register() - registers the target, and draws the instance of the server
 * @ops: functions of the target, used until cw_server_unregister() has returned
 *
 * Context: Process context. Takes cw_server_lock.
 * Return: 0; -EBUSY: a target is registered already.
 */
int cw_server_register(const struct cw_server_ops *ops);
/**
 * cw_server_unregister() - stops to listen, ends every session and waits for it
 * @ops: as passed to cw_server_register()
 *
 * Context: Process context. Sleeps. Takes cw_server_lock.
 */
void cw_server_unregister(const struct cw_server_ops *ops);

/**
 * cw_server_listen() - starts to listen; called with the first export
 * @port: port of the RDMA connection manager
 *
 * A further call with the same port does nothing. A missing IPv6 listener is not an error.
 *
 * Context: Process context. May sleep. The caller serialises all calls.
 * Return: 0; -EBUSY: the server listens on another port; or another -errno, such as -EADDRINUSE.
 */
int cw_server_listen(u16 port);
/**
 * cw_server_port() - returns the port on which the server listens
 *
 * Context: Any context.
 * Return: The port; 0: the server does not listen.
 */
u16 cw_server_port(void);
/**
 * cw_server_listen_tcp() - starts to listen for links over TCP
 * @port: the one after that of cw_server_listen(), because iWARP uses the same number in TCP
 *
 * A call while the server listens does nothing. A machine without IPv6 listens on IPv4 only.
 *
 * Context: Process context. May sleep. The caller serialises it with cw_server_close_tcp().
 * Return: 0 or -errno, such as -EADDRINUSE.
 */
int cw_server_listen_tcp(u16 port);
/**
 * cw_server_close_tcp() - closes the TCP port; links stay
 *
 * Context: Process context. Sleeps. The caller serialises it with cw_server_listen_tcp().
 */
void cw_server_close_tcp(void);
/**
 * cw_server_tcp_port() - returns the TCP port on which the server listens
 *
 * Context: Any context.
 * Return: The port; 0: the server does not listen for links over TCP.
 */
u16 cw_server_tcp_port(void);

/**
 * cw_server_instance() - copies the instance of the server
 * @instance: set
 *
 * Context: Process context. Takes cw_server_lock.
 */
void cw_server_instance(u8 instance[CW_WIRE_UUID]);
/**
 * cw_server_set_instance() - sets the instance of the server
 * @instance: new instance
 *
 * Context: Process context. Takes cw_server_lock.
 */
void cw_server_set_instance(const u8 instance[CW_WIRE_UUID]);

/**
 * cw_server_export_make() - makes the state that the core keeps for an export
 * @config: properties of the export
 * @extack: gets the reason of a failure, unless it is -ENOMEM
 *
 * The state is the work queue on which the sessions of the export end, the list of them, and its
 * owners. The export holds one reference, each of its sessions another. The ledger is opened with
 * the rights of the caller.
 *
 * Context: Process context. May sleep.
 * Return: The state, or an ERR_PTR().
 */
struct cw_server_export *cw_server_export_make(const struct cw_server_export_config *config,
					       struct netlink_ext_ack *extack);
/**
 * cw_server_export_put() - puts a reference to the state of an export
 * @x: the state, or NULL
 *
 * Context: Process context; also from within a work of the export's own queue.
 */
void cw_server_export_put(struct cw_server_export *x);

/**
 * cw_server_session_count() - counts the sessions that are logged in
 * @x: state of the export
 *
 * Context: Process context. Takes cw_server_lock.
 * Return: The number of sessions; the paths of a session count once.
 */
u32 cw_server_session_count(struct cw_server_export *x);

/* New settings of an export, which may exclude clients. The functions get @context. */
struct cw_server_change {
	/* Checks the address and the transport of a client. Under cw_server_lock. */
	bool (*admits)(const void *context, const struct sockaddr *peer, bool tcp);
	/* Replaces the settings that logins read. May sleep. Under cw_server_lock. */
	void (*publish)(const void *context);
	const void *context;
	bool force; /* end the connections that the new settings do not admit */
	const char *why; /* reason of the end, for administrators */
};

/**
 * cw_server_excluded() - counts the connections that new settings do not admit
 * @x: state of the export
 * @change: the new settings
 * @text: as for cw_server_change_settings()
 * @len: bytes of @text
 *
 * Context: Process context. May sleep. Takes cw_server_lock.
 * Return: The count that cw_server_change_settings() would give now.
 */
u32 cw_server_excluded(struct cw_server_export *x, const struct cw_server_change *change,
		       char *text, size_t len);

/**
 * cw_server_change_settings() - replaces settings of an export, and ends whom they do not admit
 * @x: state of the export
 * @change: the new settings
 * @count: set to the number of connections that they do not admit: paths of sessions that are
 *   logged in, and logins that have proved themselves and wait
 * @text: set to the names and addresses of at most three of these clients, and the number of others
 * @len: bytes of @text
 *
 * Without @change->force, changes nothing if there is such a connection. Logins that have not
 * proved themselves are ended in any case, and are not counted. Waits for no session.
 *
 * Context: Process context. May sleep. Takes cw_server_lock.
 * Return: True if the settings were replaced.
 */
bool cw_server_change_settings(struct cw_server_export *x, const struct cw_server_change *change,
			       u32 *count, char *text, size_t len);
/**
 * cw_server_set_takeover() - sets the time after which a host may replace an absent owner
 * @x: state of an exclusive export
 * @seconds: the time; 0: never
 *
 * A login that waits for its takeover is judged by the new time at once.
 *
 * Context: Process context. May sleep. Takes the lock of the admission.
 */
void cw_server_set_takeover(struct cw_server_export *x, u32 seconds);

/**
 * cw_server_notice() - sends a notice on every path of every session that is logged in
 * @x: state of the export
 * @notice: the notice; @notice->sequence is not used
 *
 * The notice is counted once for each session. The function waits for no client.
 *
 * Context: Process context. Takes cw_server_lock.
 */
void cw_server_notice(struct cw_server_export *x, const struct cw_notice *notice);
#define CW_NOTICE_WAIT (2 * HZ)
/**
 * cw_server_notice_wait() - waits until the clients have the final notice (GONE, STOPPING)
 * @x: state of the export
 * @until: time limit, in jiffies
 *
 * The end of a session overtakes the last messages to its client. So the caller waits here before
 * the end. The function does not wait for clients that are gone.
 *
 * Context: Process context. Sleeps without a lock.
 */
void cw_server_notice_wait(struct cw_server_export *x, unsigned long until);

/**
 * cw_server_refuse_logins() - refuses the logins that wait, and admits none any more
 * @x: state of an export that is being removed
 *
 * Any number of calls is allowed.
 *
 * Context: Process context. Takes the lock of the admission.
 */
void cw_server_refuse_logins(struct cw_server_export *x);
/**
 * cw_server_end() - starts the end of every session, and admits no new one
 * @x: state of the export
 * @why: reason of the end, for administrators
 *
 * A login that waits is refused first. The function waits for no session. Any number of calls is
 * allowed.
 *
 * Context: Process context. Takes the lock of the admission, then cw_server_lock.
 */
void cw_server_end(struct cw_server_export *x, const char *why);
/**
 * cw_server_drop() - ends every session, and waits until they have no command and use no data link
 * @x: state of the export
 * @timeout: time limit in jiffies; MAX_SCHEDULE_TIMEOUT: for ever
 *
 * May be called again, by several threads.
 *
 * Context: Process context. Takes the locks of cw_server_end(), and then sleeps without a lock.
 * Return: The number of paths of sessions that are left; those hold commands that the backend has.
 */
u32 cw_server_drop(struct cw_server_export *x, long timeout);
/**
 * cw_server_export_close() - closes the ledger when the GOODBYEs of the clients are in it
 * @x: state of an export after cw_server_drop(), or of one that was never published
 *
 * From then on the disk can be exported again.
 *
 * Context: Process context. May sleep long. Takes the locks of cw_server_end().
 */
void cw_server_export_close(struct cw_server_export *x);
/**
 * cw_server_left() - names sessions that are left, for a message to people
 * @x: state of the export
 * @text: set to the names and addresses of at most three sessions, and the number of the others
 * @len: bytes of @text
 *
 * Context: Process context. Takes cw_server_lock.
 */
void cw_server_left(struct cw_server_export *x, char *text, size_t len);

/**
 * cw_server_limit() - counts that a limit was met
 * @limit: the limit
 *
 * Context: Any context.
 */
void cw_server_limit(enum cw_limit limit);
/**
 * cw_server_put_limits() - adds CW_A_LIMITS to a reply
 * @skb: the reply
 *
 * Context: Any context.
 * Return: 0 or -EMSGSIZE.
 */
int cw_server_put_limits(struct sk_buff *skb);

/**
 * cw_session_command_get() - takes a command's hold on its session, for which a fence waits
 * @link: data link on which the command was received
 *
 * The links of a session are freed when no hold is left.
 *
 * Context: Any context.
 * Return: False if the session is being ended; then the caller drops the command.
 */
static inline bool cw_session_command_get(struct cw_link *link)
{
	return percpu_ref_tryget_live(link->session_commands);
}

/**
 * cw_session_command_put() - puts a command's hold after the answer was given to the link
 * @link: data link of the command. This may be the last use of the link.
 *
 * Context: Any context.
 */
static inline void cw_session_command_put(struct cw_link *link)
{
	percpu_ref_put(link->session_commands);
}

/**
 * cw_session_peer() - returns the address of the client of a data link
 * @link: data link
 *
 * Context: Any context.
 * Return: The address, which is valid as long as the link is.
 */
const struct sockaddr *cw_session_peer(const struct cw_link *link);

#endif
