// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of a call and those of its answer are in two arrays since Linux 7.2. A transport sets
 * rq_pages_nfree to the number of pages that it took from the call.
 */
#include <linux/sunrpc/svc.h>

void probe(struct svc_rqst *rqstp);
void probe(struct svc_rqst *rqstp)
{
	rqstp->rq_pages_nfree = 1;
}
