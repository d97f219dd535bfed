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

/**
 * cwrc_region_unmap() - unmaps a region
 * @region: region whose memory no adapter uses
 *
 * Context: The caller holds regions_lock.
 */
void cwrc_region_unmap(struct cwrc_region *region);

/**
 * cwrc_regions_init() - allocates the first regions of a queue pair
 * @conn: connection with a queue pair
 *
 * Context: Process context. May sleep. Takes regions_lock.
 * Return: 0, -EOPNOTSUPP if the device's regions are too small, or -ENOMEM.
 */
int cwrc_regions_init(struct cwrc_connection *conn);

/**
 * cwrc_regions_grow() - adds regions, and wakes tasks that wait for regions
 * @work: the member grow_regions of a connection
 *
 * Context: Process context, on cwrc_workqueue. May sleep. Takes regions_lock.
 */
void cwrc_regions_grow(struct work_struct *work);

/**
 * cwrc_regions_free() - frees all regions of a queue pair, also those that calls have
 * @conn: drained connection
 *
 * Context: Process context. Sleeps. Takes regions_lock.
 */
void cwrc_regions_free(struct cwrc_connection *conn);

#endif
