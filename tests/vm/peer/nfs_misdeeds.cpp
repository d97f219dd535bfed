// SPDX-License-Identifier: GPL-2.0-or-later
// Wrong answers to a READ of NFS 3 whose data goes by a write chunk (RFC 8166).
#include "nfs_relay.h"

namespace peer
{

namespace
{

constexpr size_t FOLLOWS = 7, ATTRIBUTES = 21;

u32 last_of(const Words &words)
{
	return words.at(words.size() / sizeof(u32) - 1);
}

u32 xid_of(const Bytes &reply)
{
	return answer_of(reply).xid;
}

// The answer without its data, which was placed, and how much data that was.
struct Placed {
	Words rest;
	u32 length;
};

Placed placed(Relay &relay, const Bytes &reply, const Offer &offer)
{
	const std::optional<Words> rest = relay.place(reply, offer);
	if (!rest)
		throw Failure("a READ without a chunk, or without data");
	return {*rest, last_of(*rest)};
}

// The lists of an honest answer, with what @change makes of them.
template <class Change> Misdeed lists(Change change)
{
	return [change](Relay &relay, const Bytes &reply, const Offer &offer) {
		const Placed p = placed(relay, reply, offer);
		relay.send(fixed(xid_of(reply)) + change(relay, offer, p.length) + p.rest);
	};
}

Misdeed words(std::function<Words(u32 xid)> make)
{
	return [make](Relay &relay, const Bytes &reply, const Offer &) {
		relay.send(make(xid_of(reply)));
	};
}

// The READ ends with NFS3ERR_IO.
void fail(Relay &relay, u32 xid)
{
	relay.send(fixed(xid) + NOTHING + NOTHING + NOTHING + Words{xid, 1, 0, 0, 0, 0, 5});
}

// As an honest server may: the attributes behind a READ are optional.
void without_attributes(Relay &relay, const Bytes &reply, const Offer &offer)
{
	const Placed p = placed(relay, reply, offer);
	Words rest;
	for (size_t i = 0; i < p.rest.size() / sizeof(u32); i++)
		if (i <= FOLLOWS || i > FOLLOWS + ATTRIBUTES)
			rest += {i == FOLLOWS ? 0 : p.rest.at(i)};
	relay.send(fixed(xid_of(reply)) + NOTHING + Relay::used(offer, p.length) + NOTHING + rest);
}

Words swollen(const Offer &offer, u32 more)
{
	std::vector<Segment> segments = offer.write;
	segments.back().length += more;
	return chunk(segments) + NOTHING;
}

} // namespace

Misdeeds nfs_misdeeds()
{
	const Words nothing = NOTHING + NOTHING + NOTHING;
	return {
		{"without-attributes", without_attributes},
		{"written-too-much", lists([](Relay &, const Offer &offer, u32) {
			 return NOTHING + swollen(offer, 4096) + NOTHING;
		 })},
		{"written-less", lists([](Relay &, const Offer &offer, u32 length) {
			 return NOTHING + Relay::used(offer, length / 2) + NOTHING;
		 })},
		{"no-write-list", lists([=](Relay &, const Offer &, u32) { return nothing; })},
		{"two-write-chunks", lists([](Relay &, const Offer &offer, u32 length) {
			 const Words one = Relay::used(offer, length);
			 Words both = one;
			 both.set(one.size() / sizeof(u32) - 1, 1);
			 return NOTHING + both + Words{0, 0} + NOTHING;
		 })},
		{"segment-not-offered", lists([](Relay &, const Offer &offer, u32 length) {
			 Words used = Relay::used(offer, length);
			 used.set(2, used.at(2) ^ 0x5500);
			 return NOTHING + used + NOTHING;
		 })},
		{"read-list-in-an-answer", lists([](Relay &, const Offer &offer, u32 length) {
			 return read_entry(0, offer.write[0]) + NOTHING +
				Relay::used(offer, length) + NOTHING;
		 })},
		{"long-answer-without-chunk", words([=](u32 xid) {
			 return fixed(xid, NOMSG) + nothing;
		 })},
		{"version-2", words([=](u32 xid) { return fixed(xid, MSG, 2) + nothing; })},
		{"error-chunk", words([](u32 xid) { return fixed(xid, ERROR) + Words{ERR_CHUNK}; })},
		{"error-of-no-kind", words([](u32 xid) { return fixed(xid, ERROR) + Words{77}; })},
		{"cut-header", words([](u32 xid) { return Words{xid, 1}; })},
		{"cut-answer", words([=](u32 xid) { return fixed(xid) + nothing + Words{xid, 1}; })},
		{"empty", [](Relay &relay, const Bytes &, const Offer &) { relay.link().send({}); }},
		{"no-credit",
		 [](Relay &relay, const Bytes &reply, const Offer &offer) {
			 const Placed p = placed(relay, reply, offer);
			 relay.send(fixed(xid_of(reply), MSG, 1, 0) + NOTHING +
				    Relay::used(offer, p.length) + NOTHING + p.rest);
		 }},
		{"answer-nobody-waits-for",
		 [](Relay &relay, const Bytes &reply, const Offer &offer) {
			 fail(relay, xid_of(reply) ^ 0x40000000);
			 relay.answer(reply, offer);
		 }},
		{"answered-twice",
		 [](Relay &relay, const Bytes &reply, const Offer &offer) {
			 relay.answer(reply, offer);
			 fail(relay, xid_of(reply));
		 }},
		{"wrong-key-invalidated",
		 [](Relay &relay, const Bytes &reply, const Offer &offer) {
			 const Placed p = placed(relay, reply, offer);
			 relay.link().send_invalidate(
				 (fixed(xid_of(reply)) + NOTHING + Relay::used(offer, p.length) +
				  NOTHING + p.rest)
					 .bytes(),
				 offer.write[0].handle ^ 0x33000);
		 }},
		{"written-beyond",
		 [](Relay &relay, const Bytes &, const Offer &offer) {
			 const Segment &last = offer.write.back();
			 relay.link().write_to(last.offset + last.length, last.handle, Bytes(4096));
		 }},
		{"larger-than-any-receive",
		 [](Relay &relay, const Bytes &, const Offer &) {
			 relay.link().send(Bytes(17 * 4096, 1));
		 }},
		{"hangs-up",
		 [](Relay &relay, const Bytes &, const Offer &) { relay.link().disconnect(); }},
	};
}

} // namespace peer
