// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends of a link over TCP: the frames that the io work gives to TCP.
 *
 * A message returns to its pool when TCP has copied it. Messages and GETs go before PUTs and GOTs,
 * so that a command, a small answer or an ALIVE waits for one frame of data at most. A completion
 * with a transfer gets its ordinal after the last PUT of the transfer. The data of one command goes
 * after that of another: so the first ends soonest, and frees its memory.
 */
#include <linux/net.h>
#include <linux/slab.h>
#include <net/tcp.h>

#include "../trace.h"
#include "connect.h"
#include "link_tcp.h"

int cw_tcp_tx_make(struct cw_link_tcp *l)
{
	struct cw_pools *pools = &l->link.pools;
	u32 i;

	l->tx = kvcalloc(pools->tx_count, sizeof(*l->tx), GFP_KERNEL);
	if (!l->tx)
		return -ENOMEM;
	for (i = 0; i < pools->tx_count; i++)
		cw_pools_add_tx(&l->link, &l->tx[i], i);
	l->link.pages_max = min_t(u32, CW_TX_PAGES, pools->peer_area);
	return 0;
}

void cw_tcp_send(struct cw_link *link, struct cw_tx *tx)
{
	struct cw_link_tcp *l = to_tcp(link);

	lockdep_assert_held(&link->tx_lock);
	link->stats.n[CW_N_SENDS]++;
	trace_cw_message_sent(link, tx->type, tx->count, tx->data_len);
	spin_lock(&l->queue_lock);
	list_add_tail(&tx->entry, &l->tx_queue);
	spin_unlock(&l->queue_lock);
	cw_tcp_call(l);
}

void cw_tcp_put(struct cw_link *link, struct cw_tx *tx)
{
	struct cw_link_tcp *l = to_tcp(link);

	lockdep_assert_held(&link->tx_lock);
	link->stats.n[CW_N_BULK_WRITES]++;
	spin_lock(&l->queue_lock);
	list_add_tail(&tx->entry, &l->puts);
	spin_unlock(&l->queue_lock);
	cw_tcp_call(l);
}

/* ---- the next frame ---- */

/* Begins a frame whose data, if it has any, comes from @cursor. */
static void cw_tcp_begin(struct cw_link_tcp *l, const struct cw_tcp_frame *frame,
			 struct cw_tcp_cursor *cursor)
{
	struct cw_tcp_out *out = &l->out;

	out->frame = *frame;
	out->cursor = cursor;
	out->left = cursor ? frame->len : 0;
	cw_pack_tcp(&out->header, frame, l->sequence++, cw_link_tcp_crc32c);
	out->vec[0] = (struct kvec) { &out->header, sizeof(out->header) };
	iov_iter_kvec(&out->iter, ITER_SOURCE, out->vec, 1, sizeof(out->header));
}

static void cw_tcp_begin_setup(struct cw_link_tcp *l)
{
	struct cw_tcp_frame frame = {
		.kind = l->setup_kind,
		.len = l->setup_len,
		.data_crc = cw_link_tcp_crc32c(l->setup, l->setup_len),
	};
	struct cw_tcp_out *out = &l->out;

	cw_tcp_begin(l, &frame, NULL);
	out->vec[1] = (struct kvec) { l->setup, l->setup_len };
	iov_iter_kvec(&out->iter, ITER_SOURCE, out->vec, 2, sizeof(out->header) + l->setup_len);
	l->setup_len = 0;
}

static void cw_tcp_begin_message(struct cw_link_tcp *l, const struct cw_tx *tx)
{
	u32 trailer = tx->count * tx->record + sizeof(struct cw_wire_tail);
	struct cw_tcp_frame frame = { .kind = CW_TCP_MESSAGE, .len = tx->data_len + trailer };
	struct cw_tcp_out *out = &l->out;
	unsigned int i, n = 1;
	u32 crc = ~0U;

	for (i = 0; i < tx->nr_pages; i++) {
		out->vec[n++] = (struct kvec) { tx->pages[i]->data, tx->page_len[i] };
		crc = cw_tcp_crc_more(crc, tx->pages[i]->data, tx->page_len[i]);
	}
	out->vec[n++] = (struct kvec) { tx->trailer, trailer };
	frame.data_crc = ~cw_tcp_crc_more(crc, tx->trailer, trailer);
	cw_tcp_begin(l, &frame, NULL);
	iov_iter_kvec(&out->iter, ITER_SOURCE, out->vec, n, sizeof(out->header) + frame.len);
}

/* The next part of a transfer. */
static struct cw_tcp_frame cw_tcp_name_part(struct cw_tcp_transfer *t, u8 kind)
{
	struct cw_tcp_frame frame = {
		.kind = kind,
		.len = min_t(u32, t->len - t->named, CW_WIRE_TCP_DATA_MAX),
		.rkey = t->rkey,
		.addr = t->addr + t->named,
	};

