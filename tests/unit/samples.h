// SPDX-License-Identifier: GPL-2.0-or-later
// A valid example of every message and struct of the protocol. Tests break one field of it at a
// time, and the fuzzers start from it.
#pragma once

#include <asm/byteorder.h>

#include <cstring>

#include "include/wire/causeway_parse.h"

namespace samples
{

template <size_t N> void fill(u8 (&bytes)[N], u8 first)
{
	for (size_t i = 0; i < N; i++)
		bytes[i] = static_cast<u8>(first + i);
}

inline cw_req req()
{
	cw_req r{};
	r.version = CW_WIRE_VERSION;
	r.kind = CW_KIND_DATA;
	r.transport = CW_WIRE_RDMA;
	r.index = 3;
	r.number = 77;
	fill(r.token, 1);
	return r;
}

inline cw_req control_req()
{
	cw_req r{};
	r.version = CW_WIRE_VERSION;
	r.kind = CW_KIND_CONTROL;
	r.transport = CW_WIRE_RDMA;
	return r;
}

inline cw_rep rep()
{
	cw_rep r{};
	r.version = CW_WIRE_VERSION;
	r.kind = CW_KIND_DATA;
	r.transport = CW_WIRE_RDMA;
	r.index = 3;
	return r;
}

inline cw_rep control_rep()
{
	cw_rep r{};
	r.version = CW_WIRE_VERSION;
	r.kind = CW_KIND_CONTROL;
	r.transport = CW_WIRE_RDMA;
	fill(r.nonce, 0x90);
	return r;
}

inline cw_geometry geometry()
{
	cw_geometry g{};
	g.size = 1ULL << 30;
	g.logical_block = 512;
	g.physical_block = 4096;
	g.io_min = 4096;
	g.io_opt = 1U << 20;
	g.discard_max = 1U << 30;
	g.discard_granularity = 4096;
	g.zeroes_max = 1U << 25;
	g.discard_ranges = 64;
	g.flags = CW_EXPORT_VOLATILE | CW_EXPORT_FUA | CW_EXPORT_DISCARD | CW_EXPORT_WRITE_ZEROES;
	return g;
}

// A disk that supports only reads and writes.
inline cw_geometry plain_geometry()
{
	cw_geometry g{};
	g.size = 3 * 4096;
	g.logical_block = 4096;
	g.physical_block = 4096;
	return g;
}

inline cw_hello hello()
{
	cw_hello h{};
	h.flags = CW_HELLO_KEY;
	h.features_offered = CW_FEATURE_CRC | CW_FEATURE_BARE;
	h.features_required = CW_FEATURE_CRC;
	fill(h.host, 0x10);
	fill(h.boot, 0x30);
	fill(h.session, 0x50);
	h.epoch = 5;
	h.serial = 3;
	fill(h.nonce, 0x70);
	strcpy(h.export_name, "scratch");
	strcpy(h.host_name, "client.example");
	h.queues = 4;
	h.depth = 128;
	h.inline_size = 4096;
	h.max_io = 1U << 20;
	h.area = 16;
	h.messages = 24;
	return h;
}

// A HELLO of a session that was live before, on one of several paths.
inline cw_hello returning()
{
	cw_hello h = hello();
	h.flags |= CW_HELLO_RETURNING;
	h.features_offered |= CW_FEATURE_PATHS;
	h.last = 4;
	h.generation = 21;
	fill(h.receipt, 0xa0);
	h.path = 7;
	return h;
}

inline cw_challenge challenge()
{
	cw_challenge c{};
	c.flags = CW_CHALLENGE_KEY;
	c.features = CW_FEATURE_CRC;
	fill(c.instance, 0x20);
	fill(c.nonce, 0x80);
	return c;
}

inline cw_welcome welcome()
{
	cw_welcome w{};
	fill(w.mac, 0x40);
	w.number = 77;
	w.queues = 2;
	w.depth = 64;
	w.export_id = 0;
	w.inline_size = 4096;
	w.max_io = 1U << 20;
	w.area = 8;
	w.messages = 12;
	w.probe_ms = 1000;
	w.dead_ms = 5000;
	w.generation = 21;
	fill(w.receipt, 0xa0);
	fill(w.identity, 0x60);
	w.geo = geometry();
	return w;
}

inline cw_refused refused()
{
	cw_refused r{};
	fill(r.mac, 0x40);
	r.reason = CW_REFUSED_STALE;
	r.epoch = 9;
	fill(r.identity, 0x60);
	strcpy(r.text, "epoch 9 of this session is newer");
	return r;
}

inline cw_waiting waiting()
{
	return {.reason = CW_WAITING_COMMANDS, .path = 0, .commands = 12};
}

// The WAITING that is sent while a FENCE of path 3 waits for commands.
inline cw_waiting fence_waiting()
{
	return {.reason = CW_WAITING_COMMANDS, .path = 3, .commands = 2};
}

inline cw_join join()
{
	cw_join j{};
	fill(j.mac, 0x40);
	j.path = 1;
	j.features = CW_FEATURE_PATHS | CW_FEATURE_CRC | CW_FEATURE_BARE;
	fill(j.host, 0x10);
	fill(j.boot, 0x30);
	fill(j.session, 0x50);
	j.epoch = 6;
	fill(j.nonce, 0x70);
	j.queues = 4;
	j.depth = 128;
	j.inline_size = 4096;
	j.max_io = 1U << 20;
	j.area = 16;
	j.messages = 24;
	return j;
}

// The features that the login chose. Joins must have the same ones.
constexpr u64 CHOSEN = CW_FEATURE_PATHS | CW_FEATURE_CRC;

inline cw_joined joined()
{
	cw_joined j{};
	fill(j.mac, 0x40);
	j.number = 78;
	j.queues = 2;
	j.depth = 64;
	j.inline_size = 4096;
	j.max_io = 1U << 20;
	j.probe_ms = 1000;
	j.dead_ms = 5000;
	j.export_id = 0;
	j.area = 8;
	j.messages = 12;
	j.path = 1;
	j.features = CHOSEN;
	j.epoch = 6;
	fill(j.instance, 0x20);
	return j;
}

inline cw_incarnation incarnation()
{
	return {.path = 1, .tag = 0, .epoch = 5};
}

inline cw_wire_probe probe()
{
	cw_wire_probe rec;
	cw_pack_probe(&rec, 0x1122334455667788);
	return rec;
}

inline cw_wire_discover discover()
{
	cw_wire_discover d{};
	d.magic = __cpu_to_le32(CW_WIRE_MAGIC);
	d.version = __cpu_to_le16(CW_WIRE_VERSION);
	d.first = __cpu_to_le32(42);
	return d;
}

inline cw_address address_v4()
{
	return {CW_WIRE_RDMA, CW_WIRE_IPV4, CW_WIRE_PORT, {10, 1, 0, 1}};
}

inline cw_address address_v6()
{
	cw_address a{CW_WIRE_RDMA, CW_WIRE_IPV6, CW_WIRE_PORT, {0xfd, 0, 0, 9}};
	a.bytes[15] = 1;
	return a;
}

inline cw_export_info export_info()
{
	cw_export_info e{};
	strcpy(e.name, "scratch");
	fill(e.identity, 0x60);
	e.size = 1ULL << 30;
	e.logical_block = 512;
	e.flags = CW_EXPORT_VOLATILE | CW_EXPORT_KEY;
	e.more = 7;
	e.nr_addresses = 2;
	e.addresses[0] = address_v4();
	e.addresses[1] = address_v6();
	return e;
}

// An export with as many addresses as fit.
inline cw_export_info export_info_of_many()
{
	cw_export_info e = export_info();
	e.nr_addresses = CW_WIRE_ADDRESSES;
	for (int i = 2; i < CW_WIRE_ADDRESSES; i++) {
		e.addresses[i] = address_v4();
		e.addresses[i].bytes[3] = u8(i);
	}
	return e;
}

inline cw_notice notice()
{
	cw_notice n{};
	n.kind = CW_NOTICE_GEOMETRY;
	n.flags = CW_NOTICE_FLUSHED;
	n.sequence = 1;
	n.geo = geometry();
	return n;
}

inline cw_notice stopping()
{
	cw_notice n{};
	n.kind = CW_NOTICE_STOPPING;
	n.flags = CW_NOTICE_FLUSHED;
	n.sequence = 0xffffffff;
	n.geo = plain_geometry();
	return n;
}

inline cw_limits limits()
{
	cw_limits l{};
	l.depth = 128;
	l.inline_size = 4096;
	l.max_io = 1U << 20;
	l.export_id = 7;
	l.features = CW_FEATURE_CRC;
	l.discard_ranges = 64;
	return l;
}

inline cw_cmd read_inline()
{
	cw_cmd c{};
	c.op = CW_OP_READ;
	c.flags = CW_CMD_INLINE;
	c.slot = 5;
	c.len = 4096;
	c.offset = 8192;
	return c;
}

inline cw_cmd read_bulk()
{
	cw_cmd c = read_inline();
	c.flags = CW_CMD_BULK;
	c.len = 65536;
	c.rkey = 0x1234;
	c.addr = 0xffff888000001000;
	return c;
}

inline cw_cmd write_inline()
{
	cw_cmd c{};
	c.op = CW_OP_WRITE;
	c.flags = CW_CMD_INLINE | CW_CMD_FUA | CW_CMD_CRC;
	c.slot = 127;
	c.len = 1024;
	c.offset = 1048576;
	c.data_off = 512;
	c.data_len = 1024;
	c.crc = 0xdeadbeef;
	return c;
}

inline cw_cmd write_bulk()
{
	cw_cmd c = read_bulk();
	c.op = CW_OP_WRITE;
	c.flags = CW_CMD_BULK | CW_CMD_FUA;
	return c;
}

inline cw_cmd flush()
{
	cw_cmd c{};
	c.op = CW_OP_FLUSH;
	c.slot = 1;
	return c;
}

inline cw_cmd discard()
{
	cw_cmd c{};
	c.op = CW_OP_DISCARD;
	c.flags = CW_CMD_INLINE;
	c.slot = 2;
	c.data_off = 0;
	c.data_len = 3 * sizeof(cw_wire_range);
	return c;
}

inline cw_cmd write_zeroes()
{
	cw_cmd c{};
	c.op = CW_OP_WRITE_ZEROES;
	c.flags = CW_CMD_FUA | CW_CMD_NOUNMAP;
	c.slot = 3;
	c.len = 1U << 24;
	c.offset = 4096;
	return c;
}

inline cw_wire_range range(u64 offset, u64 len)
{
	return {__cpu_to_le64(offset), __cpu_to_le64(len)};
}

inline cw_done done_data()
{
	cw_done d{};
	d.slot = 5;
	d.status = CW_STATUS_OK;
	d.flags = CW_DONE_INLINE | CW_DONE_CRC;
	d.data_off = 512;
	d.data_len = 1024;
	d.crc = 0xdeadbeef;
	return d;
}

inline cw_done done_plain()
{
	cw_done d{};
	d.slot = 127;
	return d;
}

inline cw_done done_error()
{
	cw_done d{};
	d.slot = 0;
	d.status = CW_STATUS_GONE;
	return d;
}

} // namespace samples
