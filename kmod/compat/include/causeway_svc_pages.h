/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages of a server thread, between SunRPC and a transport that takes some of them. A call has
 * rq_pages, its answer rq_respages. SunRPC fills both before the next call, as far as the transport
 * reports that pages have gone. Kernels whose SunRPC does this in another way have their own header
 * of this name.
 */
#ifndef CAUSEWAY_SVC_PAGES_H
#define CAUSEWAY_SVC_PAGES_H

#include <linux/sunrpc/svc.h>

/* No page holds anything of the call. */
static inline void svc_answer_has_all_pages(struct svc_rqst *rqstp)
{
	rqstp->rq_next_page = rqstp->rq_respages;
}

/* The first @count of rq_pages are NULL now. */
static inline void svc_call_pages_taken(struct svc_rqst *rqstp, u32 count)
{
	rqstp->rq_pages_nfree = count;
}

/*
 * All pages of the answer, up to rq_next_page, that are NULL have gone; the others stay the
 * thread's. SunRPC allocates pages as far as rq_next_page, and frees those that it finds there.
 */
static inline void svc_answer_pages_gone(struct svc_rqst *rqstp)
{
	while (rqstp->rq_next_page > rqstp->rq_respages && rqstp->rq_next_page[-1])
		rqstp->rq_next_page--;
}

#endif /* CAUSEWAY_SVC_PAGES_H */
