/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The choice of the path that takes the next message of a hardware queue, under the policy auto.
 *
 * The path with the lowest expected completion is chosen. Each path has a mean of the times that
 * its commands took, each divided by the load of the hardware queue that it found on the path. So
 * the mean times the load, with the next command, is the expected completion, which is at least the
 * time of the last answered probe of the control link. A path without commands keeps its mean for
 * CW_CHOICE_STALE. After that, it is judged by the mean of the path in use: the disk takes the same
 * time by each path, and the networks differ by as much as the probes do. So a path that became
 * slow or fast while it had nothing to do is not judged by its past. A path with unanswered
 * commands is left only if another one is clearly better, because commands that follow each other
 * on one link share messages. As long as a queue has little load, and its answers come soon, each
 * other path is judged as if it had that load too: only a faster path is better then, not one that
 * has less to do.
 *
 * The clock counts units of 1024 ns. It wraps after 73 minutes, so a path that was idle for so long
 * may keep its mean for another moment.
 *
 * tests/unit/path_choice_test.cpp runs path_choice.c.
 */
#ifndef CW_PATH_CHOICE_H
#define CW_PATH_CHOICE_H

#include "../core/wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_CHOICE_SHIFT 10 /* from ns to the unit of the clock */
#define CW_CHOICE_STALE (1000000000U >> CW_CHOICE_SHIFT)
#define CW_CHOICE_COMMAND 4096U /* the load of a command besides its data, bytes */
/*
 * The load up to which the commands of a queue stay together on a path by RDMA, bytes: 16 commands
 * of 4 KiB. Waiting commands share messages there. A link of 10 Gbit/s sends that much in 0.1 ms.
 */
#define CW_CHOICE_TOGETHER (128U << 10)

/* A path, as one hardware queue has measured it. */
struct cw_choice {
	bool usable;
	u32 load; /* of the unanswered commands, bytes */
	u32 mean; /* time for each CW_CHOICE_COMMAND of load, 16 ns; 0: none was measured lately */
	u32 age; /* since the last answer, or since the first of the unanswered commands; clock */
	u32 rtt; /* of the last answered probe, clock; 0: none was answered */
};

/**
 * cw_choice_expected() - returns the time that a command is expected to take on a path
 * @c: the path
 * @last: the path that took the last message; it may be @c
 * @load: the load of the command, bytes
 *
 * Context: Any context.
 * Return: The time, units of 16 ns, below 2^58. It is the longest if the path was never measured.
 */
u64 cw_choice_expected(const struct cw_choice *c, const struct cw_choice *last, u32 load);
/**
 * cw_choice_mean() - adds a measured time to the mean
 * @mean: the mean of a path; 0: none
 * @ns: the time that a command took
 * @load: the load of the path when the command was sent, with the command, bytes
 *
 * Context: Any context.
 * Return: The new mean, at least 1.
 */
u32 cw_choice_mean(u32 mean, u64 ns, u32 load);
/**
 * cw_choice_best() - chooses the path for the next message
 * @paths: what is known of each path
 * @count: number of paths
 * @last: the path that took the last message
 * @load: the load of the next command, bytes
 * @together: the load up to which @last keeps the commands, bytes
 *
 * Context: Any context.
 * Return: The path, or @count if none is usable.
 */
unsigned int cw_choice_best(const struct cw_choice *paths, unsigned int count, unsigned int last,
			    u32 load, u32 together);
/**
 * cw_choice_next() - chooses the usable path that follows another one
 * @paths: what is known of each path
 * @count: number of paths
 * @last: the path that took the last message
 *
 * Context: Any context.
 * Return: The path, which is @last if no other is usable, or @count if none is.
 */
unsigned int cw_choice_next(const struct cw_choice *paths, unsigned int count,
			    unsigned int last);

#ifdef __cplusplus
}
#endif

#endif
