// SPDX-License-Identifier: GPL-2.0-only
/* bvec_virt() and memcpy_to_bvec() of Linux 5.14 and 5.15. */
#include <linux/highmem.h>
#include <linux/bvec.h>

void probe(struct bio_vec *bvec);
void probe(struct bio_vec *bvec)
{
	memcpy_to_bvec(bvec, bvec_virt(bvec));
}
