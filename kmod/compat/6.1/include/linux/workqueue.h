/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_WORKQUEUE_H
#define CAUSEWAY_6_1_WORKQUEUE_H

#include_next <linux/workqueue.h>
#include "causeway_answers.h"

/*
 * Linux before 6.17 lacks the flag, except late releases of 6.12: a work queue is per CPU if it is
 * not WQ_UNBOUND.
 */
#if !CAUSEWAY_HAS_WQ_PERCPU
#define WQ_PERCPU 0
#endif

#endif /* CAUSEWAY_6_1_WORKQUEUE_H */
