/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that are reused, pages that a call holds, and those of its answer. Process context. */
#ifndef CWRS_PAGES_H
#define CWRS_PAGES_H

#include <linux/sunrpc/svc.h>

#define CWRS_COPY_MAX 8192U /* bytes of data that are copied; more is sent from nfsd's pages */

struct cwrs_connection;
struct cwrs_receive;
struct cwrs_transfers;

/**
 * cwrs_spares_take() - takes kept pages of the connection
 * @conn: the connection
 * @page: set to the pages
 * @count: number of pages wanted
 *
 * Context: Process context. Takes spares_lock.
 * Return: The number of pages taken.
 */
u32 cwrs_spares_take(struct cwrs_connection *conn, struct page **page, u32 count);
/**
 * cwrs_spares_give() - keeps pages for reuse, as many as allowed, and frees the others
 * @conn: the connection
 * @page: pages that the adapter no longer uses; the array is overwritten
 * @count: their number
 *
 * Context: Process context. Takes spares_lock.
 */
void cwrs_spares_give(struct cwrs_connection *conn, struct page **page, u32 count);

/**
 * cwrs_spares_free() - frees all kept pages
 * @conn: connection
 *
 * Context: Process context. Takes spares_lock.
 */
void cwrs_spares_free(struct cwrs_connection *conn);

/**
 * cwrs_spares_trim() - frees kept pages that were not needed since the last call
 * @conn: connection
 *
 * Context: Process context. Takes spares_lock.
 */
void cwrs_spares_trim(struct cwrs_connection *conn);

/**
 * cwrs_call_pages() - returns the most pages that a call may have
 * @rqstp: thread of nfsd, with no page of the answer in use
 *
 * Context: Any context.
 * Return: The number of pages of the answer.
 */
static inline u32 cwrs_call_pages(const struct svc_rqst *rqstp)
{
	return rqstp->rq_page_end - rqstp->rq_respages;
}

/**
 * cwrs_hold() - holds those pages of a thread that nfsd may replace
 * @rx: receive of the call
 * @rqstp: thread, before nfsd gets the call
 *
 * Context: Process context, in the thread of @rqstp. May sleep.
 */
void cwrs_hold(struct cwrs_receive *rx, struct svc_rqst *rqstp);

/**
 * cwrs_hold_end() - gives pages that nfsd replaced back to their thread
 * @rx: receive of the call
 * @rqstp: thread. The answer's pages have left it.
 *
 * Context: Process context, in the thread of @rqstp.
 */
void cwrs_hold_end(struct cwrs_receive *rx, struct svc_rqst *rqstp);

/**
 * cwrs_hold_drop() - drops the held pages of a call without an answer
 * @rx: receive of the call
 *
 * Context: Process context.
 */
void cwrs_hold_drop(struct cwrs_receive *rx);

/**
 * cwrs_claim_pages() - counts the pages of an answer as used
 * @rqstp: thread with the answer
 *
 * If a page occurs twice in a row in a file (a hole), nfsd has counted it only once.
 *
 * Context: Process context, in the thread of @rqstp.
 */
void cwrs_claim_pages(struct svc_rqst *rqstp);

/**
 * cwrs_release_pages() - takes the pages of an answer from their thread
 * @rqstp: thread with the answer
 * @transfers: gets the pages, for the adapter; or NULL
 *
 * If @transfers is NULL, the first page, which never belongs to a file, stays with the thread. The
 * others, which may, are released.
 *
 * Context: Process context, in the thread of @rqstp.
 */
void cwrs_release_pages(struct svc_rqst *rqstp, struct cwrs_transfers *transfers);

#endif
