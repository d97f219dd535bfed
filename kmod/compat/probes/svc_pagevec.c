// SPDX-License-Identifier: GPL-2.0-only
/* A server thread gathers pages to free in rq_pvec; since Linux 6.6 folios in rq_fbatch. */
#include <linux/pagevec.h>
#include <linux/sunrpc/svc.h>

void probe(struct svc_rqst *rqstp);
void probe(struct svc_rqst *rqstp)
{
	pagevec_release(&rqstp->rq_pvec);
}
