/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages of a server thread. Up to Linux 7.1 a call and its answer share one array, in which a
 * transport says where the answer begins, and every empty slot is filled before the next call.
 * Since 7.2 each has its own, and what was taken has to be told.
 */
#ifndef CAUSEWAY_COMPAT_SVC_H
#define CAUSEWAY_COMPAT_SVC_H

#include_next <linux/sunrpc/svc.h>
#include "causeway_answers.h"

#if CAUSEWAY_HAS_SVC_PAGES_NFREE

/* How many a call can have. */
static inline u32 svc_call_pages(const struct svc_rqst *rqstp)
{
	return rqstp->rq_maxpages;
}

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
 * Of the pages of the answer, up to rq_next_page, all that are NULL have gone; the others stay the
 * thread's. It makes new ones as far as rq_next_page, and frees what it still finds there.
 */
static inline void svc_answer_pages_gone(struct svc_rqst *rqstp)
{
	while (rqstp->rq_next_page > rqstp->rq_respages && rqstp->rq_next_page[-1])
		rqstp->rq_next_page--;
}

#else

static inline u32 svc_call_pages(const struct svc_rqst *rqstp)
{
	return rqstp->rq_page_end - rqstp->rq_pages;
}

static inline void svc_answer_has_all_pages(struct svc_rqst *rqstp)
{
	rqstp->rq_respages = rqstp->rq_pages;
	rqstp->rq_next_page = rqstp->rq_respages;
}

static inline void svc_call_pages_taken(struct svc_rqst *rqstp, u32 count)
{
}

static inline void svc_answer_pages_gone(struct svc_rqst *rqstp)
{
	rqstp->rq_next_page = rqstp->rq_respages;
}

#endif

#endif /* CAUSEWAY_COMPAT_SVC_H */
