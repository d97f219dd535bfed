/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that are reused, pages that a call holds, and those of its answer. Process context. */
#ifndef CWRS_PAGES_H
#define CWRS_PAGES_H

#include <linux/sunrpc/svc.h>

#define CWRS_COPY_MAX 8192U /* bytes of data that are copied; more is sent from nfsd's pages */

struct cwrs_conn;
struct cwrs_receive;
struct cwrs_transfers;

/**
 * cwrs_spares_take() - takes kept pages of the connection
 * @conn: the connection
 * @page: set to the pages
 * @count: number of pages wanted
 *
 * Return: number of pages taken.
 */
u32 cwrs_spares_take(struct cwrs_conn *conn, struct page **page, u32 count);
/**
 * cwrs_spares_give() - keeps pages for reuse, as many as allowed, and frees the others
 * @conn: the connection
 * @page: pages that the adapter no longer uses; the array is overwritten
 * @count: their number
 */
void cwrs_spares_give(struct cwrs_conn *conn, struct page **page, u32 count);
void cwrs_spares_free(struct cwrs_conn *conn);
/* Frees kept pages that were not needed since the last call. */
void cwrs_spares_trim(struct cwrs_conn *conn);
/* The most pages that a call may have: as many as its answer, while no page of that is used. */
static inline u32 cwrs_call_pages(const struct svc_rqst *rqstp)
{
	return rqstp->rq_page_end - rqstp->rq_respages;
}

/* Called before nfsd gets the call: holds those pages of @rqstp that nfsd may replace. */
void cwrs_hold(struct cwrs_receive *rx, struct svc_rqst *rqstp);
/*
 * Called when the answer's pages have left @rqstp: returns the pages that nfsd replaced to @rqstp.
 */
void cwrs_hold_end(struct cwrs_receive *rx, struct svc_rqst *rqstp);
/* Drops the held pages, because there was no answer. */
void cwrs_hold_drop(struct cwrs_receive *rx);

/*
 * Counts the pages of the answer as used. If a page occurs twice in a row in a file (a hole), nfsd
 * has counted it only once.
 */
void cwrs_claim_pages(struct svc_rqst *rqstp);
/*
 * Passes the pages of the answer to @transfers for the adapter. If that is NULL, the first page,
 * which never belongs to a file, stays with the thread; the others, which may, are released.
 */
void cwrs_release_pages(struct svc_rqst *rqstp, struct cwrs_transfers *transfers);

#endif
