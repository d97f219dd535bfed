// SPDX-License-Identifier: GPL-2.0-only
/*
 * WQ_PERCPU of Linux 6.17, which later 6.12.y (6.12.107) have too; before, a work queue that is not
 * WQ_UNBOUND is that.
 */
#include <linux/workqueue.h>

unsigned int probe(void);
unsigned int probe(void)
{
	return WQ_PERCPU;
}
