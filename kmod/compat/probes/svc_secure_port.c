// SPDX-License-Identifier: GPL-2.0-only
/* The operation xpo_secure_port; since Linux 6.3 xpo_recvfrom() sets RQ_SECURE. */
#include <linux/sunrpc/svc_xprt.h>

void probe(struct svc_rqst *rqstp, const struct svc_xprt_ops *ops);
void probe(struct svc_rqst *rqstp, const struct svc_xprt_ops *ops)
{
	ops->xpo_secure_port(rqstp);
}
