/* SPDX-License-Identifier: GPL-2.0-only */
/* Received messages. */
#ifndef CWRC_REPLY_H
#define CWRC_REPLY_H

#include <rdma/ib_verbs.h>

/* Completion handler of receives. */
void cwrc_received(struct ib_cq *cq, struct ib_wc *wc);

#endif
