// SPDX-License-Identifier: GPL-2.0-or-later
// Headers of RPC over RDMA (RFC 8166): valid headers, and what a hostile peer may send.
#include <gtest/gtest.h>

#include "rpcrdma_samples.h"

namespace
{

using namespace rpcrdma;

// A message as the parser sees it, in memory of exactly its size.
template <auto parse> struct Parsed {
	std::array<cwr_segment, SEGMENTS> segment{};
	cwr_header header{};
	int err;

	explicit Parsed(const Message &m, u16 segments = SEGMENTS)
	{
		const std::vector<char> exact(m.bytes().begin(), m.bytes().end());
		const cwr_room room = {segment.data(), segments, READ_BYTES, WRITE_BYTES};
		err = parse(exact.data(), exact.size(), &room, &header);
	}
};
using Call = Parsed<cwr_parse_call>;
using Reply = Parsed<cwr_parse_reply>;

int direction(const Message &m)
{
	const Reply reply(m);
	return reply.err ? reply.err
			 : cwr_direction(m.bytes().data(), m.bytes().size(), &reply.header);
}

Message plain(u32 credits = 32)
{
	return fixed(CWR_MSG, credits).words({0, 0, 0}).rpc(0).body(32);
}

// ---- valid headers ----

TEST(RpcrdmaCall, WithoutChunks)
{
	const Call call(plain());
	ASSERT_EQ(call.err, 0);
	EXPECT_EQ(call.header.xid, XID);
	EXPECT_EQ(call.header.credits, 32U);
	EXPECT_EQ(call.header.proc, u32(CWR_MSG));
	EXPECT_EQ(call.header.len, u32(CWR_HEADER_MIN));
	EXPECT_EQ(call.header.reads + call.header.writes + call.header.segments, 0);
	EXPECT_FALSE(call.header.has_call || call.header.has_reply);
}

TEST(RpcrdmaCall, WriteChunkOfTwoSegments)
{
	const Call call(read_call());
	ASSERT_EQ(call.err, 0);
	ASSERT_EQ(call.header.writes, 1);
	EXPECT_EQ(call.header.write[0].count, 2);
	EXPECT_EQ(call.header.write[0].length, 12288U);
	EXPECT_EQ(call.segment[1].handle, 2U);
	EXPECT_EQ(call.segment[1].length, 8192U);
	EXPECT_EQ(call.segment[1].offset, 0x20000U);
	EXPECT_EQ(call.header.len, 28U + 8 + 32);
}

TEST(RpcrdmaCall, SegmentsOfOnePositionAreOneReadChunk)
{
	const Call call(write_call());
	ASSERT_EQ(call.err, 0);
	ASSERT_EQ(call.header.reads, 1);
	EXPECT_EQ(call.header.read[0].count, 2);
	EXPECT_EQ(call.header.read[0].length, 4196U);
	EXPECT_EQ(call.header.read[0].at, 40U);
}

TEST(RpcrdmaCall, WholeCallWithDataInside)
{
	const Call call(long_call());
	ASSERT_EQ(call.err, 0);
	EXPECT_TRUE(call.header.has_call);
	EXPECT_EQ(call.header.call.length, 2000U);
	ASSERT_EQ(call.header.reads, 1);
	EXPECT_EQ(call.header.read[0].at, 1200U);
	EXPECT_TRUE(call.header.has_reply);
	EXPECT_EQ(call.header.reply.length, 65536U);
}

TEST(RpcrdmaCall, TheSecondChunkLiesBehindTheFirstAndItsPadding)
{
	// The message has 40 bytes, 5 bytes of data with 3 of padding, 12 bytes, and then more
	// data.
	const Call call(fixed(CWR_MSG).read(40, 5).read(60, 8, 9).words({0, 0, 0}).rpc(0).body(56));
	ASSERT_EQ(call.err, 0);
	ASSERT_EQ(call.header.reads, 2);
	EXPECT_EQ(call.header.read[0].at, 40U);
	EXPECT_EQ(call.header.read[1].at, 52U);
}

TEST(RpcrdmaCall, AChunkMayCarryItsPadding)
{
	const Call call(fixed(CWR_MSG).read(40, 8).read(60, 8, 9).words({0, 0, 0}).rpc(0).body(56));
	ASSERT_EQ(call.err, 0);
	EXPECT_EQ(call.header.read[1].at, 52U);
}

TEST(RpcrdmaCall, AReadChunkOfNoBytesSaysNothing)
{
	const Call call(fixed(CWR_MSG).read(40, 0).words({0, 0, 0}).rpc(0).body(56));
	ASSERT_EQ(call.err, 0);
	EXPECT_EQ(call.header.reads, 0);
	EXPECT_EQ(call.header.segments, 0);
}

TEST(RpcrdmaCall, AWriteChunkMayHaveNoSegments)
{
	const Call call(fixed(CWR_MSG).words({0, 1, 0, 0, 0}).rpc(0).body(56));
	ASSERT_EQ(call.err, 0);
	ASSERT_EQ(call.header.writes, 1);
	EXPECT_EQ(call.header.write[0].count, 0);
}

TEST(RpcrdmaCall, EmptySegmentsOfAWriteChunkStayToBeEchoed)
{
	Message m = fixed(CWR_MSG).words({0, 1, 2});
	const Call call(m.segment(1, 0, 0).segment(2, 4, 0).words({0, 0}).rpc(0).body(56));
	ASSERT_EQ(call.err, 0);
	EXPECT_EQ(call.header.write[0].count, 2);
	EXPECT_EQ(call.header.write[0].length, 4U);
}

TEST(RpcrdmaReply, NoWordMoreThanTheHeader)
{
	EXPECT_EQ(Reply(fixed(CWR_MSG).words({0, 0, 0})).err, 0);
}

TEST(RpcrdmaReply, ByReplyChunk)
{
	const Reply reply(fixed(CWR_NOMSG).words({0, 0, 1, 1}).segment(3, 500, 0x30000));
	ASSERT_EQ(reply.err, 0);
	EXPECT_TRUE(reply.header.has_reply);
	EXPECT_EQ(reply.header.reply.length, 500U);
}

TEST(RpcrdmaReply, InlineWithTheReplyChunkThatWasNotUsed)
{
	EXPECT_EQ(Reply(fixed(CWR_MSG).words({0, 0, 1, 2}).segment(1, 0, 0).segment(2, 0, 0).rpc(1))
			  .err,
		  0);
	EXPECT_EQ(Reply(fixed(CWR_MSG).words({0, 0, 1, 2}).segment(1, 0, 0).segment(2, 1, 0).rpc(1))
			  .err,
		  -EBADMSG);
}

TEST(RpcrdmaReply, ErrorOfVersion)
{
	const Reply reply(fixed(CWR_ERROR).words({CWR_ERR_VERS, 1, 2}));
	ASSERT_EQ(reply.err, 0);
	EXPECT_EQ(reply.header.error, u32(CWR_ERR_VERS));
	EXPECT_EQ(reply.header.version_low, 1U);
	EXPECT_EQ(reply.header.version_high, 2U);
}

TEST(RpcrdmaReply, ErrorOfChunks)
{
	const Reply reply(fixed(CWR_ERROR).word(CWR_ERR_CHUNK));
	ASSERT_EQ(reply.err, 0);
	EXPECT_EQ(reply.header.error, u32(CWR_ERR_CHUNK));
}

// ---- hostile: too short ----

TEST(RpcrdmaHostile, ACallCutAnywhereIsNoneAndIsNotReadBeyond)
{
	for (const Message &m : {read_call(), write_call(), long_call()}) {
		const Call whole(m);
		ASSERT_EQ(whole.err, 0);
		for (size_t len = 0; len < whole.header.len; len++) {
			const std::vector<char> exact(m.bytes().begin(), m.bytes().begin() + len);
			std::array<cwr_segment, SEGMENTS> segment{};
			const cwr_room room = {segment.data(), SEGMENTS, READ_BYTES, WRITE_BYTES};
			cwr_header header{};
			EXPECT_EQ(cwr_parse_call(exact.data(), len, &room, &header),
				  len < CWR_HEADER_MIN ? -EBADMSG : -EPROTO)
				<< len;
		}
	}
}

TEST(RpcrdmaHostile, ShorterThanAHeaderIsDroppedWithoutAWord)
{
	EXPECT_EQ(Call(fixed(CWR_MSG).words({0, 0})).err, -EBADMSG);
	EXPECT_EQ(Reply(fixed(CWR_MSG)).err, -EBADMSG);
	EXPECT_EQ(Call(Message()).err, -EBADMSG);
}

TEST(RpcrdmaHostile, AnErrorReportIsNotAnswered)
{
	EXPECT_EQ(Call(fixed(CWR_ERROR).words({CWR_ERR_VERS, 1, 1})).err, -EBADMSG);
}

TEST(RpcrdmaHostile, ErrorReportsThatAreCutOrUnknown)
{
	EXPECT_EQ(Reply(fixed(CWR_ERROR).words({CWR_ERR_VERS, 1})).err, -EBADMSG);
	EXPECT_EQ(Reply(fixed(CWR_ERROR).words({0, 1, 1})).err, -EBADMSG);
	EXPECT_EQ(Reply(fixed(CWR_ERROR).words({3, 1, 1})).err, -EBADMSG);
}

// ---- hostile: versions and procedures ----

TEST(RpcrdmaHostile, AnotherVersionIsRecognized)
{
	for (const u32 version : {0U, 2U, 0xffffffffU}) {
		const Call call(fixed(CWR_MSG, 32, version).words({0, 0, 0}));
		EXPECT_EQ(call.err, -EPROTONOSUPPORT);
		EXPECT_EQ(call.header.xid, XID);
		EXPECT_EQ(call.header.version, version);
		EXPECT_EQ(Reply(fixed(CWR_MSG, 32, version).words({0, 0, 0})).err, -EBADMSG);
	}
}

TEST(RpcrdmaHostile, UnknownProcedures)
{
	// DONE says that a client has finished with memory of the server. The server registers
	// none, so it sends no answer.
	EXPECT_EQ(Call(fixed(CWR_DONE).words({0, 0, 0})).err, -EBADMSG);
	for (const u32 proc : {2U, 5U, 0xffffffffU}) {
		EXPECT_EQ(Call(fixed(proc).words({0, 0, 0})).err, -EPROTO) << proc;
		EXPECT_EQ(Reply(fixed(proc).words({0, 0, 0})).err, -EBADMSG) << proc;
	}
}

TEST(RpcrdmaHostile, ListsSayOneOrZero)
{
	EXPECT_EQ(Call(fixed(CWR_MSG).words({2, 0, 0}).body(64)).err, -EPROTO);
	EXPECT_EQ(Call(fixed(CWR_MSG).words({0, 2, 0}).body(64)).err, -EPROTO);
	EXPECT_EQ(Call(fixed(CWR_MSG).words({0, 0, 0x80000000}).body(64)).err, -EPROTO);
}

// ---- hostile: counts and lengths ----

TEST(RpcrdmaHostile, ACountThatWouldOverflowWhenMultiplied)
{
	for (const u32 count : {0x10000000U, 0x20000001U, 0xffffffffU}) {
		EXPECT_EQ(Call(fixed(CWR_MSG).words({0, 1, count}).body(600)).err, -EPROTO);
		EXPECT_EQ(Call(fixed(CWR_MSG).words({0, 0, 1, count}).body(600)).err, -EPROTO);
		EXPECT_EQ(Reply(fixed(CWR_NOMSG).words({0, 0, 1, count}).body(600)).err, -EBADMSG);
	}
}

TEST(RpcrdmaHostile, MoreSegmentsThanThereIsRoomFor)
{
	EXPECT_EQ(Call(read_call(), 2).err, 0);
	EXPECT_EQ(Call(read_call(), 1).err, -EPROTO);
	EXPECT_EQ(Call(write_call(), 1).err, -EPROTO);
	EXPECT_EQ(Call(long_call(), 2).err, -EPROTO);
	EXPECT_EQ(Call(plain(), 0).err, 0);
}

TEST(RpcrdmaHostile, LengthsAreSummedIn64Bits)
{
	Message reads = fixed(CWR_MSG);
	for (int i = 0; i < 5; i++)
		reads.read(8, 0x40000000);
	EXPECT_EQ(Call(reads.words({0, 0, 0}).rpc(0)).err, -EPROTO);
	Message writes = fixed(CWR_MSG).words({0, 1, 2});
	writes.segment(1, 0x80000000, 0).segment(1, 0x80000000, 0);
	EXPECT_EQ(Call(writes.words({0, 0}).rpc(0)).err, -EPROTO);
}

TEST(RpcrdmaHostile, ReadChunksTogetherAreBounded)
{
	EXPECT_EQ(Call(fixed(CWR_MSG).read(8, READ_BYTES).words({0, 0, 0}).rpc(0)).err, 0);
	EXPECT_EQ(Call(fixed(CWR_MSG).read(8, READ_BYTES + 1).words({0, 0, 0}).rpc(0)).err,
		  -EPROTO);
	EXPECT_EQ(Call(fixed(CWR_NOMSG).read(0, READ_BYTES).read(8, 1).words({0, 0, 0})).err,
		  -EPROTO);
}

TEST(RpcrdmaHostile, WriteAndReplyChunksAreBounded)
{
	Message write = fixed(CWR_MSG).words({0, 1, 1});
	EXPECT_EQ(Call(write.segment(1, WRITE_BYTES + 1, 0).words({0, 0}).rpc(0)).err, -EPROTO);
	Message reply = fixed(CWR_MSG).words({0, 0, 1, 1});
	EXPECT_EQ(Call(reply.segment(1, WRITE_BYTES + 1, 0).rpc(0)).err, -EPROTO);
}

TEST(RpcrdmaHostile, ASegmentThatWrapsAroundTheEndOfMemory)
{
	EXPECT_EQ(Call(fixed(CWR_MSG).read(8, 8, 1, ~7ULL).words({0, 0, 0}).rpc(0)).err, -EPROTO);
	EXPECT_EQ(Call(fixed(CWR_MSG).read(8, 8, 1, ~8ULL).words({0, 0, 0}).rpc(0)).err, 0);
	Message write = fixed(CWR_MSG).words({0, 1, 1});
	EXPECT_EQ(Call(write.segment(1, 2, ~0ULL).words({0, 0}).rpc(0)).err, -EPROTO);
}

TEST(RpcrdmaHostile, MoreChunksThanAMessageMayHave)
{
	Message reads = fixed(CWR_MSG), writes = fixed(CWR_MSG).word(0);
	for (u32 i = 0; i <= CWR_READ_CHUNKS; i++)
		reads.read(8 + 8 * i, 4);
	for (u32 i = 0; i <= CWR_WRITE_CHUNKS; i++)
		writes.words({1, 1}).segment(1, 4, 0);
	EXPECT_EQ(Call(reads.words({0, 0, 0}).rpc(0).body(64)).err, -EPROTO);
	EXPECT_EQ(Call(writes.words({0, 0}).rpc(0)).err, -EPROTO);
}

// ---- hostile: positions ----

TEST(RpcrdmaHostile, PositionsAreWords)
{
	for (const u32 position : {41U, 42U, 43U})
		EXPECT_EQ(Call(write_call(position)).err, -EPROTO);
}

TEST(RpcrdmaHostile, APositionPastTheMessage)
{
	EXPECT_EQ(Call(write_call(48)).err, 0);
	EXPECT_EQ(Call(write_call(52)).err, -EPROTO);
	EXPECT_EQ(Call(write_call(0xfffffffc)).err, -EPROTO);
	EXPECT_EQ(Call(fixed(CWR_NOMSG).read(0, 100).read(104, 4).words({0, 0, 0})).err, -EPROTO);
}

TEST(RpcrdmaHostile, AChunkInsideAnother)
{
	EXPECT_EQ(
		Call(fixed(CWR_MSG).read(8, 100).read(48, 4).words({0, 0, 0}).rpc(0).body(64)).err,
		-EPROTO);
}

TEST(RpcrdmaHostile, MixedPositions)
{
	Message m = fixed(CWR_MSG).read(8, 4).read(40, 4).read(8, 4);
	EXPECT_EQ(Call(m.words({0, 0, 0}).rpc(0).body(64)).err, -EPROTO);
	EXPECT_EQ(Call(fixed(CWR_NOMSG).read(8, 4).read(0, 40).words({0, 0, 0})).err, -EPROTO);
}

TEST(RpcrdmaHostile, AWholeCallByChunkIsNoInlineMessageAndTheOtherWayRound)
{
	EXPECT_EQ(Call(fixed(CWR_MSG).read(0, 100).words({0, 0, 0}).rpc(0)).err, -EPROTO);
	EXPECT_EQ(Call(fixed(CWR_NOMSG).words({0, 0, 0})).err, -EPROTO);
	EXPECT_EQ(Call(fixed(CWR_NOMSG).read(0, 0).words({0, 0, 0})).err, -EPROTO);
}

// ---- hostile: replies ----

TEST(RpcrdmaHostile, AReplyHasNoReadList)
{
	EXPECT_EQ(Reply(fixed(CWR_MSG).read(8, 4).words({0, 0, 0}).rpc(1)).err, -EBADMSG);
	EXPECT_EQ(Reply(fixed(CWR_MSG).read(0, 4).words({0, 0, 0}).rpc(1)).err, -EBADMSG);
}

TEST(RpcrdmaHostile, AReplyIsInlineOrByReplyChunkNotBoth)
{
	Message both = fixed(CWR_MSG).words({0, 0, 1, 1});
	EXPECT_EQ(Reply(both.segment(1, 4, 0).rpc(1)).err, -EBADMSG);
	EXPECT_EQ(Reply(fixed(CWR_NOMSG).words({0, 0, 0}).rpc(1)).err, -EBADMSG);
}

TEST(RpcrdmaHostile, TheDirectionIsThatOfAMessageOfThisNumber)
{
	EXPECT_EQ(direction(fixed(CWR_MSG).words({0, 0, 0}).rpc(0)), CWR_CALL);
	EXPECT_EQ(direction(fixed(CWR_MSG).words({0, 0, 0}).rpc(1)), CWR_REPLY);
	EXPECT_EQ(direction(fixed(CWR_MSG).words({0, 0, 0}).rpc(2)), -EBADMSG);
	EXPECT_EQ(direction(fixed(CWR_MSG).words({0, 0, 0}).rpc(1, XID + 1)), -EBADMSG);
	EXPECT_EQ(direction(fixed(CWR_MSG).words({0, 0, 0}).word(XID).body(3)), -EBADMSG);
	EXPECT_EQ(direction(fixed(CWR_NOMSG).words({0, 0, 1, 0}).rpc(1)), -EBADMSG);
}

TEST(RpcrdmaHostile, ACallThatIsNoReplyIsKnownForACallStill)
{
	Message with_reply_chunk =
		fixed(CWR_MSG).words({0, 0, 1, 1}).segment(3, 4096, 0x30000).rpc(0);
	for (const Message &call : {write_call(), with_reply_chunk}) {
		const Reply reply(call);
		EXPECT_EQ(reply.err, -EBADMSG);
		EXPECT_EQ(cwr_direction(call.bytes().data(), call.bytes().size(), &reply.header),
			  CWR_CALL);
	}
}

TEST(RpcrdmaHostile, CreditsAreAtLeastOneAndAtMostOurs)
{
	EXPECT_EQ(cwr_credits(0, 64), 1U);
	EXPECT_EQ(cwr_credits(1, 64), 1U);
	EXPECT_EQ(cwr_credits(64, 64), 64U);
	EXPECT_EQ(cwr_credits(0xffffffff, 64), 64U);
}

// ---- what was written into a chunk ----

struct Used {
	u32 bytes = 0;
	int err;

