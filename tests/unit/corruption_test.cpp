// SPDX-License-Identifier: GPL-2.0-or-later
// Sets every byte of every struct to every value. Nothing may crash, and a byte with only one right
// value must not be accepted with another one. A struct that is accepted and packed again must have
// the same bytes. So no parser overlooks a bit, and no pack function forgets one.
#include "wire.h"

using namespace wire;

namespace
{

struct Bytes { // count bytes from first on
	size_t first, count;
};

template <class Rec> struct Shape {
	Rec valid;
	std::function<bool(const void *, Rec &)> accept; // packs what it accepted into Rec
	std::vector<Bytes> fixed; // magic, version, reserved: only one value is right
	std::vector<Bytes> lossy; // clamped, cut or chosen: need not be the same when packed again
};

bool in(const std::vector<Bytes> &list, size_t i)
{
	for (const Bytes &b : list)
		if (i >= b.first && i < b.first + b.count)
			return true;
	return false;
}

template <class Rec> void corrupt(const Shape<Rec> &shape)
{
	alignas(16) u8 room[sizeof(Rec) + 1];
	u8 *const bytes = room + 1; // always misaligned
	Rec again;
	memcpy(bytes, &shape.valid, sizeof(Rec));
	ASSERT_TRUE(shape.accept(bytes, again));
	ASSERT_EQ(memcmp(&again, bytes, sizeof(Rec)), 0);
	for (size_t i = 0; i < sizeof(Rec); i++) {
		const u8 right = bytes[i];
		for (int value = 0; value < 256; value++) {
			if (value == right)
				continue;
			bytes[i] = u8(value);
			if (!shape.accept(bytes, again))
				continue;
			EXPECT_FALSE(in(shape.fixed, i)) << "byte " << i << " as " << value;
			const bool same = !memcmp(&again, bytes, sizeof(Rec));
			EXPECT_TRUE(same || in(shape.lossy, i))
				<< "byte " << i << " as " << value << " was not looked at";
		}
		bytes[i] = right;
	}
}

#define FIELD(type, field)                                 \
	Bytes                                              \
	{                                                  \
		offsetof(type, field), sizeof(type::field) \
	}

TEST(Corruption, Request)
{
	using Rec = cw_wire_req;
	for (const cw_req &req : {samples::req(), samples::control_req()})
		corrupt<Rec>({packed(cw_pack_req, req),
			      [](const void *p, Rec &again) {
				      cw_req out;
				      if (cw_parse_req(p, sizeof(Rec), &out))
					      return false;
				      cw_pack_req(&again, &out);
				      return true;
			      },
			      {FIELD(Rec, magic), FIELD(Rec, reserved0)},
			      {FIELD(Rec, version_min), FIELD(Rec, version_max)}});
}

TEST(Corruption, Acceptance)
{
	using Rec = cw_wire_rep;
	for (const cw_rep &rep : {samples::rep(), samples::control_rep()})
		corrupt<Rec>({packed(cw_pack_rep, rep),
			      [](const void *p, Rec &again) {
				      cw_rep out;
				      if (cw_parse_rep(p, sizeof(Rec), &out))
					      return false;
				      cw_pack_rep(&again, &out);
				      return true;
			      },
			      {FIELD(Rec, magic), FIELD(Rec, version), FIELD(Rec, reserved0)},
			      {}});
}

TEST(Corruption, Rejection)
{
	using Rec = cw_wire_rej;
	Rec rec;
	cw_pack_rej(&rec, CW_REFUSED_STOPPING);
	corrupt<Rec>({rec,
		      [](const void *p, Rec &again) {
			      cw_rej out;
			      if (cw_parse_rej(p, sizeof(Rec), &out))
				      return false;
			      cw_pack_rej(&again, out.reason);
			      again.version_min = le16(out.version_min);
			      again.version_max = le16(out.version_max);
			      return true;
		      },
		      {FIELD(Rec, magic), FIELD(Rec, reserved0)},
		      {}});
}

TEST(Corruption, Tail)
{
	using Rec = cw_wire_tail;
	Rec rec;
	cw_pack_tail(&rec, CW_MSG_COMMANDS, 2, 512, 99, 98);
	corrupt<Rec>({rec,
		      [](const void *p, Rec &again) {
			      cw_frame f;
			      if (cw_parse_tail(static_cast<const Rec *>(p), 512 + 2 * 48 + 16,
						4096, CW_KIND_DATA, true, &f))
				      return false;
			      cw_pack_tail(&again, f.type, f.count, f.data_len, f.ordinal,
					   f.credit);
			      return true;
		      },
		      {FIELD(Rec, type), FIELD(Rec, flags), FIELD(Rec, count), FIELD(Rec, data_len)},
		      {}});
}

TEST(Corruption, Commands)
{
	using Rec = cw_wire_cmd;
	static const cw_limits lim = samples::limits();
	for (const cw_cmd &cmd :
	     {samples::read_inline(), samples::read_bulk(), samples::write_inline(),
	      samples::write_bulk(), samples::flush(), samples::discard(), samples::write_zeroes()})
		corrupt<Rec>(
			{packed(cw_pack_cmd, cmd, lim.export_id),
			 [](const void *p, Rec &again) {
				 const cw_frame frame = frame_of(2048);
				 cw_cmd out;
				 if (cw_parse_cmd(static_cast<const Rec *>(p), &frame, &lim, &out))
					 return false;
				 cw_pack_cmd(&again, &out, lim.export_id);
				 return true;
			 },
			 {FIELD(Rec, export_id), FIELD(Rec, reserved)},
			 {}});
}

TEST(Corruption, Completions)
{
	using Rec = cw_wire_done;
	for (const cw_done &done :
	     {samples::done_data(), samples::done_plain(), samples::done_error()})
		corrupt<Rec>(
			{packed(cw_pack_done, done),
			 [](const void *p, Rec &again) {
				 const cw_frame frame = frame_of(2048);
				 const cw_limits lim = samples::limits();
				 cw_done out;
				 if (cw_parse_done(static_cast<const Rec *>(p), &frame, &lim, &out))
					 return false;
				 cw_pack_done(&again, &out);
				 return true;
			 },
			 {},
			 {}});
}

TEST(Corruption, Range)
{
	using Rec = cw_wire_range;
	corrupt<Rec>({samples::range(4096, 8192),
		      [](const void *p, Rec &again) {
			      cw_range out;
			      if (cw_parse_range(static_cast<const Rec *>(p), &out))
				      return false;
			      again = samples::range(out.offset, out.len);
			      return true;
		      },
		      {},
		      {}});
}

TEST(Corruption, Geometry)
{
	using Rec = cw_wire_geometry;
	for (const cw_geometry &geo : {samples::geometry(), samples::plain_geometry()})
		corrupt<Rec>({packed(cw_pack_geometry, geo),
			      [](const void *p, Rec &again) {
				      cw_geometry out;
				      if (cw_parse_geometry(static_cast<const Rec *>(p), &out))
					      return false;
				      cw_pack_geometry(&again, &out);
				      return true;
			      },
			      {},
			      {}});
}

TEST(Corruption, Hello)
{
	using Rec = cw_wire_hello;
	for (const cw_hello &hello : {samples::hello(), samples::returning()})
		corrupt<Rec>({packed(cw_pack_hello, hello),
			      [](const void *p, Rec &again) {
				      cw_hello out;
				      if (cw_parse_hello(p, sizeof(Rec), &out))
					      return false;
				      cw_pack_hello(&again, &out);
				      return true;
			      },
			      {FIELD(Rec, magic), FIELD(Rec, version), FIELD(Rec, reserved)},
			      {FIELD(Rec, host_name), FIELD(Rec, queues), FIELD(Rec, depth),
			       FIELD(Rec, inline_size), FIELD(Rec, max_io), FIELD(Rec, area)}});
}

TEST(Corruption, Challenge)
{
	using Rec = cw_wire_challenge;
	corrupt<Rec>({packed(cw_pack_challenge, samples::challenge()),
		      [](const void *p, Rec &again) {
			      cw_challenge out;
			      const cw_hello wish = samples::hello();
			      if (cw_parse_challenge(p, sizeof(Rec), wish.features_offered,
						     wish.features_required, &out))
				      return false;
			      cw_pack_challenge(&again, &out);
			      return true;
		      },
		      {FIELD(Rec, magic), FIELD(Rec, version)},
		      {}});
}

TEST(Corruption, Welcome)
{
	using Rec = cw_wire_welcome;
	corrupt<Rec>({packed(cw_pack_welcome, samples::welcome()),
		      [](const void *p, Rec &again) {
			      const cw_hello wish = samples::hello();
			      cw_welcome out;
			      if (cw_parse_welcome(p, sizeof(Rec), &wish, &out))
				      return false;
			      cw_pack_welcome(&again, &out);
			      return true;
		      },
		      {FIELD(Rec, reserved)},
		      {FIELD(Rec, area)}});
}

TEST(Corruption, Refused)
{
	using Rec = cw_wire_refused;
	corrupt<Rec>({packed(cw_pack_refused, samples::refused()),
		      [](const void *p, Rec &again) {
			      cw_refused out;
			      if (cw_parse_refused(p, sizeof(Rec), &out))
				      return false;
			      cw_pack_refused(&again, &out);
			      return true;
		      },
		      {FIELD(Rec, reserved)},
		      {FIELD(Rec, text)}});
}

TEST(Corruption, Waiting)
{
	using Rec = cw_wire_waiting;
	for (const cw_waiting &waiting : {samples::waiting(), samples::fence_waiting(),
					  cw_waiting{CW_WAITING_OWNER, 0, 0}})
		corrupt<Rec>({packed(cw_pack_waiting, waiting),
			      [](const void *p, Rec &again) {
				      cw_waiting out;
				      if (cw_parse_waiting(p, sizeof(Rec), true, &out) &&
					  cw_parse_waiting(p, sizeof(Rec), false, &out))
					      return false;
				      cw_pack_waiting(&again, &out);
				      return true;
			      },
			      {FIELD(Rec, reserved0), FIELD(Rec, reserved1)},
			      {}});
}

TEST(Corruption, Join)
{
	using Rec = cw_wire_join;
	corrupt<Rec>({packed(cw_pack_join, samples::join()),
		      [](const void *p, Rec &again) {
			      cw_join out;
			      if (cw_parse_join(p, sizeof(Rec), &out))
				      return false;
			      cw_pack_join(&again, &out);
			      return true;
		      },
		      {FIELD(Rec, magic), FIELD(Rec, version), FIELD(Rec, reserved)},
		      {FIELD(Rec, queues), FIELD(Rec, depth), FIELD(Rec, inline_size),
		       FIELD(Rec, max_io), FIELD(Rec, area)}});
}

TEST(Corruption, Joined)
{
	using Rec = cw_wire_joined;
	corrupt<Rec>({packed(cw_pack_joined, samples::joined()),
		      [](const void *p, Rec &again) {
			      const cw_join wish = samples::join();
			      cw_joined out;
			      if (cw_parse_joined(p, sizeof(Rec), &wish, samples::CHOSEN, &out))
				      return false;
			      cw_pack_joined(&again, &out);
			      return true;
		      },
		      {FIELD(Rec, path), FIELD(Rec, epoch), FIELD(Rec, reserved)},
		      {FIELD(Rec, area)}});
}

TEST(Corruption, Incarnation)
{
	using Rec = cw_wire_incarnation;
	corrupt<Rec>({packed(cw_pack_incarnation, samples::incarnation()),
		      [](const void *p, Rec &again) {
			      cw_incarnation out;
			      if (cw_parse_incarnation(p, sizeof(Rec), &out))
				      return false;
			      cw_pack_incarnation(&again, &out);
			      return true;
		      },
		      {FIELD(Rec, tag)},
		      {}});
	cw_incarnation fence = samples::incarnation();
	fence.tag = 0x123456789abcde;
	corrupt<Rec>({packed(cw_pack_incarnation, fence),
		      [](const void *p, Rec &again) {
			      cw_incarnation out;
			      if (cw_parse_fence(p, sizeof(Rec), &out))
				      return false;
			      cw_pack_incarnation(&again, &out);
			      return true;
		      },
		      {},
		      {}});
}

TEST(Corruption, Probe)
{
	using Rec = cw_wire_probe;
	corrupt<Rec>({samples::probe(),
		      [](const void *p, Rec &again) {
			      u64 cookie;
			      if (cw_parse_probe(p, sizeof(Rec), &cookie))
				      return false;
			      cw_pack_probe(&again, cookie);
			      return true;
		      },
		      {FIELD(Rec, reserved)},
		      {}});
}

TEST(Corruption, Discover)
{
	using Rec = cw_wire_discover;
	corrupt<Rec>({samples::discover(),
		      [](const void *p, Rec &again) {
			      cw_discover out;
			      if (cw_parse_discover(p, sizeof(Rec), &out))
				      return false;
			      again = samples::discover();
			      again.first = le32(out.first);
			      return true;
		      },
		      {FIELD(Rec, magic), FIELD(Rec, version), FIELD(Rec, reserved),
		       FIELD(Rec, reserved1)},
		      {}});
}

TEST(Corruption, Export)
{
	using Rec = cw_wire_export;
	corrupt<Rec>({packed(cw_pack_export, samples::export_info()),
		      [](const void *p, Rec &again) {
			      cw_export_info out;
			      if (cw_parse_export(p, sizeof(Rec), 0, &out))
				      return false;
			      cw_pack_export(&again, &out);
			      return true;
		      },
		      {},
		      {}});
}

TEST(Corruption, Notice)
{
	using Rec = cw_wire_notice;
	for (const cw_notice &notice : {samples::notice(), samples::stopping()})
		corrupt<Rec>({packed(cw_pack_notice, notice),
			      [](const void *p, Rec &again) {
				      cw_notice out;
				      if (cw_parse_notice(p, sizeof(Rec), &out))
					      return false;
				      cw_pack_notice(&again, &out);
				      return true;
			      },
			      {},
			      {}});
}

} // namespace
