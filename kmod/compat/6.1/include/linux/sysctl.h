/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_SYSCTL_H
#define CAUSEWAY_6_1_SYSCTL_H

#include_next <linux/sysctl.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_REGISTER_SYSCTL_SZ
#include <linux/slab.h>

/**
 * register_sysctl_sz() - register a table of sysctls, which Linux before 6.6 lacks
 * @path: folder below /proc/sys
 * @table: table. It is copied, because an empty entry must end it.
 * @size: entries of the table
 *
 * Context: Process context. May sleep.
 * Return: The table's header for unregister_sysctl_table(), or NULL.
 */
static inline struct ctl_table_header *
register_sysctl_sz(const char *path, const struct ctl_table *table, size_t size)
{
	struct ctl_table *ended = kcalloc(size + 1, sizeof(*table), GFP_KERNEL);
	struct ctl_table_header *header;

	if (!ended)
		return NULL;
	memcpy(ended, table, size * sizeof(*table));
	header = register_sysctl(path, ended);
	if (!header)
		kfree(ended);
	return header;
}

/**
 * causeway_unregister_sysctl() - unregister a table, and free its copy
 * @header: result of register_sysctl_sz()
 *
 * Context: Process context. May sleep.
 */
static inline void causeway_unregister_sysctl(struct ctl_table_header *header)
{
	struct ctl_table *ended = header->ctl_table_arg;

	unregister_sysctl_table(header);
	kfree(ended);
}

#define unregister_sysctl_table(header) causeway_unregister_sysctl(header)
#endif

#endif /* CAUSEWAY_6_1_SYSCTL_H */
