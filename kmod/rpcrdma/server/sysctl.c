// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/sys/sunrpc/svc_rdma: the files that administrators set with the in-tree transport, so that
 * existing sysctl.d files work. The module parameters are the same variables.
 *
 * The counters of the in-tree transport (rdma_stat_*) are left out: a file that always reads 0
 * would mislead.
 */
#include <linux/sysctl.h>

#include "../wire/sizes.h"
#include "connection.h"
#include "sysctl.h"

static struct ctl_table_header *cwrs_sysctl_header;

/* accepted for sysctl.d, unused: adapter and client set the limit */
static unsigned int cwrs_reads = 16;
static unsigned int cwrs_reads_min = 1, cwrs_reads_max = 64;
static unsigned int cwrs_requests_min = 4, cwrs_requests_max = 16384;
static unsigned int cwrs_size_min = 4096, cwrs_size_max = CWR_INLINE_OFFER_MAX;

/* not const, because register_sysctl_sz() of Linux 6.12 does not take a const table */
static struct ctl_table cwrs_sysctl_table[] = {
	{
		.procname = "max_requests",
		.data = &cwrs_credits,
		.maxlen = sizeof(cwrs_credits),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &cwrs_requests_min,
		.extra2 = &cwrs_requests_max,
	},
	{
		.procname = "max_req_size",
		.data = &cwrs_inline,
		.maxlen = sizeof(cwrs_inline),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &cwrs_size_min,
		.extra2 = &cwrs_size_max,
	},
	{
		.procname = "max_outbound_read_requests",
		.data = &cwrs_reads,
		.maxlen = sizeof(cwrs_reads),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &cwrs_reads_min,
		.extra2 = &cwrs_reads_max,
	},
};

void cwrs_sysctl_register(void)
{
	/* NULL: the kernel has no sysctl, or no memory was left. The transport works without it. */
	cwrs_sysctl_header = register_sysctl_sz("sunrpc/svc_rdma", cwrs_sysctl_table,
						ARRAY_SIZE(cwrs_sysctl_table));
}

void cwrs_sysctl_unregister(void)
{
	if (cwrs_sysctl_header)
		unregister_sysctl_table(cwrs_sysctl_header);
	cwrs_sysctl_header = NULL;
}
