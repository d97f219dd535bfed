// SPDX-License-Identifier: GPL-2.0-or-later
// What must hold of every control struct that a parser accepts. What is neither cut nor clamped
// must say the same as its bytes: packed again it is the same bytes.
#pragma once

#include "fuzz.h"
#include "samples.h"

namespace fuzz
{

inline void check_geometry(const cw_geometry &geo)
{
	CHECK(geo.logical_block >= 512 && geo.logical_block <= 4096);
	CHECK(!(geo.logical_block & (geo.logical_block - 1)));
	CHECK(geo.physical_block >= geo.logical_block && geo.physical_block <= 1U << 20);
	CHECK(!(geo.physical_block & (geo.physical_block - 1)));
	CHECK(geo.size && geo.size % geo.logical_block == 0 && geo.size >> 63 == 0);
	CHECK(geo.discard_max % geo.logical_block == 0 && geo.zeroes_max % geo.logical_block == 0);
	CHECK(!(geo.flags & CW_EXPORT_DISCARD) == !geo.discard_max);
	CHECK(!geo.discard_max == !geo.discard_ranges &&
	      !geo.discard_max == !geo.discard_granularity);
	CHECK(!(geo.flags & CW_EXPORT_WRITE_ZEROES) == !geo.zeroes_max);
	CHECK(!(geo.flags & 0xff80));
}

inline bool hello(const u8 *data, size_t len)
{
	cw_hello h;
	const int err = cw_parse_hello(data, len, &h);
	CHECK(!err || err == -EPROTO || err == -EPROTONOSUPPORT);
	if (err)
		return false;
	CHECK(len == sizeof(cw_wire_hello));
	CHECK(cw_valid_name(h.export_name, sizeof(h.export_name)) && printable(h.export_name));
	CHECK(printable(h.host_name));
	CHECK(!(h.features_required & ~h.features_offered));
	CHECK(h.queues >= 1 && h.queues <= CW_WIRE_QUEUES_MAX);
	CHECK(h.depth >= 1 && h.depth <= CW_WIRE_DEPTH_MAX);
	CHECK(h.inline_size <= CW_WIRE_INLINE_MAX && h.inline_size % CW_WIRE_PAGE == 0);
	CHECK(h.max_io && h.max_io <= CW_WIRE_IO_MAX && h.max_io % CW_WIRE_PAGE == 0);
	CHECK(h.area && h.area <= CW_WIRE_AREA_MAX);
	CHECK(h.messages >= CW_WIRE_MESSAGES_MIN && h.messages <= CW_WIRE_MESSAGES_MAX);

	cw_wire_hello rec, again;
	cw_hello twice;
	cw_pack_hello(&rec, &h);
	CHECK(!cw_parse_hello(&rec, sizeof(rec), &twice));
	cw_pack_hello(&again, &twice);
	CHECK(same(again, &rec));
	// All but the host name and the clamped wishes is as it came.
	CHECK(!memcmp(&rec, data, offsetof(cw_wire_hello, host_name)));
	return true;
}

inline bool challenge(const u8 *data, size_t len, u64 offered)
{
	cw_challenge c;
	const int err = cw_parse_challenge(data, len, offered, &c);
	CHECK(!err || err == -EPROTO || err == -EPROTONOSUPPORT);
	if (err)
		return false;
	CHECK(!(c.features & ~offered) && !(c.flags & ~CW_CHALLENGE_KEY));
	cw_wire_challenge rec;
	cw_pack_challenge(&rec, &c);
	CHECK(len == sizeof(rec) && same(rec, data));
	return true;
}

inline bool proof(const u8 *data, size_t len)
{
	u8 mac[CW_WIRE_MAC];
	const int err = cw_parse_proof(data, len, mac);
	CHECK(!err ? len == sizeof(mac) && !memcmp(mac, data, len) : err == -EPROTO);
	return !err;
}

inline bool welcome(const u8 *data, size_t len, const cw_hello &wish)
{
	cw_welcome w;
	const int err = cw_parse_welcome(data, len, &wish, &w);
	CHECK(!err || err == -EPROTO);
	if (err)
		return false;
	CHECK(w.session && w.probe_ms && w.probe_ms < w.dead_ms && w.dead_ms <= CW_WIRE_DEAD_MAX);
	CHECK(w.queues && w.queues <= wish.queues && w.queues <= CW_WIRE_QUEUES_MAX);
	CHECK(w.depth && w.depth <= wish.depth && w.depth <= CW_WIRE_DEPTH_MAX);
	CHECK(w.inline_size <= wish.inline_size && w.inline_size <= CW_WIRE_INLINE_MAX);
	CHECK(w.max_io >= w.geo.logical_block && w.max_io <= wish.max_io);
	CHECK(w.max_io <= CW_WIRE_IO_MAX);
	check_geometry(w.geo);
	cw_wire_welcome rec;
	cw_pack_welcome(&rec, &w);
	CHECK(w.area && w.area <= CW_WIRE_AREA_MAX);
	CHECK(w.messages >= CW_WIRE_MESSAGES_MIN && w.messages <= CW_WIRE_MESSAGES_MAX);
	// What may be larger than we can use.
	memcpy(&rec.area, data + offsetof(cw_wire_welcome, area), sizeof(rec.area));
	memcpy(&rec.messages, data + offsetof(cw_wire_welcome, messages), sizeof(rec.messages));
	CHECK(len == sizeof(rec) && same(rec, data));
	return true;
}

inline bool refused(const u8 *data, size_t len)
{
	cw_refused r;
	const int err = cw_parse_refused(data, len, &r);
	CHECK(!err || err == -EPROTO);
	if (err)
		return false;
	CHECK(r.reason >= CW_REFUSED_MALFORMED && r.reason <= CW_REFUSED_INTERNAL);
	CHECK(!r.epoch || r.reason == CW_REFUSED_STALE);
	CHECK(printable(r.text));
	cw_wire_refused rec;
	cw_pack_refused(&rec, &r);
	CHECK(len == sizeof(rec) && !memcmp(&rec, data, offsetof(cw_wire_refused, text)));
	return true;
}

inline bool discover(const u8 *data, size_t len)
{
	cw_discover d;
	const int err = cw_parse_discover(data, len, &d);
	CHECK(!err || err == -EPROTO || err == -EPROTONOSUPPORT);
	CHECK(err || len == sizeof(cw_wire_discover));
	return !err;
}

// As a client reads them: until there are no more, or one is malformed.
inline bool exports(const u8 *data, size_t len)
{
	cw_export_info e;
	size_t i = 0;
	int err;
	while (!(err = cw_parse_export(data, len, i, &e))) {
		CHECK(++i <= len / sizeof(cw_wire_export));
		CHECK(cw_valid_name(e.name, sizeof(e.name)) && printable(e.name));
		CHECK(e.size && e.size % e.logical_block == 0 && e.size >> 63 == 0);
		CHECK(e.logical_block >= 512 && e.logical_block <= 4096);
		cw_wire_export rec;
		cw_pack_export(&rec, &e);
		CHECK(same(rec, data + (i - 1) * sizeof(rec)));
	}
	CHECK(err == -EPROTO || (err == -ENOENT && i == len / sizeof(cw_wire_export)));
	return err == -ENOENT;
}

inline bool notice(const u8 *data, size_t len)
{
	cw_notice n;
	const int err = cw_parse_notice(data, len, &n);
	CHECK(!err || err == -EPROTO);
	if (err)
		return false;
	CHECK(n.kind >= CW_NOTICE_GEOMETRY && n.kind <= CW_NOTICE_STOPPING);
	if (n.kind == CW_NOTICE_GEOMETRY)
		check_geometry(n.geo);
	cw_wire_notice rec;
	cw_pack_notice(&rec, &n);
	CHECK(len == sizeof(rec) && same(rec, data));
	return true;
}

inline bool geometry(const u8 *data, size_t len)
{
	cw_geometry g;
	if (len != sizeof(cw_wire_geometry))
		return false;
	const int err = cw_parse_geometry(reinterpret_cast<const cw_wire_geometry *>(data), &g);
	CHECK(!err || err == -EPROTO);
	if (err)
		return false;
	check_geometry(g);
	cw_wire_geometry rec;
	cw_pack_geometry(&rec, &g);
	CHECK(same(rec, data));
	return true;
}

} // namespace fuzz
