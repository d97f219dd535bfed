// SPDX-License-Identifier: GPL-2.0-only
/* STATX_DIOALIGN of Linux 6.1: what direct I/O of a file has to be aligned to. */
#include <linux/fs.h>
#include <linux/stat.h>

int probe(struct kstat *stat);
int probe(struct kstat *stat)
{
	return stat->result_mask & STATX_DIOALIGN ? stat->dio_mem_align : 0;
}
