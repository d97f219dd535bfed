/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Which live paths of a session carry I/O. Only those of one rank do: paths of a worse rank stand
 * by while a better one is there.
 *
 * If no path carries I/O, the live ones of the best rank do at once. A path of a better rank than
 * the paths in use takes over when it has been live for its settling time. So a network that fails
 * again and again does not move the I/O each time. The settling time is zero for a path that was
 * never lost, and doubles with each loss that follows soon after a return.
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

/* A path of a session. */
struct cw_rank_path {
	bool live;
	bool carries; /* the disk gives it commands */
	u8 rank; /* 0 is the best */
	u8 relapses; /* see cw_rank_relapses() */
	u32 live_ms; /* time for which it has been live */
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
 * cw_rank_settle_ms() - returns the time before a path takes I/O over from worse ones
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
 * @next_ms: set to the time in which the decision has to be made again, or to %CW_RANK_NEVER
 *
 * Context: Any context.
 * Return: Bit i is set if path i carries I/O. No bit is set only if no path is live.
 */
u32 cw_rank_choose(const struct cw_rank_path *paths, unsigned int count, u32 *next_ms);

#ifdef __cplusplus
}
#endif

#endif
