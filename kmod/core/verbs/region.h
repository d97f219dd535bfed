/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Pages of memory regions. Regions are made of pages of 4 KiB on every machine: all adapters have
 * that size, and some have none of 64 KiB, which is the size of a page of memory on some machines.
 */
#ifndef CW_REGION_H
#define CW_REGION_H

#include "../wire/integers.h"

#define CW_REGION_PAGE 4096

#ifdef __cplusplus
extern "C" {
#endif

/* Pages of a region for any request of up to @max_io bytes, wherever in a page it begins. */
u32 cw_region_pages(u32 max_io);

/* Bytes that a region of @pages pages covers when they begin @offset bytes into memory. */
u32 cw_region_room(u32 pages, u32 offset);

/*
 * The largest request, at most @wanted bytes, for which @pages pages suffice and which the DMA
 * layer maps at once: up to @mapping bytes, @segment of them in one piece. Whole pages; 0: none.
 */
u32 cw_region_max_io(u32 wanted, u32 pages, u64 mapping, u32 segment);

#ifdef __cplusplus
}
#endif

#endif
