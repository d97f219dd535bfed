// SPDX-License-Identifier: GPL-2.0-only
/* Guards the others: no kernel can compile this. */
#include <linux/module.h>

int probe(void);
int probe(void)
{
	return causeway_no_kernel_has_this();
}
