// SPDX-License-Identifier: GPL-2.0-only
/* SECTOR_SIZE in linux/blk_types.h, since Linux 5.11. */
#include <linux/blk_types.h>

int probe(void);
int probe(void)
{
	return SECTOR_SIZE;
}
