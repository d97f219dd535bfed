// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happened at the bounds of the server, counted for all connections together since the module
 * was loaded, under /sys/module/causeway_rpcrdma/parameters. Such events are rare, so one counter
 * for all processors is enough.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>

#include "parts.h"

static atomic_long_t cwrs_limits[CWRS_LIMITS];

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
