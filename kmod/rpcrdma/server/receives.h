/* SPDX-License-Identifier: GPL-2.0-only */
/* The receives of a connection: their memory, and their number. */
#ifndef CWRS_RECEIVES_H
#define CWRS_RECEIVES_H

#include "receive.h"

struct cwrs_conn;

/**
 * cwrs_receives_make() - allocates and posts the first receives
 * @conn: the connection; receive_inline is lowered if memory for large receives is not available
 *
 * Grants as many credits.
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int cwrs_receives_make(struct cwrs_conn *conn);
/**
 * cwrs_receives_add() - allocates and posts more receives
 * @conn: the connection
 * @count: number of receives
 *
 * Context: sleeps.
 * Return: 0; -ENOMEM, and nothing has changed; or another -errno if the queue pair refuses.
 */
int cwrs_receives_add(struct cwrs_conn *conn, u32 count);
/* CWRS_WANTS_RECEIVES is set: adds receives and credits if there is memory. May sleep. */
void cwrs_receives_grow(struct cwrs_conn *conn);
/* Frees all receives. The queue pair is drained, and no thread has a call. */
void cwrs_receives_free(struct cwrs_conn *conn);
/* Posts a receive again, whose call no thread uses any more. Process context. */
void cwrs_receive_put(struct cwrs_receive *rx);

#endif
