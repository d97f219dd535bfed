// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load and unload. Our modules, built against include/, use this one's functions, so it goes last.
 */
#include <linux/module.h>

#include "strict_dma.h"

static int __init strict_dma_init(void)
{
	pr_info("strict_dma: every mapping is a buffer of its own\n");
	return 0;
}

static void __exit strict_dma_exit(void)
{
	strict_dma_end();
}

module_init(strict_dma_init);
module_exit(strict_dma_exit);
MODULE_DESCRIPTION("Bounce buffers for RDMA adapters that use kernel addresses (test only)");
MODULE_LICENSE("GPL");
