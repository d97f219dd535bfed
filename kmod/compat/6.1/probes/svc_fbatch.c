// SPDX-License-Identifier: GPL-2.0-only
/* A server thread gathers folios to free in rq_fbatch since Linux 6.6, pages in rq_pvec before. */
#include <linux/sunrpc/svc.h>

struct folio_batch *probe(struct svc_rqst *rqstp);
struct folio_batch *probe(struct svc_rqst *rqstp)
{
	return &rqstp->rq_fbatch;
}
