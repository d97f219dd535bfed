/* SPDX-License-Identifier: GPL-2.0-only */
/* The receives of a connection: their memory, and their number. */
#ifndef CWRS_RECEIVES_H
#define CWRS_RECEIVES_H

#include "receive.h"

struct cwrs_connection;

/**
 * cwrs_receives_make() - allocates and posts the first receives
 * @conn: the connection; receive_inline is lowered if memory for large receives is not available
 *
 * Grants as many credits.
 *
 * Context: Process context. May sleep.
 * Return: 0, -ENOMEM, or the error of the queue pair.
 */
int cwrs_receives_make(struct cwrs_connection *conn);
/**
 * cwrs_receives_add() - allocates and posts more receives
 * @conn: the connection
 * @count: number of receives
 *
 * Context: Process context. May sleep. Takes rx_lock.
 * Return: 0; -ENOMEM, and nothing has changed; or another -errno if the queue pair refuses.
 */
int cwrs_receives_add(struct cwrs_connection *conn, u32 count);

/**
 * cwrs_receives_grow() - adds receives and credits if there is memory
 * @conn: connection with CWRS_WANTS_RECEIVES set
 *
 * Context: Process context. May sleep. Takes rx_lock.
 */
void cwrs_receives_grow(struct cwrs_connection *conn);

/**
 * cwrs_receives_free() - frees all receives
 * @conn: connection whose queue pair is drained. No thread has a call of the connection.
 *
 * Context: Process context. May sleep. Takes rx_lock and spares_lock.
 */
void cwrs_receives_free(struct cwrs_connection *conn);

/**
 * cwrs_receive_put() - posts a receive again
 * @rx: receive whose call no thread uses any more
 *
 * Context: Process context. Takes rx_lock and spares_lock.
 */
void cwrs_receive_put(struct cwrs_receive *rx);

#endif
