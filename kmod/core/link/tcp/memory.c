// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of commands on a link over TCP: what the client offers, and the transfers of the server.
 *
 * Memory is offered when its command is put into a message, under tx_lock, and not before: a peer
 * that guesses an rkey reaches no memory of a command that was not sent. The io work alone looks
 * memory up and moves data, and it handles the completion that ends the command. So an unmap and a
 * PUT or GOT never run at the same time.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "link_tcp.h"

unsigned int cw_tcp_cursor_take(struct cw_tcp_cursor *cursor, struct bio_vec *vec, u32 *len)
{
	unsigned int n;
	u32 taken = 0;

	for (n = 0; n < CW_TCP_VECS && taken < *len && cursor->sg; n++) {
		struct scatterlist *sg = cursor->sg;
		u32 part = min(*len - taken, sg->length - cursor->at);

		vec[n].bv_page = sg_page(sg);
		vec[n].bv_offset = sg->offset + cursor->at;
		vec[n].bv_len = part;
		taken += part;
		cursor->at += part;
		if (cursor->at == sg->length) {
			cursor->sg = sg_next(sg);
			cursor->at = 0;
		}
	}
	*len = taken;
	return n;
}

static u32 cw_tcp_list_len(struct scatterlist *sgl, u32 nents)
{
	struct scatterlist *sg;
	u32 i, len = 0;

	for_each_sg(sgl, sg, nents, i)
		len += sg->length;
	return len;
}

/* ---- client ---- */

int cw_tcp_maps_make(struct cw_link_tcp *l)
{
	u32 i;

	l->maps = kvcalloc(l->link.limits.depth, sizeof(*l->maps), GFP_KERNEL);
	if (!l->maps)
		return -ENOMEM;
	for (i = 0; i < l->link.limits.depth; i++)
		list_add_tail(&l->maps[i].entry, &l->maps_free);
	return 0;
}

int cw_tcp_map(struct cw_link *link, struct cw_map *map)
{
	struct cw_link_tcp *l = to_tcp(link);
	struct cw_tcp_map *m;
	unsigned long flags;

	spin_lock_irqsave(&l->free_lock, flags);
	m = list_first_entry_or_null(&l->maps_free, struct cw_tcp_map, entry);
	if (m)
		list_del(&m->entry);
	spin_unlock_irqrestore(&l->free_lock, flags);
	if (!m)
		return -EAGAIN;
	m->rkey = cw_tcp_rkey(m - l->maps, &m->turn);
	m->memory.to_peer = map->to_peer;
	m->memory.addr = 0;
	m->memory.len = cw_tcp_list_len(map->sgl, map->nents);
	m->memory.moved = 0;
	m->memory.answered = 0;
	m->cursor = (struct cw_tcp_cursor) { .sg = map->sgl };
	map->mr = m;
	map->rkey = m->rkey;
	map->addr = 0;
	return 0;
}

void cw_tcp_tx_attach(struct cw_tx *tx, struct cw_map *map)
{
	struct cw_tcp_map *m = map->mr;

	smp_store_release(&m->memory.rkey, m->rkey); /* pairs with cw_tcp_map_find() */
}

struct cw_tcp_map *cw_tcp_map_find(struct cw_link_tcp *l, u32 rkey)
{
	u16 slot = cw_tcp_rkey_slot(rkey);
	struct cw_tcp_map *m;

	if (l->link.server || !l->maps || slot >= l->link.limits.depth)
		return NULL;
	m = &l->maps[slot];
	/* Pairs with cw_tcp_tx_attach(): the other members are those of this rkey. */
	return smp_load_acquire(&m->memory.rkey) == rkey ? m : NULL;
}

bool cw_tcp_moved(struct cw_link *link, const struct cw_map *map, bool succeeded)
{
	const struct cw_tcp_map *m = map->mr;

	return cw_tcp_may_complete(&m->memory, succeeded);
}

int cw_tcp_unmap(struct cw_link *link, struct cw_map *map, bool invalidated)
{
	struct cw_link_tcp *l = to_tcp(link);
	struct cw_tcp_map *m = map->mr;
	unsigned long flags;

	if (!m)
		return 0;
	WRITE_ONCE(m->memory.rkey, 0);
	map->mr = NULL;
	map->rkey = 0;
	spin_lock_irqsave(&l->free_lock, flags);
	/* At the tail, so that the rkeys of a slot come back as late as possible. */
	list_add_tail(&m->entry, &l->maps_free);
	spin_unlock_irqrestore(&l->free_lock, flags);
	return 0;
}

/* ---- server ---- */

struct cw_transfer *cw_tcp_transfer_alloc(struct cw_link *link, struct scatterlist *sgl, u32 nents,
					  bool to_peer, u64 addr, u32 rkey)
{
	struct cw_tcp_transfer *t;

	if (cw_link_is_dead(link))
		return ERR_PTR(-ENOTCONN);
	t = kzalloc(sizeof(*t), GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY);
	if (!t)
		return ERR_PTR(-ENOMEM);
	t->base.link = link;
	t->cursor.sg = sgl;
	t->addr = addr;
	t->rkey = rkey;
	t->len = cw_tcp_list_len(sgl, nents);
	return &t->base;
}

void cw_tcp_transfer_end(struct cw_tcp_transfer *t, int err)
{
	void (*done)(void *cookie, int err) = t->base.done;
	void *cookie = t->base.cookie;

	kfree(t);
	if (done)
		done(cookie, err);
}

void cw_tcp_transfer_free(struct cw_transfer *transfer)
{
	kfree(to_tcp_transfer(transfer));
}

void cw_tcp_transfer_filled(struct cw_transfer *transfer)
{
}

void cw_tcp_transfer_fetch(struct cw_transfer *transfer)
{
	struct cw_tcp_transfer *t = to_tcp_transfer(transfer);
	struct cw_link_tcp *l = to_tcp(transfer->link);
	unsigned long flags;
	bool drained;

	spin_lock_irqsave(&l->queue_lock, flags);
	drained = l->drained;
	if (!drained)
		list_add_tail(&t->entry, &l->fetches);
	spin_unlock_irqrestore(&l->queue_lock, flags);
	if (drained) {
		cw_link_transfer_ended(&l->link);
		cw_tcp_transfer_end(t, -ENOTCONN);
		return;
	}
	cw_tcp_call(l);
}
