/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a call came from a port that only root can have: up to Linux 6.2 an operation of the
 * transport says it after the receive, later the receive itself does.
 */
#ifndef CAUSEWAY_COMPAT_SVC_XPRT_H
#define CAUSEWAY_COMPAT_SVC_XPRT_H

#include_next <linux/sunrpc/svc_xprt.h>
#include "causeway_answers.h"

#if CAUSEWAY_HAS_SVC_SECURE_PORT
#define SVC_XPRT_OPS_SECURE_PORT(function) .xpo_secure_port = (function),
#define svc_received_from_port(function, rqstp) do { } while (0)
#else
#define SVC_XPRT_OPS_SECURE_PORT(function)
#define svc_received_from_port(function, rqstp) (function)(rqstp)
#endif

#endif /* CAUSEWAY_COMPAT_SVC_XPRT_H */
