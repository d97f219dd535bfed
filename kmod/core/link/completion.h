/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server's end of a data link: answers, and transfers to and from the memory of the client.
 */
#ifndef CW_LINK_COMPLETION_H
#define CW_LINK_COMPLETION_H

#include "link.h"

/**
 * cw_link_is_stuck() - look whether the peer still takes what waits for it
 * @link: link
 * @looks: number of looks in a row without progress that are allowed
 *
 * The caller decides how far apart the looks are. A machine that was stopped counts as one look.
 *
 * Context: Process context, one caller at a time. Takes tx_lock.
 * Return: True if something has waited for the peer at more than @looks looks in a row, and there
 * was no progress.
 */
bool cw_link_is_stuck(struct cw_link *link, u8 looks);

/**
 * cw_link_cork() - gather the completions that follow
 * @link: data link
 *
 * Calls nest; each needs a cw_link_uncork().
 *
 * Context: Any context. Takes tx_lock.
 */
void cw_link_cork(struct cw_link *link);

/**
 * cw_link_uncork() - send the completions that were gathered since cw_link_cork()
 * @link: data link
 *
 * Context: Any context. Takes tx_lock.
 */
void cw_link_uncork(struct cw_link *link);

/**
 * cw_link_complete() - answer a command
 * @link: data link
 * @done: completion. This function sets @done->data_off.
 * @pages: data of the answer, @done->data_len bytes, or NULL. On success it belongs to the link.
 *
 * The completion is gathered while the link is corked, and is sent at once otherwise.
 *
 * Context: Any context. Takes tx_lock.
 * Return: False if there is no memory to send from or no credit. Nothing was taken then, and
 * handler->room() will be called.
 */
bool cw_link_complete(struct cw_link *link, struct cw_done *done, struct cw_page *pages);

/**
 * cw_link_complete_tx() - answer a command with a message of its own
 * @link: data link
 * @tx: message with a transfer, or with an rkey to invalidate. It belongs to the link afterwards.
 * @done: completion
 *
 * Context: Any context. Takes tx_lock.
 */
void cw_link_complete_tx(struct cw_link *link, struct cw_tx *tx, const struct cw_done *done);

/**
 * cw_transfer_alloc() - prepare a transfer between memory here and memory of the peer
 * @link: data link
 * @sgl: memory here. It must stay until done() is called or the transfer is freed.
 * @nents: entries of @sgl
 * @to_peer: true: RDMA WRITE to the peer; false: RDMA READ from the peer
 * @addr: address of the peer's memory
 * @rkey: rkey of the peer's memory
 *
 * The caller sets done and cookie. Then it fetches the data with cw_transfer_fetch(), or attaches
 * the transfer to a message (@cw_tx.transfer), or frees it.
 *
 * Context: Process context. May sleep.
 * Return: The transfer or an ERR_PTR().
 */
static inline struct cw_transfer *cw_transfer_alloc(struct cw_link *link, struct scatterlist *sgl,
						    u32 nents, bool to_peer, u64 addr, u32 rkey)
{
	return link->ops->transfer_alloc(link, sgl, nents, to_peer, addr, rkey);
}

/**
 * cw_transfer_fetch() - start an RDMA READ
 * @transfer: transfer. done() is called once, on a dead link too.
 *
 * Context: Any context.
 */
static inline void cw_transfer_fetch(struct cw_transfer *transfer)
{
	atomic_inc(&transfer->link->transfers);
	transfer->link->ops->transfer_fetch(transfer);
}

/**
 * cw_transfer_filled() - make the data of an RDMA WRITE visible to the adapter
 * @transfer: transfer to the peer
 *
 * The caller must call it if the memory was written after cw_transfer_alloc() had mapped it.
 * Otherwise the adapter sends old content where DMA uses bounce buffers or is not coherent (the
 * kernel's Documentation/core-api/dma-api.rst, dma_sync_sg_for_device()).
 *
 * Context: Any context, not under tx_lock, since the whole memory may be copied.
 */
static inline void cw_transfer_filled(struct cw_transfer *transfer)
{
	transfer->link->ops->transfer_filled(transfer);
}

/**
 * cw_transfer_free() - free a transfer that was neither fetched nor sent
 * @transfer: transfer. done() is not called.
 *
 * Context: Any context. The caller holds no lock of the link.
 */
static inline void cw_transfer_free(struct cw_transfer *transfer)
{
	transfer->link->ops->transfer_free(transfer);
}

#endif
