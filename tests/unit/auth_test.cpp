// SPDX-License-Identifier: GPL-2.0-or-later
// MACs and secrets of logins and paths (PROTOCOL: section 4, rule 7; section 7, rule 2). The vectors
// were made with Python's hashlib from the text of the protocol.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "samples.h"

extern "C" {
#include "kmod/core/session/auth.h"
}

namespace
{

// A struct whose bytes count up from @first. Its own MAC is not zero.
template <class Rec> Rec counted(u8 first)
{
	u8 bytes[sizeof(Rec)];
	samples::fill(bytes, first);
	Rec rec;
	memcpy(&rec, bytes, sizeof(rec));
	return rec;
}

const auto REQ = counted<cw_wire_req>(0x10);
const auto REP = counted<cw_wire_rep>(0x20);
const auto PROOF = counted<cw_wire_proof>(0x50);
const auto JOIN = counted<cw_wire_join>(0x80);

template <size_t N> std::string hex(const u8 (&bytes)[N])
{
	std::string text;
	for (const u8 byte : bytes) {
		char two[3];
		snprintf(two, sizeof(two), "%02x", byte);
		text += two;
	}
	return text;
}

// An empty @key is that of an export without one.
cw_auth begun(const std::string &key)
{
	cw_key k{};
	memcpy(k.bytes, key.data(), key.size());
	k.len = key.size();
	const auto hello = counted<cw_wire_hello>(0x30);
	const auto challenge = counted<cw_wire_challenge>(0x40);
	cw_auth auth;
	EXPECT_EQ(cw_auth_begin(&auth, &k, &REQ, &REP, &hello, &challenge), 0);
	return auth;
}

std::string welcome_of(const cw_auth &auth)
{
	const auto rec = counted<cw_wire_welcome>(0x60);
	u8 mac[CW_WIRE_MAC];
	EXPECT_EQ(cw_auth_welcome(&auth, &PROOF, &rec, mac), 0);
	return hex(mac);
}

std::string refused_of(const cw_auth &auth)
{
	const auto rec = counted<cw_wire_refused>(0x70);
	u8 mac[CW_WIRE_MAC];
	EXPECT_EQ(cw_auth_refused(&auth, &PROOF, &rec, mac), 0);
	return hex(mac);
}

std::string join_of(const cw_auth &auth, const cw_wire_join &rec = JOIN)
{
	u8 mac[CW_WIRE_MAC];
	EXPECT_EQ(cw_auth_join(auth.secret, &REQ, &REP, &rec, mac), 0);
	return hex(mac);
}

std::string joined_of(const cw_auth &auth, const cw_wire_join &join = JOIN,
		      const cw_wire_joined &rec = counted<cw_wire_joined>(0x90))
{
	u8 mac[CW_WIRE_MAC];
	EXPECT_EQ(cw_auth_joined(auth.secret, &REQ, &REP, &join, &rec, mac), 0);
	return hex(mac);
}

std::string token_of(const cw_auth &auth)
{
	u8 token[CW_WIRE_TOKEN];
	EXPECT_EQ(cw_auth_token(auth.secret, 0x01020304, 0x1112131415161718, CW_KIND_DATA, 0x2122,
				token),
		  0);
	return hex(token);
}

const std::string NONE(64, '0');

TEST(Auth, KeyOfTheExportProvesALogin)
{
	const cw_auth auth = begun("secret key");
	EXPECT_EQ(hex(auth.secret),
		  "919c989b1c7eea8817a24eb3e055602494674df2eed61062d6207e86a821e8c4");
	EXPECT_EQ(hex(auth.client),
		  "4a3346ab6e5cee47894aefaf3260930565bc467bd6b9ce9bafe6adc21ecf2088");
	EXPECT_EQ(welcome_of(auth),
		  "61edcad3b5a04ee8512fb798028c2482da735c7f4421f754d8207aba5366e4ef");
	EXPECT_EQ(refused_of(auth),
		  "a6bcebf8b434df040409b7805c7827170a66e9992ff585903caefaa23a78ba7e");
	EXPECT_EQ(token_of(auth), "2a592f3e626de740cf6aab9059f945a4");
}

TEST(Auth, WithoutAKeyOnlyTheMacsOfTheLoginAreZero)
{
	const cw_auth auth = begun("");
	EXPECT_EQ(hex(auth.secret),
		  "6bf0e21a433a844b666569dd2752e6909148908216cdc2b08e8c309d797f7fcf");
	EXPECT_EQ(hex(auth.client), NONE);
	EXPECT_EQ(welcome_of(auth), NONE);
	EXPECT_EQ(refused_of(auth), NONE);
	EXPECT_EQ(token_of(auth), "1bf9587eade056d6bf81a1b619d2ccbb");
	EXPECT_EQ(join_of(auth),
		  "340b1413996cfa69eadbbb89a3e6350820f42da3a3df2c0a777b26fbe4fbc2bf");
	EXPECT_EQ(joined_of(auth),
		  "adc7d84f5c49315f4d14bb734d43d36835b88502f1620d3d7df48b323afa5c60");
}

TEST(Auth, SecretOfTheLoginProvesAPath)
{
	const cw_auth auth = begun("secret key");
	EXPECT_EQ(join_of(auth),
		  "0335513fa6160468e1d5e7b2ecac37b652597e004388094da52e78cef5c79d4e");
	EXPECT_EQ(joined_of(auth),
		  "82a5e2962e56dede2c023c10fcee290599919b6353e8757976db25cb71d7dc57");
}

TEST(Auth, MacOfJoinCoversJoinButNotItself)
{
	const cw_auth auth = begun("secret key");
	cw_wire_join rec = JOIN;
	rec.mac[0] ^= 1;
	EXPECT_EQ(join_of(auth, rec), join_of(auth));
	rec.path ^= 1;
	EXPECT_NE(join_of(auth, rec), join_of(auth));
}

TEST(Auth, MacOfJoinedCoversJoinAsItWasSent)
{
	const cw_auth auth = begun("secret key");
	cw_wire_join join = JOIN;
	join.mac[0] ^= 1;
	EXPECT_NE(joined_of(auth, join), joined_of(auth));
	auto rec = counted<cw_wire_joined>(0x90);
	rec.mac[0] ^= 1;
	EXPECT_EQ(joined_of(auth, JOIN, rec), joined_of(auth));
	rec.instance[15] ^= 1;
	EXPECT_NE(joined_of(auth, JOIN, rec), joined_of(auth));
}

TEST(Auth, ReceiptNamesLedgerGenerationAndSession)
{
	u8 secret[32], ledger[16], host[16], session[16], receipt[CW_WIRE_RECEIPT];
	samples::fill(secret, 0xa0);
	samples::fill(ledger, 0xb0);
	samples::fill(host, 0xc0);
	samples::fill(session, 0xd0);
	ASSERT_EQ(cw_auth_receipt(secret, ledger, 0x3132333435363738, host, session, receipt), 0);
	EXPECT_EQ(hex(receipt), "da7766b7b5e483e503cd3c3520df09e6");
}

} // namespace
