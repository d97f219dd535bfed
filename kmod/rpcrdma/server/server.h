/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server transport.
 */
#ifndef CWRS_SERVER_H
#define CWRS_SERVER_H

/* The svc_xprt_class "rdma". -EEXIST when another module has it. Process context. */
int cwrs_register(void);
void cwrs_unregister(void);

#endif
