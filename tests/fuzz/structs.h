// SPDX-License-Identifier: GPL-2.0-or-later
// Properties of every control struct that a parser accepts. Fields that are neither cut nor clamped
// must keep their value: packed again, they have the same bytes.
#pragma once

#include <algorithm>

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

template <size_t N> bool zero(const u8 (&bytes)[N])
{
	return std::all_of(bytes, bytes + N, [](u8 byte) { return !byte; });
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
	CHECK(h.epoch && h.serial && h.path < CW_WIRE_PATHS);
	CHECK(!h.path || h.features_offered & CW_FEATURE_PATHS);
	CHECK(h.flags & CW_HELLO_RETURNING ? h.last && h.last < h.epoch
					   : !h.last && !h.generation && zero(h.receipt));

	cw_wire_hello rec, again;
	cw_hello twice;
	cw_pack_hello(&rec, &h);
	CHECK(!cw_parse_hello(&rec, sizeof(rec), &twice));
	cw_pack_hello(&again, &twice);
	CHECK(same(again, &rec));
	// Everything except the host name and the clamped wishes is unchanged.
	CHECK(!memcmp(&rec, data, offsetof(cw_wire_hello, host_name)));
	CHECK(!memcmp(&rec.messages, data + offsetof(cw_wire_hello, messages),
		      sizeof(rec) - offsetof(cw_wire_hello, messages)));
	return true;
}

