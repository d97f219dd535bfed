/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_HIGHMEM_H
#define CAUSEWAY_5_10_HIGHMEM_H

#include_next <linux/highmem.h>
#include <linux/bvec.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BVEC_VIRT
/**
 * memcpy_to_bvec() - fill the bytes of an entry, which Linux 5.10 lacks
 * @bvec: entry
 * @from: as many bytes
 *
 * Context: Any context.
 */
static inline void memcpy_to_bvec(struct bio_vec *bvec, const char *from)
{
	char *to = kmap_atomic(bvec->bv_page);

	memcpy(to + bvec->bv_offset, from, bvec->bv_len);
	kunmap_atomic(to);
}
#endif

#endif /* CAUSEWAY_5_10_HIGHMEM_H */
