/* SPDX-License-Identifier: GPL-2.0-only */
/* The server transport of causeway_rpcrdma.ko. */
#ifndef CWRS_SERVER_H
#define CWRS_SERVER_H

/**
 * cwrs_register() - registers the svc_xprt_class "rdma"
 *
 * Context: process.
 * Return: 0; -EEXIST if another module has registered it; or another -errno.
 */
int cwrs_register(void);
void cwrs_unregister(void);

#endif