	t->named += frame.len;
	return frame;
}

/* The oldest transfer with data that no GET has asked for, or NULL. */
static struct cw_tcp_transfer *cw_tcp_next_fetch(struct cw_link_tcp *l)
{
	struct cw_tcp_transfer *t, *found = NULL;
	unsigned long flags;

	if (l->gets.count == CW_WIRE_TCP_GETS || !l->link.server)
		return NULL;
	spin_lock_irqsave(&l->queue_lock, flags);
	list_for_each_entry(t, &l->fetches, entry) {
		if (t->named < t->len) {
			found = t;
			break;
		}
	}
	spin_unlock_irqrestore(&l->queue_lock, flags);
	return found;
}

static bool cw_tcp_begin_get(struct cw_link_tcp *l)
{
	struct cw_tcp_transfer *t = cw_tcp_next_fetch(l);
	struct cw_tcp_frame frame;

	if (!t)
		return false;
	frame = cw_tcp_name_part(t, CW_TCP_GET);
	cw_tcp_gets_add(&l->gets, &frame);
	cw_tcp_begin(l, &frame, NULL);
	return true;
}

static bool cw_tcp_begin_got(struct cw_link_tcp *l)
{
	const struct cw_tcp_frame *get = l->link.server ? NULL : cw_tcp_gets_oldest(&l->gets);
	struct cw_tcp_frame frame;
	struct cw_tcp_map *m;

	if (!get)
		return false;
	/* The completion of a command with an unanswered GET has ended the link. */
	m = cw_tcp_map_find(l, get->rkey);
	if (WARN_ON_ONCE(!m))
		return false;
	frame = *get;
	frame.kind = CW_TCP_GOT;
	/* The server may have the header, and send another GET, while TCP takes the rest. */
	cw_tcp_gets_answer(&l->gets, &frame);
	cw_tcp_begin(l, &frame, &m->cursor);
	return true;
}

static struct cw_tx *cw_tcp_next_tx(struct cw_link_tcp *l, struct list_head *list)
{
	struct cw_tx *tx;
	unsigned long flags;

	spin_lock_irqsave(&l->queue_lock, flags);
	tx = list_first_entry_or_null(list, struct cw_tx, entry);
	if (tx)
		list_del(&tx->entry);
	spin_unlock_irqrestore(&l->queue_lock, flags);
	return tx;
}

static bool cw_tcp_begin_tx(struct cw_link_tcp *l)
{
	l->out.tx = cw_tcp_next_tx(l, &l->tx_queue);
	if (!l->out.tx)
		return false;
	cw_tcp_begin_message(l, l->out.tx);
	return true;
}

/* The next part of the transfer that came first. */
static bool cw_tcp_begin_put(struct cw_link_tcp *l)
{
	struct cw_tcp_transfer *t;
	struct cw_tcp_frame frame;

	if (!l->putting)
		l->putting = cw_tcp_next_tx(l, &l->puts);
	if (!l->putting)
		return false;
	t = to_tcp_transfer(l->putting->transfer);
	frame = cw_tcp_name_part(t, CW_TCP_PUT);
	cw_tcp_begin(l, &frame, &t->cursor);
	return true;
}

/* Returns false if there is nothing to send. */
static bool cw_tcp_begin_next(struct cw_link_tcp *l)
{
	if (l->setup_len) {
		cw_tcp_begin_setup(l);
		return true;
	}
	/* Nothing goes before the client has been accepted. */
	if (!l->in.stream.opened)
		return false;
	return cw_tcp_begin_tx(l) || cw_tcp_begin_get(l) || cw_tcp_begin_put(l) ||
	       cw_tcp_begin_got(l);
}

/* ---- giving it to TCP ---- */

static void cw_tcp_release(struct cw_link_tcp *l, struct cw_tx *tx, int err)
{
	local_bh_disable(); /* the callbacks expect a softirq */
	cw_link_released(&l->link, tx);
	if (tx->transfer)
		cw_tcp_transfer_end(to_tcp_transfer(tx->transfer), err);
	if (tx->released)
		tx->released(tx, tx->cookie);
	cw_link_tx_put(tx);
	local_bh_enable();
}

/* A PUT was copied. After the last one of its transfer, the message may go. */
static void cw_tcp_put_sent(struct cw_link_tcp *l)
{
	struct cw_tx *tx = l->putting;
	struct cw_tcp_transfer *t = to_tcp_transfer(tx->transfer);

	if (t->named < t->len)
		return;
	l->putting = NULL;
	tx->transfer = NULL;
	local_bh_disable(); /* done() expects a softirq */
	cw_link_transfer_ended(&l->link);
	cw_tcp_transfer_end(t, 0);
	local_bh_enable();
	if (!cw_link_put_ended(&l->link, tx))
		cw_tcp_release(l, tx, -ENOTCONN);
}

