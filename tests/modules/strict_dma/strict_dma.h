/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the files of this module share. */
#ifndef STRICT_DMA_H
#define STRICT_DMA_H

#include <rdma/ib_verbs.h>

/*
 * Warns unless all of [addr, addr + size) lies in one mapping of the device, and in one that the
 * adapter may read (DMA_TO_DEVICE) or write (DMA_FROM_DEVICE), or either (DMA_NONE). doing names
 * the use, "send". Any context.
 */
void strict_dma_check(struct ib_device *ib, u64 addr, size_t size, enum dma_data_direction dir,
		      const char *doing);

/* Warns of mappings that are left, and frees all memory. No thread maps any more. May sleep. */
void strict_dma_end(void);

#endif
