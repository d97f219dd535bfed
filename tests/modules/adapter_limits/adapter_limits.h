/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ADAPTER_LIMITS_H
#define ADAPTER_LIMITS_H

#include <linux/types.h>

struct adapter_limits {
	const char *name; /* of the driver in drivers/infiniband/hw */
	int send_sge, recv_sge, sge_rd; /* entries of a work request; sge_rd: of an RDMA Read */
	u32 sgl_rd; /* an RDMA Read into more pages goes through a region; 0: never */
	u32 region_pages; /* of one registration */
	u64 page_sizes; /* of regions: the sum of those that there are */
	int qp_wr, cqe, mr;
	int rd_atom; /* RDMA Reads of a queue pair that are under way */
	bool local_dma_lkey; /* a key for all local memory, without a region for it */
};

/* The limits of an adapter; NULL when there is none of that name. */
const struct adapter_limits *adapter_limits_of(const char *name);

#endif
