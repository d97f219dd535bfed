/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_BVEC_H
#define CAUSEWAY_5_10_BVEC_H

#include_next <linux/bvec.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BVEC_SET_PAGE
static inline void bvec_set_page(struct bio_vec *bvec, struct page *page, unsigned int length,
				 unsigned int offset)
{
	bvec->bv_page = page;
	bvec->bv_len = length;
	bvec->bv_offset = offset;
}
#endif

#if !CAUSEWAY_HAS_BVEC_VIRT
#include <linux/mm.h>

static inline void *bvec_virt(struct bio_vec *bvec)
{
	return page_address(bvec->bv_page) + bvec->bv_offset;
}
#endif

#endif /* CAUSEWAY_5_10_BVEC_H */
