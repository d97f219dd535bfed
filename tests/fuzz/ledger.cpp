// SPDX-License-Identifier: GPL-2.0-or-later
// A file of a ledger. The first byte decides whether the checksum is corrected, and for how many
// hosts the reader has room.
#include <set>
#include <string>

#include "crc32c.h"
#include "fuzz.h"
#include "kmod/core/owners/ledger_image.h"

using namespace fuzz;

namespace
{

constexpr size_t CRC_AT = 8, COVERED = 12, COUNT_AT = 16;

// Computes it over the length that the header states, if the image is that long.
void make_checksum_right(std::string &image)
{
	if (image.size() < CW_LEDGER_HEADER)
		return;
	u32 count;
	memcpy(&count, image.data() + COUNT_AT, sizeof(count));
	if (count > CW_LEDGER_HOSTS_MAX || cw_ledger_image_size(count) > image.size())
		return;
	const u32 crc = crc32c(image.data() + COVERED, cw_ledger_image_size(count) - COVERED);
	memcpy(image.data() + CRC_AT, &crc, sizeof(crc));
}

bool is_none(const u8 (&uuid)[CW_WIRE_UUID])
{
	static const u8 none[CW_WIRE_UUID] = {};
	return !memcmp(uuid, none, sizeof(none));
}

void check(const cw_ledger &ledger)
{
	std::set<std::string> names;
	for (u32 i = 0; i < ledger.count; i++) {
		const cw_ledger_host &host = ledger.hosts[i];
		CHECK(names.emplace(reinterpret_cast<const char *>(host.host), CW_WIRE_UUID)
			      .second);
		CHECK(!is_none(host.host));
		CHECK(host.confirmed <= host.newest);
		CHECK(is_none(host.session) || (!is_none(host.boot) && host.serial && host.newest));
		CHECK(is_none(host.session) || !host.evicted);
		CHECK(is_none(host.boot) || !cw_ledger_is_replaced(&host, host.boot));
	}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	if (!len)
		return 0;
	std::string image(reinterpret_cast<const char *>(data + 1), len - 1);
	if (data[0] & 1)
		make_checksum_right(image);
	const Bytes exact(reinterpret_cast<const u8 *>(image.data()), image.size());
	cw_ledger_host hosts[16];
	cw_ledger ledger = {};
	ledger.hosts = hosts;
	ledger.room = data[0] >> 1 & 15;
	const cw_ledger_fault fault = cw_ledger_decode(&ledger, exact.data(), exact.size(), crc32c);
	CHECK(*cw_ledger_fault_text(fault));
	if (fault != CW_LEDGER_GOOD) {
		CHECK(!ledger.count && !ledger.generation);
		return 0;
	}
	CHECK(ledger.count <= ledger.room && ledger.generation);
	check(ledger);
	std::string again(cw_ledger_image_size(ledger.count), '\0');
	cw_ledger_encode(reinterpret_cast<u8 *>(again.data()), &ledger, crc32c);
	CHECK(!image.compare(0, again.size(), again));
	return 0;
}
