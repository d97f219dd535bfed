// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <set>

#include "kmod/core/session/client/refusal.h"

namespace
{

constexpr u16 LAST = CW_REFUSED_TRANSPORT;

// Rule 19 of section 4 and rules 20 to 22 of section 5 of the protocol, written independently of
// the code: the conditions that a believed refusal has to meet, one after the other.
cw_refusal_meaning expected(const cw_refusal &r)
{
	const bool believed = r.after_proof && r.proved;
	const std::set<u16> final = {CW_REFUSED_STALE, CW_REFUSED_SUPERSEDED, CW_REFUSED_EVICTED};
	if (believed && r.returning && r.identity == CW_IDENTITY_OTHER)
		return CW_REFUSAL_ANOTHER_DISK;
	if (believed && r.returning && r.identity == CW_IDENTITY_SAME && final.count(r.reason))
		return CW_REFUSAL_FINAL;
	if (believed && !r.returning && r.reason != CW_REFUSED_EVICTED && final.count(r.reason))
		return CW_REFUSAL_END_ATTACH;
	return CW_REFUSAL_FAILED;
}

template <class F> void for_all_refusals(F f)
{
	for (u32 reason = 0; reason <= LAST + 1U; reason++)
		for (int bits = 0; bits < 8; bits++)
			for (cw_refusal_identity identity :
			     {CW_IDENTITY_ZERO, CW_IDENTITY_SAME, CW_IDENTITY_OTHER})
				f(cw_refusal{u16(reason), bool(bits & 1), bool(bits & 2),
					     bool(bits & 4), identity});
}

TEST(Refusal, MeansWhatTheProtocolSays)
{
	for_all_refusals([](const cw_refusal &r) {
		EXPECT_EQ(cw_refusal_means(&r), expected(r))
			<< r.reason << " returning " << r.returning << " after PROOF "
			<< r.after_proof << " proved " << r.proved << " identity " << r.identity;
	});
}

TEST(Refusal, TakesADiskAwayInThreeCasesOnly)
{
	unsigned final = 0, ends = 0;
	for_all_refusals([&](const cw_refusal &r) {
		const cw_refusal_meaning meaning = cw_refusal_means(&r);
		final += meaning == CW_REFUSAL_FINAL;
		ends += meaning == CW_REFUSAL_END_ATTACH;
		if (meaning != CW_REFUSAL_FAILED) {
			EXPECT_TRUE(r.after_proof);
			EXPECT_TRUE(r.proved);
		}
	});
	EXPECT_EQ(final, 3U);
	EXPECT_EQ(ends, 2U * 3U); // for every identity, because the client has no disk yet
}

TEST(Refusal, OfAnOwnerThatIsProvedIsFinal)
{
	for (int reason : {CW_REFUSED_STALE, CW_REFUSED_SUPERSEDED, CW_REFUSED_EVICTED}) {
		const cw_refusal r = {u16(reason), true, true, true, CW_IDENTITY_SAME};
		EXPECT_EQ(cw_refusal_means(&r), CW_REFUSAL_FINAL) << reason;
	}
	for (int reason : {CW_REFUSED_IN_USE, CW_REFUSED_LEDGER, CW_REFUSED_EXPORT}) {
		const cw_refusal r = {u16(reason), true, true, true, CW_IDENTITY_SAME};
		EXPECT_EQ(cw_refusal_means(&r), CW_REFUSAL_FAILED) << reason;
	}
}

TEST(Refusal, IsNoAnswerForGoodWithoutOneOfTheProofs)
{
	const cw_refusal right = {CW_REFUSED_SUPERSEDED, true, true, true, CW_IDENTITY_SAME};
	cw_refusal r = right;
	r.proved = false;
	EXPECT_EQ(cw_refusal_means(&r), CW_REFUSAL_FAILED);
	r = right;
	r.after_proof = false;
	EXPECT_EQ(cw_refusal_means(&r), CW_REFUSAL_FAILED);
	r = right;
	r.identity = CW_IDENTITY_ZERO;
	EXPECT_EQ(cw_refusal_means(&r), CW_REFUSAL_FAILED);
}

TEST(Welcome, IsOfAnotherDiskOnlyIfTheClientKnowsOne)
{
	const u8 zero[CW_WIRE_UUID] = {};
	for (int i = 0; i < CW_WIRE_UUID; i++) {
		u8 one[CW_WIRE_UUID] = {}, other[CW_WIRE_UUID] = {};
		one[i] = 1;
		other[i] = 2;
		EXPECT_FALSE(cw_is_another_disk(zero, one));
		EXPECT_FALSE(cw_is_another_disk(one, one));
		EXPECT_TRUE(cw_is_another_disk(one, other)) << i;
		EXPECT_TRUE(cw_is_another_disk(one, zero)) << i;
	}
	EXPECT_FALSE(cw_is_another_disk(zero, zero));
}

TEST(Refusal, OfANewAttachmentEndsTheAttach)
{
	const cw_refusal stale = {CW_REFUSED_STALE, false, true, true, CW_IDENTITY_ZERO};
	EXPECT_EQ(cw_refusal_means(&stale), CW_REFUSAL_END_ATTACH);
	const cw_refusal superseded = {CW_REFUSED_SUPERSEDED, false, true, true, CW_IDENTITY_OTHER};
	EXPECT_EQ(cw_refusal_means(&superseded), CW_REFUSAL_END_ATTACH);
	// An administrator may readmit the host while the attach is retried.
	const cw_refusal evicted = {CW_REFUSED_EVICTED, false, true, true, CW_IDENTITY_OTHER};
	EXPECT_EQ(cw_refusal_means(&evicted), CW_REFUSAL_FAILED);
}

} // namespace
