// SPDX-License-Identifier: GPL-2.0-or-later
// Networks of allow lists and rules, from the attributes of a request or of a list, are matched
// with addresses. inside() computes the expected result bit by bit.
#include <sys/socket.h>

#include "fuzz.h"
#include "kmod/core/address/cidr.h"

using namespace fuzz;

namespace
{

struct Address {
	int family;
	u8 bytes[16];
};

bool is_mapped(int family, const u8 *bytes)
{
	static const u8 front[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	return family == AF_INET6 && !memcmp(bytes, front, sizeof(front));
}

bool bit(const u8 *bytes, unsigned at)
{
	return bytes[at / 8] >> (7 - at % 8) & 1;
}

bool inside(const cw_cidr &net, const Address &address)
{
	const bool four = net.family == AF_INET;
	if ((!four && net.family != AF_INET6) || net.prefix_len > (four ? 32 : 128))
		return false;
	const bool net_mapped = net.prefix_len >= 96 && is_mapped(net.family, net.prefix);
	const bool mapped = is_mapped(address.family, address.bytes);
	if ((four || net_mapped) != (mapped || address.family == AF_INET))
		return false;
	const unsigned skip = net_mapped ? 96 : 0;
	const u8 *from = address.bytes + (mapped ? 12 : 0);
	for (unsigned i = skip; i < net.prefix_len; i++)
		if (bit(net.prefix, i) != bit(from, i - skip))
			return false;
	return true;
}

int family_of(u8 code)
{
	return code % 4 == 0 ? AF_INET : code % 4 == 1 ? AF_INET6 : code;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	constexpr size_t ONE = 18;
	if (len < ONE)
		return 0;
	Address address{data[0] % 2 ? AF_INET : AF_INET6, {}};
	memcpy(address.bytes, data + 1, 16);
	const Bytes exact(address.bytes, address.family == AF_INET ? 4 : 16);
	cw_cidr list[32];
	size_t count = 0;
	bool any = false;
	for (size_t at = ONE - 1; at + ONE <= len && count < 32; at += ONE) {
		cw_cidr &net = list[count++];
		net.family = u8(family_of(data[at]));
		net.prefix_len = data[at + 1];
		memcpy(net.prefix, data + at + 2, 16);
		// makes the network close to the address
		if (data[at + 1] & 0x80 && net.family == AF_INET6)
			memcpy(net.prefix, address.bytes, 16), net.prefix_len &= 0x7f;
		const bool match = cw_cidr_match(&net, address.family, exact.data());
		CHECK(match == inside(net, address));
		CHECK(!match || cw_cidr_valid(&net));
		any |= match;
	}
	CHECK(any == cw_cidr_match_any(list, count, address.family, exact.data()));
	return 0;
}
