/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The paths of a login: the one on which the client logged in, and those that joined it
 * (docs/PROTOCOL.md section 7). Each path is a struct cw_server_session of its own. They share
 * this object, because the path of the login may end before the others.
 */
#ifndef CW_SERVER_PATHS_H
#define CW_SERVER_PATHS_H

#include <linux/kref.h>
#include <linux/list.h>

#include "../../../../include/wire/causeway_parse.h"

struct cw_server_session;

struct cw_server_paths {
	struct kref users;
	/* Constant. */
	u8 secret[CW_WIRE_MAC]; /* S of the login */
	u8 instance[CW_WIRE_UUID]; /* of CHALLENGE */
	u64 features; /* chosen for the login */
	const struct cw_server_export *core; /* of the login; only compared */
	struct cw_hello hello; /* of the login */

	/* Under cw_server_lock. */
	struct hlist_node by_session; /* while @count is not 0 */
	u32 count; /* paths that went live and have not finished */
	u32 notices; /* `sequence` of the newest NOTICE; 0: none was sent since WELCOME */
	u64 round; /* the newest round that met a path of this login */
};

/* For the login @s, whose PROOF was right. NULL: no memory. Process context. */
struct cw_server_paths *cw_server_paths_make(const struct cw_server_session *s);
/* NULL is none. Any context. */
void cw_server_paths_put(struct cw_server_paths *paths);

/* @s went live, and WELCOME or JOINED was not sent yet. Under cw_server_lock. */
void cw_server_paths_live(struct cw_server_session *s);
/*
 * No command and no data link of @s is left, which was live. True: it was the last such path of its
 * login. Under cw_server_lock.
 */
bool cw_server_paths_finished(struct cw_server_session *s);
/*
 * The paths of the login whose session and secret @join names and proves, with a reference; NULL:
 * no login with the feature PATHS went live and is left that fits. @wire and the set-up of the
 * control link of @s are those that the MAC covers. Process context. May sleep.
 */
struct cw_server_paths *cw_server_paths_of_join(const struct cw_server_session *s,
						const struct cw_join *join,
						const struct cw_wire_join *wire);

/*
 * A round visits the sessions of an export and counts the paths of a login once. Under
 * cw_server_lock, which is held until the round ends.
 */
u64 cw_server_paths_begin_round(void);
/* True if @s is the first path of its login in this round. A login without PROOF has one path. */
bool cw_server_paths_is_first(struct cw_server_session *s, u64 round);

#endif
