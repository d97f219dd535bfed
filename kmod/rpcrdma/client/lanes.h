/* SPDX-License-Identifier: GPL-2.0-only */
/* The lanes of a transport: places for its queue pairs. */
#ifndef CWRC_LANES_H
#define CWRC_LANES_H

#include "connection.h"

/* Chooses the queue pair for the next call. NULL: there is none. The transport is held. */
struct cwrc_connection *cwrc_lane_pick(struct cwrc_transport *t);
/* Chooses each lane in turn, whatever credit it has. The transport is held. */
struct cwrc_connection *cwrc_lane_in_turn(struct cwrc_transport *t);
/* The first lane from @local (any port), or from anywhere if NULL. The transport is held. */
struct cwrc_connection *cwrc_lane_from(struct cwrc_transport *t, const struct sockaddr *local);
/* The queue pair with @number, or NULL if it is gone. The transport is held. */
struct cwrc_connection *cwrc_lane_of(struct cwrc_transport *t, u32 number);
/* Sets the credits that the server grants on @conn. In the context of completions. */
void cwrc_lanes_grant(struct cwrc_transport *t, struct cwrc_connection *conn, u32 credits);
/*
 * Sets SunRPC's window to the sum of granted credits, less the credit for replies owed to RPCs that
 * have ended. Wakes tasks that wait for credit if there is some. xprt->transport_lock is held.
 */
void cwrc_lanes_set_window(struct cwrc_transport *t);
/*
 * Puts @conn into use; the @first allows others to follow. Returns 0; -ESHUTDOWN: no lane is
 * wanted; another -errno: it has failed. May sleep.
 */
int cwrc_lane_publish(struct cwrc_connection *conn, bool first);
/* Takes @conn out of use. The transport is held. */
void cwrc_lane_unpublish(struct cwrc_connection *conn);
/* @conn failed: returns when its lane may be opened again, in jiffies. */
unsigned long cwrc_lane_set_aside(struct cwrc_connection *conn);
/* Publishes the state of @conn for netlink; @retry_at as in struct cwr_rail. */
void cwrc_lane_show(struct cwrc_connection *conn, enum cwr_state state, unsigned long retry_at);
/* Publishes all lanes in use, and the first one as the connection. */
void cwrc_lanes_show(struct cwrc_transport *t);

#endif