	Used(std::initializer_list<u32> registered, std::initializer_list<u32> echo)
	{
		err = cwr_used(segments(registered).data(), u16(registered.size()), segments(echo).data(),
			       u16(echo.size()), &bytes);
	}
	static std::vector<cwr_segment> segments(std::initializer_list<u32> lengths)
	{
		std::vector<cwr_segment> all;
		for (const u32 length : lengths)
			all.push_back({1, length, 0});
		return all;
	}
};

TEST(RpcrdmaUsed, AsFarAsItGoes)
{
	EXPECT_EQ(Used({4096, 4096}, {4096, 100}).bytes, 4196U);
	EXPECT_EQ(Used({4096, 4096}, {100, 0}).bytes, 100U);
	EXPECT_EQ(Used({4096, 4096}, {0, 0}).bytes, 0U);
	EXPECT_EQ(Used({4096, 4096}, {4096}).bytes, 4096U);
	EXPECT_EQ(Used({4096}, {}).bytes, 0U);
	EXPECT_EQ(Used({4096, 4096}, {4096, 100}).err, 0);
}

TEST(RpcrdmaHostile, MoreWasWrittenThanWasLent)
{
	EXPECT_EQ(Used({4096}, {4097}).err, -EPROTO);
	EXPECT_EQ(Used({4096}, {4096, 1}).err, -EPROTO);
	EXPECT_EQ(Used({4096}, {0xffffffff}).err, -EPROTO);
	EXPECT_EQ(Used({}, {0}).err, -EPROTO);
}

TEST(RpcrdmaHostile, AHoleInWhatWasWritten)
{
	EXPECT_EQ(Used({4096, 4096}, {100, 1}).err, -EPROTO);
	EXPECT_EQ(Used({4096, 4096, 4096}, {4096, 0, 4096}).err, -EPROTO);
}

// ---- encoding ----

template <class Put> std::string encoded(size_t size, Put put)
{
	std::vector<u8> to(size);
	cwr_encoder enc;
	put(enc, to.data(), size);
	const int len = cwr_put_end(&enc);
	return len < 0 ? std::string() : std::string(to.begin(), to.begin() + len);
}

TEST(RpcrdmaEncode, Plain)
{
	u8 to[CWR_HEADER_MIN];
	cwr_put_plain(to, XID, 32);
	const std::string got(to, to + sizeof(to));
	EXPECT_EQ(got, fixed(CWR_MSG).words({0, 0, 0}).bytes());
}

const cwr_segment TWO[] = {{1, 4096, 0x123456789aULL}, {2, 8192, 0x20000}};

void put_all(cwr_encoder &enc, void *to, size_t size)
{
	cwr_put_start(&enc, to, size, XID, 32, CWR_NOMSG);
	cwr_put_read(&enc, 0, &TWO[0]);
	cwr_put_read(&enc, 40, &TWO[1]);
	cwr_put_none(&enc);
	cwr_put_write(&enc, TWO, 2);
	cwr_put_none(&enc);
	cwr_put_reply(&enc, TWO, 1);
}

TEST(RpcrdmaEncode, EveryListAsItIsParsed)
{
	Message want =
		fixed(CWR_NOMSG).read(0, 4096, 1, 0x123456789aULL).read(40, 8192, 2, 0x20000);
	want.words({0, 1, 2}).segment(1, 4096, 0x123456789aULL).segment(2, 8192, 0x20000);
	want.words({0, 1, 1}).segment(1, 4096, 0x123456789aULL);
	EXPECT_EQ(encoded(1024, put_all), want.bytes());
	const Call call(want);
	ASSERT_EQ(call.err, 0);
	EXPECT_EQ(call.header.len, want.bytes().size());
}

TEST(RpcrdmaEncode, WhatDoesNotFitIsAnErrorAndNothingIsWrittenBeyond)
{
	const size_t fits = encoded(1024, put_all).size();
	EXPECT_EQ(encoded(fits, put_all).size(), fits);
	for (size_t size = 0; size < fits; size++)
		EXPECT_EQ(encoded(size, put_all), "") << size;
}

TEST(RpcrdmaEncode, AnEchoSaysHowMuchWasWritten)
{
	const auto echo = [](u32 used) {
		return encoded(1024, [used](cwr_encoder &enc, void *to, size_t size) {
			cwr_put_start(&enc, to, size, XID, 32, CWR_MSG);
			cwr_put_none(&enc);
			cwr_put_written(&enc, TWO, 2, used);
			cwr_put_none(&enc);
			cwr_put_none(&enc);
		});
	};
	const auto want = [](u32 first, u32 second) {
		Message m = fixed(CWR_MSG).words({0, 1, 2}).segment(1, first, 0x123456789aULL);
		return m.segment(2, second, 0x20000).words({0, 0}).bytes();
	};
	EXPECT_EQ(echo(0), want(0, 0));
	EXPECT_EQ(echo(4000), want(4000, 0));
	EXPECT_EQ(echo(5000), want(4096, 904));
}

TEST(RpcrdmaEncode, ErrorReportsEchoNumberAndVersion)
{
	u8 to[CWR_HEADER_MIN];
	const Call version(fixed(CWR_MSG, 32, 9).words({0, 0, 0}));
	ASSERT_EQ(cwr_put_error(to, &version.header, 5, version.err), 28);
	EXPECT_EQ(std::string(to, to + 28),
		  fixed(CWR_ERROR, 5, 9).words({CWR_ERR_VERS, 1, 1}).bytes());
	const Call chunk(fixed(3).words({0, 0, 0}));
	ASSERT_EQ(cwr_put_error(to, &chunk.header, 5, chunk.err), 20);
	EXPECT_EQ(std::string(to, to + 20), fixed(CWR_ERROR, 5).word(CWR_ERR_CHUNK).bytes());
}

} // namespace
