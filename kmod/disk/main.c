// SPDX-License-Identifier: GPL-2.0-only
/* causeway_disk.ko: start and end of the module that shows exports of servers as block devices. */
#include <linux/module.h>

#include "disk.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static int __init cw_disk_module_init(void)
{
	int ret = cw_disk_init();

	if (ret)
		return ret;
	ret = cw_disk_control_init();
	if (ret)
		cw_disk_exit();
	return ret;
}

static void __exit cw_disk_module_exit(void)
{
	cw_disk_control_exit();
	cw_disk_exit();
}

module_init(cw_disk_module_init);
module_exit(cw_disk_module_exit);

MODULE_DESCRIPTION("Causeway: block devices over RDMA, client");
MODULE_LICENSE("GPL");
