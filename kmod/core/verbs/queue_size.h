/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * How long a send queue is made.
 */
#ifndef CW_QUEUE_SIZE_H
#define CW_QUEUE_SIZE_H

#include "../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_SIGNAL_EVERY 16U /* work requests of which at least one is signalled */
#define CW_FRAGMENTS_MAX 258U /* of one transfer: 1 MiB in pages, unaligned, and its answer */

/*
 * Work requests of a send queue for @sends messages and @transfers of rdma_rw, at most @most. One
 * work request of a transfer has up to @sges fragments (1 or more).
 */
u32 cw_send_queue(u32 sends, u32 transfers, u32 sges, u32 most);

/* The longest chain that a queue of @size work requests is sure to have room for at some time. */
u32 cw_send_queue_longest(u32 size);

#ifdef __cplusplus
}
#endif

#endif
