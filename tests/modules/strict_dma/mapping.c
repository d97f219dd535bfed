// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings.
 *
 * A mapping owns a buffer of whole pages. The consumer's memory is copied to it at the same offset
 * in a page, because a registration wants that, and the rest is filled with a pattern. The address
 * of the copy is the DMA address: adapters without DMA hardware use it as a pointer. Mappings are
 * found by address in a tree. The lock guards the tree alone; that a mapping is not unmapped while
 * it is used is the consumer's duty, and a breach of it is what KASAN shall report.
 */
#include <linux/kasan.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "strict_dma.h"

#define STRICT_PATTERN 0xda
#define STRICT_QUEUE 64 /* freed buffers that wait */
#define STRICT_QUEUE_SIZE 65536UL /* larger ones do not */

struct strict_mapping {
	struct rb_node node;
	struct ib_device *ib;
	void *memory; /* the consumer's */
	u8 *buffer;
	size_t room; /* of the buffer */
	u64 addr; /* in the buffer; what the adapter is told */
	size_t size;
	enum dma_data_direction dir;
	struct rcu_head rcu;
};

/* A buffer that was unmapped and is not freed yet. */
struct strict_old {
	u8 *buffer;
	size_t room;
};

static bool certain;
module_param(certain, bool, 0644);
MODULE_PARM_DESC(certain, "fault injection in a marked task does not make a mapping fail");

static DEFINE_SPINLOCK(lock); /* all below */
static struct rb_root mappings = RB_ROOT;
static struct strict_old queue[STRICT_QUEUE];
static unsigned int queue_at;

/* ---- the tree ---- */

static void strict_insert(struct strict_mapping *m)
{
	struct rb_node **place = &mappings.rb_node, *parent = NULL;

	lockdep_assert_held(&lock);
	while (*place) {
		parent = *place;
		place = m->addr < rb_entry(parent, struct strict_mapping, node)->addr ?
				&parent->rb_left :
				&parent->rb_right;
	}
	rb_link_node(&m->node, parent, place);
	rb_insert_color(&m->node, &mappings);
}

/* The mapping that holds an address, NULL when none does. */
static struct strict_mapping *strict_find(u64 addr)
{
	struct rb_node *node = mappings.rb_node;

	lockdep_assert_held(&lock);
	while (node) {
		struct strict_mapping *m = rb_entry(node, struct strict_mapping, node);

		if (addr < m->addr)
			node = node->rb_left;
		else if (addr >= m->addr + m->size)
			node = node->rb_right;
		else
			return m;
	}
	return NULL;
}

static struct strict_mapping *strict_get(u64 addr)
{
	struct strict_mapping *m;
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	m = strict_find(addr);
	spin_unlock_irqrestore(&lock, flags);
	return m;
}

/* ---- buffers ---- */

static size_t strict_room(struct ib_device *ib, size_t size)
{
	size_t room = roundup_pow_of_two(max_t(size_t, size, PAGE_SIZE));

	/* siw hands pages to TCP, which takes none of a slab cache. */
	if (ib->ops.driver_id == RDMA_DRIVER_SIW)
		room = max_t(size_t, room, 2 * KMALLOC_MAX_CACHE_SIZE);
	return room;
}

/*
 * KASAN keeps a freed object of a slab cache for a while and reports its users; pages
 * it forgets.
 */
static bool strict_is_watched(size_t room)
{
	return IS_ENABLED(CONFIG_KASAN_GENERIC) && room <= KMALLOC_MAX_CACHE_SIZE;
}

static void strict_free_old(struct strict_old old)
{
	u8 *written;

	if (!old.buffer)
		return;
	written = memchr_inv(old.buffer, STRICT_PATTERN, old.room);
	WARN(written, "strict_dma: an adapter wrote %zu bytes into a buffer of %zu after unmap\n",
	     (size_t)(written - old.buffer), old.room);
	kfree(old.buffer);
}

static void strict_free_buffer(struct ib_device *ib, u8 *buffer, size_t room)
{
	struct strict_old old = { .buffer = buffer, .room = room };
	unsigned long flags;

	/* TCP may still send from what siw has completed. */
	if (ib->ops.driver_id == RDMA_DRIVER_SIW) {
		kfree(buffer);
		return;
	}
	memset(buffer, STRICT_PATTERN, room);
	if (strict_is_watched(room) || room > STRICT_QUEUE_SIZE) {
		kfree(buffer);
		return;
	}
	spin_lock_irqsave(&lock, flags);
	swap(queue[queue_at], old);
	queue_at = (queue_at + 1) % STRICT_QUEUE;
	spin_unlock_irqrestore(&lock, flags);
	strict_free_old(old);
}

