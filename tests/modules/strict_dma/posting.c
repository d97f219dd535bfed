// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of work requests, made when they are posted: an address without a mapping is reported with
 * the stack of who posted it, while KASAN would show the adapter's.
 *
 * An address with the key for all local memory has to lie in a mapping. One with another key
 * belongs to a registration, whose pages are checked when the registration is made.
 */
#include <linux/scatterlist.h>

#include "strict_dma.h"

static void strict_check_list(struct ib_qp *qp, const struct ib_sge *sge, int count,
			      enum dma_data_direction dir, const char *doing)
{
	for (; count > 0; count--, sge++)
		if (sge->lkey == qp->pd->local_dma_lkey)
			strict_dma_check(qp->device, sge->addr, sge->length, dir, doing);
}

static void strict_check_send(struct ib_qp *qp, const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		strict_check_list(qp, wr->sg_list, wr->num_sge, DMA_TO_DEVICE, "send");
		break;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		strict_check_list(qp, wr->sg_list, wr->num_sge, DMA_TO_DEVICE, "RDMA write");
		break;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		strict_check_list(qp, wr->sg_list, wr->num_sge, DMA_FROM_DEVICE, "RDMA read");
		break;
	default:
		break; /* no local memory */
	}
}

int strict_dma_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad)
{
	const struct ib_send_wr *each;

	for (each = wr; each; each = each->next)
		if (!(each->send_flags & IB_SEND_INLINE))
			strict_check_send(qp, each);
	return ib_post_send(qp, wr, bad);
}
EXPORT_SYMBOL_GPL(strict_dma_post_send);

int strict_dma_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad)
{
	const struct ib_recv_wr *each;

	for (each = wr; each; each = each->next)
		strict_check_list(qp, each->sg_list, each->num_sge, DMA_FROM_DEVICE, "receive");
	return ib_post_recv(qp, wr, bad);
}
EXPORT_SYMBOL_GPL(strict_dma_post_recv);

int strict_dma_map_mr_sg(struct ib_mr *mr, struct scatterlist *sgl, int nents,
			 unsigned int *offset, unsigned int page_size)
{
	struct scatterlist *sg;
	int i;

	/* The direction is known only when the registration is posted: either will do. */
	for_each_sg(sgl, sg, nents, i)
		strict_dma_check(mr->device, sg_dma_address(sg), sg_dma_len(sg), DMA_NONE,
				 "registration");
	return ib_map_mr_sg(mr, sgl, nents, offset, page_size);
}
EXPORT_SYMBOL_GPL(strict_dma_map_mr_sg);
