// SPDX-License-Identifier: GPL-2.0-only
/* linux/folio_batch.h in the place of linux/pagevec.h, in the newest kernels. */
#include <linux/folio_batch.h>

void probe(struct folio_batch *batch);
void probe(struct folio_batch *batch)
{
	folio_batch_release(batch);
}
