// SPDX-License-Identifier: GPL-2.0-or-later
// Inputs of ledger.cpp: a byte, and the file of a ledger.
#include <cstring>

#include "crc32c.h"
#include "kmod/core/owners/ledger_image.h"
#include "seed.h"

namespace
{

cw_ledger_host owner(u8 number)
{
	cw_ledger_host host = {};
	host.host[0] = number;
	host.boot[1] = number;
	host.session[2] = number;
	host.serial = number;
	host.newest = 7;
	host.confirmed = 6;
	host.seen = 1700000000;
	host.replaced[0][3] = number;
	return host;
}

void write(const std::string &name, u32 count, bool outdated)
{
	cw_ledger_host hosts[] = {owner(1), owner(2), owner(3)};
	// One host that detached, and one that is evicted and never attached.
	std::memset(hosts[1].session, 0, sizeof(hosts[1].session));
	hosts[2] = {};
	hosts[2].host[0] = 3;
	hosts[2].evicted = true;
	cw_ledger ledger = {};
	ledger.uuid[0] = 1;
	ledger.identity[0] = 2;
	ledger.secret[0] = 3;
	ledger.generation = 1000;
	ledger.outdated = outdated;
	ledger.count = count;
	ledger.hosts = hosts;
	std::string image(cw_ledger_image_size(count), '\0');
	cw_ledger_encode(reinterpret_cast<u8 *>(image.data()), &ledger, crc32c);
	fuzz::write_seed("ledger", name, '\x1f' + image);
}

} // namespace

void fuzz::ledger_seeds()
{
	write("empty", 0, false);
	write("one", 1, false);
	write("three", 3, false);
	write("outdated", 2, true);
}
