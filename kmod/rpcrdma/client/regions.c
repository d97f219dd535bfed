// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory regions of a queue pair.
 *
 * A region is free, or in the list of regions of one call. Regions are made in sets: the first ones
 * with the queue pair, others when a call finds none. They are freed with the queue pair.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "regions.h"

#define REGIONS_AT_ONCE 8
#define DEPTH_MIN 16U /* pages of one region */
#define DEPTH_MAX 258U /* 1 MiB between a page of head and a page of tail */

static unsigned int region_pages = DEPTH_MAX;
module_param(region_pages, uint, 0644);
MODULE_PARM_DESC(region_pages,
		 "pages of one memory region, 16 to 258; fewer if the adapter does not have that many");

void cwrc_region_unmap(struct cwrc_region *region)
{
	u32 i;

	if (!region->entries)
		return;
	ib_dma_unmap_sg(region->connection->ib, region->sgl, region->entries, region->dir);
	for (i = 0; region->holds && i < region->entries; i++)
		put_page(sg_page(&region->sgl[i]));
	region->entries = 0;
	region->holds = false;
}

static void cwrc_region_free(struct cwrc_region *region)
{
	cw_region_free(&region->base);
	kvfree(region->sgl);
	kfree(region);
}

static struct cwrc_region *cwrc_region_alloc(struct cwrc_connection *conn)
{
	struct cwrc_region *region = kzalloc(sizeof(*region), GFP_KERNEL);

	if (!region)
		return NULL;
	region->connection = conn;
	region->sgl = kvmalloc_array(conn->depth, sizeof(*region->sgl), GFP_KERNEL);
	if (!region->sgl)
		goto failed;
	if (cw_region_alloc(&region->base, conn->ep.domain->pd, conn->depth))
		goto failed;
	cwr_count(&conn->transport->info, CWR_REGIONS_ALLOCATED, 1);
	return region;

failed:
	cwrc_region_free(region);
	return NULL;
}

static bool cwrc_regions_add(struct cwrc_connection *conn)
{
	struct cwrc_transport *t = conn->transport;
	bool grown = false;
	int i;

	for (i = 0; i < REGIONS_AT_ONCE; i++) {
		struct cwrc_region *region = cwrc_region_alloc(conn);

		if (!region)
			break;
		spin_lock(&t->regions_lock);
		list_add(&region->entry, &conn->free_regions);
		list_add(&region->all, &conn->regions);
		spin_unlock(&t->regions_lock);
		grown = true;
	}
	return grown;
}

void cwrc_regions_grow(struct work_struct *work)
{
	struct cwrc_connection *conn =
		container_of(work, struct cwrc_connection, grow_regions.work);
	unsigned int noio = memalloc_noio_save();

	WRITE_ONCE(conn->short_of_regions, !cwrc_regions_add(conn));
	memalloc_noio_restore(noio);
	xprt_write_space(&conn->transport->xprt);
}

int cwrc_regions_init(struct cwrc_connection *conn)
{
	conn->depth = min_t(u32, clamp(READ_ONCE(region_pages), DEPTH_MIN, DEPTH_MAX),
			    conn->ib->attrs.max_fast_reg_page_list_len);
	if (conn->depth < DEPTH_MIN)
		return -EOPNOTSUPP;
	return cwrc_regions_add(conn) ? 0 : -ENOMEM;
}

void cwrc_regions_free(struct cwrc_connection *conn)
{
	struct cwrc_transport *t = conn->transport;
	struct cwrc_region *region, *next;
	LIST_HEAD(all);

	cancel_delayed_work_sync(&conn->grow_regions);
	spin_lock(&t->regions_lock);
	list_splice_init(&conn->regions, &all);
	list_for_each_entry(region, &all, all) {
		cwrc_region_unmap(region);
		/* from free_regions, or from the regions of its call */
		list_del_init(&region->entry);
	}
	spin_unlock(&t->regions_lock);
	list_for_each_entry_safe(region, next, &all, all)
		cwrc_region_free(region);
}
