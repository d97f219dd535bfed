/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends connections of clients that have become silent. */
#ifndef CWRS_KEEPALIVE_H
#define CWRS_KEEPALIVE_H

struct cwrs_conn;

void cwrs_keepalive_init(struct cwrs_conn *conn);
/* @conn was accepted. */
void cwrs_keepalive_start(struct cwrs_conn *conn);
/* Called before the endpoint is drained. May sleep. */
void cwrs_keepalive_stop(struct cwrs_conn *conn);

#endif
