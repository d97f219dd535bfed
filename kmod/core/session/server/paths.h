/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The paths of a login: the one on which the client logged in, and those that joined it
 * (docs/PROTOCOL.md section 7). Each path is a struct cw_server_session of its own. They share
 * this object, because the path of the login may end before the others.
 */
#ifndef CW_SERVER_PATHS_H
#define CW_SERVER_PATHS_H

#include <linux/kref.h>

#include "../../../../include/wire/causeway_parse.h"

struct cw_server_session;

struct cw_server_paths {
	struct kref users;
	u8 secret[CW_WIRE_MAC]; /* S of the login; constant */

	/* Under cw_server_lock. */
	u32 notices; /* `sequence` of the newest NOTICE; 0: none was sent since WELCOME */
	u64 round; /* the newest round that met a path of this login */
};

/* For a login whose PROOF was right. NULL: no memory. Process context. */
struct cw_server_paths *cw_server_paths_make(const u8 secret[CW_WIRE_MAC]);
/* NULL is none. Any context. */
void cw_server_paths_put(struct cw_server_paths *paths);

/*
 * A round visits the sessions of an export and counts the paths of a login once. Under
 * cw_server_lock, which is held until the round ends.
 */
u64 cw_server_paths_begin_round(void);
/* True if @s is the first path of its login in this round. A login without PROOF has one path. */
bool cw_server_paths_is_first(struct cw_server_session *s, u64 round);

#endif
