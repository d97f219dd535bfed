/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_WORKQUEUE_H
#define CAUSEWAY_6_1_WORKQUEUE_H

#include_next <linux/workqueue.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_WQ_PERCPU
#define WQ_PERCPU 0
#endif

#endif /* CAUSEWAY_6_1_WORKQUEUE_H */
