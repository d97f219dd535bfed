/* SPDX-License-Identifier: GPL-2.0-only */
/* The watch of a live path: it probes the server, and ends a path whose server is silent. */
#ifndef CW_CLIENT_LIVENESS_H
#define CW_CLIENT_LIVENESS_H

#include "path.h"

/**
 * cw_path_watch() - probes the links of a live path, and kills those that stay silent
 * @work: cw_path.watch, which queues itself again while the path is live
 *
 * Context: Process context, in cw_client_wq. May sleep. Takes p->lock.
 */
void cw_path_watch(struct work_struct *work);
/**
 * cw_path_probe() - asks the server of a path for a sign of life
 * @p: a live path
 *
 * The answer is counted in alives.
 *
 * Context: Process context. p->lock or session->lock is held. Takes tx_lock of the control link.
 * Return: 0, or -errno: nothing was sent.
 */
int cw_path_probe(struct cw_path *p);
/**
 * cw_path_watch_begin() - starts the watch of a path
 * @p: the path, which has just become live
 *
 * Context: Process context. p->lock and session->lock are held.
 */
void cw_path_watch_begin(struct cw_path *p);
/**
 * cw_path_alive() - measures the round trip of a probe; cw_link_handler.alive of control links
 * @link: the control link
 * @cookie: of the probe
 *
 * Calls the work of a path that was asked because it has settled (ranks.c).
 *
 * Context: Receive context of @link.
 */
void cw_path_alive(struct cw_link *link, u64 cookie);
/**
 * cw_path_busy() - makes the watch come soon, because a command was sent
 * @p: a live path whose idle is set. The caller keeps it live, for example in an RCU section of the
 * disk.
 *
 * Context: Any context.
 */
void cw_path_busy(struct cw_path *p);
/**
 * cw_path_has_commands() - checks whether commands are outstanding on a path, and polls for them
 * @p: a live path
 *
 * The thread that polls may be asleep.
 *
 * Context: Process context. p->lock is held.
 * Return: True if so.
 */
bool cw_path_has_commands(struct cw_path *p);

#endif
