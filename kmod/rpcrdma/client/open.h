/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the lanes of a transport. */
#ifndef CWRC_OPEN_H
#define CWRC_OPEN_H

#include "connection.h"

void cwrc_lanes_init(struct cwrc_transport *t);
/* Connects one queue pair. The transport is held; sleeps. 0 or -errno. */
int cwrc_lanes_open(struct cwrc_transport *t);
/* Queues the work that opens empty lanes, now or after their pause. */
void cwrc_open_missing(struct cwrc_transport *t);
/* Forbids opening lanes, and waits for the work. The transport is held. */
void cwrc_stop_opening(struct cwrc_transport *t);
/* NFS 4.1: allows any local address, since the server knows calls by their session. */
void cwrc_lanes_free_to_roam(struct cwrc_transport *t);

#endif
