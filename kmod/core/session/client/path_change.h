/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths that are added to a session, and removed from it, while the session is there. */
#ifndef CW_CLIENT_PATH_CHANGE_H
#define CW_CLIENT_PATH_CHANGE_H

#include "path.h"

/**
 * cw_session_path_config() - copies the addresses of a path
 * @s: the session
 * @number: number of the path, below CW_WIRE_PATHS
 * @config: set to the addresses, or to zeroes if the session has no such path
 *
 * Context: Process context. May sleep. Takes s->lock.
 * Return: True if the session has the path. A path that is being removed is still there.
 */
bool cw_session_path_config(struct cw_session *s, u8 number, struct cw_path_config *config);
/**
 * cw_session_add_path() - adds a path to a session
 * @s: the session
 * @config: addresses of the path, which no other path of @s has
 * @number: number of the path: the lowest one that no path has. The caller keeps others from adding
 * paths.
 * @reason: 160 bytes; set to a text for people on an error
 *
 * The path joins at once if the session is live. Otherwise it takes part in the next login.
 *
 * Context: Process context. May sleep. Takes s->lock.
 * Return: 0; -ENOMEM; -ENODEV: the session ends; -EKEYREVOKED: the server refused it for good.
 */
int cw_session_add_path(struct cw_session *s, const struct cw_path_config *config, u8 number,
			char *reason);
/**
 * cw_session_remove_path() - removes a path of a session
 * @s: the session
 * @number: number of the path
 * @reason: 160 bytes; set to a text for people on an error
 *
 * If the path is live, another one must answer a probe within 1 s. Waits until the commands that
 * the path has are answered. If that takes more than 10 s, or if the caller gets a signal, the path
 * ends like one that was lost: its writes wait for its fence. If the other paths are lost
 * meanwhile, the path stays.
 *
 * Context: Process context. Sleeps. Takes p->lock and s->lock.
 * Return: 0; -ENOENT: there is no such path; -EBUSY: the path is needed, or is being removed;
 * -ENODEV: the session ends.
 */
int cw_session_remove_path(struct cw_session *s, u32 number, char *reason);
/**
 * cw_session_take_back() - ends the removal of paths, if all paths that stay were lost
 * @s: the session
 *
 * The caller calls cw_session_rank(), by which the disk uses them again.
 *
 * Context: Process context. s->lock is held.
 */
void cw_session_take_back(struct cw_session *s);

#endif
