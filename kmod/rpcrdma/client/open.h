/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the rails of a transport. */
#ifndef CWRC_OPEN_H
#define CWRC_OPEN_H

#include "connection.h"

/**
 * cwrc_rails_init() - initialises the rails of a transport
 * @t: new transport
 *
 * Context: Any context.
 */
void cwrc_rails_init(struct cwrc_transport *t);

/**
 * cwrc_rails_open() - connects one queue pair
 * @t: transport without rails
 *
 * Context: Process context. Sleeps. The transport is held.
 * Return: 0, -ESHUTDOWN if the transport has no user any more, or the -errno of the last attempt.
 */
int cwrc_rails_open(struct cwrc_transport *t);

/**
 * cwrc_open_missing() - queues the work that opens empty rails, now or after their pause
 * @t: transport
 *
 * Context: Process context. Takes rails_lock.
 */
void cwrc_open_missing(struct cwrc_transport *t);

/**
 * cwrc_stop_opening() - forbids opening rails, and waits for the work that opens them
 * @t: transport
 *
 * Context: Process context. Sleeps. The transport is held. Takes rails_lock.
 */
void cwrc_stop_opening(struct cwrc_transport *t);

/**
 * cwrc_rails_free_to_roam() - allows rails from any local address
 * @t: transport of NFS 4.1, whose server knows calls by their session
 *
 * Context: Process context. May sleep. Takes rails_lock.
 */
void cwrc_rails_free_to_roam(struct cwrc_transport *t);

#endif
