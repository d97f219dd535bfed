/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Which live paths of a session carry I/O. Only those of one rank do: paths of a worse rank stand
 * by while a better one is there.
 *
 * A path that is back carries I/O only when it is ready: it has been live for its settling time,
 * and a probe has then been answered, because 3 s may be less than it takes to notice that a path
 * is dead. So a network that fails again and again does not move the I/O each time. The settling
 * time is zero for a path that was never lost, and doubles with each loss that follows soon after a
 * return. If no path carries I/O, nothing is waited for: the paths of the best rank that are ready
 * take over, or else those that have settled, or else those that are live.
 *
 * A session without a live path logs in by the paths in turn. The best rank begins, but a path
 * whose last attempt to connect has failed comes after the others.
 *
 * tests/unit/path_rank_test.cpp runs path_rank.c.
 */
#ifndef CW_CLIENT_PATH_RANK_H
#define CW_CLIENT_PATH_RANK_H

#include "../../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_RANK_SETTLE_MS 3000U /* after the first loss */
#define CW_RANK_SETTLE_MOST_MS 60000U
#define CW_RANK_RELAPSE_MS 300000U /* a path that was live for so long has recovered */
#define CW_RANK_NEVER 0xffffffffU
/*
 * Bytes of the largest command, if the first login is by a path that has a better one. The device
 * of the better one is not known then, and has to carry such a command in one memory region.
 */
#define CW_RANK_FIRST_IO 262144U

/* A path of a session. */
struct cw_rank_path {
	bool live;
	bool carries; /* the disk gives it commands */
	bool answers; /* a probe was answered since it has settled */
	u8 rank; /* 0 is the best */
	u8 relapses; /* see cw_rank_relapses() */
	u32 live_ms; /* time for which it has been live */
};

/* When the session has to choose the paths that carry I/O again. */
struct cw_rank_wait {
	u32 ms; /* the time in which it has to be made again, or CW_RANK_NEVER */
	u32 ask; /* bit i is set if path i has settled, and a probe has to be answered */
};

/* A path of a session that has no live path. */
struct cw_rank_login {
	bool stays; /* it takes part */
	bool tried; /* it had its turn */
	bool failed; /* its last attempt to connect */
	u8 rank;
};

/**
 * cw_rank_of() - returns the rank of the paths of a transport
 * @transport: enum cw_transport
 *
 * Context: Any context.
 * Return: 0 for RDMA, 1 for every other one.
 */
u8 cw_rank_of(u8 transport);
/**
 * cw_rank_relapses() - counts a loss of a path
 * @relapses: the count before; 0 if the path was never lost
 * @live_ms: time for which the path had been live
 *
 * Context: Any context.
 * Return: The new count. It begins with 1 again if the path had recovered.
 */
u8 cw_rank_relapses(u8 relapses, u32 live_ms);
/**
 * cw_rank_settle_ms() - returns the time before a path carries I/O beside or instead of others
 * @relapses: of the path
 *
 * Context: Any context.
 * Return: Milliseconds.
 */
u32 cw_rank_settle_ms(u8 relapses);
/**
 * cw_rank_choose() - decides which paths carry I/O
 * @paths: the paths of a session
 * @count: their number, at most 32
 * @wait: set to what the decision waits for
 *
 * Context: Any context.
 * Return: Bit i is set if path i carries I/O. No bit is set only if no path is live.
 */
u32 cw_rank_choose(const struct cw_rank_path *paths, unsigned int count,
		   struct cw_rank_wait *wait);
/**
 * cw_rank_next_login() - chooses the path by which a session logs in
 * @paths: the paths of a session
 * @count: their number, at least 1
 * @first: the path that comes first among those that are alike, below @count
 *
 * Context: Any context.
 * Return: The path; @first if none takes part. One that had its turn only if all had theirs.
 */
unsigned int cw_rank_next_login(const struct cw_rank_login *paths, unsigned int count,
				unsigned int first);

#ifdef __cplusplus
}
#endif

#endif
