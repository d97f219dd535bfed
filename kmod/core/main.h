/* SPDX-License-Identifier: GPL-2.0-only */
/* What main.c starts and stops, in this order. */
#ifndef CW_MAIN_H
#define CW_MAIN_H

int cw_client_init(void);
void cw_client_exit(void);
int cw_server_init(void);
void cw_server_exit(void);
int cw_netlink_init(void);
void cw_netlink_exit(void);

#endif
