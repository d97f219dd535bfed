/* SPDX-License-Identifier: GPL-2.0-only */
/* Listeners, and requests of clients to connect. */
#ifndef CWRS_LISTENER_H
#define CWRS_LISTENER_H

#include <linux/sunrpc/svc_xprt.h>

struct svc_xprt *cwrs_listener_create(struct svc_serv *serv, struct net *net, struct sockaddr *sa,
				      int salen, int flags);
extern const struct svc_xprt_ops cwrs_listener_ops;
/* From here on, listeners that are bound to an address follow the address. */
int cwrs_listeners_register(void);
void cwrs_listeners_unregister(void);

#endif
