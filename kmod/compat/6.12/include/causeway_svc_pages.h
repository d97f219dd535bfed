/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Up to Linux 7.1 a call and its answer share one array of pages. A transport sets where in it the
 * answer begins, and SunRPC fills each empty slot before the next call.
 */
#include "causeway_answers.h"

#if CAUSEWAY_HAS_SVC_PAGES_NFREE
#include_next <causeway_svc_pages.h>
#elif !defined(CAUSEWAY_SVC_PAGES_H)
#define CAUSEWAY_SVC_PAGES_H

#include <linux/sunrpc/svc.h>

/**
 * svc_answer_has_all_pages() - let the answer begin at the first page of the array
 * @rqstp: server thread, without a call
 *
 * Context: Process context, the server thread.
 */
static inline void svc_answer_has_all_pages(struct svc_rqst *rqstp)
{
	rqstp->rq_respages = rqstp->rq_pages;
	rqstp->rq_next_page = rqstp->rq_respages;
}

/**
 * svc_call_pages_taken() - do nothing, because SunRPC fills each empty slot up to Linux 7.1
 * @rqstp: server thread
 * @count: number of pages that the transport took
 *
 * Context: Process context, the server thread.
 */
static inline void svc_call_pages_taken(struct svc_rqst *rqstp, u32 count)
{
}

/**
 * svc_answer_pages_gone() - keep SunRPC from freeing pages of the answer
 * @rqstp: server thread. Its pages that the transport took are NULL, and the others stay with it.
 *
 * Context: Process context, the server thread.
 */
static inline void svc_answer_pages_gone(struct svc_rqst *rqstp)
{
	rqstp->rq_next_page = rqstp->rq_respages;
}

#endif
