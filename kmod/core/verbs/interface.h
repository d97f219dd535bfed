/* SPDX-License-Identifier: GPL-2.0-only */
/* Network interfaces below Soft-RoCE: connections end before their interface does. */
#ifndef CW_INTERFACE_H
#define CW_INTERFACE_H

/* Process context, may sleep. Before cw_interface_exit() the ib_client must still be there. */
int cw_interface_init(void);
void cw_interface_exit(void);

#endif
