/* SPDX-License-Identifier: GPL-2.0-only */
/* Registration of the netlink commands of NFS. */
#ifndef CWR_HANDLERS_H
#define CWR_HANDLERS_H

/**
 * cwr_netlink_register() - registers the netlink commands of NFS, when the module is loaded
 *
 * cwr_netlink_unregister() also forgets all rules.
 * Context: process.
 * Return: 0 or -errno.
 */
int cwr_netlink_register(void);
void cwr_netlink_unregister(void);

#endif
