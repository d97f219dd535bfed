// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports of memory.
 *
 * All pages are allocated when the export is opened. So no command fails for lack of memory, and
 * commands run in softirq. The disk is a table of tables of pages. The adapter reads and writes
 * these pages directly for commands with a transfer. Discarded ranges become zero and keep their
 * pages. The content is lost with the export: each export of memory has an identity of its own.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../core/netlink/netlink.h"
#include "backend.h"

#define CWT_PER_TABLE (PAGE_SIZE / sizeof(struct page *))
/*
 * Pages are allocated in physically contiguous groups of this order, then split and freed singly.
 */
#define CWT_GROUP_ORDER 4

struct cwt_ram {
	u64 pages;
	u64 tables;
	struct page **table[];
};

static struct page **cwt_ram_slot_of(struct cwt_ram *ram, u64 index)
{
	return &ram->table[index / CWT_PER_TABLE][index % CWT_PER_TABLE];
}

static void *cwt_ram_address_of(struct cwt_ram *ram, u64 offset)
{
	return page_address(*cwt_ram_slot_of(ram, offset >> PAGE_SHIFT)) + offset_in_page(offset);
}

/* ---- open, close ---- */

static void cwt_ram_free(struct cwt_ram *ram)
{
	u64 i, j;

	for (i = 0; i < ram->tables && ram->table[i]; i++) {
		for (j = 0; j < CWT_PER_TABLE && ram->table[i][j]; j++)
			__free_page(ram->table[i][j]);
		free_page((unsigned long)ram->table[i]);
		cond_resched();
	}
	kvfree(ram);
}

