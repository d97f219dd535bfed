/* SPDX-License-Identifier: GPL-2.0-only */
#include "causeway_answers.h"

/* Linux 6.12 lacks linux/folio_batch.h, and declares folio batches in linux/pagevec.h. */
#if CAUSEWAY_HAS_FOLIO_BATCH_HEADER
#include_next <linux/folio_batch.h>
#else
#include <linux/pagevec.h>
#endif
