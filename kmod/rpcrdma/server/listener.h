/* SPDX-License-Identifier: GPL-2.0-only */
/* Listeners, and requests of clients to connect. */
#ifndef CWRS_LISTENER_H
#define CWRS_LISTENER_H

#include <linux/sunrpc/svc_xprt.h>

/**
 * cwrs_listener_create() - creates a listener (xpo_create)
 * @serv: nfsd
 * @net: network namespace
 * @sa: address to listen on; port 0 stands for any free port
 * @salen: bytes of @sa
 * @flags: unused
 *
 * Context: Process context. May sleep.
 * Return: The listener, or an ERR_PTR(): -ENOMEM, or the error of the connection manager.
 */
struct svc_xprt *cwrs_listener_create(struct svc_serv *serv, struct net *net, struct sockaddr *sa,
				      int salen, int flags);
extern const struct svc_xprt_ops cwrs_listener_ops;

/**
 * cwrs_listeners_register() - makes listeners that are bound to an address follow the address
 *
 * Context: Process context, when the module is loaded. May sleep.
 * Return: 0 or -errno.
 */
int cwrs_listeners_register(void);

/**
 * cwrs_listeners_unregister() - undoes cwrs_listeners_register(), when the module is unloaded
 *
 * Context: Process context. May sleep.
 */
void cwrs_listeners_unregister(void);

#endif
