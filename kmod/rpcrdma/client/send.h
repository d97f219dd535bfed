/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends RPCs. */
#ifndef CWRC_SEND_H
#define CWRC_SEND_H

#include <linux/sunrpc/xprt.h>

/**
 * cwrc_send_request() - sends a call, or the reply to a callback
 * @rqst: request
 *
 * SunRPC passes the result to the task that holds the transport, which also sends calls that other
 * tasks have queued. So an RPC fails only when its own task sends it.
 *
 * Context: Process context. May sleep. The transport is held.
 * Return: 0; -ENOTCONN: send on the next connection; -EBADSLT: no credit now; -EAGAIN or -ENOBUFS:
 * send later; any other error fails the RPC.
 */
int cwrc_send_request(struct rpc_rqst *rqst);

#endif