/* These say how a session or a path ended. The peer must get them, though the connection ends. */
static bool cw_tcp_is_last_word(const struct cw_link *link, u8 type)
{
	if (link->kind != CW_LINK_CONTROL)
		return false;
	if (!link->server)
		return type == CW_MSG_GOODBYE || type == CW_MSG_PATH_BYE;
	return type == CW_MSG_NOTICE || type == CW_MSG_REFUSED || type == CW_MSG_FAREWELL;
}

static void cw_tcp_message_sent(struct cw_link_tcp *l, struct cw_tx *tx)
{
	if (cw_tcp_is_last_word(&l->link, tx->type)) {
		l->has_last_word = true;
		l->last_word_end = READ_ONCE(tcp_sk(l->sock->sk)->write_seq);
	}
	cw_tcp_release(l, tx, 0);
}

static void cw_tcp_got_sent(struct cw_link_tcp *l, const struct cw_tcp_frame *got)
{
	struct cw_tcp_map *m = cw_tcp_map_find(l, got->rkey);

	if (!WARN_ON_ONCE(!m))
		m->memory.answered += got->len;
}

static void cw_tcp_sent(struct cw_link_tcp *l)
{
	struct cw_tcp_frame frame = l->out.frame;
	struct cw_tx *tx = l->out.tx;

	l->out.frame.kind = 0;
	switch (frame.kind) {
	case CW_TCP_MESSAGE:
		l->out.tx = NULL;
		cw_tcp_message_sent(l, tx);
		break;
	case CW_TCP_PUT:
		cw_tcp_put_sent(l);
		break;
	case CW_TCP_GOT:
		cw_tcp_got_sent(l, &frame);
		break;
	}
}

static bool cw_tcp_has_more(struct cw_link_tcp *l)
{
	return l->out.left || !list_empty_careful(&l->tx_queue);
}

static int cw_tcp_push(struct cw_link_tcp *l)
{
	struct cw_tcp_out *out = &l->out;
	unsigned int n;
	u32 len;
	int ret;

	for (;;) {
		while (iov_iter_count(&out->iter)) {
			struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };

			if (cw_tcp_has_more(l))
				msg.msg_flags |= MSG_MORE;
			msg.msg_iter = out->iter;
			ret = sock_sendmsg(l->sock, &msg);
			if (ret <= 0)
				return ret ?: -EPIPE;
			iov_iter_advance(&out->iter, ret);
		}
		if (!out->left)
			return 0;
		len = out->left;
		n = cw_tcp_cursor_take(out->cursor, out->bvec, &len);
		if (WARN_ON_ONCE(!len))
			return -EIO;
		out->left -= len;
		iov_iter_bvec(&out->iter, ITER_SOURCE, out->bvec, n, len);
	}
}

int cw_tcp_transmit(struct cw_link_tcp *l)
{
	int ret;

	while (!cw_link_is_dead(&l->link)) {
		if (!l->out.frame.kind && !cw_tcp_begin_next(l))
			return 0;
		ret = cw_tcp_push(l);
		if (ret)
			return ret;
		cw_tcp_sent(l);
	}
	return 0;
}

/* Releases @tx, which may be NULL, and all messages of @list. */
static void cw_tcp_release_list(struct cw_link_tcp *l, struct cw_tx *tx, struct list_head *list)
{
	if (!tx)
		tx = cw_tcp_next_tx(l, list);
	for (; tx; tx = cw_tcp_next_tx(l, list))
		cw_tcp_release(l, tx, -ENOTCONN);
}

void cw_tcp_release_all(struct cw_link_tcp *l)
{
	struct cw_tcp_transfer *t, *next;
	unsigned long flags;
	LIST_HEAD(fetches);

	cw_tcp_release_list(l, l->out.tx, &l->tx_queue);
	cw_tcp_release_list(l, l->putting, &l->puts);
	l->out.tx = NULL;
	l->putting = NULL;
	l->out.frame.kind = 0;

	spin_lock_irqsave(&l->queue_lock, flags);
	list_splice_init(&l->fetches, &fetches);
	spin_unlock_irqrestore(&l->queue_lock, flags);
	local_bh_disable();
	list_for_each_entry_safe(t, next, &fetches, entry) {
		cw_link_transfer_ended(&l->link);
		cw_tcp_transfer_end(t, -ENOTCONN);
	}
	local_bh_enable();
}
