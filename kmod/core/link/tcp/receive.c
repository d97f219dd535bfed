// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reception of a link over TCP: what arrives is copied from the socket's buffers to the place that
 * the header of its frame names.
 *
 * A message goes to a receive, with a data area and a trailer, as an adapter would put it there.
 * There are as many receives as messages may wait for their handler, and a few for the others, so a
 * peer that keeps to its credit always finds one. A PUT goes to the memory of a read command, a GOT
 * to the memory of the oldest transfer.
 */
#include <linux/skbuff.h>
#include <net/tcp.h>

#include "connect.h"
#include "link_tcp.h"

void cw_tcp_message_put(struct cw_message *msg)
{
	struct cw_tcp_rx *rx = container_of(msg, struct cw_tcp_rx, base.msg);
	struct cw_link_tcp *l = to_tcp(msg->link);
	bool credited = msg->frame.record; /* once free, the next message may be in it */
	unsigned long flags;

	spin_lock_irqsave(&l->free_lock, flags);
	list_add(&rx->entry, &l->rx_free);
	spin_unlock_irqrestore(&l->free_lock, flags);
	if (credited)
		cw_link_taken(msg->link);
}

static struct cw_tcp_rx *cw_tcp_rx_get(struct cw_link_tcp *l)
{
	struct cw_tcp_rx *rx;
	unsigned long flags;

	spin_lock_irqsave(&l->free_lock, flags);
	rx = list_first_entry_or_null(&l->rx_free, struct cw_tcp_rx, entry);
	if (rx)
		list_del(&rx->entry);
	spin_unlock_irqrestore(&l->free_lock, flags);
	return rx;
}

int cw_tcp_rx_make(struct cw_link_tcp *l)
{
	u32 i, count = l->link.pools.rx_count;

	l->rx = kvcalloc(count, sizeof(*l->rx), GFP_KERNEL);
	if (!l->rx)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		cw_receive_init(&l->rx[i].base, &l->link, i);
		list_add_tail(&l->rx[i].entry, &l->rx_free);
	}
	return 0;
}

/* ---- messages ---- */

static u32 cw_tcp_rx_crc(const struct cw_receive *rx, u32 len)
{
	u32 first = min(len, rx->msg.link->pools.rx_bufs.data_size);
	u32 crc = cw_tcp_crc_more(~0U, rx->buf->data, first);

	return ~cw_tcp_crc_more(crc, rx->buf->trailer, len - first);
}

static int cw_tcp_take_message(struct cw_link_tcp *l, u32 len)
{
	struct cw_receive *rx = &l->in.rx->base;
	struct cw_message *msg = &rx->msg;
	struct cw_link *link = &l->link;
	int ret;

	ret = cw_receive_parse(rx, len);
	if (ret)
		return ret;
	/* No queue pair stops a peer that sends more messages than it has credit for. */
	if (msg->frame.record &&
	    link->rx_records - READ_ONCE(link->returned) >= link->messages)
		return -EPROTO;
	l->in.rx = NULL;
	msg->invalidated = false;
	msg->rkey = 0;
	local_bh_disable(); /* the handler expects a softirq */
	ret = cw_receive_take(rx);
	local_bh_enable();
	return ret;
}

/* ---- frames ---- */

static void cw_tcp_into(struct cw_link_tcp *l, void *first, u32 len, void *second, u32 more)
{
	l->in.cursor = NULL;
	l->in.vec[0] = (struct kvec) { first, len };
	l->in.vec[1] = (struct kvec) { second, more };
	iov_iter_kvec(&l->in.iter, ITER_DEST, l->in.vec, more ? 2 : 1, len + more);
}

static int cw_tcp_begin_message_in(struct cw_link_tcp *l, u32 len)
{
	u32 first = min(len, l->link.pools.rx_bufs.data_size);
	struct cw_tcp_rx *rx = cw_tcp_rx_get(l);

	if (!rx)
		return -EPROTO; /* more than the credit */
	l->in.rx = rx;
	cw_tcp_into(l, rx->base.buf->data, first, rx->base.buf->trailer, len - first);
	return 0;
}

/* Checks a PUT or a GET, and returns the memory that it names, or NULL if it is malformed. */
static struct cw_tcp_map *cw_tcp_move_in(struct cw_link_tcp *l, const struct cw_tcp_frame *frame)
{
	struct cw_tcp_map *m = cw_tcp_map_find(l, frame->rkey);
	u32 offset;

	return m && !cw_tcp_move(&m->memory, frame, &offset) ? m : NULL;
}

/* The transfer that the next GOT is for. */
static struct cw_tcp_transfer *cw_tcp_oldest_fetch(struct cw_link_tcp *l)
{
	struct cw_tcp_transfer *t;
	unsigned long flags;

	spin_lock_irqsave(&l->queue_lock, flags);
	t = list_first_entry_or_null(&l->fetches, struct cw_tcp_transfer, entry);
	spin_unlock_irqrestore(&l->queue_lock, flags);
	return t;
}

static int cw_tcp_begin_frame(struct cw_link_tcp *l)
{
	const struct cw_tcp_frame *frame = &l->in.stream.frame;
	struct cw_tcp_transfer *t;
	struct cw_tcp_map *m;

	switch (frame->kind) {
	case CW_TCP_ACCEPTANCE:
	case CW_TCP_REJECTION:
		cw_tcp_into(l, l->answer, frame->len, NULL, 0);
		return 0;
	case CW_TCP_MESSAGE:
		return cw_tcp_begin_message_in(l, frame->len);
	case CW_TCP_PUT:
		m = cw_tcp_move_in(l, frame);
		if (!m)
			return -EPROTO;
		cw_tcp_into(l, NULL, 0, NULL, 0);
		l->in.cursor = &m->cursor;
		return 0;
	case CW_TCP_GET:
		return cw_tcp_move_in(l, frame) ? cw_tcp_gets_add(&l->gets, frame) : -EPROTO;
	case CW_TCP_GOT:
		if (cw_tcp_gets_match(&l->gets, frame))
			return -EPROTO;
		t = cw_tcp_oldest_fetch(l);
		if (WARN_ON_ONCE(!t))
			return -EPROTO;
		cw_tcp_into(l, NULL, 0, NULL, 0);
		l->in.cursor = &t->cursor;
		return 0;
	default:
		return -EPROTO;
	}
}

