// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <string>

#include "kmod/core/address/cidr.h"

namespace
{

// Fills @to and returns the address family of @text.
int parse(const std::string &text, u8 *to)
{
	const int family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
	EXPECT_EQ(inet_pton(family, text.c_str(), to), 1) << text;
	return family;
}

cw_cidr network(const std::string &text, u8 len)
{
	cw_cidr cidr{};
	memset(cidr.prefix, 0xcc, sizeof(cidr.prefix)); // bytes behind an IPv4 prefix are ignored
	cidr.family = u8(parse(text, cidr.prefix));
	cidr.prefix_len = len;
	return cidr;
}

bool match(const std::string &net, u8 len, const std::string &addr)
{
	const cw_cidr cidr = network(net, len);
	u8 bytes[16];
	const int family = parse(addr, bytes);
	const std::basic_string<u8> exact(bytes, family == AF_INET ? 4 : 16);
	return cw_cidr_match(&cidr, family, exact.data());
}

TEST(Cidr, Ipv4)
{
	EXPECT_TRUE(match("10.0.0.0", 24, "10.0.0.0"));
	EXPECT_TRUE(match("10.0.0.0", 24, "10.0.0.255"));
	EXPECT_FALSE(match("10.0.0.0", 24, "10.0.1.0"));
	EXPECT_TRUE(match("10.0.0.77", 24, "10.0.0.1")); // bits behind the prefix are ignored
	EXPECT_TRUE(match("192.168.1.64", 26, "192.168.1.127"));
	EXPECT_FALSE(match("192.168.1.64", 26, "192.168.1.128"));
	EXPECT_FALSE(match("192.168.1.64", 26, "192.168.1.63"));
	EXPECT_TRUE(match("10.1.2.3", 32, "10.1.2.3"));
	EXPECT_FALSE(match("10.1.2.3", 32, "10.1.2.2"));
	EXPECT_TRUE(match("10.1.2.2", 31, "10.1.2.3"));
	EXPECT_TRUE(match("128.0.0.0", 1, "255.1.2.3"));
	EXPECT_FALSE(match("128.0.0.0", 1, "127.1.2.3"));
	EXPECT_TRUE(match("0.0.0.0", 0, "203.0.113.9"));
}

TEST(Cidr, EveryLengthCountsItsBits)
{
	for (u8 len = 0; len <= 32; len++)
		for (u8 bit = 0; bit < 32; bit++) {
			cw_cidr cidr = network("170.85.204.51", len);
			u8 addr[4];
			memcpy(addr, cidr.prefix, 4);
			addr[bit / 8] ^= u8(0x80 >> bit % 8);
			EXPECT_EQ(cw_cidr_match(&cidr, AF_INET, addr), bit >= len) << int(len);
		}
	for (int len = 0; len <= 128; len++)
		for (int bit = 0; bit < 128; bit++) {
			cw_cidr cidr = network("2001:db8:a5a5:1234::1", u8(len));
			u8 addr[16];
			memcpy(addr, cidr.prefix, 16);
			addr[bit / 8] ^= u8(0x80 >> bit % 8);
			EXPECT_EQ(cw_cidr_match(&cidr, AF_INET6, addr), bit >= len) << len;
		}
}

TEST(Cidr, FamiliesAreApart)
{
	EXPECT_TRUE(match("fd00::", 8, "fd12:3456::1"));
	EXPECT_FALSE(match("fd00::", 8, "fe80::1"));
	EXPECT_FALSE(match("::", 0, "10.0.0.1"));
	EXPECT_FALSE(match("0.0.0.0", 0, "fd00::1"));
	// an IPv4-compatible address is not a mapped one
	EXPECT_FALSE(match("0.0.0.0", 0, "::10.0.0.1"));
	EXPECT_TRUE(match("::", 0, "fd00::1"));
}

TEST(Cidr, AMappedAddressIsTheIpv4Address)
{
	EXPECT_TRUE(match("10.0.0.0", 24, "::ffff:10.0.0.9"));
	EXPECT_FALSE(match("10.0.0.0", 24, "::ffff:10.0.1.9"));
	EXPECT_TRUE(match("::ffff:10.0.0.0", 120, "10.0.0.9"));
	EXPECT_FALSE(match("::ffff:10.0.0.0", 120, "10.0.1.9"));
	EXPECT_TRUE(match("::ffff:10.0.0.0", 120, "::ffff:10.0.0.9"));
	EXPECT_TRUE(match("::ffff:0.0.0.0", 96, "10.0.1.9"));
	EXPECT_FALSE(match("::ffff:0.0.0.0", 95, "10.0.1.9"));
	// a network of all IPv6 addresses does not include IPv4
	EXPECT_FALSE(match("::", 0, "::ffff:10.0.0.9"));
}

TEST(Cidr, WhatIsNoneMatchesNothing)
{
	const u8 addr[16] = {10, 0, 0, 1};
	for (u8 family : {0, 1, AF_INET, AF_INET6, 77})
		for (int len = 0; len < 256; len++) {
			cw_cidr cidr{};
			cidr.family = family;
			cidr.prefix_len = u8(len);
			const bool valid = family == AF_INET	? len <= 32
					   : family == AF_INET6 ? len <= 128
								: false;
			EXPECT_EQ(cw_cidr_valid(&cidr), valid);
			if (!valid) {
				EXPECT_FALSE(cw_cidr_match(&cidr, AF_INET, addr));
				EXPECT_FALSE(cw_cidr_match(&cidr, AF_INET6, addr));
			}
		}
	const cw_cidr all = network("0.0.0.0", 0);
	EXPECT_FALSE(cw_cidr_match(&all, 0, addr));
}

TEST(Cidr, Lists)
{
	const cw_cidr list[] = {network("10.0.0.0", 24), network("fd00::", 8),
				network("192.168.7.7", 32)};
	const auto any = [&list](size_t count, const std::string &addr) {
		u8 bytes[16];
		const int family = parse(addr, bytes);
		return cw_cidr_match_any(list, count, family, bytes);
	};
	EXPECT_TRUE(any(3, "10.0.0.5"));
	EXPECT_TRUE(any(3, "fd00::5"));
	EXPECT_TRUE(any(3, "192.168.7.7"));
	EXPECT_FALSE(any(2, "192.168.7.7"));
	EXPECT_FALSE(any(3, "172.16.0.1"));
	EXPECT_FALSE(any(0, "10.0.0.5"));
	EXPECT_FALSE(cw_cidr_match_any(nullptr, 0, AF_INET, nullptr));
}

} // namespace
