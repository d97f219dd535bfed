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

/**
 * svc_answer_has_all_pages() - report that no page holds data of a call
 * @rqstp: server thread, without a call
 *
 * Context: Process context, the server thread.
 */
static inline void svc_answer_has_all_pages(struct svc_rqst *rqstp)
{
	rqstp->rq_next_page = rqstp->rq_respages;
}

/**
 * svc_call_pages_taken() - report that a transport took pages of the call
 * @rqstp: server thread; the first entries of its rq_pages are NULL now
 * @count: number of these entries
 *
 * Context: Process context, the server thread.
 */
static inline void svc_call_pages_taken(struct svc_rqst *rqstp, u32 count)
{
	rqstp->rq_pages_nfree = count;
}

/**
 * svc_answer_pages_gone() - report that a transport took pages of the answer
 * @rqstp: server thread. Entries of its rq_respages that are NULL are those of pages that the
 *         transport took; the other pages stay with the thread.
 *
 * SunRPC allocates pages up to rq_next_page, and frees the pages that it finds there.
 *
 * Context: Process context, the server thread.
 */
static inline void svc_answer_pages_gone(struct svc_rqst *rqstp)
{
	while (rqstp->rq_next_page > rqstp->rq_respages && rqstp->rq_next_page[-1])
		rqstp->rq_next_page--;
}

#endif /* CAUSEWAY_SVC_PAGES_H */
