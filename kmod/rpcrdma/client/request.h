/* SPDX-License-Identifier: GPL-2.0-only */
/* SunRPC's operations on one RPC besides sending it: its memory, and its end. */
#ifndef CWRC_REQUEST_H
#define CWRC_REQUEST_H

#include <linux/sunrpc/xprt.h>

/**
 * cwrc_buf_alloc() - allocates memory for a call and its reply
 * @task: task; its request gets the buffers
 *
 * Context: Process context. May sleep. Takes calls_lock.
 * Return: 0 or -ENOMEM.
 */
int cwrc_buf_alloc(struct rpc_task *task);

/**
 * cwrc_buf_free() - frees the memory of a call
 * @task: task whose request has buffers
 *
 * Context: Process context. Sleeps until the adapter has invalidated the call's regions. Takes
 * calls_lock.
 */
void cwrc_buf_free(struct rpc_task *task);

/**
 * cwrc_release_request() - returns the credit of a request that ends
 * @task: task of the request
 *
 * Context: The caller holds xprt->transport_lock.
 */
void cwrc_release_request(struct rpc_task *task);

#endif
