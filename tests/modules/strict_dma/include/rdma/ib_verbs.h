/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's header, with the functions that map and post under the names of strict_dma. */
#include_next <rdma/ib_verbs.h>

#ifndef STRICT_DMA_VERBS_H
#define STRICT_DMA_VERBS_H

#include <linux/types.h>

/* mapping.c; as ib_dma_*, in any context */
u64 strict_dma_map_single(struct ib_device *ib, void *memory, size_t size,
			  enum dma_data_direction dir);
void strict_dma_unmap_single(struct ib_device *ib, u64 addr, size_t size,
			     enum dma_data_direction dir);
int strict_dma_map_sg(struct ib_device *ib, struct scatterlist *sgl, int nents,
		      enum dma_data_direction dir);
void strict_dma_unmap_sg(struct ib_device *ib, struct scatterlist *sgl, int nents,
			 enum dma_data_direction dir);
int strict_dma_map_sgtable(struct ib_device *ib, struct sg_table *table,
			   enum dma_data_direction dir);
void strict_dma_unmap_sgtable(struct ib_device *ib, struct sg_table *table,
			      enum dma_data_direction dir);
void strict_dma_sync_for_cpu(struct ib_device *ib, u64 addr, size_t size,
			     enum dma_data_direction dir);
void strict_dma_sync_for_device(struct ib_device *ib, u64 addr, size_t size,
				enum dma_data_direction dir);

/* posting.c; as the functions of ib_core, in any context */
int strict_dma_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad);
int strict_dma_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad);
int strict_dma_map_mr_sg(struct ib_mr *mr, struct scatterlist *sgl, int nents,
			 unsigned int *offset, unsigned int page_size);

#ifndef STRICT_DMA_INSIDE
#define ib_dma_mapping_error(ib, addr) (!(addr))
#define ib_dma_map_single strict_dma_map_single
#define ib_dma_unmap_single strict_dma_unmap_single
#define ib_dma_map_page(ib, page, offset, size, dir) \
	strict_dma_map_single(ib, page_address(page) + (offset), size, dir)
#define ib_dma_unmap_page strict_dma_unmap_single
#define ib_dma_map_sg strict_dma_map_sg
#define ib_dma_unmap_sg strict_dma_unmap_sg
#define ib_dma_map_sg_attrs(ib, sgl, nents, dir, attrs) strict_dma_map_sg(ib, sgl, nents, dir)
#define ib_dma_unmap_sg_attrs(ib, sgl, nents, dir, attrs) strict_dma_unmap_sg(ib, sgl, nents, dir)
#define ib_dma_map_sgtable_attrs(ib, table, dir, attrs) strict_dma_map_sgtable(ib, table, dir)
#define ib_dma_unmap_sgtable_attrs(ib, table, dir, attrs) strict_dma_unmap_sgtable(ib, table, dir)
#define ib_dma_sync_single_for_cpu strict_dma_sync_for_cpu
#define ib_dma_sync_single_for_device strict_dma_sync_for_device
#define ib_post_send strict_dma_post_send
#define ib_post_recv strict_dma_post_recv
#define ib_map_mr_sg strict_dma_map_mr_sg
#endif

#endif
