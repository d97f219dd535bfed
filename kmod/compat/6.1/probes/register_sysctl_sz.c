// SPDX-License-Identifier: GPL-2.0-only
/* register_sysctl_sz() of Linux 6.6; before, an empty entry ends the table. */
#include <linux/sysctl.h>

struct ctl_table_header *probe(struct ctl_table *table);
struct ctl_table_header *probe(struct ctl_table *table)
{
	return register_sysctl_sz("probe", table, 1);
}
