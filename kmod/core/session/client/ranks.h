/* SPDX-License-Identifier: GPL-2.0-only */
/* Which paths of a session the disk may use, and the moves of its I/O between their ranks. */
#ifndef CW_CLIENT_RANKS_H
#define CW_CLIENT_RANKS_H

#include "path.h"

/**
 * cw_session_rank() - lets the paths of one rank carry I/O, and all others stand by
 * @s: the session
 *
 * Called when a path goes live, is lost, or begins or ceases to be removed. If a path has to settle
 * before it carries I/O, queues the work of the session, which calls cw_session_rank_again(). If it
 * has settled, sends a probe, and the work of the path calls this when the answer is there.
 *
 * Context: Process context. May sleep. s->lock is held. May call ops->up and ops->withdraw. May
 * take tx_lock of control links.
 */
void cw_session_rank(struct cw_session *s);
/**
 * cw_session_rank_again() - does cw_session_rank() for the work of a session
 * @s: the session
 *
 * Context: Process context. May sleep. s->lock is held. May call ops->up and ops->withdraw. May
 * take tx_lock of control links.
 * Return: The jiffies until the work has to call this again, or MAX_JIFFY_OFFSET.
 */
unsigned long cw_session_rank_again(struct cw_session *s);
/**
 * cw_path_has_better() - checks whether a path has one of a better rank beside it
 * @p: the path
 *
 * Context: Process context. session->lock is held.
 * Return: True if the session has such a path that stays, live or not.
 */
bool cw_path_has_better(const struct cw_path *p);
/**
 * cw_path_begin_settling() - notes that a path has gone live
 * @p: the path
 *
 * Context: Process context. session->lock is held.
 */
void cw_path_begin_settling(struct cw_path *p);
/**
 * cw_path_use() - lets a path carry I/O
 * @p: a live path. The caller has made a login by it, so no other path is live.
 * @new_instance: for ops->up
 *
 * The caller calls cw_session_rank().
 *
 * Context: Process context. May sleep. session->lock is held. Calls ops->up.
 */
void cw_path_use(struct cw_path *p, bool new_instance);
/**
 * cw_path_is_over() - notes that a path was lost
 * @p: the path, which is not LIVE any more, with the reason of the loss
 *
 * The caller calls cw_session_rank() before the disk stops the path.
 *
 * Context: Process context. p->lock and session->lock are held. Takes session->reason_lock.
 */
void cw_path_is_over(struct cw_path *p);
/**
 * cw_path_withdraw() - lets the other paths carry I/O, because a path is being removed
 * @p: a live path with leaving set. Another live path stays.
 *
 * The caller calls cw_path_flush().
 *
 * Context: Process context. May sleep. session->lock is held. Calls ops->withdraw, and may call
 * ops->up.
 */
void cw_path_withdraw(struct cw_path *p);
/**
 * cw_path_flush() - sends the commands that the links of a path have gathered
 * @p: a live path that was withdrawn
 *
 * The end of a batch flushes only the paths that the disk uses then.
 *
 * Context: Process context. Waits for an RCU grace period. p->lock is held. Takes tx_lock of links.
 */
void cw_path_flush(struct cw_path *p);

#endif
