// SPDX-License-Identifier: GPL-2.0-only
/* linux/folio_batch.h; linux/pagevec.h of newer kernels is gone. */
#include <linux/folio_batch.h>

void probe(struct folio_batch *batch);
void probe(struct folio_batch *batch)
{
	folio_batch_release(batch);
}
