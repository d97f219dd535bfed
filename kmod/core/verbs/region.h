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

/**
 * cw_region_pages() - compute the pages that a memory region needs
 * @max_io: largest request, in bytes, a multiple of CW_REGION_PAGE
 *
 * Context: Any context.
 * Return: Number of pages for a request that begins anywhere in a page.
 */
u32 cw_region_pages(u32 max_io);

/**
 * cw_region_room() - compute how many bytes a memory region covers
 * @pages: pages of the region
 * @offset: address or offset of the first byte; only its place within a page counts
 *
 * Context: Any context.
 * Return: Number of bytes.
 */
u32 cw_region_room(u32 pages, u32 offset);

/**
 * cw_region_max_io() - compute the largest request that a memory region can carry
 * @wanted: upper limit, in bytes
 * @pages: pages of the region
 * @mapping: most bytes that the DMA layer maps at once
 * @segment: most bytes that the DMA layer maps in one segment
 *
 * Context: Any context.
 * Return: Number of bytes, a multiple of CW_REGION_PAGE; 0 if no request fits.
 */
u32 cw_region_max_io(u32 wanted, u32 pages, u64 mapping, u32 segment);

#ifdef __cplusplus
}
#endif

#endif
