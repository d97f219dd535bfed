/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_SVC_H
#define CAUSEWAY_6_1_SVC_H

#include_next <linux/sunrpc/svc.h>
#include "causeway_answers.h"

/* A server thread gathers pages to free in rq_pvec before Linux 6.6. */
#if !CAUSEWAY_HAS_SVC_FBATCH
#include <linux/pagevec.h>

#define rq_fbatch rq_pvec
#define folio_batch_release(batch) pagevec_release(batch)
#endif

/* Calls of the backchannel wait in a list before Linux 6.7. */
#if !CAUSEWAY_HAS_SVC_CB_LWQ
#include "causeway_lwq.h"
#endif

#endif /* CAUSEWAY_6_1_SVC_H */