static void cw_tcp_got(struct cw_link_tcp *l, const struct cw_tcp_frame *frame)
{
	struct cw_tcp_transfer *t = cw_tcp_oldest_fetch(l);
	unsigned long flags;

	/* Not before all of it is there: the client has room for one more GET earlier. */
	cw_tcp_gets_answer(&l->gets, frame);
	t->got += frame->len;
	if (t->got < t->len)
		return;
	spin_lock_irqsave(&l->queue_lock, flags);
	list_del(&t->entry);
	spin_unlock_irqrestore(&l->queue_lock, flags);
	local_bh_disable(); /* done() expects a softirq */
	cw_link_transfer_ended(&l->link);
	cw_tcp_transfer_end(t, 0);
	local_bh_enable();
}

static int cw_tcp_end_frame_in(struct cw_link_tcp *l)
{
	struct cw_tcp_frame frame = l->in.stream.frame;

	cw_tcp_end_frame(&l->in.stream);
	switch (frame.kind) {
	case CW_TCP_ACCEPTANCE:
	case CW_TCP_REJECTION:
		if (cw_link_tcp_crc32c(l->answer, frame.len) != frame.data_crc)
			return -EPROTO;
		smp_store_release(&l->answer_kind, frame.kind); /* with answer */
		wake_up(&l->wait);
		return 0;
	case CW_TCP_MESSAGE:
		if (cw_tcp_rx_crc(&l->in.rx->base, frame.len) != frame.data_crc)
			return -EPROTO;
		return cw_tcp_take_message(l, frame.len);
	case CW_TCP_GOT:
		cw_tcp_got(l, &frame);
		return 0;
	default:
		return 0;
	}
}

/* ---- the stream ---- */

/* Copies bytes of a frame. Returns their number or -errno. */
static int cw_tcp_copy(struct cw_link_tcp *l, struct sk_buff *skb, unsigned int offset, size_t len)
{
	struct cw_tcp_in *in = &l->in;
	unsigned int n;
	u32 more;

	if (!iov_iter_count(&in->iter)) {
		if (WARN_ON_ONCE(!in->cursor))
			return -EIO;
		more = in->stream.left;
		n = cw_tcp_cursor_take(in->cursor, in->bvec, &more);
		if (WARN_ON_ONCE(!more))
			return -EIO;
		iov_iter_bvec(&in->iter, ITER_DEST, in->bvec, n, more);
	}
	len = min3(len, (size_t)in->stream.left, iov_iter_count(&in->iter));
	if (skb_copy_datagram_iter(skb, offset, &in->iter, len))
		return -EFAULT;
	in->stream.left -= len;
	return len;
}

static int cw_tcp_take_bytes(struct cw_link_tcp *l, struct sk_buff *skb, unsigned int offset,
			     size_t len)
{
	struct cw_tcp_stream *stream = &l->in.stream;
	u8 header[sizeof(struct cw_wire_tcp)];
	size_t part;
	int n, ret;

	if (cw_tcp_in_frame(stream)) {
		n = cw_tcp_copy(l, skb, offset, len);
		if (n < 0)
			return n;
	} else {
		part = min(len, sizeof(header) - stream->have);
		if (skb_copy_bits(skb, offset, header, part))
			return -EFAULT;
		n = cw_tcp_take_header(stream, header, part, cw_link_tcp_crc32c);
		if (n < 0 || !cw_tcp_in_frame(stream))
			return n;
		ret = cw_tcp_begin_frame(l);
		if (ret)
			return ret;
	}
	if (!stream->left) {
		ret = cw_tcp_end_frame_in(l);
		if (ret)
			return ret;
	}
	return n;
}

static int cw_tcp_actor(read_descriptor_t *desc, struct sk_buff *skb, unsigned int offset,
			size_t len)
{
	struct cw_link_tcp *l = desc->arg.data;
	size_t taken = 0;
	int n;

	while (taken < len) {
		/* The last messages of a control link count even if it was killed meanwhile. */
		if (desc->error || (cw_link_is_dead(&l->link) && l->link.kind != CW_LINK_CONTROL))
			break;
		n = cw_tcp_take_bytes(l, skb, offset + taken, len - taken);
		if (n < 0) {
			desc->error = n;
			break;
		}
		taken += n;
	}
	if (taken)
		WRITE_ONCE(l->link.last_rx, jiffies);
	if (taken < len)
		desc->count = 0;
	return taken;
}

int cw_tcp_receive(struct cw_link_tcp *l)
{
	read_descriptor_t desc = { .arg.data = l, .count = 1 };
	struct sock *sk = l->sock->sk;
	int ret;

	lock_sock(sk);
	ret = tcp_read_sock(sk, &desc, cw_tcp_actor);
	release_sock(sk);
	if (unlikely(desc.error == -ENOMEM)) {
		cw_link_kill(&l->link, desc.error, "no memory to take a message");
	} else if (unlikely(desc.error)) {
		l->link.stats.n[CW_N_MALFORMED]++;
		cw_link_kill(&l->link, desc.error, "the peer broke the protocol (%d)", desc.error);
	}
	return max(ret, 0);
}
