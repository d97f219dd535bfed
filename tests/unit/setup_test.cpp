// SPDX-License-Identifier: GPL-2.0-or-later
// Private data of the connection manager: PROTOCOL, section 2.
#include "wire.h"

using namespace wire;

namespace
{

int parse_req(const cw_wire_req &rec, cw_req *out)
{
	return cw_parse_req(&rec, sizeof(rec), out);
}
int parse_rep(const cw_wire_rep &rec, cw_rep *out)
{
	return cw_parse_rep(&rec, sizeof(rec), out);
}
int parse_rej(const cw_wire_rej &rec, cw_rej *out)
{
	return cw_parse_rej(&rec, sizeof(rec), out);
}

cw_wire_rej refusal(u16 reason)
{
	cw_wire_rej rec;
	cw_pack_rej(&rec, reason);
	return rec;
}

TEST(Setup, RequestOfADataLinkArrivesAsSent)
{
	cw_req out{};
	ASSERT_EQ(parse_req(packed(cw_pack_req, samples::req()), &out), 0);
	EXPECT_EQ(out.version, CW_WIRE_VERSION);
	EXPECT_EQ(out.kind, CW_KIND_DATA);
	EXPECT_EQ(out.index, 3);
	EXPECT_EQ(out.number, 77U);
	EXPECT_EQ(memcmp(out.token, samples::req().token, sizeof(out.token)), 0);
}

TEST(Setup, RequestOfAControlLinkIsSentWithoutFieldsItDoesNotHave)
{
	cw_req stale = samples::req();
	stale.kind = CW_KIND_CONTROL;
	cw_req out;
	memset(&out, 0xff, sizeof(out));
	ASSERT_EQ(parse_req(packed(cw_pack_req, stale), &out), 0);
	EXPECT_EQ(out.kind, CW_KIND_CONTROL);
	EXPECT_EQ(out.index, 0);
	EXPECT_EQ(out.number, 0U);
}

TEST(Setup, TransportArrives)
{
	for (const u8 transport : {CW_WIRE_RDMA, CW_WIRE_TCP}) {
		cw_req req = samples::control_req(), req_out{};
		cw_rep rep = samples::control_rep(), rep_out{};
		req.transport = rep.transport = transport;
		ASSERT_EQ(parse_req(packed(cw_pack_req, req), &req_out), 0);
		EXPECT_EQ(req_out.transport, transport);
		ASSERT_EQ(parse_rep(packed(cw_pack_rep, rep), &rep_out), 0);
		EXPECT_EQ(rep_out.transport, transport);
	}
}

TEST(Setup, RequestRules)
{
	each_harm_is_refused<cw_req, cw_wire_req>(
		packed(cw_pack_req, samples::req()), parse_req,
		{
			{"magic", [](auto &r) { r.magic = le32(CW_WIRE_MAGIC + 1); }},
			{"version 0", [](auto &r) { r.version_min = 0; }},
			{"versions reversed", [](auto &r) { r.version_min = le16(3); }},
			{"only older", [](auto &r) { r.version_min = r.version_max = le16(1); },
			 -EPROTONOSUPPORT},
			{"only newer",
			 [](auto &r) {
				 r.version_min = le16(3);
				 r.version_max = le16(0xffff);
			 },
			 -EPROTONOSUPPORT},
			{"only newer, and laid out in another way",
			 [](auto &r) {
				 r.version_min = r.version_max = le16(3);
				 r.kind = 99;
				 r.transport = 99;
			 },
			 -EPROTONOSUPPORT},
			{"kind 0", [](auto &r) { r.kind = 0; }},
			{"kind unknown", [](auto &r) { r.kind = CW_KIND_DATA + 1; }},
			{"no transport", [](auto &r) { r.transport = 0; }},
			{"transport unknown", [](auto &r) { r.transport = CW_WIRE_TCP + 1; }},
			{"reserved0", [](auto &r) { r.reserved0[7] = 1; }},
			{"index", [](auto &r) { r.index = le16(CW_WIRE_QUEUES_MAX); }},
			{"no number", [](auto &r) { r.number = 0; }},
		});
	each_harm_is_refused<cw_req, cw_wire_req>(
		packed(cw_pack_req, samples::control_req()), parse_req,
		{
			{"control with an index", [](auto &r) { r.index = le16(1); }},
			{"control with a number", [](auto &r) { r.number = le32(1); }},
			{"control with a token", [](auto &r) { r.token[15] = 1; }},
		});
}

TEST(Setup, RequestMayNameARangeOfVersions)
{
	cw_wire_req rec = packed(cw_pack_req, samples::req());
	cw_req out{};
	rec.version_min = le16(1);
	rec.version_max = le16(9);
	ASSERT_EQ(parse_req(rec, &out), 0);
	EXPECT_EQ(out.version, 2);
	rec.version_max = le16(2);
	EXPECT_EQ(parse_req(rec, &out), 0);
	rec.version_min = le16(2);
	rec.version_max = le16(3);
	EXPECT_EQ(parse_req(rec, &out), 0);
}

// A request of another version may be shorter. The server reports the range of versions that it
// read.
TEST(Setup, VersionsAreReadBeforeAllElse)
{
	cw_wire_req rec = packed(cw_pack_req, samples::req());
	rec.version_min = le16(3);
	rec.version_max = le16(7);
	rec.kind = 99;
	const auto from = reinterpret_cast<const u8 *>(&rec);
	for (size_t len = 0; len <= sizeof(rec); len++) {
		const std::vector<u8> exact(from, from + len);
		cw_versions versions{};
		cw_req out;
		EXPECT_EQ(cw_parse_versions(exact.data(), len, &versions), len < 8 ? -EPROTO : 0);
		EXPECT_EQ(cw_parse_req(exact.data(), len, &out),
			  len < 8 ? -EPROTO : -EPROTONOSUPPORT);
		EXPECT_EQ(versions.min, len < 8 ? 0 : 3);
		EXPECT_EQ(versions.max, len < 8 ? 0 : 7);
	}
	each_harm_is_refused<cw_versions, cw_wire_req>(
		rec,
		[](const cw_wire_req &r, cw_versions *out) {
			return cw_parse_versions(&r, sizeof(r), out);
		},
		{
			{"magic", [](auto &r) { r.magic ^= le32(1); }},
			{"version 0", [](auto &r) { r.version_min = 0; }},
			{"versions reversed", [](auto &r) { r.version_min = le16(8); }},
		});
}

TEST(Setup, AcceptanceArrivesAsSent)
{
	cw_rep out{};
	ASSERT_EQ(parse_rep(packed(cw_pack_rep, samples::rep()), &out), 0);
	EXPECT_EQ(out.version, CW_WIRE_VERSION);
	EXPECT_EQ(out.kind, CW_KIND_DATA);
	EXPECT_EQ(out.index, 3);

	ASSERT_EQ(parse_rep(packed(cw_pack_rep, samples::control_rep()), &out), 0);
	EXPECT_EQ(out.kind, CW_KIND_CONTROL);
	EXPECT_EQ(memcmp(out.nonce, samples::control_rep().nonce, sizeof(out.nonce)), 0);
}

TEST(Setup, AcceptanceIsSentWithoutFieldsThatItsKindDoesNotHave)
{
	cw_rep out{}, stale = samples::rep();
	samples::fill(stale.nonce, 1);
	ASSERT_EQ(parse_rep(packed(cw_pack_rep, stale), &out), 0);
	EXPECT_EQ(out.nonce[0], 0);

	stale.kind = CW_KIND_CONTROL;
	ASSERT_EQ(parse_rep(packed(cw_pack_rep, stale), &out), 0);
	EXPECT_EQ(out.index, 0);
	EXPECT_EQ(out.nonce[0], 1);
}

TEST(Setup, AcceptanceRules)
{
	each_harm_is_refused<cw_rep, cw_wire_rep>(
		packed(cw_pack_rep, samples::rep()), parse_rep,
		{
			{"magic", [](auto &r) { r.magic = 0; }},
			{"version 0", [](auto &r) { r.version = 0; }},
			{"version below", [](auto &r) { r.version = le16(1); }},
			{"version above", [](auto &r) { r.version = le16(3); }},
			{"kind 0", [](auto &r) { r.kind = 0; }},
			{"kind unknown", [](auto &r) { r.kind = 4; }},
			{"no transport", [](auto &r) { r.transport = 0; }},
			{"transport unknown", [](auto &r) { r.transport = CW_WIRE_TCP + 1; }},
			{"reserved0", [](auto &r) { r.reserved0[0] = 1; }},
			{"reserved0 last", [](auto &r) { r.reserved0[5] = 1; }},
			{"index", [](auto &r) { r.index = le16(CW_WIRE_QUEUES_MAX); }},
			{"data with a nonce", [](auto &r) { r.nonce[0] = 1; }},
			{"data with a nonce's last byte", [](auto &r) { r.nonce[31] = 1; }},
		});
	each_harm_is_refused<cw_rep, cw_wire_rep>(
		packed(cw_pack_rep, samples::control_rep()), parse_rep,
		{
			{"control with an index", [](auto &r) { r.index = le16(1); }},
			{"control with version 1's credits", [](auto &r) { r.reserved0[0] = 8; }},
		});
	each_change_is_fine<cw_rep, cw_wire_rep>(
		packed(cw_pack_rep, samples::rep()), parse_rep,
		{
			{"last index", [](auto &r) { r.index = le16(CW_WIRE_QUEUES_MAX - 1); }},
			{"first index", [](auto &r) { r.index = 0; }},
		});
}

TEST(Setup, EveryReasonOfARejectionArrives)
{
	for (u16 reason = CW_REFUSED_MALFORMED; reason <= CW_REFUSED_TRANSPORT; reason++) {
		cw_rej out{};
		ASSERT_EQ(parse_rej(refusal(reason), &out), 0);
		EXPECT_EQ(out.reason, reason);
		EXPECT_EQ(out.version_min, 2);
		EXPECT_EQ(out.version_max, 2);
	}
}

TEST(Setup, RejectionRules)
{
	each_harm_is_refused<cw_rej, cw_wire_rej>(
		refusal(CW_REFUSED_VERSION), parse_rej,
		{
			{"magic", [](auto &r) { r.magic = 0; }},
			{"no reason", [](auto &r) { r.reason = 0; }},
			{"reason unknown", [](auto &r) { r.reason = le16(CW_REFUSED_TRANSPORT + 1); }},
			{"version 0", [](auto &r) { r.version_min = 0; }},
			{"versions reversed", [](auto &r) { r.version_min = le16(3); }},
			{"reserved0", [](auto &r) { r.reserved0[5] = 1; }},
		});
}

TEST(Setup, ARejectionMayComeFromAServerOfAnotherVersion)
{
	cw_wire_rej rec = refusal(CW_REFUSED_VERSION);
	cw_rej out{};
	rec.version_min = rec.version_max = le16(1);
	ASSERT_EQ(parse_rej(rec, &out), 0);
	EXPECT_EQ(out.version_max, 1);
	rec.version_min = le16(4);
	rec.version_max = le16(6);
	ASSERT_EQ(parse_rej(rec, &out), 0);
	EXPECT_EQ(out.version_min, 4);
	EXPECT_EQ(out.version_max, 6);
}

// The connection manager delivers a fixed, larger number of bytes and fills the rest itself.
template <class Rec, class Host>
void padding_is_ignored(const Rec &rec, int (*parse)(const void *, size_t, Host *))
{
	for (size_t len = 0; len < sizeof(rec) + 200; len++) {
		const auto from = reinterpret_cast<const u8 *>(&rec);
		std::vector<u8> exact(from, from + std::min(len, sizeof(rec)));
		Host out;
		exact.resize(len, 0xee);
		EXPECT_EQ(parse(exact.data(), len, &out), len < sizeof(rec) ? -EPROTO : 0) << len;
	}
	cw_req out;
	EXPECT_EQ(cw_parse_req(nullptr, 0, &out), -EPROTO); // a peer that sent no private data
}

TEST(Setup, PaddingIsIgnored)
{
	padding_is_ignored(packed(cw_pack_req, samples::req()), cw_parse_req);
	padding_is_ignored(packed(cw_pack_rep, samples::rep()), cw_parse_rep);
	padding_is_ignored(refusal(CW_REFUSED_KEY), cw_parse_rej);
}

} // namespace
