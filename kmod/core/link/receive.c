// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/string.h>

#include "receive.h"
#include "trace.h"

/* Copies @len bytes at @at of the message. */
static void cw_receive_copy(const struct cw_receive *rx, u32 at, u32 len, void *to)
{
	u32 area = rx->msg.link->pools.rx_bufs.data_size;
	u32 first = at < area ? min(len, area - at) : 0;

	memcpy(to, rx->buf->data + at, first);
	if (first < len)
		memcpy(to + first, rx->buf->trailer + (at + first - area), len - first);
}

/* Returns the records in one piece: where they lie, or a copy if they straddle. */
static const void *cw_receive_records(const struct cw_receive *rx, u32 at, u32 len)
{
	struct cw_link *link = rx->msg.link;
	u32 area = link->pools.rx_bufs.data_size;

	if (at + len <= area)
		return rx->buf->data + at;
	if (at >= area)
		return rx->buf->trailer + (at - area);
	cw_receive_copy(rx, at, len, link->records);
	return link->records;
}

int cw_receive_parse(struct cw_receive *rx, u32 len)
{
	struct cw_message *msg = &rx->msg;
	struct cw_link *link = msg->link;
	struct cw_wire_tail tail;
	int ret;

	if (len < sizeof(tail))
		return -EPROTO;
	cw_receive_copy(rx, len - sizeof(tail), sizeof(tail), &tail);
	ret = cw_parse_tail(&tail, len, link->area, link->kind, link->server, &msg->frame);
	if (ret)
		return ret;
	if (msg->frame.ordinal != link->rx_ordinal)
		return -EPROTO;
	msg->records = cw_receive_records(rx, msg->frame.data_len,
					  msg->frame.count * msg->frame.record);
	return 0;
}

int cw_receive_take(struct cw_receive *rx)
{
	struct cw_message *msg = &rx->msg;
	struct cw_link *link = msg->link;

	link->rx_ordinal++;
	msg->data = rx->buf->data;
	atomic_set(&msg->users, 1);
	link->stats.n[CW_N_RECEIVES]++;
	WRITE_ONCE(link->last_rx, jiffies);
	trace_cw_message_received(link, msg->frame.type, msg->frame.count, msg->frame.data_len);
	return cw_link_take(link, msg);
}
