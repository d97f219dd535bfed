// SPDX-License-Identifier: GPL-2.0-or-later
// Random messages: random bytes, random records behind a good tail, and good
// commands with some bits turned over, since most random bytes are refused by the first rule they
// meet.
#include <random>

#include "cases.h"

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

	Bytes make(Link &data)
	{
		switch (random_() % 4) {
		case 0:
			return noise(random_() % (CW_WIRE_PAGE + CW_WIRE_TRAILER + 1));
		case 1: {
			const u16 count = u16(1 + random_() % 4);
			return message(data, CW_MSG_COMMANDS, noise(random_() % 8 * 16), count,
				       noise(count * sizeof(cw_wire_cmd)))
				.bytes();
		}
		default:
			return harmed(data);
		}
	}

      private:
	Bytes noise(size_t len)
	{
		Bytes bytes(len);
		for (u8 &byte : bytes)
			byte = u8(random_());
		return bytes;
	}

	Bytes harmed(Link &data)
	{
		cw_cmd cmd = inline_read(u16(random_() % 8), random_() % 64 * 4096);
		Bytes bytes;
		if (random_() % 2) {
			bytes = noise(512);
			cmd = inline_write(cmd.slot, cmd.offset, 512);
		}
		Bytes whole = commands(data, {cmd}, bytes).bytes();
		const size_t trailer = sizeof(cw_wire_cmd) + sizeof(cw_wire_tail);
		for (unsigned flips = 1 + random_() % 3; flips; flips--)
			whole[whole.size() - 1 - random_() % trailer] ^= u8(1U << random_() % 8);
		return whole;
	}

	std::mt19937 random_;
};

} // namespace

std::string random_commands(const Target &target, unsigned seed, unsigned count)
{
	Maker maker(seed);
	unsigned closed = 0, answered = 0;
	std::unique_ptr<Session> session;
	std::unique_ptr<Link> data;
	while (closed + answered < count) {
		if (!session) {
			session = std::make_unique<Session>(target);
			data = session->connect_data();
		}
		data->send(maker.make(*data));
		if (answer(*data, *session)) {
			answered++;
			continue;
		}
		closed++;
		data.reset();
		session.reset();
	}
	return std::to_string(closed) + " closed, " + std::to_string(answered) + " answered";
}

} // namespace peer
