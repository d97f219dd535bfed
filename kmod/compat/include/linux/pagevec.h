/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages gathered to be freed, as Linux 6.1 has them; newer kernels gather folios. */
#ifndef CAUSEWAY_COMPAT_PAGEVEC_H
#define CAUSEWAY_COMPAT_PAGEVEC_H

#include "causeway_answers.h"

#if CAUSEWAY_HAS_SVC_PAGEVEC
#include_next <linux/pagevec.h>
#else
#if CAUSEWAY_HAS_FOLIO_BATCH_HEADER
#include <linux/folio_batch.h>
#else
#include_next <linux/pagevec.h>
#endif

#define rq_pvec rq_fbatch
#define pagevec_release(batch) folio_batch_release(batch)
#endif

#endif /* CAUSEWAY_COMPAT_PAGEVEC_H */
