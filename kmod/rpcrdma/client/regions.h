/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory regions of a queue pair. */
#ifndef CWRC_REGIONS_H
#define CWRC_REGIONS_H

#include "../../core/verbs/registration.h"
#include "connection.h"

struct cwrc_region {
	struct list_head entry; /* in a call's regions, or in free_regions */
	struct list_head all;
	struct cwrc_connection *connection;
	struct cw_region base;
	enum dma_data_direction dir;
	bool invalidated;
	bool holds; /* holds references to its pages */
	u32 entries; /* mapped entries of sgl */
	struct scatterlist *sgl; /* connection->depth entries */
};

/* Unmaps a region whose memory no adapter uses any more. */
void cwrc_region_unmap(struct cwrc_region *region);
/* Makes the first regions; cwrc_regions_free() also takes those that calls still have. */
int cwrc_regions_init(struct cwrc_connection *conn);
void cwrc_regions_grow(struct work_struct *work);
void cwrc_regions_free(struct cwrc_connection *conn);

#endif
