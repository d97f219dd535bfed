/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CWR_HANDLERS_H
#define CWR_HANDLERS_H

/* The netlink commands of NFS: when the module comes and goes. Unregistering forgets all rules. */
int cwr_netlink_register(void);
void cwr_netlink_unregister(void);

#endif
