/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The choice of the path that takes the next message of a hardware queue, under the policy auto.
 *
 * The path with the lowest expected completion is chosen: the load of the hardware queue on the
 * path, with the next command, times the latency of the path. The latency is a mean of the times
 * that commands took. A path without commands keeps its mean for CW_CHOICE_STALE; after that, the
 * time of the last answered probe of its control link counts. So a path that became slow or fast
 * while it had nothing to do is not judged by its past. A path is left only if another one is
 * clearly better, because commands that follow each other on one link share messages.
 *
 * All times are in units of 1024 ns. They wrap after 73 minutes, so a path that was idle for so
 * long may keep its mean for another moment.
 *
 * tests/unit/path_choice_test.cpp runs path_choice.c.
 */
#ifndef CW_PATH_CHOICE_H
#define CW_PATH_CHOICE_H

#include "../core/wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_CHOICE_SHIFT 10 /* from ns to the unit of all times here */
#define CW_CHOICE_STALE (1000000000U >> CW_CHOICE_SHIFT)
#define CW_CHOICE_UNKNOWN 0x10000000U /* latency of a path that was never measured; the longest */
#define CW_CHOICE_COMMAND 4096U /* the load of a command besides its data, bytes */

/* What a hardware queue knows of a path. */
struct cw_choice {
	bool usable;
	u32 load; /* of the unanswered commands, bytes */
	u32 latency; /* the mean; 0: none, because no command was answered lately */
	u32 age; /* since the last answer, or since the first of the unanswered commands */
	u32 rtt; /* of the last answered probe; 0: none was answered */
};

/**
 * cw_choice_latency() - returns the time that a command is expected to take on a path
 * @c: the path
 *
 * Context: Any context.
 * Return: The time, at most CW_CHOICE_UNKNOWN.
 */
u32 cw_choice_latency(const struct cw_choice *c);
/**
 * cw_choice_mean() - adds a measured time to the mean
 * @mean: the mean; 0: none
 * @sample: the time that a command took
 * @age: time since the last change of the mean
 *
 * Context: Any context.
 * Return: The new mean, at least 1.
 */
u32 cw_choice_mean(u32 mean, u32 sample, u32 age);
/**
 * cw_choice_best() - chooses the path for the next message
 * @paths: what is known of each path
 * @count: number of paths
 * @last: the path that took the last message
 * @load: the load of the next command, bytes
 *
 * Context: Any context.
 * Return: The path, or @count if none is usable.
 */
unsigned int cw_choice_best(const struct cw_choice *paths, unsigned int count, unsigned int last,
			    u32 load);
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
