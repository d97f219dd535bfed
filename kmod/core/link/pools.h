/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of a link's messages: buffers to receive into, a pool of messages to send, and one of
 * pages for their data.
 *
 * A transport allocates what it keeps beside each message, and adds the messages to the pool. The
 * functions that take from the pools and give back are in link.h. The lock is a leaf, which is also
 * taken under tx_lock of the link; handler->room() is called without it.
 */
#ifndef CW_POOLS_H
#define CW_POOLS_H

#include "../verbs/buffers.h"

struct cw_link;
struct cw_link_config;
struct cw_page;
struct cw_tx;

struct cw_pools {
	struct cw_buffers rx_bufs, tx_bufs, page_bufs;
	struct cw_page *pages;
	u32 rx_count, tx_count, page_count;
	u16 peer_area; /* pages of data in a receive of the peer */
	spinlock_t lock; /* irqsave: all below, and short_of_tx of the link */
	struct list_head tx_free;
	struct cw_page *page_free; /* chained by next */
	u32 pages_free;
	bool starved; /* a caller waits for a message or for pages */
};

/**
 * cw_pools_init() - initialise the pools of a link
 * @link: link, whose kind is set
 * @config: properties of the link
 *
 * Context: Any context.
 */
void cw_pools_init(struct cw_link *link, const struct cw_link_config *config);

/**
 * cw_pools_make() - allocate the buffers and the pages of a link
 * @link: link
 * @ib: device that reads and writes them, or NULL if no adapter does
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM. Then too, the caller calls cw_pools_free().
 */
int cw_pools_make(struct cw_link *link, struct ib_device *ib);

/**
 * cw_pools_add_tx() - add a message to the pool
 * @link: link with buffers
 * @tx: message in zeroed memory
 * @number: number of the message, below tx_count
 *
 * Context: Any context. No other thread knows the link.
 */
void cw_pools_add_tx(struct cw_link *link, struct cw_tx *tx, u32 number);

/**
 * cw_pools_free_buffers() - free the buffers of a link
 * @link: drained link. It may have none.
 *
 * Context: Process context. May sleep.
 */
void cw_pools_free_buffers(struct cw_link *link);

/**
 * cw_pools_free() - free the buffers and the pages of a link
 * @link: drained link. It may have none.
 *
 * Context: Process context. May sleep.
 */
void cw_pools_free(struct cw_link *link);

#endif
