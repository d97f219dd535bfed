/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_SVC_XPRT_H
#define CAUSEWAY_6_1_SVC_XPRT_H

#include_next <linux/sunrpc/svc_xprt.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_SVC_NO_SECURE_PORT
/* After each receive; the receive itself has set RQ_SECURE. */
static inline void causeway_secure_port(struct svc_rqst *rqstp)
{
}

/* Kernels with the operation call it of each transport: it comes with one that each has. */
#define xpo_kill_temp_xprt xpo_secure_port = causeway_secure_port, .xpo_kill_temp_xprt
#endif

#endif /* CAUSEWAY_6_1_SVC_XPRT_H */
