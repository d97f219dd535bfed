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

/**
 * cw_server_paths_make() - makes the object that the paths of a login share
 * @s: login, whose PROOF was right
 *
 * Context: Process context. May sleep.
 * Return: The object with a reference; NULL: no memory.
 */
struct cw_server_paths *cw_server_paths_make(const struct cw_server_session *s);
/**
 * cw_server_paths_put() - puts a reference; the last one erases the secret
 * @paths: the paths, or NULL
 *
 * Context: Any context.
 */
void cw_server_paths_put(struct cw_server_paths *paths);

/**
 * cw_server_paths_live() - counts a path that went live
 * @s: path. WELCOME or JOINED was not sent yet.
 *
 * Context: Process context, under cw_server_lock.
 */
void cw_server_paths_live(struct cw_server_session *s);
/**
 * cw_server_paths_finished() - no longer counts a path
 * @s: path, which was live. No command of it is left, and no data link in use.
 *
 * Context: Process context, under cw_server_lock.
 * Return: True if it was the last such path of its login.
 */
bool cw_server_paths_finished(struct cw_server_session *s);
/**
 * cw_server_paths_of_join() - finds the paths of the login that a JOIN names and proves
 * @s: session of the new path. The MAC covers the set-up of its control link.
 * @join: JOIN
 * @wire: JOIN as received, which the MAC covers
 *
 * Context: Process context. May sleep. Takes cw_server_lock.
 * Return: The paths with a reference; NULL: no login with the feature PATHS went live and is left
 * that fits.
 */
struct cw_server_paths *cw_server_paths_of_join(const struct cw_server_session *s,
						const struct cw_join *join,
						const struct cw_wire_join *wire);

/**
 * cw_server_paths_begin_round() - begins a round
 *
 * A round visits the sessions of an export and counts the paths of a login once.
 *
 * Context: Process context, under cw_server_lock, which is held until the round ends.
 * Return: The round.
 */
u64 cw_server_paths_begin_round(void);
/**
 * cw_server_paths_is_first() - checks whether a path is the first of its login in a round
 * @s: path
 * @round: the round
 *
 * A login without PROOF has one path.
 *
 * Context: Process context, under cw_server_lock.
 * Return: True if @s is the first one.
 */
bool cw_server_paths_is_first(struct cw_server_session *s, u64 round);

#endif
