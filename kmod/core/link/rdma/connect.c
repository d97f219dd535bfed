// SPDX-License-Identifier: GPL-2.0-only
/*
 * Links over RDMA: how they are made at either end, and what their connection and device are.
 */
#include <linux/module.h>

#include "../../verbs/region.h"
#include "connect.h"
#include "link_rdma.h"

#define CW_STALE_TRIES 16

/* Kills the link if the server's REP is malformed or answers the REQ of another link. */
static int cw_link_rdma_check_rep(struct cw_link_rdma *l, const struct cw_link_config *config)
{
	struct cw_rep rep;

	if (!cw_parse_rep(l->ep.rep, l->ep.rep_len, &rep) && rep.kind == config->kind &&
	    rep.index == config->index && rep.transport == CW_WIRE_RDMA)
		return 0;
	cw_endpoint_kill(&l->ep, -EPROTO, "the server's acceptance is malformed");
	return -EPROTO;
}

bool cw_link_rdma_is_on(struct cw_link *link, const struct ib_device *ib)
{
	return device_of(to_rdma(link)) == ib;
}

static struct cw_link *cw_link_rdma_try(const struct cw_link_config *config,
					struct cw_link *beside, const struct sockaddr *src,
					const struct sockaddr *dst, const struct cw_wire_req *req,
					u32 timeout_ms, char *reason, struct cw_rej *rej)
{
	struct cw_link_rdma *l = cw_link_rdma_alloc(config, false);
	struct cw_domain *domain;
	int ret;

	rej->reason = CW_REFUSED_NONE;
	if (!l)
		return ERR_PTR(-ENOMEM);
	if (config->making)
		config->making(config->owner, &l->link);
	ret = cw_endpoint_resolve(&l->ep, src, dst, cw_link_reach_ms(config, timeout_ms));
	if (ret)
		goto fail;
	domain = cw_domain_create(l->ep.cm->device);
	if (IS_ERR(domain)) {
		ret = PTR_ERR(domain);
		cw_endpoint_kill(&l->ep, ret, "RDMA device %s cannot be used",
				 l->ep.cm->device->name);
		goto fail;
	}
	if (beside && !cw_link_rdma_is_on(beside, l->ep.cm->device))
		ret = -EXDEV;
	else
		ret = cw_link_rdma_equip(l, config, domain);
	cw_domain_put(domain); /* the endpoint has its own reference */
	if (ret) {
		cw_endpoint_kill(&l->ep, ret, "no queue pair on RDMA device %s (%d)",
				 l->ep.cm->device->name, ret);
		goto fail;
	}
	ret = cw_endpoint_connect(&l->ep, req, sizeof(*req), timeout_ms);
	if (!ret)
		ret = cw_link_rdma_check_rep(l, config);
	if (ret)
		goto fail;
	if (config->making)
		config->making(config->owner, NULL);
	return &l->link;

fail:
	/* If the endpoint is dead, the link gets its reason, not this one. */
	cw_endpoint_kill(&l->ep, ret, "connecting failed (%d)", ret);
	cw_endpoint_await_report(&l->ep);
	/* The report of the link's death is over then. The owner may rely on making in it. */
	cw_link_drain(&l->link);
	if (config->making)
		config->making(config->owner, NULL);
	cw_parse_rej(l->ep.rej, l->ep.rej_len, rej);
	strscpy(reason, l->link.reason, sizeof(l->link.reason));
	cw_rdma_free(&l->link);
	return ERR_PTR(ret);
}

static struct cw_link *cw_link_rdma_connect(const struct cw_link_config *config,
					    struct cw_link *beside, const struct sockaddr *src,
					    const struct sockaddr *dst,
					    const struct cw_wire_req *req, u32 timeout_ms,
					    char *reason, struct cw_rej *rej)
{
	struct cw_link *link;
	int tries = 0;

	/* The next queue pair has another number, one that the server does not know. */
	do {
		link = cw_link_rdma_try(config, beside, src, dst, req, timeout_ms, reason, rej);
	} while (IS_ERR(link) && PTR_ERR(link) == -EAGAIN && ++tries < CW_STALE_TRIES);
	return link;
}