static void strict_free(struct rcu_head *head)
{
	struct strict_mapping *m = container_of(head, struct strict_mapping, rcu);

	memset(m->buffer, STRICT_PATTERN, m->room);
	kfree(m->buffer);
	kfree(m);
}

/*
 * Soft-RoCE flushes a work request while another processor still copies a packet out of its memory:
 * rxe_drain_resp_pkts() completes the whole send queue, and rxe_requester() looks at the queue
 * pair's state only before each packet (Linux 6.1). Both run with softirqs off, so that a grace
 * period outlasts that one packet, and a later reader is reported.
 */
static bool strict_may_be_read_still(const struct strict_mapping *m)
{
	return m->ib->ops.driver_id == RDMA_DRIVER_RXE && m->dir == DMA_TO_DEVICE &&
	       strict_is_watched(m->room);
}

/* ---- single mappings ---- */

/* A mapping with a buffer of @room bytes, or NULL. */
static struct strict_mapping *strict_alloc(size_t room)
{
	struct strict_mapping *m = kmalloc(sizeof(*m), GFP_ATOMIC | __GFP_NOWARN);

	if (!m)
		return NULL;
	m->room = room;
	m->buffer = kmalloc(room, GFP_ATOMIC | __GFP_NOWARN);
	if (!m->buffer) {
		kfree(m);
		return NULL;
	}
	return m;
}

/*
 * On most machines a mapping takes no memory. With certain=Y fault injection (the kernel's, with
 * its task-filter) is kept from refusing it.
 */
static struct strict_mapping *strict_alloc_as_asked(size_t room)
{
#ifdef CONFIG_FAULT_INJECTION
	struct strict_mapping *m;
	int marked;

	if (READ_ONCE(certain)) {
		marked = current->make_it_fail;
		current->make_it_fail = 0;
		m = strict_alloc(room);
		current->make_it_fail = marked;
		return m;
	}
#endif
	return strict_alloc(room);
}

u64 strict_dma_map_single(struct ib_device *ib, void *memory, size_t size,
			  enum dma_data_direction dir)
{
	struct strict_mapping *m;
	unsigned long flags;

	if (WARN_ON(!ib_uses_virt_dma(ib) || !size || !virt_addr_valid(memory)))
		return 0;
	m = strict_alloc_as_asked(strict_room(ib, offset_in_page(memory) + size));
	if (!m)
		return 0;
	m->ib = ib;
	m->memory = memory;
	m->size = size;
	m->dir = dir;
	memset(m->buffer, STRICT_PATTERN, m->room);
	m->addr = (uintptr_t)m->buffer + offset_in_page(memory);
	/* Also of memory to be written: what the adapter leaves out stays as it was. */
	memcpy((void *)m->addr, memory, size);
	spin_lock_irqsave(&lock, flags);
	strict_insert(m);
	spin_unlock_irqrestore(&lock, flags);
	return m->addr;
}
EXPORT_SYMBOL_GPL(strict_dma_map_single);

/* Warns when the adapter wrote around the mapping. */
static void strict_check_contents(const struct strict_mapping *m)
{
	size_t before = m->addr - (uintptr_t)m->buffer, end = before + m->size;

	bool beside = memchr_inv(m->buffer, STRICT_PATTERN, before) ||
		      memchr_inv(m->buffer + end, STRICT_PATTERN, m->room - end);

	WARN(beside, "strict_dma: an adapter wrote beside a mapping of %zu bytes\n", m->size);
}

void strict_dma_unmap_single(struct ib_device *ib, u64 addr, size_t size,
			     enum dma_data_direction dir)
{
	struct strict_mapping *m;
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	m = strict_find(addr);
	if (m && m->addr == addr)
		rb_erase(&m->node, &mappings);
	else
		m = NULL;
	spin_unlock_irqrestore(&lock, flags);
	if (WARN(!m, "strict_dma: unmap of %#llx, which is not mapped\n", addr))
		return;
	WARN(m->ib != ib || m->size != size || m->dir != dir,
	     "strict_dma: unmap of %zu bytes, direction %d, which were mapped as %zu, %d\n", size,
	     dir, m->size, m->dir);
	strict_check_contents(m);
	if (m->dir != DMA_TO_DEVICE)
		memcpy(m->memory, (void *)m->addr, m->size);
	if (strict_may_be_read_still(m)) {
		call_rcu(&m->rcu, strict_free);
		return;
	}
	strict_free_buffer(m->ib, m->buffer, m->room);
	kfree(m);
}
EXPORT_SYMBOL_GPL(strict_dma_unmap_single);

