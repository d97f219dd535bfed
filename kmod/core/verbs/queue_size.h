/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The size of a send queue.
 */
#ifndef CW_QUEUE_SIZE_H
#define CW_QUEUE_SIZE_H

#include "../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_SIGNAL_EVERY 16U /* work requests of which at least one is signalled */
#define CW_FRAGMENTS_MAX 258U /* of one transfer: 1 MiB in pages, unaligned, and its answer */

/**
 * cw_send_queue() - compute the size of a send queue
 * @sends: messages that are posted at once
 * @transfers: transfers of rdma_rw that are posted at once
 * @sges: fragments of one work request of a transfer, at least 1
 * @most: largest size
 *
 * Context: Any context.
 * Return: Number of work requests.
 */
u32 cw_send_queue(u32 sends, u32 transfers, u32 sges, u32 most);

/**
 * cw_send_queue_longest() - compute the longest chain that a send queue can take
 * @size: work requests of the send queue, as cw_send_queue() returned it
 *
 * Work requests without a signal keep their room until a later one completes, so a longer chain
 * could wait forever.
 *
 * Context: Any context.
 * Return: Number of work requests.
 */
u32 cw_send_queue_longest(u32 size);

#ifdef __cplusplus
}
#endif

#endif
