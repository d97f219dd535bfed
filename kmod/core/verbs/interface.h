/* SPDX-License-Identifier: GPL-2.0-only */
/* Network interfaces that carry Soft-RoCE: their connections end before the interfaces do. */
#ifndef CW_INTERFACE_H
#define CW_INTERFACE_H

/**
 * cw_interface_init() - follow the network interfaces of the machine
 *
 * Context: Process context, after cw_device_init(). May sleep.
 * Return: 0 or -errno.
 */
int cw_interface_init(void);

/**
 * cw_interface_exit() - undo cw_interface_init()
 *
 * Context: Process context, before cw_device_exit(). Sleeps until no event is being handled.
 */
void cw_interface_exit(void);

#endif