/* ---- sync ---- */

/* Copies the named part of a mapping between its two places. */
static void strict_sync(struct ib_device *ib, u64 addr, size_t size, enum dma_data_direction dir,
			bool for_cpu)
{
	struct strict_mapping *m = strict_get(addr);
	void *memory;

	if (WARN(!m || m->ib != ib || addr + size > m->addr + m->size || m->dir != dir,
		 "strict_dma: sync of %zu bytes at %#llx, direction %d, which are not mapped so\n",
		 size, addr, dir))
		return;
	memory = m->memory + (addr - m->addr);
	if (for_cpu && dir != DMA_TO_DEVICE)
		memcpy(memory, (void *)addr, size);
	else if (!for_cpu && dir != DMA_FROM_DEVICE)
		memcpy((void *)addr, memory, size);
	else if (!for_cpu)
		memset((void *)addr, STRICT_PATTERN, size);
}

void strict_dma_sync_for_cpu(struct ib_device *ib, u64 addr, size_t size,
			     enum dma_data_direction dir)
{
	strict_sync(ib, addr, size, dir, true);
}
EXPORT_SYMBOL_GPL(strict_dma_sync_for_cpu);

void strict_dma_sync_for_device(struct ib_device *ib, u64 addr, size_t size,
				enum dma_data_direction dir)
{
	strict_sync(ib, addr, size, dir, false);
}
EXPORT_SYMBOL_GPL(strict_dma_sync_for_device);

/* ---- lists ---- */

int strict_dma_map_sg(struct ib_device *ib, struct scatterlist *sgl, int nents,
		      enum dma_data_direction dir)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		u64 addr = strict_dma_map_single(ib, sg_virt(sg), sg->length, dir);

		if (!addr) {
			strict_dma_unmap_sg(ib, sgl, i, dir);
			return 0;
		}
		sg_dma_address(sg) = addr;
		sg_dma_len(sg) = sg->length;
	}
	return nents;
}
EXPORT_SYMBOL_GPL(strict_dma_map_sg);

void strict_dma_unmap_sg(struct ib_device *ib, struct scatterlist *sgl, int nents,
			 enum dma_data_direction dir)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i)
		strict_dma_unmap_single(ib, sg_dma_address(sg), sg->length, dir);
}
EXPORT_SYMBOL_GPL(strict_dma_unmap_sg);

int strict_dma_map_sgtable(struct ib_device *ib, struct sg_table *table,
			   enum dma_data_direction dir)
{
	int nents = strict_dma_map_sg(ib, table->sgl, table->orig_nents, dir);

	table->nents = nents;
	return nents ? 0 : -EIO;
}
EXPORT_SYMBOL_GPL(strict_dma_map_sgtable);

void strict_dma_unmap_sgtable(struct ib_device *ib, struct sg_table *table,
			      enum dma_data_direction dir)
{
	strict_dma_unmap_sg(ib, table->sgl, table->orig_nents, dir);
}
EXPORT_SYMBOL_GPL(strict_dma_unmap_sgtable);

/* ---- the module ---- */

void strict_dma_check(struct ib_device *ib, u64 addr, size_t size, enum dma_data_direction dir,
		      const char *doing)
{
	struct strict_mapping *m;
	unsigned long flags;
	bool good;

	if (!size)
		return;
	spin_lock_irqsave(&lock, flags);
	m = strict_find(addr);
	good = m && m->ib == ib && addr + size <= m->addr + m->size &&
	       (dir == DMA_NONE || m->dir == dir || m->dir == DMA_BIDIRECTIONAL);
	spin_unlock_irqrestore(&lock, flags);
	WARN(!good, "strict_dma: %s of %zu bytes at %#llx, which are not mapped for it\n", doing,
	     size, addr);
}

void strict_dma_end(void)
{
	struct strict_mapping *m, *next;
	unsigned int i, left = 0;

	rbtree_postorder_for_each_entry_safe(m, next, &mappings, node) {
		kfree(m->buffer);
		kfree(m);
		left++;
	}
	WARN(left, "strict_dma: %u mappings were never unmapped\n", left);
	rcu_barrier(); /* for strict_free() */
	for (i = 0; i < STRICT_QUEUE; i++)
		strict_free_old(queue[i]);
}
