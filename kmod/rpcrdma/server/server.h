/* SPDX-License-Identifier: GPL-2.0-only */
/* The server transport of causeway_rpcrdma.ko. */
#ifndef CWRS_SERVER_H
#define CWRS_SERVER_H

/**
 * cwrs_register() - registers the svc_xprt_class "rdma"
 *
 * Context: Process context, when the module is loaded. May sleep.
 * Return: 0; -EEXIST if another module has registered it; or another -errno.
 */
int cwrs_register(void);

/**
 * cwrs_unregister() - undoes cwrs_register(), when the module is unloaded
 *
 * Waits until connections without references are freed.
 *
 * Context: Process context. Sleeps.
 */
void cwrs_unregister(void);

#endif
