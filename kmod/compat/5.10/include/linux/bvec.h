/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_BVEC_H
#define CAUSEWAY_5_10_BVEC_H

#include_next <linux/bvec.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_BVEC_SET_PAGE
/**
 * bvec_set_page() - set an entry to a part of a page, which Linux before 6.2 lacks
 * @bvec: entry
 * @page: page
 * @length: bytes
 * @offset: of the first byte in the page
 *
 * Context: Any context.
 */
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

/**
 * bvec_virt() - get the address of an entry's bytes, which Linux 5.10 lacks
 * @bvec: entry, whose page is mapped by the kernel
 *
 * Context: Any context.
 * Return: The address.
 */
static inline void *bvec_virt(struct bio_vec *bvec)
{
	return page_address(bvec->bv_page) + bvec->bv_offset;
}
#endif

#endif /* CAUSEWAY_5_10_BVEC_H */
