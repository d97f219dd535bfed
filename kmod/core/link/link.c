// SPDX-License-Identifier: GPL-2.0-only
/*
 * Links of every transport: creation, death, and reception. gather.c puts commands into messages,
 * send.c sends them, and liveness.c watches the peer.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/printk.h>

#include "factory.h"
#include "liveness.h"
#include "send.h"
#include "transport.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* ---- life ---- */

void cw_link_init(struct cw_link *link, const struct cw_link_ops *ops,
		  const struct cw_link_config *config, bool server)
{
	bool data = config->kind == CW_LINK_DATA;

	link->ops = ops;
	link->handler = config->handler;
	link->kind = config->kind;
	link->server = server;
	link->owner = config->owner;
	link->priv = config->priv;
	link->session_commands = config->session_commands;
	link->index = config->index;
	link->polled = config->polled;
	link->limits = config->limits;
	link->messages = config->messages;
	link->peer_messages = config->peer_messages;
	link->area = (data ? config->area : 1) * CW_WIRE_PAGE;
	cw_pools_init(link, config);
	spin_lock_init(&link->tx_lock);
	INIT_LIST_HEAD(&link->backlog);
	link->last_rx = jiffies;
}

bool cw_link_kill(struct cw_link *link, int err, const char *fmt, ...)
{
	va_list args;

	if (test_and_set_bit(0, &link->dead))
		return false;
	va_start(args, fmt);
	vscnprintf(link->reason, sizeof(link->reason), fmt, args);
	va_end(args);
	link->error = err;
	smp_mb__before_atomic(); /* error and reason before bit 1: see cw_path_find_reason() */
	set_bit(1, &link->dead);
	trace_cw_link_killed(link, err, link->reason);
	pr_debug("causeway: %s link of the %s ended, index %u: %s (%d)\n",
		 link->kind == CW_LINK_DATA ? "data" : "control",
		 link->server ? "server" : "client", link->index, link->reason, err);
	link->ops->kill(link, err);
	if (link->handler->down)
		link->handler->down(link);
	/* A caller that waits for memory to send from must see that the link is dead. */
	if (link->handler->room)
		link->handler->room(link);
	return true;
}
EXPORT_SYMBOL_GPL(cw_link_kill);

void cw_link_drain(struct cw_link *link)
{
	struct cw_tx *open, *tx;
	unsigned long flags;

	cw_link_kill(link, -ESHUTDOWN, "closed here");
	spin_lock_irqsave(&link->tx_lock, flags);
	open = link->open;
	link->open = NULL;
	/*
	 * Post the backlog even though the link is dead: the transport's drain completes and frees
	 * it.
	 */
	while ((tx = list_first_entry_or_null(&link->backlog, struct cw_tx, entry))) {
		list_del(&tx->entry);
		cw_link_post(link, tx);
	}
	spin_unlock_irqrestore(&link->tx_lock, flags);
	if (open)
		cw_link_tx_put(open);
	link->ops->drain(link);
}

void cw_link_release(struct cw_link *link)
{
	cw_link_drain(link);
	cw_pools_free_buffers(link);
}

void cw_link_free(struct cw_link *link)
{
	if (!link)
		return;
	cw_link_drain(link);
	link->ops->free(link);
}

/* ---- messages that arrive ---- */

void cw_message_put(struct cw_message *msg)
{
	if (atomic_dec_and_test(&msg->users))
		msg->link->ops->message_put(msg);
}
EXPORT_SYMBOL_GPL(cw_message_put);

static int cw_link_credit(struct cw_link *link, u32 credit)
{
	u32 more = credit - link->credited;

	if (!more)
		return 0;
	if (more > READ_ONCE(link->tx_messages) - link->credited)
		return -EPROTO;
	if (unlikely(cw_wakeup_give_credit(&link->credited, credit, &link->short_of_credit)))
		cw_link_go_on(link);
	return 0;
}

int cw_link_take(struct cw_link *link, struct cw_message *msg)
{
	u8 type = msg->frame.type;

	if (link->kind == CW_LINK_CONTROL) {
		if (unlikely(!cw_order_allows(&link->order, type, link->server))) {
			cw_message_put(msg);
			return -EPROTO;
		}
		cw_order_note(&link->order, type, link->server);
	}

	if (link->kind == CW_LINK_DATA && unlikely(cw_link_credit(link, msg->frame.credit))) {
		cw_message_put(msg);
		return -EPROTO;
	}
	if (msg->frame.record)
		WRITE_ONCE(link->rx_records, link->rx_records + 1);
	switch (type) {
	case CW_MSG_PROBE:
	case CW_MSG_ALIVE:
		return cw_link_take_sign(link, msg);
	case CW_MSG_COMPLETIONS:
		WRITE_ONCE(link->answers, link->answers + msg->frame.count);
		break;
	}
	return link->handler->message(link, msg);
}

/* ---- room ---- */

void cw_link_return_credit(struct cw_link *link)
{
	u32 unreturned = (u32)atomic_read(&link->rx_messages) - READ_ONCE(link->returned);
	u32 unanswered = READ_ONCE(link->rx_records) - READ_ONCE(link->returned);

	if (likely(unanswered < link->messages / 2) || unreturned < link->messages / 4 ||
	    !link->messages)
		return;
	/* A gathered message will carry the credit. If no tx is free, ->room() calls us again. */
	if (!READ_ONCE(link->corked))
		cw_link_send_control(link, CW_MSG_ALIVE, NULL, 0);
}
EXPORT_SYMBOL_GPL(cw_link_return_credit);

void cw_link_has_room(struct cw_link *link)
{
	if (READ_ONCE(link->alive_owed))
		cw_link_send_alive(link);
	cw_link_return_credit(link);
	if (link->handler->room)
		link->handler->room(link);
}
