/* SPDX-License-Identifier: GPL-2.0-only */
/* SunRPC's operations on one RPC besides sending it: its memory, and its end. */
#ifndef CWRC_REQUEST_H
#define CWRC_REQUEST_H

#include <linux/sunrpc/xprt.h>

int cwrc_buf_alloc(struct rpc_task *task);
void cwrc_buf_free(struct rpc_task *task);
void cwrc_release_request(struct rpc_task *task);

#endif
