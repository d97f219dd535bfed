// SPDX-License-Identifier: GPL-2.0-or-later
// The choice between the two copies of a ledger: docs/PROTOCOL.md, section 6, rules 2 and 5.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "crc32c.h"
#include "kmod/core/owners/ledger_copies.h"

namespace
{

class LedgerCopies : public ::testing::Test
{
      protected:
	std::array<std::vector<u8>, 2> images;
	std::array<std::vector<cw_ledger_host>, 2> hosts;
	std::array<cw_ledger, 2> ledgers{};
	std::array<cw_ledger_file, 2> copies{};
	u8 uuid[CW_WIRE_UUID] = {1}, identity[CW_WIRE_UUID] = {2}, other[CW_WIRE_UUID] = {3};

	void write(unsigned copy, u64 generation, const u8 *its_uuid, const u8 *its_identity)
	{
		cw_ledger ledger{};
		std::memcpy(ledger.uuid, its_uuid, CW_WIRE_UUID);
		std::memcpy(ledger.identity, its_identity, CW_WIRE_UUID);
		ledger.secret[0] = 1;
		ledger.generation = generation;
		images[copy].resize(cw_ledger_image_size(0));
		cw_ledger_encode(images[copy].data(), &ledger, crc32c);
	}

	int choose()
	{
		for (unsigned i = 0; i < 2; i++) {
			hosts[i].resize(4);
			ledgers[i].hosts = hosts[i].data();
			ledgers[i].room = 4;
			copies[i] = {};
			copies[i].image = images[i].data();
			copies[i].len = images[i].size();
			copies[i].ledger = &ledgers[i];
		}
		return cw_ledger_choose(copies.data(), uuid, identity, crc32c);
	}

	void SetUp() override
	{
		write(0, 7, uuid, identity);
		write(1, 7, uuid, identity);
	}
};

TEST_F(LedgerCopies, OfTwoThatAreTheSameTheFirstOneCounts)
{
	EXPECT_EQ(choose(), 0);
}

TEST_F(LedgerCopies, TheOneWithTheHigherGenerationCounts)
{
	write(1, 8, uuid, identity);
	EXPECT_EQ(choose(), 1);
	write(0, 9, uuid, identity);
	EXPECT_EQ(choose(), 0);
}

TEST_F(LedgerCopies, OneThatIsTornAtAnyByteDoesNotCount)
{
	write(1, 8, uuid, identity);
	const std::vector<u8> before = images[0];
	write(0, 9, uuid, identity);
	const std::vector<u8> after = images[0];
	for (std::size_t kept = 0; kept <= after.size(); kept++) {
		images[0] = before;
		std::copy_n(after.begin(), kept, images[0].begin());
		const int chosen = choose();
		const bool whole = images[0] == after;
		EXPECT_EQ(chosen, whole ? 0 : 1) << kept;
	}
}

TEST_F(LedgerCopies, AForeignOneDoesNotCountWhateverItsGeneration)
{
	write(0, 99, other, identity);
	EXPECT_EQ(choose(), 1);
	EXPECT_STREQ(cw_ledger_file_text(&copies[0]),
		     "it is the ledger of another disk, or one that was discarded");
	write(0, 99, uuid, other);
	EXPECT_EQ(choose(), 1);
	write(1, 99, other, other);
	EXPECT_EQ(choose(), -1);
}

TEST_F(LedgerCopies, NoneCountsWhenBothCannotBeRead)
{
	images[0].assign(CW_LEDGER_FILE, 0);
	images[1].clear();
	EXPECT_EQ(choose(), -1);
	EXPECT_EQ(copies[0].fault, CW_LEDGER_NO_MAGIC);
	EXPECT_EQ(copies[1].fault, CW_LEDGER_SHORT);
}

TEST_F(LedgerCopies, NoneCountsBesideOneOfAnotherVersion)
{
	images[1][12]++; // the version, behind the magic number and the checksum
	const u32 right = crc32c(images[1].data() + 12, images[1].size() - 12);
	std::memcpy(images[1].data() + 8, &right, sizeof(right));
	EXPECT_EQ(choose(), -1);
	EXPECT_EQ(copies[1].fault, CW_LEDGER_OTHER_VERSION);
}

} // namespace
