/* SPDX-License-Identifier: GPL-2.0-only */
/* Received messages. */
#ifndef CWRC_REPLY_H
#define CWRC_REPLY_H

#include <rdma/ib_verbs.h>

/**
 * cwrc_received() - handles a message of the server
 * @cq: completion queue
 * @wc: completion of a receive
 *
 * Context: Process context, on the work queue of completions.
 */
void cwrc_received(struct ib_cq *cq, struct ib_wc *wc);

#endif
