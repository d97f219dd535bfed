// SPDX-License-Identifier: GPL-2.0-or-later
// Parses one control struct. The first byte selects the struct, the second byte is the wish that it
// answers.
#include "structs.h"

using namespace fuzz;

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	if (len < 2)
		return 0;
	const Bytes in(data + 2, len - 2);
	cw_hello wish = samples::hello();
	wish.features_offered = data[1];
	wish.features_required = data[1] & CW_FEATURE_CRC;
	cw_join join_wish = samples::join();
	join_wish.features = data[1];
	if (data[1] & 0x80) { // a wish that was not clamped
		wish.queues = wish.depth = wish.area = 65535;
		wish.inline_size = wish.max_io = 0xfffff000;
		join_wish.queues = join_wish.depth = join_wish.area = 65535;
		join_wish.inline_size = join_wish.max_io = 0xfffff000;
	}
	switch (data[0] % 15) {
	case 0:
		hello(in.data(), in.size());
		break;
	case 1:
		challenge(in.data(), in.size(), wish.features_offered, wish.features_required);
		break;
	case 2:
		proof(in.data(), in.size());
		break;
	case 3:
		welcome(in.data(), in.size(), wish);
		break;
	case 4:
		refused(in.data(), in.size());
		break;
	case 5:
		discover(in.data(), in.size());
		break;
	case 6:
		exports(in.data(), in.size());
		break;
	case 7:
		notice(in.data(), in.size());
		break;
	case 8:
		geometry(in.data(), in.size());
		break;
	case 9:
		waiting(in.data(), in.size());
		break;
	case 10:
		probe(in.data(), in.size());
		break;
	case 11:
		join(in.data(), in.size());
		break;
	case 12:
		joined(in.data(), in.size(), join_wish, samples::CHOSEN);
		break;
	case 13:
		incarnation(in.data(), in.size());
		break;
	case 14:
		key(in.data(), in.size());
		break;
	}
	return 0;
}
