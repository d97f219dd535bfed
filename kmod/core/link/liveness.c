// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detects that the peer of a link is dead, or that it no longer takes messages.
 */
#include "completion.h"
#include "liveness.h"

/* PROBE or ALIVE. Those of a data link have no cookie. */
static int cw_link_send_sign(struct cw_link *link, u8 type, u64 cookie)
{
	struct cw_wire_probe rec;

	if (link->kind == CW_LINK_DATA)
		return cw_link_send_control(link, type, NULL, 0);
	cw_pack_probe(&rec, cookie);
	return cw_link_send_control(link, type, &rec, sizeof(rec));
}

int cw_link_probe(struct cw_link *link, u64 cookie)
{
	return cw_link_send_sign(link, CW_MSG_PROBE, cookie);
}

void cw_link_send_alive(struct cw_link *link)
{
	unsigned long flags;
	bool owed;
	u64 cookie;

	spin_lock_irqsave(&link->tx_lock, flags);
	owed = link->alive_owed;
	cookie = link->alive_cookie;
	spin_unlock_irqrestore(&link->tx_lock, flags);
	if (!owed || cw_link_send_sign(link, CW_MSG_ALIVE, cookie))
		return;
	spin_lock_irqsave(&link->tx_lock, flags);
	if (link->alive_cookie == cookie)
		WRITE_ONCE(link->alive_owed, false);
	spin_unlock_irqrestore(&link->tx_lock, flags);
}

/* The ALIVE of the newest PROBE answers the earlier ones, too. */
static void cw_link_owe_alive(struct cw_link *link, u64 cookie)
{
	unsigned long flags;

	spin_lock_irqsave(&link->tx_lock, flags);
	WRITE_ONCE(link->alive_owed, true);
	link->alive_cookie = cookie;
	spin_unlock_irqrestore(&link->tx_lock, flags);
	cw_link_send_alive(link);
}

int cw_link_take_sign(struct cw_link *link, struct cw_message *msg)
{
	u8 type = msg->frame.type;
	u64 cookie = 0;
	int ret = 0;

	if (link->kind == CW_LINK_CONTROL)
		ret = cw_parse_probe(msg->data, msg->frame.data_len, &cookie);
	cw_message_put(msg);
	if (!ret && type == CW_MSG_PROBE)
		cw_link_owe_alive(link, cookie);
	else if (!ret && link->handler->alive)
		link->handler->alive(link, cookie);
	return ret;
}

/*
 * These wait for the peer: transfers, of which the adapter still has the message or the RDMA READ;
 * messages without credit; and answers that found no message, since answers to probes can use up
 * all of them. While a transfer waits, only the end of a transfer is progress, because a transfer
 * holds memory that others need. Credit costs a peer nothing. Without a transfer, credit and
 * messages with records are progress. Answers to probes never are: a peer can have any number.
 */
bool cw_link_is_stuck(struct cw_link *link, u8 looks)
{
	unsigned long flags;
	bool transfers, waits;
	u32 progress;

	spin_lock_irqsave(&link->tx_lock, flags);
	transfers = atomic_read(&link->transfers);
	waits = transfers || !list_empty(&link->backlog) || link->open_due ||
		READ_ONCE(link->short_of_tx);
	spin_unlock_irqrestore(&link->tx_lock, flags);
	progress = transfers ? READ_ONCE(link->transfers_ended) :
			   READ_ONCE(link->credited) + READ_ONCE(link->released);
	if (!waits || progress != link->progress) {
		link->progress = progress;
		link->looks = 0;
		return false;
	}
	if (link->looks <= looks)
		link->looks++;
	return link->looks > looks;
}
