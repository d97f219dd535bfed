/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The paths of a disk that may carry commands, and the one that all hardware queues use.
 *
 * A path may carry commands between up() and stop() of the session's ops. The disk itself chooses
 * the path that it uses, and publishes it in the same section of cw_disk.lock in which it chose:
 * otherwise a path could end between the two. The path in use stays in use until it is stopped, and
 * then the path with the lowest number follows.
 *
 * tests/unit/disk_paths_test.cpp runs paths.c with a disk that has nothing else.
 */
#ifndef CW_PATHS_H
#define CW_PATHS_H

#include "disk.h"

/**
 * cw_paths_up() - notes that a path may carry commands, and uses it if the disk has no other
 * @disk: the disk
 * @p: the path
 *
 * Context: Process context. cw_disk.lock is held.
 * Return: true if the disk had no path.
 */
bool cw_paths_up(struct cw_disk *disk, struct cw_path *p);
/**
 * cw_paths_stop() - notes that a path may not carry commands any more, and uses the next path
 * @disk: the disk
 * @p: the path
 *
 * Operations of the block layer that found @p before may still use its links. They end within an
 * RCU grace period.
 *
 * Context: Process context. cw_disk.lock is held.
 * Return: true if the disk used @p and has no other path.
 */
bool cw_paths_stop(struct cw_disk *disk, struct cw_path *p);
/**
 * cw_paths_kick() - ends the connection on which a request has waited for too long
 * @disk: the disk
 * @rq: a started request of the disk
 * @why: the reason, a constant string
 *
 * Does nothing if the path on which @rq was sent was stopped since. So @rq may wait for the fence
 * of that path, and a later connection of the path does not owe its answer.
 *
 * Context: Any context. Takes the lock of the gates.
 * Return: False if @rq was given to a link again less than its timeout ago.
 */
bool cw_paths_kick(struct cw_disk *disk, struct request *rq, const char *why);
/**
 * cw_paths_publish() - gives the path of the disk to each hardware queue
 * @disk: the disk; it may have no hardware queues yet
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_paths_publish(struct cw_disk *disk);

#endif
