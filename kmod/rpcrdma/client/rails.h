/* SPDX-License-Identifier: GPL-2.0-only */
/* The rails of a transport: places for its queue pairs. */
#ifndef CWRC_RAILS_H
#define CWRC_RAILS_H

#include "connection.h"

/**
 * cwrc_rail_pick() - chooses the queue pair for the next call
 * @t: transport
 *
 * Context: Process context. The transport is held.
 * Return: The queue pair, or NULL if there is none.
 */
struct cwrc_connection *cwrc_rail_pick(struct cwrc_transport *t);

/**
 * cwrc_rail_in_turn() - chooses each rail in turn, whatever credit it has
 * @t: transport
 *
 * Context: Process context. The transport is held.
 * Return: The queue pair, or NULL if there is none.
 */
struct cwrc_connection *cwrc_rail_in_turn(struct cwrc_transport *t);

/**
 * cwrc_rail_from() - finds the first rail with a local address
 * @t: transport
 * @local: address with any port, or NULL for any address
 *
 * Prefers a rail that is live.
 *
 * Context: Process context. The transport is held.
 * Return: The queue pair, or NULL if there is none.
 */
struct cwrc_connection *cwrc_rail_from(struct cwrc_transport *t, const struct sockaddr *local);

/**
 * cwrc_rail_of() - finds the queue pair with a number
 * @t: transport
 * @number: number of the connection
 *
 * Context: Process context. The transport is held.
 * Return: The queue pair, or NULL if it is gone.
 */
struct cwrc_connection *cwrc_rail_of(struct cwrc_transport *t, u32 number);

/**
 * cwrc_rails_grant() - sets the credits that the server grants on a queue pair
 * @t: transport
 * @conn: queue pair
 * @credits: number of calls, not more than there are receives
 *
 * Context: Process context, on the work queue of completions. Takes xprt.transport_lock.
 */
void cwrc_rails_grant(struct cwrc_transport *t, struct cwrc_connection *conn, u32 credits);

/**
 * cwrc_rails_set_window() - sets SunRPC's window of credits
 * @t: transport
 *
 * The window is the sum of granted credits, less the credit for replies owed to RPCs that have
 * ended. Wakes tasks that wait for credit if there is some.
 *
 * Context: The caller holds xprt.transport_lock.
 */
void cwrc_rails_set_window(struct cwrc_transport *t);

/**
 * cwrc_rail_publish() - puts a queue pair into use
 * @conn: connection that was opened
 * @first: the connection allows others to follow
 *
 * Context: Process context. Takes rails_lock and xprt.transport_lock.
 * Return: 0, -ESHUTDOWN if no rail is wanted, or another -errno if the connection has failed.
 */
int cwrc_rail_publish(struct cwrc_connection *conn, bool first);

/**
 * cwrc_rail_unpublish() - takes a queue pair out of use
 * @conn: connection in a rail
 *
 * Context: Process context. The transport is held. Takes rails_lock and xprt.transport_lock.
 */
void cwrc_rail_unpublish(struct cwrc_connection *conn);

/**
 * cwrc_rail_set_aside() - sets the time at which a failed rail may be opened again
 * @conn: connection that failed
 *
 * Context: Process context. Takes rails_lock.
 * Return: The time, in jiffies.
 */
unsigned long cwrc_rail_set_aside(struct cwrc_connection *conn);

/**
 * cwrc_rail_show() - publishes the state of a queue pair for netlink
 * @conn: connection
 * @state: state to show
 * @retry_at: as in struct cwr_rail
 *
 * Context: Any context. Takes the lock of the transport's info.
 */
void cwrc_rail_show(struct cwrc_connection *conn, enum cwr_state state, unsigned long retry_at);

/**
 * cwrc_rails_show() - publishes all rails in use, and the first one as the connection
 * @t: transport
 *
 * Context: Process context. Takes rails_lock, and the lock of the transport's info.
 */
void cwrc_rails_show(struct cwrc_transport *t);

#endif
