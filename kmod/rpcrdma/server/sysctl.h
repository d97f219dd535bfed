/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/sys/sunrpc/svc_rdma. */
#ifndef CWRS_SYSCTL_H
#define CWRS_SYSCTL_H

/**
 * cwrs_sysctl_register() - adds the files to /proc/sys, when the module is loaded
 *
 * The transport also works without these files.
 *
 * Context: Process context. May sleep.
 */
void cwrs_sysctl_register(void);

/**
 * cwrs_sysctl_unregister() - removes the files from /proc/sys, when the module is unloaded
 *
 * Context: Process context. May sleep.
 */
void cwrs_sysctl_unregister(void);

#endif