inline bool challenge(const u8 *data, size_t len, u64 offered, u64 required)
{
	cw_challenge c;
	const int err = cw_parse_challenge(data, len, offered, required, &c);
	CHECK(!err || err == -EPROTO || err == -EPROTONOSUPPORT);
	if (err)
		return false;
	CHECK(!(c.features & ~offered) && !(required & ~c.features));
	CHECK(!(c.flags & ~CW_CHALLENGE_KEY) && !zero(c.instance));
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

// Checks the grants in a WELCOME, which answers a HELLO, or in a JOINED, which answers a JOIN.
template <class Grants, class Wish> void check_grants(const Grants &g, const Wish &wish)
{
	CHECK(g.number);
	CHECK(g.probe_ms >= CW_WIRE_PROBE_MIN && g.dead_ms <= CW_WIRE_DEAD_MAX);
	CHECK(u64(g.probe_ms) * 2 <= g.dead_ms);
	CHECK(g.queues && g.queues <= wish.queues && g.queues <= CW_WIRE_QUEUES_MAX);
	CHECK(g.depth && g.depth <= wish.depth && g.depth <= CW_WIRE_DEPTH_MAX);
	CHECK(g.inline_size <= wish.inline_size && g.inline_size <= CW_WIRE_INLINE_MAX);
	CHECK(g.inline_size % CW_WIRE_PAGE == 0);
	CHECK(g.inline_size <= u32(std::min(g.area, wish.area)) * CW_WIRE_PAGE);
	CHECK(g.max_io && g.max_io <= wish.max_io && g.max_io <= CW_WIRE_IO_MAX);
	CHECK(g.max_io % CW_WIRE_PAGE == 0);
	CHECK(g.area && g.area <= CW_WIRE_AREA_MAX);
	CHECK(g.messages >= CW_WIRE_MESSAGES_MIN && g.messages <= CW_WIRE_MESSAGES_MAX);
}

inline bool welcome(const u8 *data, size_t len, const cw_hello &wish)
{
	cw_welcome w;
	const int err = cw_parse_welcome(data, len, &wish, &w);
	CHECK(!err || err == -EPROTO);
	if (err)
		return false;
	check_grants(w, wish);
	CHECK(w.max_io >= w.geo.logical_block && !zero(w.identity));
	check_geometry(w.geo);
	cw_wire_welcome rec;
	cw_pack_welcome(&rec, &w);
	// This may be larger than we can use, so it may differ.
	memcpy(&rec.area, data + offsetof(cw_wire_welcome, area), sizeof(rec.area));
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
	CHECK(r.reason >= CW_REFUSED_MALFORMED && r.reason <= CW_REFUSED_TRANSPORT);
	CHECK(!r.epoch || (r.reason == CW_REFUSED_STALE && !zero(r.identity)));
	CHECK(printable(r.text));
	cw_wire_refused rec;
	cw_pack_refused(&rec, &r);
	CHECK(len == sizeof(rec) && !memcmp(&rec, data, offsetof(cw_wire_refused, text)));
	return true;
}

inline bool waiting(const u8 *data, size_t len)
{
	bool taken = false;
	for (const bool of_fence : {false, true}) {
		cw_waiting w;
		const int err = cw_parse_waiting(data, len, of_fence, &w);
		CHECK(!err || err == -EPROTO);
		if (err)
			continue;
		taken = true;
		CHECK(w.reason >= CW_WAITING_COMMANDS && w.reason <= CW_WAITING_FENCE);
		CHECK(!w.commands || w.reason == CW_WAITING_COMMANDS);
		CHECK(of_fence ? w.reason == CW_WAITING_COMMANDS : !w.path);
		CHECK(w.path < CW_WIRE_PATHS);
		cw_wire_waiting rec;
		cw_pack_waiting(&rec, &w);
		CHECK(len == sizeof(rec) && same(rec, data));
	}
	return taken;
}

inline bool probe(const u8 *data, size_t len)
{
	u64 cookie;
	const int err = cw_parse_probe(data, len, &cookie);
	CHECK(!err || err == -EPROTO);
	if (err)
		return false;
	cw_wire_probe rec;
	cw_pack_probe(&rec, cookie);
	CHECK(len == sizeof(rec) && same(rec, data));
	return true;
}

inline bool join(const u8 *data, size_t len)
{
	cw_join j;
	const int err = cw_parse_join(data, len, &j);
	CHECK(!err || err == -EPROTO || err == -EPROTONOSUPPORT);
	if (err)
		return false;
	CHECK(len == sizeof(cw_wire_join) && j.path < CW_WIRE_PATHS && j.epoch);
	CHECK(!zero(j.host) && !zero(j.boot) && !zero(j.session));
	CHECK(j.queues && j.queues <= CW_WIRE_QUEUES_MAX && j.depth &&
	      j.depth <= CW_WIRE_DEPTH_MAX);
	CHECK(j.inline_size <= CW_WIRE_INLINE_MAX && j.inline_size % CW_WIRE_PAGE == 0);
	CHECK(j.max_io && j.max_io <= CW_WIRE_IO_MAX && j.max_io % CW_WIRE_PAGE == 0);
	CHECK(j.area && j.area <= CW_WIRE_AREA_MAX);
	CHECK(j.messages >= CW_WIRE_MESSAGES_MIN && j.messages <= CW_WIRE_MESSAGES_MAX);
	cw_wire_join rec;
	cw_pack_join(&rec, &j);
	CHECK(!memcmp(&rec, data, offsetof(cw_wire_join, queues)));
	CHECK(!memcmp(&rec.messages, data + offsetof(cw_wire_join, messages),
		      sizeof(rec.messages)));
	return true;
}

inline bool joined(const u8 *data, size_t len, const cw_join &wish, u64 chosen)
{
	constexpr u64 SHARED = CW_FEATURE_PATHS | CW_FEATURE_CRC;
	cw_joined j;
	const int err = cw_parse_joined(data, len, &wish, chosen, &j);
	CHECK(!err || err == -EPROTO);
	if (err)
		return false;
	check_grants(j, wish);
	CHECK(j.path == wish.path && j.epoch == wish.epoch && !zero(j.instance));
	CHECK(!(j.features & ~wish.features) && (j.features & SHARED) == (chosen & SHARED));
	cw_wire_joined rec;
	cw_pack_joined(&rec, &j);
	memcpy(&rec.area, data + offsetof(cw_wire_joined, area), sizeof(rec.area));
	CHECK(len == sizeof(rec) && same(rec, data));
	return true;
}

inline bool incarnation(const u8 *data, size_t len)
{
	cw_incarnation fence, i;
	const int err = cw_parse_fence(data, len, &fence);
	const int again = cw_parse_incarnation(data, len, &i);
	CHECK(!err || err == -EPROTO);
	CHECK(again == (err || fence.tag ? -EPROTO : 0));
	if (err)
		return false;
	CHECK(fence.path < CW_WIRE_PATHS && fence.epoch);
	cw_wire_incarnation rec;
	cw_pack_incarnation(&rec, &fence);
	CHECK(len == sizeof(rec) && same(rec, data));
	return true;
}

// Keys are not a struct, but they also come from outside.
inline bool key(const u8 *data, size_t len)
{
	const bool valid = cw_valid_key(data, len);
	CHECK(valid == (len >= 16 && len <= 64 &&
			std::any_of(data, data + len, [](u8 byte) { return byte; })));
	return valid;
}

inline bool discover(const u8 *data, size_t len)
{
	cw_discover d;
	const int err = cw_parse_discover(data, len, &d);
	CHECK(!err || err == -EPROTO || err == -EPROTONOSUPPORT);
	CHECK(err || len == sizeof(cw_wire_discover));
	return !err;
}

// Reads them as a client does: until there are no more, or one is malformed.
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
		CHECK(e.nr_addresses <= CW_WIRE_ADDRESSES);
		for (int a = 0; a < e.nr_addresses; a++)
			CHECK(e.addresses[a].port && e.addresses[a].transport &&
			      (!cw_known_transport(e.addresses[a].transport) ||
			       cw_valid_address(&e.addresses[a])));
		for (int a = 0; a < e.nr_addresses; a++)
			for (int b = 0; b < a; b++)
				CHECK(!cw_same_address(&e.addresses[a], &e.addresses[b]));
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
	CHECK(n.kind >= CW_NOTICE_GEOMETRY && n.kind <= CW_NOTICE_STOPPING && n.sequence);
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
