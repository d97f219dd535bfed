/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends connections of clients that have become silent. */
#ifndef CWRS_KEEPALIVE_H
#define CWRS_KEEPALIVE_H

struct cwrs_connection;

/**
 * cwrs_keepalive_init() - initialises the keepalive of a connection
 * @conn: new connection
 *
 * Context: Any context.
 */
void cwrs_keepalive_init(struct cwrs_connection *conn);

/**
 * cwrs_keepalive_start() - starts the keepalive
 * @conn: connection that was accepted
 *
 * Context: Any context.
 */
void cwrs_keepalive_start(struct cwrs_connection *conn);

/**
 * cwrs_keepalive_stop() - stops the keepalive, and waits until its work has ended
 * @conn: connection whose endpoint is not drained yet
 *
 * Context: Process context. Sleeps.
 */
void cwrs_keepalive_stop(struct cwrs_connection *conn);

#endif
