// SPDX-License-Identifier: GPL-2.0-only
/* Guards the others: every kernel can compile this. */
#include <linux/module.h>

int probe(void);
int probe(void)
{
	return 0;
}