static int cwt_ram_fill(struct cwt_ram *ram)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN;
	u64 index = 0;
	u32 i, count;

	while (index < ram->pages) {
		struct page ***table = &ram->table[index / CWT_PER_TABLE];
		int order = CWT_GROUP_ORDER;
		struct page *page;

		if (!*table)
			*table = (void *)get_zeroed_page(gfp | __GFP_RETRY_MAYFAIL);
		if (!*table)
			return -ENOMEM;
		page = alloc_pages(gfp | __GFP_NORETRY, order);
		if (!page) {
			order = 0;
			page = alloc_page(gfp | __GFP_RETRY_MAYFAIL);
		}
		if (!page)
			return -ENOMEM;
		if (order)
			split_page(page, order);
		count = 1 << order;
		for (i = 0; i < count; i++, index++) {
			/* A group may reach beyond the end of the disk or of the table. */
			if (index < ram->pages && &ram->table[index / CWT_PER_TABLE] == table)
				*cwt_ram_slot_of(ram, index) = page + i;
			else
				break;
		}
		for (; i < count; i++)
			__free_page(page + i);
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

static int cwt_ram_open(struct cwt_export *e, struct netlink_ext_ack *extack)
{
	u64 available = (u64)max(si_mem_available(), 0L) << PAGE_SHIFT;
	u64 pages = DIV_ROUND_UP_ULL(e->size, PAGE_SIZE);
	u64 tables = DIV_ROUND_UP_ULL(pages, CWT_PER_TABLE);
	struct cwt_ram *ram;
	int ret;

	if (e->size < SECTOR_SIZE || !IS_ALIGNED(e->size, SECTOR_SIZE)) {
		cw_refuse(extack,
			  "a size of %llu bytes is not a disk; it must be a multiple of %u above 0",
			  e->size, SECTOR_SIZE);
		return -EINVAL;
	}
	/* A sixteenth of the available memory must stay free for the rest of the machine. */
	if (e->size > available - available / 16) {
		cw_refuse(extack,
			  "%llu MiB of memory are not there: %llu MiB are available, and a sixteenth of that stays free",
			  e->size >> 20, available >> 20);
		return -ENOMEM;
	}
	ram = kvzalloc(struct_size(ram, table, tables), GFP_KERNEL);
	if (!ram)
		return -ENOMEM;
	ram->pages = pages;
	ram->tables = tables;
	ret = cwt_ram_fill(ram);
	if (ret) {
		cw_refuse(extack, "%llu MiB of memory could not be allocated", e->size >> 20);
		cwt_ram_free(ram);
		return ret;
	}
	e->disk = ram;
	return 0;
}

static void cwt_ram_close(struct cwt_export *e)
{
	cwt_ram_free(e->disk);
	e->disk = NULL;
}

static void cwt_ram_describe(struct cwt_export *e, struct cw_geometry *geo)
{
	geo->size = e->size;
	geo->logical_block = SECTOR_SIZE;
	geo->physical_block = PAGE_SIZE;
	geo->io_min = PAGE_SIZE;
	geo->flags = CW_EXPORT_WRITE_ZEROES | CW_EXPORT_DISCARD;
	geo->discard_max = CWT_ZEROES_MAX;
	geo->discard_granularity = PAGE_SIZE;
	geo->discard_ranges = CWT_RANGES;
	geo->zeroes_max = CWT_ZEROES_MAX;
}

/* ---- commands ---- */

/* Inline commands, in softirq. Message buffers are in the direct mapping of the kernel. */
static void cwt_ram_submit(struct cwt_command *c)
{
	struct cwt_ram *ram = c->tl->export->disk;
	u64 offset = c->cmd.offset;
	u16 i;

	for (i = 0; i < c->nvecs; i++) {
		void *data = bvec_virt(&c->vecs[i]);
		u32 len = c->vecs[i].bv_len;

		while (len) {
			u32 part = min_t(u32, len, PAGE_SIZE - offset_in_page(offset));

			if (c->cmd.op == CW_OP_WRITE)
				memcpy(cwt_ram_address_of(ram, offset), data, part);
			else
				memcpy(data, cwt_ram_address_of(ram, offset), part);
			data += part;
			offset += part;
			len -= part;
		}
	}
	cwt_command_done(c, CW_STATUS_OK);
}

static void cwt_ram_flush(struct cwt_command *c)
{
	cwt_command_done(c, CW_STATUS_OK);
}

static int cwt_ram_sync(struct cwt_export *e)
{
	return 0;
}

static int cwt_ram_zero(struct cwt_command *c, u64 offset, u32 len, bool keep_allocated)
{
	struct cwt_ram *ram = c->tl->export->disk;

	while (len) {
		u32 part = min_t(u32, len, PAGE_SIZE - offset_in_page(offset));

		if (cwt_command_is_over(c))
			return -ENOTCONN;
		memset(cwt_ram_address_of(ram, offset), 0, part);
		offset += part;
		len -= part;
		cond_resched();
	}
	return 0;
}

static int cwt_ram_discard(struct cwt_command *c, const struct cw_range *ranges, u32 count)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < count && !ret; i++)
		ret = cwt_ram_zero(c, ranges[i].offset, ranges[i].len, true);
	return ret;
}

static u32 cwt_ram_find_pages(struct cwt_export *e, u64 offset, u32 len, struct bio_vec *vecs,
			      u32 room)
{
	struct cwt_ram *ram = e->disk;
	struct bio_vec *last = NULL;
	phys_addr_t end = 0;
	u32 n = 0;

	while (len) {
		u32 part = min_t(u32, len, PAGE_SIZE - offset_in_page(offset));
		struct page *page = *cwt_ram_slot_of(ram, offset >> PAGE_SHIFT);

		if (last && end == page_to_phys(page) &&
		    last->bv_len < PAGE_SIZE << CWT_GROUP_ORDER)
			last->bv_len += part;
		else if (!WARN_ON_ONCE(n == room))
			bvec_set_page(last = &vecs[n++], page, part, offset_in_page(offset));
		end = page_to_phys(page) + offset_in_page(offset) + part;
		offset += part;
		len -= part;
	}
	return n;
}

const struct cwt_backend cwt_backend_ram = {
	.kind = CW_BACKEND_RAM,
	.atomic = true,
	.gathers = true,
	.open = cwt_ram_open,
	.close = cwt_ram_close,
	.describe = cwt_ram_describe,
	.submit = cwt_ram_submit,
	.flush = cwt_ram_flush,
	.sync = cwt_ram_sync,
	.discard = cwt_ram_discard,
	.zero = cwt_ram_zero,
	.find_pages = cwt_ram_find_pages,
};
