// SPDX-License-Identifier: GPL-2.0-only
/* linux/math.h of Linux 5.11; before, linux/kernel.h had it all. */
#include <linux/math.h>

int probe(int a);
int probe(int a)
{
	return DIV_ROUND_UP(a, 2);
}
