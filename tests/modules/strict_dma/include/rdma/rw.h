/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's header, with the functions that strict_dma has of its own under other names. */
#ifndef STRICT_DMA_RW_H
#define STRICT_DMA_RW_H

#define rdma_rw_ctx_init strict_dma_rw_ctx_init
#define rdma_rw_ctx_destroy strict_dma_rw_ctx_destroy
#define rdma_rw_ctx_signature_init strict_dma_rw_ctx_signature_init
#define rdma_rw_ctx_destroy_signature strict_dma_rw_ctx_destroy_signature
#define rdma_rw_ctx_wrs strict_dma_rw_ctx_wrs
#define rdma_rw_ctx_post strict_dma_rw_ctx_post
#define rdma_rw_mr_factor strict_dma_rw_mr_factor
#define rdma_rw_max_send_wr strict_dma_rw_max_send_wr
#define rdma_rw_init_qp strict_dma_rw_init_qp
#define rdma_rw_init_mrs strict_dma_rw_init_mrs
#define rdma_rw_cleanup_mrs strict_dma_rw_cleanup_mrs

#endif
#include_next <rdma/rw.h>
