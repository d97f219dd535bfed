// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs_header.h"

#include <arpa/inet.h>

#include <cstring>

namespace peer
{

Words::Words(std::initializer_list<u32> list)
{
	for (const u32 word : list) {
		const Bytes bytes = raw(htonl(word));
		bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
	}
}

Words &Words::operator+=(const Words &more)
{
	bytes_.insert(bytes_.end(), more.bytes_.begin(), more.bytes_.end());
	return *this;
}

Words Words::operator+(const Words &more) const
{
	Words sum = *this;
	sum += more;
	return sum;
}

u32 Words::at(size_t index) const
{
	u32 word;
	if ((index + 1) * sizeof(word) > bytes_.size())
		throw Failure("a message that ends before its word " + std::to_string(index));
	memcpy(&word, bytes_.data() + index * sizeof(word), sizeof(word));
	return ntohl(word);
}

void Words::set(size_t index, u32 value)
{
	value = htonl(value);
	memcpy(&bytes_.at(index * sizeof(value)), &value, sizeof(value));
}

Words fixed(u32 xid, u32 proc, u32 version, u32 credits)
{
	return {xid, version, credits, proc};
}

Words segment(const Segment &what)
{
	return {what.handle, what.length, u32(what.offset >> 32), u32(what.offset)};
}

Words read_entry(u32 position, const Segment &what)
{
	return Words{1, position} + segment(what);
}

Words chunk(const std::vector<Segment> &segments)
{
	Words words{1, u32(segments.size())};
	for (const Segment &each : segments)
		words += segment(each);
	return words;
}

namespace
{

constexpr u32 NFS = 100003;

Words call(u32 xid, u32 version, u32 procedure)
{
	// Direction, RPC version, program; then root's credentials, of Unix, and no verifier.
	return {xid, 0, 2, NFS, version, procedure, 1, 20, 0, 0, 0, 0, 0, 0, 0};
}

} // namespace

Words null_call(u32 xid)
{
	return call(xid, 3, 0);
}

Words list_call(u32 xid)
{
	enum : u32 { COMPOUND = 1, PUTROOTFH = 24, READDIR = 26 };
	constexpr u32 ROOM = 8192;
	return call(xid, 4, COMPOUND) + Words{0, 0, 2, PUTROOTFH} +
	       // From the beginning, with the type and the file handle of each.
	       Words{READDIR, 0, 0, 0, 0, ROOM, ROOM, 1, 1 << 1 | 1 << 19};
}

NfsMessage answer_of(const Bytes &message)
{
	Words words;
	for (size_t at = 0; at + sizeof(u32) <= message.size(); at += sizeof(u32)) {
		u32 word;
		memcpy(&word, message.data() + at, sizeof(word));
		words += {ntohl(word)};
	}
	return {words.at(0), words.at(1), words.at(2), words.at(3), words};
}

Bytes modest_request()
{
	/* No remote invalidation: the keys of most cases are invented. */
	return (Words{0xf6ab0e18, 0x01000000}).bytes();
}

} // namespace peer
