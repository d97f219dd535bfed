/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fast registration: memory regions that a work request registers for a peer, for the time of one
 * I/O.
 *
 * The owner posts the registration before the message that names the rkey. The queue pair is the
 * only one in its protection domain. The peer's access ends when the peer invalidates the rkey,
 * when the completion of the owner's local invalidate has come (an error means that the queue pair
 * is dead), or when the queue pair is drained. Only then may the owner unmap the memory.
 */
#ifndef CW_REGISTRATION_H
#define CW_REGISTRATION_H

#include <rdma/ib_verbs.h>

struct cw_region {
	struct ib_mr *mr; /* NULL: it was not allocated */
	struct ib_reg_wr reg; /* set by cw_region_register() */
	/*
	 * Both work requests have this completion entry. They are not signalled, so it completes
	 * only with an error. In the last request of a post, cw_endpoint_push() replaces it by the
	 * entry of the post.
	 */
	struct ib_cqe cqe;
	struct ib_send_wr inv; /* set by cw_region_invalidate() */
};

/**
 * cw_region_alloc() - allocate a memory region
 * @region: region in zeroed memory
 * @pd: protection domain of the only queue pair that uses the region. Its completion queue has the
 *	endpoint as context.
 * @pages: most pages of CW_REGION_PAGE bytes that it covers
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_region_alloc(struct cw_region *region, struct ib_pd *pd, u32 pages);

/**
 * cw_region_free() - free a memory region
 * @region: region; its allocation may have failed. The queue pair is drained.
 *
 * Context: Process context. May sleep.
 */
void cw_region_free(struct cw_region *region);

/**
 * cw_region_register() - prepare the registration of memory
 * @region: region to which no peer has access
 * @sgl: memory, mapped for the adapter
 * @mapped: mapped entries of @sgl
 * @dir: DMA_TO_DEVICE: the peer may read; DMA_FROM_DEVICE: the peer may write
 *
 * Sets the work request region->reg, and the new rkey and iova of region->mr.
 *
 * Context: Any context.
 * Return: 0; -EINVAL if the memory does not fit in the region; or another -errno.
 */
int cw_region_register(struct cw_region *region, struct scatterlist *sgl, int mapped,
		       enum dma_data_direction dir);

/**
 * cw_region_invalidate() - prepare the local invalidate of a region
 * @region: region that was registered
 * @next: work request behind it, or NULL
 *
 * Context: Any context.
 * Return: The work request, region->inv.
 */
static inline struct ib_send_wr *cw_region_invalidate(struct cw_region *region,
						      struct ib_send_wr *next)
{
	struct ib_send_wr *inv = &region->inv;

	inv->next = next;
	inv->wr_cqe = &region->cqe;
	inv->opcode = IB_WR_LOCAL_INV;
	inv->send_flags = 0;
	inv->ex.invalidate_rkey = region->mr->rkey;
	return inv;
}

#endif
