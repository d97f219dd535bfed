/* SPDX-License-Identifier: GPL-2.0-only */
/* Registration of the netlink commands of NFS. */
#ifndef CWR_HANDLERS_H
#define CWR_HANDLERS_H

/**
 * cwr_netlink_register() - registers the netlink commands of NFS, when the module is loaded
 *
 * Context: Process context. May sleep.
 * Return: 0, or -EBUSY if a command has a handler already.
 */
int cwr_netlink_register(void);

/**
 * cwr_netlink_unregister() - undoes cwr_netlink_register(), and removes all rules
 *
 * Context: Process context, when the module is unloaded. May sleep.
 */
void cwr_netlink_unregister(void);

#endif
