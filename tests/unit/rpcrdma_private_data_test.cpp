// SPDX-License-Identifier: GPL-2.0-or-later
// Private data of connections (RFC 8797): inline sizes and remote invalidation.
#include <gtest/gtest.h>

#include <string>

#include "kmod/rpcrdma/wire/private_data.h"

namespace
{

cwr_private parsed(const std::string &bytes)
{
	cwr_private p;
	memset(&p, 0xa5, sizeof(p));
	cwr_parse_private(bytes.data(), bytes.size(), &p);
	return p;
}

void is_default(const cwr_private &p)
{
	EXPECT_FALSE(p.present);
	EXPECT_FALSE(p.remote_invalidate);
	EXPECT_EQ(p.send, u32(CWR_INLINE_DEFAULT));
	EXPECT_EQ(p.receive, u32(CWR_INLINE_DEFAULT));
}

std::string own(bool invalidate, u32 send, u32 receive)
{
	const cwr_private p = {true, invalidate, send, receive};
	std::string bytes(CWR_PRIVATE_BYTES, '\xa5');
	cwr_put_private(bytes.data(), &p);
	return bytes;
}

TEST(RpcrdmaPrivate, AsOnTheWire)
{
	EXPECT_EQ(own(true, 4096, 16384), std::string("\xf6\xab\x0e\x18\x01\x01\x03\x0f", 8));
	EXPECT_EQ(own(false, 1024, CWR_INLINE_MAX), std::string("\xf6\xab\x0e\x18\x01\x00\x00\xff", 8));
}

TEST(RpcrdmaPrivate, AsItWasPut)
{
	const cwr_private p = parsed(own(true, 4096, 65536));
	EXPECT_TRUE(p.present);
	EXPECT_TRUE(p.remote_invalidate);
	EXPECT_EQ(p.send, 4096U);
	EXPECT_EQ(p.receive, 65536U);
}

TEST(RpcrdmaPrivate, TheConnectionManagerPads)
{
	EXPECT_TRUE(parsed(own(true, 4096, 4096) + std::string(48, '\0')).present);
}

TEST(RpcrdmaPrivate, UnknownFlagsAreNotOurs)
{
	std::string bytes = own(false, 4096, 4096);
	bytes[5] = '\xfe';
	EXPECT_TRUE(parsed(bytes).present);
	EXPECT_FALSE(parsed(bytes).remote_invalidate);
}

TEST(RpcrdmaPrivate, NothingGivesTheDefaults)
{
	cwr_private p;
	cwr_parse_private(nullptr, 0, &p);
	is_default(p);
	is_default(parsed(""));
}

TEST(RpcrdmaHostile, PrivateDataThatIsCut)
{
	for (size_t len = 0; len < CWR_PRIVATE_BYTES; len++)
		is_default(parsed(own(true, 4096, 4096).substr(0, len)));
}

TEST(RpcrdmaHostile, PrivateDataOfSomethingElse)
{
	std::string magic = own(true, 4096, 4096), version = magic;
	magic[3] = '\x19';
	version[4] = '\x02';
	is_default(parsed(magic));
	is_default(parsed(version));
}

TEST(RpcrdmaPrivate, EachDirectionIsWhatBothCan)
{
	EXPECT_EQ(cwr_inline(16384, 4096), 4096U);
	EXPECT_EQ(cwr_inline(1024, 65536), 1024U);
}

} // namespace
