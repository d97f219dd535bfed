// SPDX-License-Identifier: GPL-2.0-or-later
// The encoding of a ledger in a file: a decoded image equals the ledger that was encoded, and every
// other image is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "kmod/core/owners/ledger_image.h"
#include "tests/unit/crc32c.h"

namespace
{

constexpr u32 room = 3;

using Hosts = std::vector<cw_ledger_host>;
using Image = std::vector<u8>;

cw_ledger_host host(u8 number)
{
	cw_ledger_host made{};
	made.host[0] = number;
	made.boot[0] = static_cast<u8>(number + 100);
	made.session[0] = static_cast<u8>(number + 200);
	made.serial = 3;
	made.newest = 0x1122334455667788;
	made.confirmed = 5;
	made.seen = 1700000000;
	made.dead_ms = CW_WIRE_DEAD_MAX;
	made.replaced[0][0] = 77;
	made.replaced[1][0] = 78;
	return made;
}

cw_ledger ledger_of(Hosts &hosts)
{
	cw_ledger ledger{};
	ledger.uuid[0] = 1;
	ledger.identity[0] = 2;
	ledger.secret[31] = 3;
	ledger.generation = 0x0102030405060708;
	ledger.hosts = hosts.data();
	ledger.count = static_cast<u32>(hosts.size());
	ledger.room = ledger.count;
	return ledger;
}

Image image_of(const cw_ledger &ledger)
{
	Image image(cw_ledger_image_size(ledger.count));
	cw_ledger_encode(image.data(), &ledger, crc32c);
	return image;
}

// The image of a ledger with one host that @change has changed.
Image changed(const std::function<void(cw_ledger &, cw_ledger_host &)> &change)
{
	Hosts hosts{host(1)};
	cw_ledger ledger = ledger_of(hosts);
	change(ledger, hosts[0]);
	return image_of(ledger);
}

cw_ledger_fault read(const Image &image)
{
	Hosts hosts(room);
	cw_ledger ledger{};
	ledger.hosts = hosts.data();
	ledger.room = room;
	return cw_ledger_decode(&ledger, image.data(), image.size(), crc32c);
}

// Sets a byte and corrects the checksum.
Image with_byte(Image image, std::size_t at, u8 value)
{
	image[at] = value;
	u32 crc = crc32c(image.data() + 12, image.size() - 12);
	for (int i = 0; i < 4; i++)
		image[8 + i] = static_cast<u8>(crc >> 8 * i);
	return image;
}

TEST(LedgerImage, IsReadAsItWasWritten)
{
	Hosts hosts{host(1), host(2)}, again(room);
	hosts[1].evicted = true;
	std::memset(hosts[1].session, 0, CW_WIRE_UUID);
	cw_ledger ledger = ledger_of(hosts), out{};
	ledger.outdated = true;
	Image image = image_of(ledger);
	out.hosts = again.data();
	out.room = room;
	ASSERT_EQ(cw_ledger_decode(&out, image.data(), image.size(), crc32c), CW_LEDGER_GOOD);
	EXPECT_EQ(out.count, 2U);
	EXPECT_EQ(out.generation, ledger.generation);
	EXPECT_TRUE(out.outdated);
	EXPECT_FALSE(std::memcmp(out.secret, ledger.secret, sizeof(out.secret)));
	for (u32 i = 0; i < 2; i++)
		EXPECT_FALSE(std::memcmp(&again[i], &hosts[i], sizeof(hosts[i]))) << i;
	EXPECT_EQ(image_of(out), image);
}

TEST(LedgerImage, HasItsBytesInOrder)
{
	Image image = changed([](cw_ledger &, cw_ledger_host &) {});
	ASSERT_EQ(image.size(), 128U + 216U);
	EXPECT_EQ(std::string(image.begin(), image.begin() + 8), "CWLEDGER");
	EXPECT_EQ(image[12], 1) << "version";
	EXPECT_EQ(image[16], 1) << "count";
	EXPECT_EQ(image[24], 8) << "generation";
	EXPECT_EQ(image[31], 1) << "generation";
	EXPECT_EQ(image[128], 1) << "host";
	EXPECT_EQ(image[128 + 56], 0x88) << "newest epoch";
}

// A wrong byte is detected by the checksum, or by the checks of the fields that it does not cover.
TEST(LedgerImage, IsNotBelievedWithAWrongByte)
{
	const Image image = changed([](cw_ledger &, cw_ledger_host &) {});
	for (std::size_t at = 0; at < image.size(); at++) {
		Image wrong = image;
		wrong[at] ^= 0x10;
		EXPECT_NE(read(wrong), CW_LEDGER_GOOD) << at;
	}
}

TEST(LedgerImage, IsNotBelievedWhenItIsTorn)
{
	Hosts hosts{host(1), host(2)};
	cw_ledger ledger = ledger_of(hosts);
	const Image before = image_of(ledger);
	ledger.generation++;
	hosts[0].newest++;
	hosts[1].serial++;
	const Image after = image_of(ledger);
	unsigned torn = 0;
	for (std::size_t at = 0; at <= before.size(); at++) {
		Image image(after.begin(), after.begin() + static_cast<long>(at));
		image.insert(image.end(), before.begin() + static_cast<long>(at), before.end());
		if (image == before || image == after)
			EXPECT_EQ(read(image), CW_LEDGER_GOOD) << at;
		else
			EXPECT_EQ(read(image), CW_LEDGER_TORN) << at;
		torn += image != before && image != after;
		EXPECT_NE(read(Image(after.begin(), after.begin() + static_cast<long>(at))) ==
				  CW_LEDGER_GOOD,
			  at < after.size())
			<< at;
	}
	EXPECT_GT(torn, 100U);
}

TEST(LedgerImage, NamesItsFault)
{
	const Image image = changed([](cw_ledger &, cw_ledger_host &) {});
	EXPECT_EQ(read({}), CW_LEDGER_SHORT);
	EXPECT_EQ(read(Image(image.begin(), image.end() - 1)), CW_LEDGER_SHORT);
	EXPECT_EQ(read(Image(image.size(), 0)), CW_LEDGER_NO_MAGIC);
	EXPECT_EQ(read(with_byte(image, 12, 2)), CW_LEDGER_OTHER_VERSION);
	EXPECT_EQ(read(with_byte(image, 18, 1)), CW_LEDGER_INVALID)
		<< "more hosts than a file has room for";
	Hosts many{host(1), host(2), host(3), host(4)};
	EXPECT_EQ(read(image_of(ledger_of(many))), CW_LEDGER_ROOM);
	for (int fault = CW_LEDGER_GOOD; fault <= CW_LEDGER_ROOM; fault++)
		EXPECT_STRNE(cw_ledger_fault_text(static_cast<cw_ledger_fault>(fault)),
			     "the reason is unknown");
}

TEST(LedgerImage, IsUnchangedByAnImageThatIsNotBelieved)
{
	const Image image =
		changed([](cw_ledger &, cw_ledger_host &first) { first.confirmed = ~0ULL; });
	Hosts hosts(room);
	cw_ledger ledger{};
	ledger.hosts = hosts.data();
	ledger.room = room;
	ledger.generation = 99;
	EXPECT_EQ(cw_ledger_decode(&ledger, image.data(), image.size(), crc32c), CW_LEDGER_INVALID);
	EXPECT_EQ(ledger.generation, 99U);
	EXPECT_EQ(ledger.count, 0U);
}

TEST(LedgerImage, HasOnlyValuesThatAServerWrites)
{
	using Change = std::function<void(cw_ledger &, cw_ledger_host &)>;
	const std::vector<std::pair<const char *, Change>> wrong = {
		{"generation 0",
		 [](cw_ledger &ledger, cw_ledger_host &) { ledger.generation = 0; }},
		{"the last generation",
		 [](cw_ledger &ledger, cw_ledger_host &) { ledger.generation = ~0ULL; }},
		{"a detection time above the bound",
		 [](cw_ledger &, cw_ledger_host &first) { first.dead_ms = CW_WIRE_DEAD_MAX + 1; }},
		{"no UUID", [](cw_ledger &ledger, cw_ledger_host &) { ledger.uuid[0] = 0; }},
		{"no identity",
		 [](cw_ledger &ledger, cw_ledger_host &) { ledger.identity[0] = 0; }},
		{"no host", [](cw_ledger &, cw_ledger_host &first) { first.host[0] = 0; }},
		{"confirmed above newest",
		 [](cw_ledger &, cw_ledger_host &first) { first.confirmed = first.newest + 1; }},
		{"serial 0", [](cw_ledger &, cw_ledger_host &first) { first.serial = 0; }},
		{"epoch 0",
		 [](cw_ledger &, cw_ledger_host &first) { first.newest = first.confirmed = 0; }},
		{"a session without a boot",
		 [](cw_ledger &, cw_ledger_host &first) { first.boot[0] = 0; }},
		{"an owner that is evicted",
		 [](cw_ledger &, cw_ledger_host &first) { first.evicted = true; }},
		{"its own boot is replaced",
		 [](cw_ledger &, cw_ledger_host &first) { first.replaced[1][0] = first.boot[0]; }},
		{"a hole among the replaced boots",
		 [](cw_ledger &, cw_ledger_host &first) { first.replaced[0][0] = 0; }},
	};
	for (const auto &[what, change] : wrong)
		EXPECT_EQ(read(changed(change)), CW_LEDGER_INVALID) << what;
	const Image image = changed([](cw_ledger &, cw_ledger_host &) {});
	for (std::size_t at = 96; at < 128; at++)
		EXPECT_EQ(read(with_byte(image, at, 1)), CW_LEDGER_INVALID) << at;
	for (std::size_t at : {20, 21, 22, 23, 128 + 80, 128 + 81, 128 + 82, 128 + 83})
		EXPECT_EQ(read(with_byte(image, at, 2)), CW_LEDGER_INVALID) << at;
	Hosts twice{host(1), host(1)};
	EXPECT_EQ(read(image_of(ledger_of(twice))), CW_LEDGER_INVALID);
}

TEST(LedgerImage, MayHaveAHostWithoutASession)
{
	EXPECT_EQ(read(changed([](cw_ledger &, cw_ledger_host &first) { first.session[0] = 0; })),
		  CW_LEDGER_GOOD);
	EXPECT_EQ(read(changed([](cw_ledger &, cw_ledger_host &first) {
			  cw_ledger_host evicted{};
			  evicted.host[0] = 1;
			  evicted.evicted = true;
			  first = evicted;
		  })),
		  CW_LEDGER_GOOD);
}

} // namespace
