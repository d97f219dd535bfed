/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The paths of a disk that may carry commands, and the choice among them.
 *
 * A path may carry commands between up() and withdraw() or stop() of the session's ops. Meanwhile
 * cw_disk.usable has the path, which the data path reads in an RCU section. A hardware queue keeps
 * only the number of its path. So a queue that just chose a path cannot use it an RCU grace period
 * after withdraw(), or when stop() has returned, and then finds another one.
 *
 * Under the policy single, all hardware queues use one path until it is stopped, and then the path
 * with the lowest number follows.
 *
 * Under the policies round-robin and auto, each hardware queue chooses a path for each message, not
 * for each command: commands of one batch share a message of one link. The choice is made for the
 * first command after the end of a batch. Several CPUs may use one hardware queue, so a batch of
 * one CPU may be spread over several links, when another CPU ends its batch meanwhile. Therefore
 * the end of a batch flushes each link of the hardware queue that gathers.
 *
 * Commands of one disk that are in flight on several paths need no order among each other: the
 * block layer orders only requests that it sends after the answers to earlier ones, and an answer
 * means that the server has executed the command. A flush may go by any path: the server flushes
 * the backend, which all paths share, so it covers each write that was answered before, by
 * whichever path (docs/PROTOCOL.md section 8, rule 12). cw_disk.dirt is one for all paths, and a
 * login, which may report another instance, begins only when the requests of all paths were taken
 * back. So a flush that was lost with one path has returned its dirt before rule 3 of section 8 is
 * judged. The answer to a write may come by another path after FLUSHED (rule 7), and leaves dirt
 * although the write is on stable storage. This is safe: at worst, a loss is reported that was
 * none.
 *
 * tests/unit/disk_paths_test.cpp runs paths.c with a disk that has nothing else.
 */
#ifndef CW_PATHS_H
#define CW_PATHS_H

#include "disk.h"

/**
 * cw_paths_up() - notes that a path may carry commands, and uses it if the disk has no other
 * @disk: the disk
 * @p: the path. It may be usable already, and it may have commands, if it was stopped since.
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
 * cw_paths_reaped() - forgets what was sent on a connection
 * @disk: the disk
 * @number: number of the path, which was stopped. Its requests were taken back.
 *
 * A path that was stopped alone, and may carry commands again, keeps the time since which it does,
 * and the load of the commands that it has.
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_paths_reaped(struct cw_disk *disk, u8 number);
/**
 * cw_paths_carries_io() - checks whether the disk gives commands to a path
 * @disk: the disk
 * @p: the path
 *
 * Context: Any context.
 * Return: True if so. Under the policy auto, a slow path may get none all the same.
 */
bool cw_paths_carries_io(const struct cw_disk *disk, const struct cw_path *p);
/**
 * cw_paths_kick() - ends the connection on which a request has waited for too long
 * @disk: the disk
 * @rq: a started request of the disk
 * @why: the reason, a constant string
 *
 * A path that stands by, or is being removed, owes the answers to its commands. Does nothing if the
 * requests of the connection on which @rq was sent were taken back since. So @rq may wait for the
 * fence of the path, and a later connection of the path does not owe its answer.
 *
 * Context: Any context. Takes the lock of the gates.
 * Return: False if @rq was given to a link again less than its timeout ago.
 */
bool cw_paths_kick(struct cw_disk *disk, struct request *rq, const char *why);
/**
 * cw_paths_publish() - gives each hardware queue a path
 * @disk: the disk; it may have no hardware queues yet
 *
 * This is the path of the disk. By the policy auto the usable paths are assigned in turn, since a
 * queue with little load stays on its path. A batch that has begun is flushed on both paths.
 *
 * Context: Process context. cw_disk.lock is held.
 */
void cw_paths_publish(struct cw_disk *disk);
/**
 * cw_paths_set_policy() - changes how commands are given to the paths
 * @disk: the disk
 * @policy: enum cw_path_policy
 *
 * Commands that are with a path stay there.
 *
 * Context: Process context. disk->lock is held.
 */
void cw_paths_set_policy(struct cw_disk *disk, u8 policy);

/* ---- for the data path; the caller is in an RCU section, if it has a path ---- */

/**
 * cw_paths_find() - finds a usable path for a hardware queue whose path was stopped
 * @disk: the disk
 * @h: the hardware queue
 *
 * Context: Any context, in an RCU section.
 * Return: The path, or NULL if the disk has none.
 */
struct cw_path *cw_paths_find(struct cw_disk *disk, struct cw_hctx *h);
/**
 * cw_paths_of() - returns the path of a hardware queue
 * @disk: the disk
 * @h: the hardware queue
 *
 * Context: Any context, in an RCU section.
 * Return: The path, or NULL if the disk has none.
 */
static inline struct cw_path *cw_paths_of(struct cw_disk *disk, struct cw_hctx *h)
{
	/* Acquire: pairs with cw_paths_choose(). */
	struct cw_path *path = rcu_dereference(disk->usable[smp_load_acquire(&h->number)]);

	return likely(path) ? path : cw_paths_find(disk, h);
}

/**
 * cw_paths_choose() - chooses the path of the next message, by a policy that spreads them
 * @disk: the disk
 * @h: the hardware queue
 * @queue: its number
 * @load: load of the next command, bytes
 *
 * Context: Any context, in an RCU section.
 */
void cw_paths_choose(struct cw_disk *disk, struct cw_hctx *h, unsigned int queue, u32 load);
/**
 * cw_paths_end_message() - ends a batch of a disk that spreads messages over paths
 * @disk: the disk
 * @h: the hardware queue
 * @queue: its number
 *
 * Sends what the links of the hardware queue gather, also for other CPUs, and lets the next command
 * choose a path. The caller reads cw_disk.has_spread after cw_paths_of(): who finds a path there
 * that another CPU has chosen also sees that the disk spread its messages.
 *
 * Context: Any context, in an RCU section. Takes tx_lock of links.
 */
void cw_paths_end_message(struct cw_disk *disk, struct cw_hctx *h, unsigned int queue);
/**
 * cw_paths_sends() - counts a command that is about to be given to a link
 * @h: the hardware queue
 * @number: number of the path
 * @req: the command; its load and queued are set
 * @load: load of the command, bytes
 *
 * Context: Any context, in the RCU section that found the path.
 */
void cw_paths_sends(struct cw_hctx *h, u8 number, struct cw_request *req, u32 load);
/**
 * cw_paths_sends_not() - takes cw_paths_sends() back, because the link did not take the command
 * @h: the hardware queue
 * @number: number of the path
 * @load: load of the command, bytes
 *
 * Context: Any context, in the RCU section that found the path.
 */
void cw_paths_sends_not(struct cw_hctx *h, u8 number, u32 load);
/**
 * cw_paths_answered() - counts the answer to a command
 * @h: the hardware queue
 * @number: number of the path
 * @req: the command, whose load is not 0
 * @done: the server carried the command out, so the time that it took says something of the path
 *
 * Context: The receive context of the link.
 */
void cw_paths_answered(struct cw_hctx *h, u8 number, const struct cw_request *req, bool done);

#endif
