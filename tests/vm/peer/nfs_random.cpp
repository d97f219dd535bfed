// SPDX-License-Identifier: GPL-2.0-or-later
// Random messages. Each is a whole message with all kinds of lists, of which some words were changed,
// because a message of random bytes is refused by the first rule that it breaks.
#include <random>

#include "nfs_cases.h"

#include "nfs_header.h"

namespace peer
{

namespace
{

class Maker
{
      public:
	explicit Maker(unsigned seed) : random_(seed)
	{
	}

	Bytes make()
	{
		if (random_() % 8 == 0)
			return noise(random_() % 1024);
		const u32 xid = random_();
		Words message = fixed(xid, random_() % 4 ? MSG : NOMSG);
		for (unsigned n = random_() % 3; n; n--)
			message += read_entry(random_() % 3 * 4, some_segment());
		message += NOTHING;
		for (unsigned n = random_() % 3; n; n--)
			message += chunk({some_segment(), some_segment()});
		message += NOTHING;
		message += random_() % 2 ? NOTHING : chunk({some_segment()});
		message += random_() % 2 ? null_call(xid) : list_call(xid);
		for (unsigned n = random_() % 4; n; n--)
			message.set(random_() % (message.size() / sizeof(u32)), some_word());
		Bytes bytes = message.bytes();
		if (random_() % 8 == 0)
			bytes.resize(random_() % bytes.size());
		return bytes;
	}

      private:
	u32 some_word()
	{
		static constexpr u32 liked[] = {0, 1, 2, 3, 4, 16, 0x7fffffff, 0x80000000, ~0U};
		return random_() % 2 ? liked[random_() % std::size(liked)] : u32(random_());
	}

	Segment some_segment()
	{
		return {u32(random_()), random_() % 2 ? 4096U : some_word(), random_()};
	}

	Bytes noise(size_t len)
	{
		Bytes bytes(len);
		for (u8 &byte : bytes)
			byte = u8(random_());
		return bytes;
	}

	std::mt19937 random_;
};

} // namespace

std::string nfs_random(const sockaddr_in &server, unsigned seed, unsigned count)
{
	Maker maker(seed);
	unsigned connections = 0;
	for (unsigned sent = 0; sent < count;) {
		Link link(server, modest_request());
		connections++;
		for (; sent < count && !link.closed(); sent++)
			link.send(maker.make());
	}
	return std::to_string(count) + " messages, " + std::to_string(connections) + " connections";
}

} // namespace peer
