// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fast registration.
 *
 * Each use of a region has another key, one that a peer cannot know from the last. Access is remote
 * only in the one direction of the I/O. A region that is the sink of RDMA WRITE needs local write
 * access too (verbs specification); iWARP's sink of an RDMA READ is at the other end and is
 * rdma_rw's business.
 */
#include <linux/random.h>

#include "endpoint.h"
#include "region.h"
#include "registration.h"
#include "rkey.h"

static void cw_region_failed(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS)
		cw_endpoint_kill(cq->cq_context, -EIO,
				 "a registration or an invalidation failed: %s",
				 ib_wc_status_msg(wc->status));
}

int cw_region_alloc(struct cw_region *region, struct ib_pd *pd, u32 pages)
{
	struct ib_mr *mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, pages);

	if (IS_ERR(mr))
		return PTR_ERR(mr);
	region->mr = mr;
	region->cqe.done = cw_region_failed;
	region->reg.wr.wr_cqe = &region->cqe;
	region->reg.wr.opcode = IB_WR_REG_MR;
	region->reg.mr = mr;
	return 0;
}

void cw_region_free(struct cw_region *region)
{
	if (region->mr)
		ib_dereg_mr(region->mr);
	region->mr = NULL;
}

int cw_region_register(struct cw_region *region, struct scatterlist *sgl, int mapped,
		       enum dma_data_direction dir)
{
	struct ib_mr *mr = region->mr;
	int n = ib_map_mr_sg(mr, sgl, mapped, NULL, CW_REGION_PAGE);

	if (n != mapped)
		return n < 0 ? n : -EINVAL;
	ib_update_fast_reg_key(mr, cw_next_key(mr->rkey, get_random_u32()));
	region->reg.wr.next = NULL;
	region->reg.key = mr->rkey;
	region->reg.access = dir == DMA_TO_DEVICE ? IB_ACCESS_REMOTE_READ :
						    IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	return 0;
}
