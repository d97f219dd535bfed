// SPDX-License-Identifier: GPL-2.0-or-later
// Private data of the connection manager. The first byte selects a request, an acceptance or a
// rejection.
#include "fuzz.h"
#include "samples.h"

using namespace fuzz;

static void request(const Bytes &in)
{
	cw_versions v;
	cw_req r;
	const int unread = cw_parse_versions(in.data(), in.size(), &v);
	const int err = cw_parse_req(in.data(), in.size(), &r);
	CHECK(!unread || unread == -EPROTO);
	CHECK(!err || err == -EPROTO || err == -EPROTONOSUPPORT);
	// A server that refuses another version must have read that version.
	CHECK(!unread || err == -EPROTO);
	CHECK(unread || (v.min && v.min <= v.max));
	CHECK(unread ||
	      (err == -EPROTONOSUPPORT) == (v.min > CW_WIRE_VERSION || v.max < CW_WIRE_VERSION));
	if (err)
		return;
	CHECK(r.version == CW_WIRE_VERSION);
	CHECK(r.kind >= CW_KIND_CONTROL && r.kind <= CW_KIND_DATA);
	CHECK(r.index < CW_WIRE_QUEUES_MAX);
	CHECK(cw_known_transport(r.transport));
	CHECK((r.kind == CW_KIND_CONTROL) == !r.number);
	cw_wire_req rec;
	cw_pack_req(&rec, &r);
	// Equal except for the range of versions from which it was chosen.
	CHECK(!memcmp(&rec.kind, in.data() + offsetof(cw_wire_req, kind),
		      sizeof(rec) - offsetof(cw_wire_req, kind)));
}

static void acceptance(const Bytes &in)
{
	cw_rep r;
	const int err = cw_parse_rep(in.data(), in.size(), &r);
	CHECK(!err || err == -EPROTO);
	if (err)
		return;
	CHECK(r.version == CW_WIRE_VERSION && r.index < CW_WIRE_QUEUES_MAX);
	CHECK(cw_known_transport(r.transport));
	CHECK(r.kind == CW_KIND_DATA || !r.index);
	cw_wire_rep rec;
	cw_pack_rep(&rec, &r);
	CHECK(same(rec, in.data()));
}

static void rejection(const Bytes &in)
{
	cw_rej r;
	const int err = cw_parse_rej(in.data(), in.size(), &r);
	CHECK(!err || err == -EPROTO);
	if (err)
		return;
	CHECK(r.reason >= CW_REFUSED_MALFORMED && r.reason <= CW_REFUSED_TRANSPORT);
	CHECK(r.version_min && r.version_min <= r.version_max);
	cw_wire_rej rec;
	cw_pack_rej(&rec, r.reason);
	rec.version_min = __cpu_to_le16(r.version_min);
	rec.version_max = __cpu_to_le16(r.version_max);
	CHECK(same(rec, in.data()));
}

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	static void (*const targets[])(const Bytes &) = {request, acceptance, rejection};
	if (len)
		targets[data[0] % 3](Bytes(data + 1, len - 1));
	return 0;
}
