// SPDX-License-Identifier: GPL-2.0-only
#include <linux/export.h>
#include <linux/slab.h>

#include "factory.h"
#include "transport.h"

#define CW_TX_SPARE 32U /* messages to send beyond those that the peer takes at once */
#define CW_PAGES_SPARE 32U /* pages beyond one for each command: those of messages on their way */
#define CW_LARGE_INLINE 16U /* commands at once that have all the pages of inline data */

/* ---- taking and giving back ---- */

struct cw_tx *cw_link_tx_get(struct cw_link *link)
{
	struct cw_pools *pools = &link->pools;
	struct cw_tx *tx;
	unsigned long flags;

	spin_lock_irqsave(&pools->lock, flags);
	tx = list_first_entry_or_null(&pools->tx_free, struct cw_tx, entry);
	if (likely(tx)) {
		list_del(&tx->entry);
	} else {
		pools->starved = true;
		WRITE_ONCE(link->short_of_tx, true);
	}
	spin_unlock_irqrestore(&pools->lock, flags);
	if (unlikely(!tx))
		return NULL;
	tx->nr_pages = 0;
	tx->data_len = 0;
	tx->count = 0;
	tx->record = 0;
	tx->attached = 0;
	tx->transfer = NULL;
	tx->invalidate = 0;
	tx->released = NULL;
	return tx;
}
EXPORT_SYMBOL_GPL(cw_link_tx_get);

struct cw_page *cw_link_pages_get(struct cw_link *link, u32 len)
{
	u32 count = DIV_ROUND_UP(len, CW_WIRE_PAGE);
	struct cw_pools *pools = &link->pools;
	struct cw_page *first = NULL, *last;
	unsigned long flags;

	spin_lock_irqsave(&pools->lock, flags);
	if (likely(pools->pages_free >= count)) {
		pools->pages_free -= count;
		first = pools->page_free;
		for (last = first; --count; last = last->next)
			;
		pools->page_free = last->next;
		last->next = NULL;
	} else {
		pools->starved = true;
	}
	spin_unlock_irqrestore(&pools->lock, flags);
	return first;
}
EXPORT_SYMBOL_GPL(cw_link_pages_get);

static void cw_pools_put_page(struct cw_pools *pools, struct cw_page *page)
{
	page->next = pools->page_free;
	pools->page_free = page;
	pools->pages_free++;
}

/* Returns true if a caller waits for what was put. Then cw_link_has_room() is to be called. */
static bool cw_pools_end_starving(struct cw_pools *pools)
{
	bool starved = pools->starved;

	pools->starved = false;
	return starved;
}

void cw_link_pages_put(struct cw_link *link, struct cw_page *pages)
{
	struct cw_pools *pools = &link->pools;
	struct cw_page *next;
	unsigned long flags;
	bool starved;

	spin_lock_irqsave(&pools->lock, flags);
	for (; pages; pages = next) {
		next = pages->next;
		cw_pools_put_page(pools, pages);
	}
	starved = cw_pools_end_starving(pools);
	spin_unlock_irqrestore(&pools->lock, flags);
	if (unlikely(starved))
		cw_link_has_room(link);
}
EXPORT_SYMBOL_GPL(cw_link_pages_put);

void cw_link_tx_put(struct cw_tx *tx)
{
	struct cw_link *link = tx->link;
	struct cw_pools *pools = &link->pools;
	unsigned long flags;
	bool starved;
	u8 i;

	spin_lock_irqsave(&pools->lock, flags);
	for (i = 0; i < tx->nr_pages; i++)
		cw_pools_put_page(pools, tx->pages[i]);
	list_add(&tx->entry, &pools->tx_free);
	starved = cw_pools_end_starving(pools);
	if (unlikely(link->short_of_tx))
		WRITE_ONCE(link->short_of_tx, false);
	spin_unlock_irqrestore(&pools->lock, flags);
	if (unlikely(starved))
		cw_link_has_room(link);
}

/* ---- life ---- */

void cw_pools_init(struct cw_link *link, const struct cw_link_config *config)
{
	u32 large = min_t(u32, config->limits.depth, CW_LARGE_INLINE);
	struct cw_pools *pools = &link->pools;

	if (link->kind == CW_LINK_DATA) {
		pools->peer_area = config->peer_area;
		pools->rx_count = config->messages + CW_LINK_SLACK;
		pools->tx_count = 2 * config->peer_messages + CW_TX_SPARE;
		pools->page_count = config->limits.depth + CW_PAGES_SPARE +
				    large * (config->limits.inline_size / CW_WIRE_PAGE);
	} else {
		pools->peer_area = 1;
		pools->rx_count = 2 * config->limits.depth + CW_LINK_SLACK;
		pools->tx_count = pools->rx_count;
		pools->page_count = pools->rx_count;
	}
	pools->rx_bufs.reserve = config->reserve;
	pools->tx_bufs.reserve = config->reserve;
	pools->page_bufs.reserve = config->reserve;
	spin_lock_init(&pools->lock);
	INIT_LIST_HEAD(&pools->tx_free);
}

static int cw_pools_make_pages(struct cw_pools *pools)
{
	u32 i;

	pools->pages = kvcalloc(pools->page_count, sizeof(*pools->pages), GFP_KERNEL);
	if (!pools->pages)
		return -ENOMEM;
	for (i = 0; i < pools->page_count; i++) {
		pools->pages[i].data = pools->page_bufs.entry[i].data;
		pools->pages[i].dma = pools->page_bufs.entry[i].data_dma;
		cw_pools_put_page(pools, &pools->pages[i]);
	}
	return 0;
}

int cw_pools_make(struct cw_link *link, struct ib_device *ib)
{
	enum dma_data_direction from = ib ? DMA_FROM_DEVICE : DMA_NONE;
	enum dma_data_direction to = ib ? DMA_TO_DEVICE : DMA_NONE;
	struct cw_pools *pools = &link->pools;

	return cw_buffers_alloc(&pools->rx_bufs, ib, pools->rx_count, link->area, CW_WIRE_TRAILER,
				from) ?:
	       cw_buffers_alloc(&pools->tx_bufs, ib, pools->tx_count, 0, CW_TX_TRAILER, to) ?:
	       cw_buffers_alloc(&pools->page_bufs, ib, pools->page_count, CW_WIRE_PAGE, 0, to) ?:
	       cw_pools_make_pages(pools);
}

void cw_pools_add_tx(struct cw_link *link, struct cw_tx *tx, u32 number)
{
	tx->link = link;
	tx->trailer = link->pools.tx_bufs.entry[number].trailer;
	list_add_tail(&tx->entry, &link->pools.tx_free);
}

void cw_pools_free_buffers(struct cw_link *link)
{
	cw_buffers_free(&link->pools.rx_bufs);
	cw_buffers_free(&link->pools.tx_bufs);
	cw_buffers_free(&link->pools.page_bufs);
}

void cw_pools_free(struct cw_link *link)
{
	cw_pools_free_buffers(link);
	kvfree(link->pools.pages);
}
