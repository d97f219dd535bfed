/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends RPCs. */
#ifndef CWRC_SEND_H
#define CWRC_SEND_H

#include <linux/sunrpc/xprt.h>

int cwrc_send_request(struct rpc_rqst *rqst);

#endif
