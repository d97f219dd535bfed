/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server's half of sessions: listener, login, fence, links. What an export is and how a command
 * runs is causeway_target's business; it registers these ops.
 */
#ifndef CW_SERVER_H
#define CW_SERVER_H

#include <linux/module.h>
#include <linux/percpu-refcount.h>
#include <linux/socket.h>

#include "link.h"

struct cw_server_session;

struct cw_server_ops {
	/* The export of that name with a reference, or NULL. Process context, all of these. */
	void *(*export_get)(const char *name);
	void (*export_put)(void *export);
	/* Whether the allow list (empty: everyone) has @peer. */
	bool (*export_allows)(void *export, const struct sockaddr *peer);
	/* Copies the key (at most 64 bytes), returns its length, 0 for none. */
	size_t (*export_key)(void *export, u8 key[64]);
	bool (*export_exclusive)(void *export);
	/* What the welcome says of the disk. */
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
	 * A data link is about to be accepted: make link->priv. Its depth, inline_size, max_io are
	 * set.
	 */
	int (*link_init)(struct cw_link *link, void *export);
	/* No command of it is left and the link is drained: free link->priv. */
	void (*link_exit)(struct cw_link *link);
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

/* Tells every session of @export. Process context. */
void cw_server_notice(void *export, const struct cw_notice *notice);

/*
 * Ends every session of @export and waits until none of their commands is left. New logins
 * meanwhile are the caller's to prevent (export_get returns NULL). Process context.
 */
void cw_server_drop(void *export);

/*
 * A command's hold on its session: what a fence waits for. Get when it is received (false: the
 * session is being ended, drop it), put after its answer was given to the link. Any context.
 */
bool cw_session_command_get(struct cw_link *link);
void cw_session_command_put(struct cw_link *link);

u32 cw_server_session_count(void *export);

#endif
