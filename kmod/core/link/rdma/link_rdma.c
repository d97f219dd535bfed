// SPDX-License-Identifier: GPL-2.0-only
/*
 * A link over an endpoint: its memory and queue pair, their end, and the table of cw_link_ops.
 *
 * Messages go out in send.c and come in receive.c. Transfers (server) are in transfer.c, memory
 * regions (client) in mr.c, connections in connect.c.
 */
#include <linux/slab.h>

#include "../../verbs/region.h"
#include "connect.h"
#include "link_rdma.h"

#define CW_TRANSFERS 32U

static int cw_rdma_map(struct cw_link *link, struct cw_map *map)
{
	return cw_mr_map(&to_rdma(link)->mrs, map);
}

static int cw_rdma_unmap(struct cw_link *link, struct cw_map *map, bool invalidated)
{
	return cw_mr_unmap(&to_rdma(link)->mrs, map, invalidated);
}

static int cw_rdma_poll(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);
	int n;

	if (!spin_trylock(&l->poll_lock))
		return 0;
	n = ib_process_cq_direct(l->ep.cq, -1);
	spin_unlock(&l->poll_lock);
	return n;
}

static void cw_rdma_kill(struct cw_link *link, int err)
{
	cw_endpoint_kill(&to_rdma(link)->ep, err, "%s", link->reason);
}

static void cw_rdma_drain(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);

	cw_endpoint_drain(&l->ep);
	link->stats.n[CW_N_SEND_COMPLETIONS] = l->ep.send_completions;
}

static const struct cw_link_ops cw_link_rdma_ops = {
	.transport = CW_TRANSPORT_RDMA,
	.tx_attach = cw_rdma_tx_attach,
	.send = cw_rdma_send,
	.message_put = cw_rdma_message_put,
	.map = cw_rdma_map,
	.unmap = cw_rdma_unmap,
	.transfer_alloc = cw_rdma_transfer_alloc,
	.transfer_fetch = cw_rdma_transfer_fetch,
	.transfer_filled = cw_rdma_transfer_filled,
	.transfer_free = cw_rdma_transfer_free,
	.poll = cw_rdma_poll,
	.kill = cw_rdma_kill,
	.drain = cw_rdma_drain,
	.free = cw_rdma_free,
	.acceptance = cw_rdma_acceptance,
	.describe = cw_rdma_describe,
	.caps = cw_rdma_caps,
};

static void cw_rdma_live(struct cw_endpoint *ep)
{
	struct cw_link_rdma *l = container_of(ep, struct cw_link_rdma, ep);

	WRITE_ONCE(l->link.last_rx, jiffies);
}

static void cw_rdma_down(struct cw_endpoint *ep, int err, const char *reason)
{
	struct cw_link_rdma *l = container_of(ep, struct cw_link_rdma, ep);

	cw_link_kill(&l->link, err, "%s", reason);
}

static const struct cw_endpoint_ops cw_rdma_endpoint_ops = {
	.live = cw_rdma_live,
	.down = cw_rdma_down,
};

struct cw_link_rdma *cw_link_rdma_alloc(const struct cw_link_config *config, bool server)
{
	struct cw_link_rdma *l = kvzalloc(sizeof(*l), GFP_KERNEL);

	if (!l)
		return NULL;
	cw_link_init(&l->link, &cw_link_rdma_ops, config, server);
	spin_lock_init(&l->poll_lock);
	cw_endpoint_init(&l->ep, &cw_rdma_endpoint_ops);
	return l;
}

int cw_link_rdma_equip(struct cw_link_rdma *l, const struct cw_link_config *config,
		       struct cw_domain *domain)
{
	bool data = config->kind == CW_LINK_DATA;
	bool registers = data && !l->link.server;
	bool transfers = data && l->link.server;
	struct cw_endpoint_shape shape = {
		.recvs = l->link.pools.rx_count,
		/* A registration before and an invalidate after each command. */
		.sends = l->link.pools.tx_count + (registers ? 2 * config->limits.depth : 0),
		.transfers = transfers ? min_t(u32, config->limits.depth, CW_TRANSFERS) : 0,
		.poll = config->polled ? IB_POLL_DIRECT : IB_POLL_SOFTIRQ,
		.vector = config->vector,
	};
	int ret;

	ret = cw_endpoint_create_qp(&l->ep, domain, &shape);
	if (ret)
		return ret;
	ret = cw_pools_make(&l->link, device_of(l)) ?: cw_tx_make(l) ?: cw_rx_make(l);
	if (ret)
		return ret;
	if (!registers)
		return 0;
	ret = cw_link_make_slots(&l->link);
	if (ret)
		return ret;
	return cw_mr_pool_init(&l->mrs, &l->ep, config->limits.depth,
			       cw_mr_depth(device_of(l), cw_region_pages(config->limits.max_io)));
}

void cw_rdma_free(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);

	cw_endpoint_drain(&l->ep);
	cw_mr_pool_free(&l->mrs);
	cw_pools_free(link);
	cw_endpoint_destroy(&l->ep);
	kvfree(l->rx);
	kvfree(l->tx);
	cw_link_free_slots(&l->link);
	kvfree(l);
}
