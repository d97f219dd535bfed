// SPDX-License-Identifier: GPL-2.0-only
/* bvec_set_page() of Linux 6.2. */
#include <linux/bvec.h>

void probe(struct bio_vec *bvec, struct page *page);
void probe(struct bio_vec *bvec, struct page *page)
{
	bvec_set_page(bvec, page, 512, 0);
}
