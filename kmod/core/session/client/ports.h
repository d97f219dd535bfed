/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sessions of this client react when a port of an RDMA device of this host, or a network
 * interface, goes down, comes up, or gets other addresses.
 */
#ifndef CW_CLIENT_PORTS_H
#define CW_CLIENT_PORTS_H

/**
 * cw_client_watch_ports() - starts to react to changes of ports and interfaces
 *
 * Context: Process context, when the module is loaded. May sleep.
 * Return: 0 or -errno.
 */
int cw_client_watch_ports(void);

/**
 * cw_client_unwatch_ports() - ends what cw_client_watch_ports() started
 *
 * Context: Process context, when the module is unloaded. May sleep.
 */
void cw_client_unwatch_ports(void);

#endif
