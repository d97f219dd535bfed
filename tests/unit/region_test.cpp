// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kmod/core/verbs/region.h"

namespace
{

constexpr u32 KIB = 1024;
constexpr u32 MIB = 1024 * KIB;
constexpr u32 ANY = 0xffffffff;

/* The number of pages of a region that a request touches, which an adapter counts. */
u64 touched(u64 address, u64 length)
{
	return (address + length - 1) / CW_REGION_PAGE - address / CW_REGION_PAGE + 1;
}

TEST(Region, HoldsAnyRequestOfItsSizeWhateverThePagesOfMemoryAre)
{
	for (const u32 memory_page : {4 * KIB, 16 * KIB, 64 * KIB})
		for (const u32 max_io : {64 * KIB, 256 * KIB, MIB})
			for (u32 offset = 0; offset < memory_page; offset += 512)
				EXPECT_LE(touched(7ULL * memory_page + offset, max_io),
					  cw_region_pages(max_io))
					<< memory_page << " " << offset;
	/* In pages of 64 KiB this would be 17, but the adapter needs one for each 4 KiB. */
	EXPECT_EQ(cw_region_pages(MIB), 257U);
	EXPECT_EQ(cw_region_pages(4 * KIB), 2U);
}

TEST(Region, IsAskedForNoMoreThanItsPagesHold)
{
	for (const u32 pages : {2U, 16U, 17U, 256U, 257U, 1000U}) {
		const u32 most = cw_region_max_io(ANY, pages, ANY, ANY);
		EXPECT_EQ(most, (pages - 1) * CW_REGION_PAGE);
		EXPECT_LE(cw_region_pages(most), pages);
	}
	EXPECT_EQ(cw_region_max_io(MIB, 1000, ANY, ANY), MIB);
	EXPECT_EQ(cw_region_max_io(MIB, 1, ANY, ANY), 0U);
	EXPECT_EQ(cw_region_max_io(MIB, 0, ANY, ANY), 0U);
}

TEST(Region, IsAskedForNoMoreThanTheDmaLayerMaps)
{
	/* SWIOTLB maps 256 KiB, less its first slot where an offset is kept. */
	EXPECT_EQ(cw_region_max_io(MIB, 257, 256 * KIB, ANY), 256 * KIB);
	EXPECT_EQ(cw_region_max_io(MIB, 257, 256 * KIB - 4096, ANY), 252 * KIB);
	EXPECT_EQ(cw_region_max_io(MIB, 257, 256 * KIB - 1, ANY), 252 * KIB);
	EXPECT_EQ(cw_region_max_io(MIB, 257, ANY, 64 * KIB), 64 * KIB);
	EXPECT_EQ(cw_region_max_io(MIB, 257, ~0ULL, ANY), MIB);
	EXPECT_EQ(cw_region_max_io(MIB, 257, 2048, ANY), 0U);
}

TEST(Region, TakesItsShareOfALongerRange)
{
	std::mt19937 random(1);
	for (const u32 depth : {16U, 17U, 257U})
		for (int i = 0; i < 10000; i++) {
			const u32 offset = random() % (64 * KIB);
			const u32 room = cw_region_room(depth, offset);
			EXPECT_LE(touched(offset, room), depth);
			EXPECT_GT(touched(offset, room + 1), depth);
			/* The next region begins at the start of a page. */
			EXPECT_EQ((offset + room) % CW_REGION_PAGE, 0U);
		}
}

} // namespace
