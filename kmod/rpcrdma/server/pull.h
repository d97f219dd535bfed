/* SPDX-License-Identifier: GPL-2.0-only */
/* Data that a call left in the client's memory. */
#ifndef CWRS_PULL_H
#define CWRS_PULL_H

#include "../../core/verbs/endpoint.h"

struct cwrs_connection;
struct cwrs_receive;
struct cwrs_transfers;
struct svc_rqst;

/* Data that a call left in the client's memory. */
struct cwrs_pull {
	struct cw_post post;
	struct cwrs_transfers *transfers; /* NULL: no data is being fetched or held */
	u32 length; /* bytes of the message that are in the pages */
	u32 pages;
	bool parked;
	bool waited; /* the call was parked before; it keeps its place in the list */
	bool reserved; /* pages are counted in conn->pulling */
};

/**
 * cwrs_pull_start() - starts to fetch the chunks of a call
 * @rx: the receive; it is in conn->pulled when the data has arrived
 * @rqstp: the thread that gives its pages
 *
 * Context: Process context, in the thread of @rqstp. May sleep. Takes rx_lock and spares_lock.
 * Return: 0. Try again later: -EAGAIN, as much as allowed is being fetched; -ENOBUFS, other calls
 *   hold the memory regions. Give up: -EPROTO, the call has more than the server can take; -ENOMEM;
 *   -EINVAL, or another error of the mapping for the adapter.
 */
int cwrs_pull_start(struct cwrs_receive *rx, struct svc_rqst *rqstp);
/**
 * cwrs_pull_finish() - puts the call together in rq_arg
 * @rx: the receive
 * @rqstp: the thread of nfsd
 *
 * Context: Process context, in the thread of @rqstp.
 * Return: 0; -EPROTO: the message is too short for a call.
 */
int cwrs_pull_finish(struct cwrs_receive *rx, struct svc_rqst *rqstp);

/**
 * cwrs_pull_free() - frees the data of a call, and lets parked calls go on
 * @rx: receive of the call. The adapter fetches no data for it.
 *
 * Context: Process context. Takes rx_lock and spares_lock.
 */
void cwrs_pull_free(struct cwrs_receive *rx);
/**
 * cwrs_pull_park() - keeps a call until a pull of the connection has ended
 * @rx: its receive
 * @starved: no memory region was free
 *
 * Context: Process context. Takes rx_lock.
 */
void cwrs_pull_park(struct cwrs_receive *rx, bool starved);

/**
 * cwrs_pull_parked() - finds the parked receive that may go on now
 * @conn: connection
 *
 * Context: The caller holds rx_lock.
 * Return: The receive, or NULL.
 */
struct cwrs_receive *cwrs_pull_parked(struct cwrs_connection *conn);

/**
 * cwrs_pull_unpark() - reserves the pages of a parked receive
 * @rx: receive that was taken off its list. If it was not parked, nothing happens.
 *
 * Context: The caller holds rx_lock.
 */
void cwrs_pull_unpark(struct cwrs_receive *rx);

#endif
