// SPDX-License-Identifier: GPL-2.0-only
/* ITER_SOURCE and ITER_DEST of Linux 6.2. */
#include <linux/uio.h>

int probe(void);
int probe(void)
{
	return ITER_SOURCE + 2 * ITER_DEST;
}
