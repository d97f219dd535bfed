/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/sys/sunrpc/svc_rdma. */
#ifndef CWRS_SYSCTL_H
#define CWRS_SYSCTL_H

/* Process context. The transport also works without these files. */
void cwrs_sysctl_register(void);
void cwrs_sysctl_unregister(void);

#endif