const struct cw_link_factory cw_link_rdma_factory = {
	.transport = CW_TRANSPORT_RDMA,
	.connect = cw_link_rdma_connect,
};

void cw_link_rdma_disown(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);

	set_bit(0, &link->dead); /* dead without a report: its handler must not be called */
	l->ep.cm = NULL; /* the connection manager destroys it when the handler returns */
	/*
	 * A removal of the device may have killed the link just before, and may be in its handler.
	 * Leaving the device's list waits for that.
	 */
	cw_link_drain(link);
}

struct cw_link *cw_link_rdma_adopt(const struct cw_link_config *config, struct rdma_cm_id *cm)
{
	struct cw_domain *domain = cw_domain_create(cm->device);
	struct cw_link_rdma *l;
	int ret;

	if (IS_ERR(domain))
		return ERR_CAST(domain);
	l = cw_link_rdma_alloc(config, true);
	if (!l) {
		cw_domain_put(domain);
		return ERR_PTR(-ENOMEM);
	}
	cw_endpoint_adopt(&l->ep, cm);
	ret = cw_link_rdma_equip(l, config, domain);
	cw_domain_put(domain); /* the endpoint has its own reference */
	if (ret) {
		cw_link_rdma_disown(&l->link);
		cw_link_free(&l->link);
		return ERR_PTR(ret);
	}
	return &l->link;
}

int cw_link_rdma_accept(struct cw_link *link, const struct rdma_conn_param *asked,
			const struct cw_wire_rep *rep)
{
	struct cw_link_rdma *l = to_rdma(link);
	int ret;

	ret = cw_endpoint_accept(&l->ep, asked, rep, sizeof(*rep));
	if (ret)
		return ret;
	/*
	 * A server registers memory for remote access only on iWARP, for the time of an RDMA READ.
	 * So even without this call, no key leads to memory of the server.
	 */
	ret = cw_endpoint_refuse_access(&l->ep);
	if (ret && !cw_link_is_dead(link))
		pr_warn_once("causeway: RDMA device %s does not take remote access from a queue pair (%d)\n",
			     device_of(l)->name, ret);
	return 0;
}

void cw_rdma_acceptance(struct cw_link *link, struct cw_wire_rep *rep)
{
	/* cw_link_rdma_check_rep() saw that all of it came. */
	memcpy(rep, to_rdma(link)->ep.rep, sizeof(*rep));
}

void cw_rdma_describe(struct cw_link *link, char device[64], u8 *port,
		      struct sockaddr_storage *local, struct sockaddr_storage *peer)
{
	struct cw_link_rdma *l = to_rdma(link);

	strscpy(device, device_of(l)->name, 64);
	*port = l->ep.port_num;
	*local = l->ep.local;
	*peer = l->ep.peer;
}

struct cw_link_caps cw_rdma_caps(struct cw_link *link)
{
	struct cw_link_rdma *l = to_rdma(link);
	struct ib_device *ib = device_of(l);
	u32 data = min_t(u32, CW_LINK_AREA, l->ep.send_sges - 1) * CW_WIRE_PAGE;
	u32 pages = cw_mr_depth(ib, cw_region_pages(CW_WIRE_IO_MAX));
	/* Adapters of software have no DMA device. */
	u64 mapping = ib->dma_device ? dma_max_mapping_size(ib->dma_device) : CW_WIRE_IO_MAX;
	u32 segment = ib->dma_device ? ib_dma_max_seg_size(ib) : CW_WIRE_IO_MAX;

	return (struct cw_link_caps) {
		.features = rdma_protocol_iwarp(ib, l->ep.port_num) ? 0 : CW_FEATURE_BARE,
		.inline_size = min_t(u32, data, CW_WIRE_INLINE_MAX),
		.max_io = cw_region_max_io(CW_WIRE_IO_MAX, pages, mapping, segment),
		.node = cw_memory_node(ib),
	};
}
