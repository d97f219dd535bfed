/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_SVC_XPRT_H
#define CAUSEWAY_6_1_SVC_XPRT_H

#include_next <linux/sunrpc/svc_xprt.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_SVC_NO_SECURE_PORT
/**
 * causeway_secure_port() - do nothing, because the receive itself has set RQ_SECURE
 * @rqstp: server thread
 *
 * Linux before 6.3 calls xpo_secure_port() of each transport after each receive.
 *
 * Context: Process context.
 */
static inline void causeway_secure_port(struct svc_rqst *rqstp)
{
}

/* Every transport sets xpo_kill_temp_xprt, so this sets xpo_secure_port beside it. */
#define xpo_kill_temp_xprt xpo_secure_port = causeway_secure_port, .xpo_kill_temp_xprt
#endif

#endif /* CAUSEWAY_6_1_SVC_XPRT_H */
