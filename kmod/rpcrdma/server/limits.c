// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounds the memory of all connections of the server together: receives, memory of answers, and
 * pages that hold or await data of calls. nfsd's own pages, and pages of files from which answers
 * are sent, do not count. At the bound, new connections are refused, clients are granted no further
 * credits, no page is kept for reuse, and each connection fetches the data of one call at a time.
 * Existing connections go on.
 *
 * Events at this and other bounds are counted for all connections together since the module was
 * loaded, under /sys/module/causeway_rpcrdma/parameters. They are rare, so one counter for all
 * processors is enough.
 */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>

#include "limits.h"

static unsigned int server_memory;
module_param(server_memory, uint, 0644);
MODULE_PARM_DESC(server_memory,
		 "MiB that all connections of the server may hold, 0 for an eighth of the machine's memory");

static atomic_long_t cwrs_memory; /* pages */
static atomic_long_t cwrs_limits[CWRS_LIMITS];

void cwrs_memory_add(long pages)
{
	atomic_long_add(pages, &cwrs_memory);
}

bool cwrs_memory_is_scarce(void)
{
	unsigned long most = (unsigned long)READ_ONCE(server_memory) << (20 - PAGE_SHIFT);

	return atomic_long_read(&cwrs_memory) >= (long)(most ?: totalram_pages() / 8);
}

static int cwrs_memory_show(char *buffer, const struct kernel_param *param)
{
	long pages = atomic_long_read(param->arg);

	return scnprintf(buffer, PAGE_SIZE, "%ld\n", pages << (PAGE_SHIFT - 10));
}

static const struct kernel_param_ops cwrs_memory_ops = {
	.get = cwrs_memory_show,
};

module_param_cb(server_memory_used, &cwrs_memory_ops, &cwrs_memory, 0444);
MODULE_PARM_DESC(server_memory_used, "KiB that all connections of the server hold (read-only)");

void cwrs_limit_met(enum cwrs_limit limit)
{
	atomic_long_inc(&cwrs_limits[limit]);
}

static int cwrs_limit_show(char *buffer, const struct kernel_param *param)
{
	const atomic_long_t *limit = param->arg;

	return scnprintf(buffer, PAGE_SIZE, "%ld\n", atomic_long_read(limit));
}

static const struct kernel_param_ops cwrs_limit_ops = {
	.get = cwrs_limit_show,
};

module_param_cb(server_parked, &cwrs_limit_ops, &cwrs_limits[CWRS_PARKED], 0444);
MODULE_PARM_DESC(server_parked,
		 "calls whose data waited because their client had as much under way as it may (read-only)");
module_param_cb(server_starved, &cwrs_limit_ops, &cwrs_limits[CWRS_STARVED], 0444);
MODULE_PARM_DESC(server_starved,
		 "calls whose data waited for a memory region of their queue pair (read-only)");
module_param_cb(server_refused, &cwrs_limit_ops, &cwrs_limits[CWRS_REFUSED], 0444);
MODULE_PARM_DESC(server_refused,
		 "connections that were refused because others hold server_memory (read-only)");
